# SPDX-License-Identifier: MIT
"""Threads for long calls of NumPy and of compiled code, which let go of Python's lock.

The thread that calls works too, beside its :mod:`.helpers`. An interrupt (Ctrl-C) reaches the
thread that calls; the helpers then end at their next :func:`go_on`.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from math import inf
from operator import length_hint
from typing import Any, Generic, TypeVar

from .forks import Lock, process
from .helpers import End, begun
from .thread_count import ThreadLimit, thread_count

Given = TypeVar("Given")
Result = TypeVar("Result")

# Arrays shorter than this are done sooner than a thread is started.
_WORTH_IT = 1 << 16

# Seconds of waiting after which an interrupt is looked for: Windows does not wake up for it.
_PATIENCE = 0.1

# Seconds that a fork in the middle of a call waits for what helpers have begun.
_FORK_PATIENCE = 5.0

_task = threading.local()


def go_on() -> None:
    """End a long task that nobody waits for; it should call this ten times a second.

    CancelledError in a thread of :func:`one_by_one` whose results are not needed any more.
    """
    calls: _Calls[Any, Any] | None = getattr(_task, "calls", None)
    if calls is not None and calls.is_over:
        raise CancelledError


def on_all_cores(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> list[Result]:
    """The function of each, in threads if the arrays that it works on have enough `length`."""
    return list(one_by_one(function, given, length))


def one_by_one(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> Iterator[Result]:
    """As :func:`on_all_cores`, each as soon as it and those before it are there.

    There are as many threads as :func:`thread_count` says; what they call has no others. Closing
    the iterator leaves out calls that have not begun, and ends the others at their next
    :func:`go_on`.
    """
    count = 1
    if length >= _WORTH_IT:
        count = min(thread_count(), length_hint(given, length // max(_WORTH_IT, 1) + 1))
    if count <= 1:
        yield from map(function, given)
        return
    calls = _Calls(function, given)
    try:
        calls.begin(count)
        yield from calls.results()
    finally:
        calls.is_over = True
        calls.dismiss()
        _under_way.discard(calls)


class _Call(Generic[Result]):
    """One call, whose result or error another thread may wait for.

    Its lock is a bare one: an interrupt may leave that of a :class:`~concurrent.futures.Future`
    locked, for which the thread that has the result then waits for ever.
    """

    __slots__ = ("_is_running", "_process", "error", "result")

    result: Result

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self._process = process.here
        self._is_running = threading.Lock()
        self._is_running.acquire()

    def end(self) -> None:
        self._is_running.release()

    def is_done(self) -> bool:
        return not self._is_running.locked()

    def awaited(self) -> Result:
        """Its result, once it is there, or its error."""
        while not self._is_running.acquire(timeout=_PATIENCE):
            if self._process is not process.here:
                raise RuntimeError("a helper of this call is left behind in the parent process")
        if self.error is not None:
            raise self.error
        return self.result


class _Calls(Generic[Given, Result]):
    """Calls of a function that threads share: each thread does the next that no other has begun."""

    def __init__(self, function: Callable[[Given], Result], given: Iterable[Given]) -> None:
        self._function = function
        self._given = iter(given)
        self._taking = Lock()
        self._begun: deque[_Call[Result]] = deque()
        self._ends: list[End] = []
        self._is_alone = False
        self.is_over = False
        self.thread = threading.get_ident()

    def begin(self, count: int) -> None:
        """Have so many threads do them, this one included."""
        _under_way.add(self)
        with suppress(RuntimeError):  # where no thread can be started, the others do the work
            self._ends.extend(begun(self._help) for _ in range(count - 1))

    def _help(self) -> None:
        """Do calls until all are begun, or this thread is to do no more."""
        _task.calls = self
        try:
            while not self._is_alone and self._do_next():
                pass
        finally:
            _task.calls = None

    def dismiss(self, deadline: float = inf) -> None:
        """Have the helpers begin no more, and wait for what they have begun.

        At most until a time of :func:`time.monotonic`.
        """
        self._is_alone = True
        for end in self._ends:
            end(deadline)

    def results(self) -> Iterator[Result]:
        """The results in order; what is not begun is done here."""
        more = True
        while more or self._begun:
            if self._begun and (not more or self._begun[0].is_done()):
                yield self._begun.popleft().awaited()
            else:
                more = self._do_next()

    def _do_next(self) -> bool:
        """Do the next call; False if all are begun."""
        call: _Call[Result] = _Call()
        with ThreadLimit(1):
            try:
                call.result = self._function(self._next(call))
            except _ExhaustedError:
                return False
            except BaseException as error:
                call.error = error
                if not isinstance(error, Exception):
                    raise
            finally:
                call.end()
        return True

    def _next(self, call: _Call[Result]) -> Given:
        """What the next call is given, once its result is awaited in its place."""
        with self._taking.here:
            try:
                one = next(self._given)
            except StopIteration:
                raise _ExhaustedError from None
            except BaseException:
                self._begun.append(call)
                raise
            self._begun.append(call)
            return one


class _ExhaustedError(Exception):
    """All calls are begun."""


_under_way: set[_Calls[Any, Any]] = set()


def _before_fork() -> None:
    """Let nothing be begun in the calls of this thread, which the child goes on with, too."""
    deadline = time.monotonic() + _FORK_PATIENCE
    for calls in list(_under_way):
        if calls.thread == threading.get_ident():
            calls.dismiss(deadline)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)
