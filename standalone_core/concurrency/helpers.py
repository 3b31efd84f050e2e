# SPDX-License-Identifier: MIT
"""Threads that help a call, and wait a moment for the next one.

To wake one takes a third of the time of starting one, which is what a batch of a thousand rays
takes. None outlives its last call for long, so nobody has to end them.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Protocol

from .forks import process

# Seconds that a helper waits for the next call.
_PATIENCE = 0.2

Work = Callable[[], None]


class End(Protocol):
    """Ends work."""

    def __call__(self, deadline: float = inf) -> None:
        """Leave out what has not begun; wait for what has, until a time of :func:`time.monotonic`.

        Not in a forked child, which does not have the thread.
        """


def begun(work: Work) -> End:
    """Have some work done in a thread; the result ends that.

    RuntimeError where no thread can be started.
    """
    if sys.is_finalizing():  # Threads that wait are not woken any more, and others never start.
        raise RuntimeError("the process ends")
    job = _Job(work)
    try:
        helper = _idle.pop()
    except IndexError:
        helper = _Helper()
        helper.give(job)
        helper.start()
    else:
        helper.give(job)
    return job.end


class _Job:
    """Work that a helper begins, unless it is ended before."""

    __slots__ = ("_is_taken", "_process", "is_done", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self._process = process.here
        self._is_taken, self.is_done = threading.Lock(), threading.Lock()
        self.is_done.acquire()

    def take(self) -> bool:
        """Whether this is the first to ask."""
        return self._is_taken.acquire(blocking=False)

    def end(self, deadline: float = inf) -> None:
        if self.take():
            self.is_done.release()
        while self._process is process.here and (left := deadline - time.monotonic()) > 0.0:
            if self.is_done.acquire(timeout=min(left, _PATIENCE)):
                self.is_done.release()
                return


class _Helper(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="raypick helper", daemon=True)
        self._given: _Job | None = None
        self._is_given = threading.Lock()
        self._is_given.acquire()

    def give(self, job: _Job | None) -> None:
        """Hand it a job before it starts or once it was idle, or None to end it."""
        self._given = job
        self._is_given.release()

    def run(self) -> None:
        """Do what is given, until nobody gives anything for a while."""
        while self._is_given.acquire(timeout=_PATIENCE) or not self._resigns():
            job, self._given = self._given, None
            if job is None:
                return
            self._do(job)
            del job  # An idle helper keeps nothing alive.

    def _do(self, job: _Job) -> None:
        if not job.take():
            _idle.append(self)
            return
        try:
            job.work()
            _idle.append(self)
        finally:
            job.is_done.release()

    def _resigns(self) -> bool:
        """Whether it ends; else somebody who had just taken it has given it a job."""
        try:
            _idle.remove(self)
        except ValueError:
            # Not for ever: an interrupt may have come in between.
            return not self._is_given.acquire(timeout=_PATIENCE)
        return True


_idle: list[_Helper] = []


def _dismiss() -> None:
    """End idle helpers: Python warns of forks while there are threads, and the child has none."""
    dismissed = []
    with suppress(IndexError):
        while True:
            dismissed.append(_idle.pop())
    for helper in dismissed:
        helper.give(None)
    for helper in dismissed:
        helper.join(_PATIENCE)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_dismiss, after_in_child=_idle.clear)
