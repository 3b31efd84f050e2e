# SPDX-License-Identifier: MIT
"""How many threads a call may use: as it says, as the process says, or one for each processor."""

import operator
import os
import re
import threading
from types import TracebackType
from typing import Any

from ..errors import ArgumentError, DtypeError

_VARIABLE = "RAYPICK_THREADS"

_default: int | None = None

_here = threading.local()


def set_threads(threads: int | None) -> None:
    """Set how many threads calls may use that do not say it themselves, in this process.

    Parameters
    ----------
    threads : int or None
        1 or more. With 1, no call starts a thread, but for builds in a thread and for the compiler.
        None goes back to the environment variable ``RAYPICK_THREADS``, or without it to one thread
        for each processor that the process may run on.

    Raises
    ------
    ArgumentError, DtypeError
        If it is below 1, or no integer.

    Notes
    -----
    The thread that calls is one of them. Forked processes inherit the number.

    Examples
    --------
    >>> set_threads(3)
    >>> thread_count()
    3
    >>> set_threads(None)
    """
    global _default
    _default = None if threads is None else _checked(threads)


def thread_count() -> int:
    """How many threads a call may use here that does not say it itself, see :func:`set_threads`.

    ArgumentError if that is for ``RAYPICK_THREADS`` to say, and it holds no integer from 1.

    Examples
    --------
    >>> thread_count() >= 1
    True
    """
    limit = limit_here()
    if limit is not None:
        return limit
    if _default is not None:
        return _default
    given = os.environ.get(_VARIABLE, "").strip()
    if not given:
        return _processors()
    if not re.fullmatch("0*[1-9][0-9]{0,8}", given):
        raise ArgumentError(f"{_VARIABLE} must be a whole number from 1, not {given[:40]!r}")
    return int(given)


def limit_here() -> int | None:
    """How many threads the call may use that this thread works for; None if it does not say."""
    limit: int | None = getattr(_here, "limit", None)
    return limit


class ThreadLimit:
    """For ``with``: what this thread calls may use so many threads; None changes nothing.

    DtypeError or ArgumentError if it is no integer from 1.
    """

    __slots__ = ("_before", "_limit")

    def __init__(self, threads: int | None) -> None:
        self._limit = None if threads is None else _checked(threads)

    def __enter__(self) -> None:
        self._before = limit_here()
        if self._limit is not None:
            _here.limit = self._limit

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _here.limit = self._before


def _checked(threads: Any) -> int:
    try:
        if isinstance(threads, bool):
            raise TypeError
        number = operator.index(threads)
    except Exception as error:  # whatever the caller's object raises
        kind = type(threads).__name__
        raise DtypeError(f"threads must be an integer or None, not {kind}") from error
    if number < 1:
        raise ArgumentError("threads must be 1 or more")
    return number


def _processors() -> int:
    """How many processors this process may use; as it may change, it is asked for each time."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; it knows PYTHON_CPU_COUNT too
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
