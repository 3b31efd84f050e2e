# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command says while it works, on a screen and in a log."""

import io
import sys

import pytest


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(module, monkeypatch):
    """Return a list whose only number is the time."""
    now = [100.0]
    monkeypatch.setattr(module("talk").time, "monotonic", lambda: now[0])
    return now


def test_a_screen_has_one_line_that_errors_and_the_end_replace(module, monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", Screen())
    talk = module("talk").Talk("cast", quiet=False)
    talk.progress("one thing that is long")
    talk.progress("too soon")
    clock[0] += 1
    talk.progress("two")
    talk.error("bad\nthing")
    talk.say("done")
    lines = sys.stderr.getvalue().split("\n")
    assert "too soon" not in sys.stderr.getvalue()
    assert [line.split("\r")[-1] for line in lines] == [
        "raypick cast: error: bad thing",
        "raypick cast: done",
        "",
    ]


def test_a_log_has_a_line_every_ten_seconds(module, monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    talk = module("talk").Talk("cast", quiet=False)
    for number in range(25):
        talk.progress(f"{number}")
        clock[0] += 1
    expected = [f"raypick cast: {number}" for number in (0, 10, 20)]
    assert sys.stderr.getvalue().splitlines() == expected


def test_who_is_quiet_says_errors_alone(module, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    talk = module("talk").Talk("cast", quiet=True)
    talk.progress("a")
    talk.say("b")
    talk.error("c")
    assert sys.stderr.getvalue() == "raypick cast: error: c\n"


@pytest.mark.parametrize(
    ("rows", "seconds", "share", "told"),
    [
        (500, 0.5, 0.5, "1.0 k rows/s"),
        (4_000_000, 2.0, 0.5, "2.0 M rows/s, 2 s left"),
        (100, 10.0, 0.1, "10 rows/s, 1 min 30 s left"),
        (100, 100.0, 0.01, "1 rows/s, 2 h 45 min left"),
        (100, 10.0, 0.0, "10 rows/s"),
    ],
)
def test_the_pace_is_told(module, clock, rows, seconds, share, told):
    pace = module("talk").Pace()
    clock[0] += seconds
    assert pace.told(rows, share) == told
