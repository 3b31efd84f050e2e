# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import io
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from checkout import ROOT
from standalone_core import console, errors

from ..interruptible import interruptible


class Terminal(io.StringIO):
    def isatty(self):
        return True


def raising(error):
    def command():
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (console.UsageError("no such thing"), 2, "no such thing"),
        (errors.ArgumentError("wrong\n  number"), 1, "wrong number"),
        (OSError(13, "Permission denied", "a.npz"), 1, "a.npz: Permission denied"),
        (OSError("disk is gone"), 1, "disk is gone"),
        (MemoryError(), 1, "there is not enough memory"),
    ],
)
def test_errors_end_in_a_line_and_a_code(capsys, error, code, line):
    assert console.run(raising(error), "tool") == code
    assert capsys.readouterr() == ("", f"tool: error: {line}\n")


def test_a_fault_of_the_program_says_where_it_is(capsys):
    assert console.run(lambda: {}["key"], "tool") == 1
    err = capsys.readouterr().err
    assert err.startswith("tool: error: KeyError at test_console.py, line ")
    assert err.count("\n") == 1


def test_a_command_that_says_nothing_is_done():
    assert console.run(lambda: None, "tool") == 0
    assert console.run(lambda: 1, "tool") == 1


def test_progress_is_a_line_on_a_terminal_and_gone_at_the_end():
    stream = Terminal()
    with console.Progress("rays", stream) as progress:
        progress(0, 1000)
        progress(1000, 1000)
    *_, last, blank, end = stream.getvalue().split("\r")
    assert last.startswith("1,000 of 1,000 rays (100 %), ")
    assert (blank.strip(), end) == ("", "")
    assert len(blank) == len(last)


@pytest.mark.parametrize("text", ["0", "11", "-3", "x", "1.5", "", " 2", "9" * 20, "٣"])
def test_whole_numbers_of_a_range_are_read_and_no_others(text):
    read = console.whole(1, 10, "number of threads")
    assert [read("1"), read("10"), read("007")] == [1, 10, 7]
    with pytest.raises(argparse.ArgumentTypeError, match=r"' is no number of threads$"):
        read(text)


@pytest.mark.parametrize("text", ["-1", "nan", "x", "", "-inf"])
def test_lengths_are_read_and_nothing_below_0(text):
    read = console.length("length")
    assert [read("0"), read("1e-3"), read("inf")] == [0.0, 0.001, float("inf")]
    with pytest.raises(argparse.ArgumentTypeError, match=r"' is no length$"):
        read(text)


def test_a_text_takes_the_place_of_the_last_one_and_is_cleared_once():
    stream = Terminal()
    line = console.Line(stream)
    line.clear()
    line.show("long")
    line.show("a")
    line.clear()
    line.clear()
    assert stream.getvalue() == "\rlong\ra   \r \r"


def test_progress_is_not_shown_where_no_one_looks():
    stream = io.StringIO()
    with console.Progress("rays", stream) as progress:
        progress(1, 1)
    assert stream.getvalue() == ""
    with console.Progress("rays", Terminal(), shown=False) as progress:
        progress(1, 1)


def test_a_report_to_no_one_is_no_fault(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    console.report({"a": 1}, as_json=True)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_what_a_stream_cannot_encode_is_spelled_out(encoding):
    facts = {"output": "\udcff é 😀.npz"}
    for as_json in (True, False):
        stream = io.TextIOWrapper(io.BytesIO(), encoding, "strict")
        console.report(facts, as_json, stream)
        text = stream.buffer.getvalue().decode(encoding)
        assert json.loads(text) == facts if as_json else "\\udcff" in text


def test_errors_of_the_core_begin_with_the_file_that_is_read():
    with pytest.raises(errors.RaypickError, match=r"^a\.npz: damaged$"), console.about("a.npz"):
        raise errors.TableFileError("damaged")
    with pytest.raises(KeyError), console.about("a.npz"):
        raise KeyError("a")


FACTS = {"rays": 12345, "is_done": True, "box": np.array([0.5, np.inf]), "of": {"a": [1, None]}}


def test_reports_are_lines_or_json(capsys):
    console.report(FACTS, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        *("rays     12,345", "is done  yes", "box      0.5, inf", "of       a 1, -")
    ]
    console.report(FACTS, as_json=True)
    assert json.loads(capsys.readouterr().out) == {**FACTS, "box": [0.5, None]}


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", None)])
def test_a_command_that_is_asked_to_end_unwinds_and_handlers_are_put_back(number):
    before, unwound = signal.signal(number, signal.SIG_DFL), []  # nohup ignores SIGHUP

    def command():
        try:
            os.kill(os.getpid(), number)
        finally:
            unwound.append(number)

    try:
        with pytest.raises(SystemExit) as left:
            console.run(command, "tool")
        assert (left.value.code, unwound) == (128 + number, [number])
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with console.answered([signal.SIGTERM], lambda *_: pytest.fail("it was answered")):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


TALKS = """
import time
from standalone_core import console

def command():
    with console.Progress("rays", shown=True) as progress:
        print("begun", flush=True)
        for done in range(10**9):
            progress(done, 10**9)
            time.sleep(0.001)

raise SystemExit(console.run(command, "tool"))
"""


@pytest.mark.skipif(os.name != "posix", reason="terminals are those of POSIX")
def test_nothing_is_left_to_write_to_a_terminal_that_has_gone():
    ours, theirs = os.openpty()
    os.close(ours)
    with open(theirs, "w") as stream:
        console.say("lost", stream)
        stream.flush()  # as Python does when it ends


@pytest.mark.skipif(os.name != "posix", reason="terminals are those of POSIX")
def test_a_command_ends_as_it_should_when_its_terminal_is_closed():
    ours, theirs = os.openpty()
    with interruptible():
        process = subprocess.Popen(
            [sys.executable, "-c", TALKS], cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs
        )
    os.close(theirs)
    assert process.stdout.readline() == b"begun\n"
    os.close(ours)  # what is written there is an error from now on
    process.send_signal(signal.SIGHUP)
    process.stdout.close()
    assert process.wait(60) == 128 + signal.SIGHUP
