# SPDX-License-Identifier: MIT
"""What shell commands share: readers of arguments, progress, errors, reports."""

import argparse
import json
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TextIO, TypeVar

from .errors import RaypickError

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: all is done, something failed, the call was wrong, Ctrl-C."""

ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a program to end: SIGTERM, and SIGHUP when its terminal is closed."""

PATIENCE = 0.2
"""Seconds between two lines of progress on a terminal."""

_T = TypeVar("_T")


def read_by(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """A reader of an argument whose ValueError is shown to the user."""

    def reader(text: str) -> _T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reader


def whole(least: int, most: int, kind: str = "") -> Callable[[str], int]:
    """A reader of whole numbers in a range; `kind` says in errors what is wanted."""
    wanted = kind or f"whole number from {least} to {most}"

    def reader(text: str) -> int:
        if not re.fullmatch("-?0*[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise ValueError(f"{text!r} is no {wanted}")
        return int(text)

    return read_by(reader)


def length(kind: str) -> Callable[[str], float]:
    """A reader of lengths, which may be infinite; `kind` says in errors what is wanted."""

    def reader(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not number >= 0.0:
            raise ValueError(f"{text!r} is no {kind}")
        return number

    return read_by(reader)


class Line:
    """A line that each new text replaces, on a stream: by default the present standard error."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream, self._width = stream, 0

    def show(self, text: str) -> None:
        """Write a text over the last one."""
        say(f"\r{text.ljust(self._width)}", self._stream)
        self._width = len(text)

    def clear(self) -> None:
        """Take the text back, if there is one."""
        if self._width:
            say(f"\r{'':{self._width}}\r", self._stream)
            self._width = 0


class Progress:
    """A line that says how much is done, and how fast; the unit is such as "rays".

    Used as a context manager: the line is gone at the end. It goes to a stream, by default the
    standard error, and only if that is a terminal, unless `shown` says otherwise.
    """

    def __init__(self, unit: str, stream: TextIO | None = None, shown: bool | None = None) -> None:
        stream = sys.stderr if stream is None else stream
        self._unit, self._line = unit, Line(stream)
        self._shown = bool(stream and stream.isatty()) if shown is None else shown
        self._start, self._said = time.monotonic(), 0.0

    def __call__(self, done: int, all_of_them: int) -> None:
        """Say how many of all are done."""
        now = time.monotonic()
        if not self._shown or (now - self._said < PATIENCE and done < all_of_them):
            return
        self._said = now
        rate = done / max(now - self._start, 1e-9)
        share = f" ({100 * done // all_of_them} %)" if all_of_them else ""
        self._line.show(f"{done:,} of {all_of_them:,} {self._unit}{share}, {rate:,.0f} a second")

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()


def say(text: str, stream: TextIO | None = None) -> None:
    """Write to the standard error, or to another stream; skip one that was closed."""
    stream = sys.stderr if stream is None else stream
    if stream is not None:
        try:
            stream.write(text)
            stream.flush()
        except OSError:  # as when the terminal has gone
            _silence(stream)


def _silence(stream: TextIO) -> None:
    """Have a stream write to nowhere: Python would end with code 120 for what is left to write."""
    with suppress(OSError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def about(path: Any) -> Iterator[None]:
    """Have errors of the core begin with the path of the file that is read."""
    try:
        yield
    except RaypickError as error:
        raise RaypickError(f"{os.fsdecode(path) or 'no file'}: {error}") from error


class UsageError(Exception):
    """A call was wrong, which ends in the exit code USAGE."""


def run(command: Callable[[], int | None], program: str) -> int:
    """Run a command and return its exit code; an error is a line on the standard error.

    Errors of the core and of files are said as they are. Any other is a fault of the program, and
    is said with its kind and place.
    """
    try:
        with answered(ENDINGS, _leave):
            return command() or DONE
    except KeyboardInterrupt:
        complain(program, "interrupted")
        return INTERRUPTED
    except UsageError as error:
        complain(program, str(error))
        return USAGE
    except BrokenPipeError:  # whoever read the report has gone, which is no fault
        _silence(sys.stdout)
        return FAILED
    except Exception as error:
        complain(program, line_of(error))
        return FAILED
    finally:
        say("")  # what a signal left unwritten, while a terminal that has gone is no error


@contextmanager
def answered(
    signals: Iterable[signal.Signals], answer: Callable[[int, FrameType | None], Any]
) -> Iterator[None]:
    """Let a function handle signals within the block, if that is in the main thread.

    A signal that is ignored, as after ``nohup``, stays ignored.
    """
    before: dict[signal.Signals, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for each in signals:
                if signal.getsignal(each) is not signal.SIG_IGN:
                    before[each] = signal.getsignal(each)
                    signal.signal(each, answer)
        yield
    finally:
        for each, handler in before.items():
            # None: the handler of an application, which Python cannot put back.
            signal.signal(each, signal.SIG_DFL if handler is None else handler)


def _leave(number: int, _frame: FrameType | None) -> None:
    """End Python as an exception does, so that unfinished files are removed."""
    raise SystemExit(128 + number)


def complain(program: str, text: str) -> None:
    """Say what is wrong, in a line on the standard error."""
    say(f"{program}: error: {text}\n")


def line_of(error: BaseException) -> str:
    """What an error says, in a line."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    if isinstance(error, (RaypickError, OSError)) and text:
        return text
    steps = traceback.extract_tb(error.__traceback__, limit=-1)  # the last one alone
    place = f" at {os.path.basename(steps[0].filename)}, line {steps[0].lineno}" if steps else ""
    return f"{type(error).__name__}{place}: {text}"


def report(facts: dict[str, Any], as_json: bool, stream: TextIO | None = None) -> None:
    """Print what was found or done: a line for each fact, or one JSON object, on standard output.

    What the stream cannot encode is spelled out.
    """
    out = sys.stdout if stream is None else stream
    if out is None:  # it was closed before Python began
        return
    if as_json:
        lines = [json.dumps(plain(facts), allow_nan=False)]
    else:
        width = max(map(len, facts), default=0)
        lines = [f"{name.replace('_', ' ').ljust(width)}  {_text(facts[name])}" for name in facts]
    encoding = getattr(out, "encoding", None) or "utf-8"
    for line in lines:
        print(line.encode(encoding, "backslashreplace").decode(encoding), file=out)
    out.flush()


def plain(value: Any) -> Any:
    """A value as JSON has it: arrays as lists, and what is not finite as null."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def _text(value: Any) -> str:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        value = [f"{name} {_text(each)}" for name, each in value.items()]
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value)) or "-"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return f"{value:,}" if isinstance(value, int) else str(value)
