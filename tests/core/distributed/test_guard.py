# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that end when those do that started them."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from standalone_core.distributed.survey import _GUARD, run_program

from ...interruptible import interruptible
from .helpers import wait_until

POSIX = pytest.mark.skipif(os.name != "posix", reason="looks for processes as POSIX names them")

# Notes its process and that of a child, then waits for ever.
WAITS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
with open(sys.argv[1] + ".tmp", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.replace(sys.argv[1] + ".tmp", sys.argv[1])
time.sleep(1000)
"""


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def noted(path):
    """The processes that were noted, once they are."""
    wait_until(path.exists)
    return [int(pid) for pid in path.read_text().split()]


@pytest.mark.parametrize("status", [0, 1, 2, 130])
def test_the_exit_status_and_all_that_is_printed_are_returned(status):
    code = f"import sys; print('out'); print('err', file=sys.stderr); sys.exit({status})"
    ended = run_program([sys.executable, "-c", code], {"PYTHONUNBUFFERED": "1"})
    assert ended == (status, "out\nerr\n")


def test_variables_are_set_for_the_program(monkeypatch):
    monkeypatch.setenv("KEPT", "as it was")
    code = "import os; print(os.environ['KEPT'], os.environ['GIVEN'])"
    assert run_program([sys.executable, "-c", code], {"GIVEN": "x"}).printed == "as it was x\n"


@POSIX
def test_a_program_that_dies_of_a_signal_says_which():
    ended = run_program([sys.executable, "-c", "import os; os.abort()"], {})
    assert ended.status == 128 + signal.SIGABRT


def test_a_program_that_is_not_there_is_named():
    ended = run_program(["no-such-program"], {})
    assert ended.status == 127
    assert "no-such-program cannot be run" in ended.printed


@POSIX
def test_a_program_whose_time_is_up_ends_with_all_that_it_started(tmp_path):
    path, patience = tmp_path / "pids", 2.0
    while not path.exists():  # on a slow machine it has not begun when its time is up
        patience *= 2
        assert patience < 200
        ended = run_program([sys.executable, "-c", WAITS, str(path)], {}, timeout=patience)
        assert ended.status is None
    assert not any(map(is_running, noted(path)))


def started(program, path, ours):
    """A guard of a program of Python; the processes that it noted."""
    with interruptible():
        process = subprocess.Popen(
            [sys.executable, _GUARD, sys.executable, "-c", program, str(path)], stdin=ours
        )
    return process, noted(path)


@POSIX
@pytest.mark.parametrize("sent", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_guard_that_is_asked_to_end_lets_the_program_clean_up(tmp_path, sent):
    path = tmp_path / "pids"
    cleans_up = f"""
import os, signal, sys
def end(*_):
    os.remove(sys.argv[1])
    sys.exit(3)
signal.signal(signal.SIGTERM, end)
{WAITS}"""
    ours, theirs = os.pipe()
    process, pids = started(cleans_up, path, ours)
    process.send_signal(getattr(signal, sent))
    assert process.wait(60) == 3
    os.close(ours)
    os.close(theirs)
    assert not path.exists()
    wait_until(lambda: not any(map(is_running, pids)))


@POSIX
def test_many_signals_at_once_hung_a_guard(tmp_path):
    ours, theirs = os.pipe()
    for number in range(10):
        process, pids = started(WAITS, tmp_path / str(number), ours)
        for _ in range(100):
            for sent in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                process.send_signal(sent)
        assert process.wait(60)  # the last ones may end Python while it ends
        wait_until(lambda pids=pids: not any(map(is_running, pids)))
    os.close(ours)
    os.close(theirs)


@POSIX
def test_a_signal_that_was_ignored_when_a_guard_began_does_not_end_it(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = subprocess.Popen(
            [sys.executable, _GUARD, sys.executable, "-c", WAITS, str(tmp_path / "pids")],
            stdin=subprocess.PIPE,
        )
    finally:
        signal.signal(signal.SIGHUP, before)
    pids = noted(tmp_path / "pids")
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.stdin.close()
    assert process.wait(60) == 128 + signal.SIGTERM
    wait_until(lambda: not any(map(is_running, pids)))


@POSIX
@pytest.mark.parametrize("victim", ["starter", "guard"])
def test_a_program_does_not_outlive_who_started_it(tmp_path, victim):
    if victim == "guard" and sys.platform != "linux":
        pytest.skip("only Linux tells a program that its parent died")
    path = tmp_path / "pids"
    starter = textwrap.dedent(
        f"""
        import sys
        from standalone_core.distributed.survey import run_program
        print(run_program([sys.executable, "-c", {WAITS!r}, {str(path)!r}], {{}}))
        """
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", starter], env=env)
    program, child = noted(path)
    with open(f"/proc/{program}/stat") as file:
        guard = int(file.read().rpartition(")")[2].split()[1])
    os.kill(process.pid if victim == "starter" else guard, signal.SIGKILL)
    wait_until(lambda: not is_running(program))
    if victim == "guard":
        os.kill(child, signal.SIGKILL)  # nobody is left to end what the program started
    wait_until(lambda: not is_running(child))
    process.wait(60)
