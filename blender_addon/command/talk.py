# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command says, and hears: a request to end stops it at the next good place.

Progress and errors go to the error output, JSON to the output.
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
    """The voice of one command, whose name begins each line; a quiet one says errors alone."""

    def __init__(self, command: str, quiet: bool) -> None:
        self._program = f"raypick {command}"
        self._quiet = quiet
        self._is_screen = sys.stderr.isatty()
        self._next = 0.0
        self._shown = console.Line()

    def progress(self, text: str) -> None:
        """Show how far the run is; often on a screen, rarely in a log."""
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
        """Say which attributes nothing had: their names may be misspelt."""
        for name in sorted(attributes):
            self.say(f"nothing that was hit has an attribute {name!r}: its values are NaN")

    def error(self, text: str) -> None:
        """Say what went wrong with a part of the work, while the rest goes on."""
        self._shown.clear()
        console.complain(self._program, " ".join(text.split()))

    def answer(self, where: Path | None, result: dict[str, Any]) -> None:
        """Hand over what was done as JSON, in a line of the output or in a file.

        Lines that Blender itself prints to the output may stand before it or after it.
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
        """Rows a second and the time that is left, after rows that are a share of all."""
        took = max(time.monotonic() - self._start, 1e-9)
        rate = f"{_short(rows / took)} rows/s"
        if share <= 0.0 or took < 1.0:
            return rate
        return f"{rate}, {_time(took / share - took)} left"

    @property
    def seconds(self) -> float:
        """Since the beginning."""
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
    """Whether somebody asked the run to end."""

    def __init__(self) -> None:
        self.is_asked_for = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if the run is to end."""
        if self.is_asked_for:
            raise KeyboardInterrupt

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        """Remember the first request; raise KeyboardInterrupt for the second.

        What Blender calls, such as the handlers of a change of the frame, would swallow it.
        """
        if self.is_asked_for:
            raise KeyboardInterrupt
        self.is_asked_for = True


@contextmanager
def noticed() -> Iterator[Interruption]:
    """Note requests to end, while this is done; where signals cannot be caught, there are none."""
    asked = Interruption()
    with console.answered((signal.SIGINT, *console.ENDINGS), asked.note):
        yield asked
