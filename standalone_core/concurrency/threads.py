# SPDX-License-Identifier: MIT
"""How many threads a call may use, and helpers that share its work.

NumPy and compiled code release Python's global lock (GIL), so threads can calculate in parallel.
The calling thread works too. An interrupt (Ctrl-C) reaches that thread alone; its helpers then end
at their next :func:`go_on`. A helper waits a moment for the next call: it wakes in a fraction of
the time that a new thread takes to start, which would slow a batch of a thousand rays.

A :class:`~concurrent.futures.ThreadPoolExecutor` would not do: an interrupt can leave one of its
locks taken for ever, so that the process never ends, and its idle threads never end either.
"""

import os
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import inf
from operator import index, length_hint
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from ..errors import ArgumentError, DtypeError
from .forks import Lock, process

Progress = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1; may raise to stop the work."""

Given = TypeVar("Given")
Result = TypeVar("Result")

_VARIABLE = "RAYPICK_THREADS"
_WORTH_IT = 1 << 16  # work on arrays shorter than this is done sooner than a thread is started
_PATIENCE = 0.1  # seconds of one wait: on Windows an interrupt does not end it
_FORK_PATIENCE = 5.0  # seconds that a fork within a call waits for parts that helpers have begun
_IDLE_PATIENCE = 0.2  # seconds that a helper waits for the next call

_default: int | None = None  # the number that `set_threads` set

# Of each thread: the `limit` of the call that it works for, and the `work` that it helps with.
_here = threading.local()


class CancelledError(Exception):
    """Ends work whose call is over or cancelled; no caller sees it."""


def set_threads(threads: int | None) -> None:
    """Set how many threads calls of this process may use unless they are told otherwise.

    Parameters
    ----------
    threads : int or None
        1 or more. With 1, only builds in a thread and the compiler start threads. None goes back
        to the environment variable ``RAYPICK_THREADS``, or without it to one thread for each
        processor that the process may run on.

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
    """How many threads a call may use here unless it is told otherwise, see :func:`set_threads`.

    ArgumentError if it depends on ``RAYPICK_THREADS``, and that holds no integer from 1.

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
    """The limit of the call that this thread works for; None if it has none."""
    limit: int | None = getattr(_here, "limit", None)
    return limit


class ThreadLimit:
    """In a ``with`` block, calls of this thread may use so many threads; None changes nothing.

    DtypeError or ArgumentError if it is neither None nor an integer from 1.
    """

    __slots__ = ("_before", "_limit")

    def __init__(self, threads: int | None) -> None:
        self._limit = None if threads is None else _checked(threads)

    def __enter__(self) -> None:
        self._before = limit_here()
        if self._limit is not None:
            _here.limit = self._limit

    def __exit__(self, *_: object) -> None:
        _here.limit = self._before


def _checked(threads: Any) -> int:
    try:
        if isinstance(threads, bool):
            raise TypeError
        number = index(threads)
    except Exception as error:  # an object of the caller may raise anything
        kind = type(threads).__name__
        raise DtypeError(f"threads must be an integer or None, not {kind}") from error
    if number < 1:
        raise ArgumentError("threads must be 1 or more")
    return number


def _processors() -> int:
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; it knows PYTHON_CPU_COUNT too
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def go_on() -> None:
    """Raise CancelledError in a helper whose call is over.

    Long work should call this about ten times a second.
    """
    work: _SharedWork[Any, Any] | None = getattr(_here, "work", None)
    if work is not None and work.is_over:
        raise CancelledError


def on_all_cores(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> list[Result]:
    """The results of a function in order, from several threads where that is worth it.

    The `length` is about how many numbers there are to work on in all: if they are few, the calling
    thread is done sooner alone.
    """
    return list(one_by_one(function, given, length))


def one_by_one(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> Iterator[Result]:
    """As :func:`on_all_cores`, but each result as soon as it and those before it are there.

    As many threads work as :func:`thread_count` says, and calls within them use one each. Once the
    iterator is closed, no more calls begin, and those under way end at their next :func:`go_on`.
    """
    count = 1
    if length >= _WORTH_IT:
        count = min(thread_count(), length_hint(given, length // max(_WORTH_IT, 1) + 1))
    if count <= 1:
        yield from map(function, given)
        return
    work = _SharedWork(function, given)
    _under_way.add(work)
    try:
        work.begin(count)
        yield from work.results()
    finally:
        work.is_over = True
        work.dismiss()
        _under_way.discard(work)


class _Flag:
    """One thread sets it once, another one waits for it.

    It has a bare lock, as an interrupt can leave the lock of a :class:`threading.Event` or of a
    :class:`~concurrent.futures.Future` taken.
    """

    __slots__ = ("_lock", "_process", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._process = process.here
        self._lock = threading.Lock()
        self._lock.acquire()

    def set(self) -> None:
        self.is_set = True
        self._lock.release()

    def wait(self, deadline: float = inf) -> bool:
        """Wait, at most until a time of :func:`time.monotonic`, and return whether it is set.

        A forked child does not wait: it lacks the thread that would set it.
        """
        while not self.is_set and self._process is process.here:
            left = deadline - time.monotonic()
            if left <= 0.0:
                break
            self._lock.acquire(timeout=min(left, _PATIENCE))
        return self.is_set


class _Part(_Flag, Generic[Result]):
    """One call of a function, with its result or error once the flag is set."""

    __slots__ = ("error", "result")

    result: Result

    def __init__(self) -> None:
        super().__init__()
        self.error: BaseException | None = None

    def awaited(self) -> Result:
        """Wait for the result, or raise the error."""
        if not self.wait():
            raise RuntimeError("a helper of this call is left behind in the parent process")
        if self.error is not None:
            raise self.error
        return self.result


class _SharedWork(Generic[Given, Result]):
    """Calls of a function that threads share: each thread takes the next one until none is left."""

    def __init__(self, function: Callable[[Given], Result], given: Iterable[Given]) -> None:
        self._function = function
        self._given = iter(given)
        self._taking = Lock()
        self._begun: deque[_Part[Result]] = deque()
        self._is_alone = self.is_over = False
        self.helpers: list[_Flag] = []
        self.thread = threading.get_ident()

    def begin(self, count: int) -> None:
        """Have so many threads work on it, this one included."""
        with suppress(RuntimeError):  # where no thread can be started, the others do the work
            for _ in range(count - 1):
                _hand_over(self)

    def help(self) -> None:
        """Do parts until all are begun or the helpers are dismissed."""
        _here.work = self
        try:
            while not self._is_alone and self._do_next():
                pass
        finally:
            _here.work = None

    def dismiss(self, deadline: float = inf) -> None:
        """Let the helpers begin no more parts, and wait for the parts that they have begun."""
        self._is_alone = True
        for ended in self.helpers:  # A helper that comes later sees that it is dismissed.
            ended.wait(deadline)

    def results(self) -> Iterator[Result]:
        """The results in order; between them this thread does parts, too."""
        more = True
        while more or self._begun:
            if self._begun and (not more or self._begun[0].is_set):
                yield self._begun.popleft().awaited()
            else:
                more = self._do_next()

    def _do_next(self) -> bool:
        """Do the next part; False if all are begun."""
        part = _Part[Result]()
        with ThreadLimit(1):
            try:
                with self._taking.here:
                    try:
                        one = next(self._given)
                    except StopIteration:
                        return False
                    except BaseException:
                        self._begun.append(part)
                        raise
                    self._begun.append(part)
                part.result = self._function(one)
            except BaseException as error:
                part.error = error
                if not isinstance(error, Exception):
                    raise
            finally:
                part.set()
        return True


class _Helper(threading.Thread):
    """A thread that helps one call after another, until there is none for a while."""

    def __init__(self, work: _SharedWork[Any, Any]) -> None:
        super().__init__(name="raypick helper", daemon=True)
        self.given: SimpleQueue[_SharedWork[Any, Any] | None] = SimpleQueue()
        self.given.put(work)

    def run(self) -> None:
        while (work := self._next()) is not None:
            ended = _Flag()
            work.helpers.append(ended)
            try:
                work.help()
                _idle.append(self)  # before the flag is set: the next call may need it at once
            finally:
                ended.set()
            del work  # An idle helper keeps nothing alive.

    def _next(self) -> _SharedWork[Any, Any] | None:
        """The next work; None if the helper should end."""
        for _ in range(2):  # not for ever: an interrupt may leave a taken helper without work
            with suppress(Empty):
                return self.given.get(timeout=_IDLE_PATIENCE)
            with suppress(ValueError):  # A call has just taken it.
                _idle.remove(self)
                return None
        return None


_idle: list[_Helper] = []

_under_way: set[_SharedWork[Any, Any]] = set()


def _hand_over(work: _SharedWork[Any, Any]) -> None:
    """Give work to an idle helper or to a new one; RuntimeError if no thread can be started."""
    if sys.is_finalizing():  # Idle threads do not wake any more, and new ones never start.
        raise RuntimeError("the process ends")
    try:
        _idle.pop().given.put(work)
    except IndexError:
        _Helper(work).start()


def _before_fork() -> None:
    """Dismiss the helpers of this thread's calls, as a child lacks them, and end all idle ones.

    Python warns of a fork while there are other threads.
    """
    deadline = time.monotonic() + _FORK_PATIENCE
    for work in list(_under_way):
        if work.thread == threading.get_ident():
            work.dismiss(deadline)
    dismissed = []
    with suppress(IndexError):
        while True:
            dismissed.append(_idle.pop())
    for helper in dismissed:
        helper.given.put(None)
    for helper in dismissed:
        helper.join(_IDLE_PATIENCE)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_idle.clear)
