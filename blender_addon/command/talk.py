# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages of a command, and the signals that interrupt it between two steps.

Progress and errors go to stderr, JSON to stdout.
"""

from __future__ import annotations

import io
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ..standalone_core.extension import atomic_write, console

_SECONDS_IN_A_LOG = 10.0


class Talk:
    """Prints the messages of a command, after its name; only the errors if `quiet`."""

    def __init__(self, command: str, quiet: bool) -> None:
        self._program = f"raypick {command}"
        self._quiet = quiet
        self._is_screen = sys.stderr.isatty()
        self._next = 0.0
        self._shown = console.Line()

    def progress(self, text: str) -> None:
        """Show how far the run is: often in a terminal, rarely in a log."""
        now = time.monotonic()
        if self._quiet or now < self._next:
            return
        self._next = now + (console.PATIENCE if self._is_screen else _SECONDS_IN_A_LOG)
        show = self._shown.show if self._is_screen else self._line
        show(f"{self._program}: {text}")

    def say(self, text: str) -> None:
        """Say what was done."""
        if not self._quiet:
            self._line(f"{self._program}: {text}")

    def say_unknown(self, attributes: Iterable[str]) -> None:
        """Say which attributes no hit object has: their names may be misspelt."""
        for name in sorted(attributes):
            self.say(f"nothing that was hit has an attribute {name!r}: its values are NaN")

    def error(self, text: str) -> None:
        """Say what went wrong with a part of the work, while the rest goes on."""
        self._shown.clear()
        console.complain(self._program, " ".join(text.split()))

    def answer(self, where: Path | None, result: dict[str, Any]) -> None:
        """Write the result as JSON, in a line of stdout or in a file.

        Lines that Blender itself prints to stdout may come before or after it.
        """
        self._shown.clear()
        if where == Path("-"):
            console.report(result, as_json=True)
        elif where is not None:
            with atomic_write(where) as file, io.StringIO() as text:
                console.report(result, as_json=True, stream=text)
                file.write(text.getvalue().encode("utf-8", "backslashreplace"))

    def _line(self, text: str) -> None:
        self._shown.clear()
        console.say(f"{text}\n")


class Pace:
    """How fast a run goes, and when it will be done."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def told(self, rows: int, share: float) -> str:
        """The speed and the time left, when `rows` are done, a `share` of all."""
        took = max(time.monotonic() - self._start, 1e-9)
        rate = f"{_short(rows / took)} rows/s"
        if share <= 0.0 or took < 1.0:
            return rate
        return f"{rate}, {_time(took / share - took)} left"

    @property
    def seconds(self) -> float:
        """The time since the run began."""
        return time.monotonic() - self._start


def _short(number: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f}"


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


class Interruption:
    """Whether a signal asked the run to end."""

    def __init__(self) -> None:
        self.is_asked_for = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if the run is to end."""
        if self.is_asked_for:
            raise KeyboardInterrupt

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        """Remember the first request; raise KeyboardInterrupt for the second.

        Raised at once, it might be lost in a handler that Blender calls when the frame changes.
        """
        if self.is_asked_for:
            raise KeyboardInterrupt
        self.is_asked_for = True


@contextmanager
def noticed() -> Iterator[Interruption]:
    """Catch the signals that ask the run to end, where signals can be caught."""
    interruption = Interruption()
    with console.answered((signal.SIGINT, *console.ENDINGS), interruption.note):
        yield interruption
