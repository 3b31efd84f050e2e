# SPDX-License-Identifier: MIT
"""Threads that help a call, and wait a moment for the next one.

To wake one takes a third of the time of starting one, which is what a batch of a thousand rays
takes. None outlives its last call for long, so nobody has to end them.
"""

import os
import threading
from collections.abc import Callable

# Seconds that a helper waits for the next call.
_PATIENCE = 0.2

Work = Callable[[], None]


def begun(work: Work) -> Callable[[], object]:
    """Do some work in a thread: a function that waits for its end, to be called once.

    RuntimeError where no thread can be started.
    """
    is_done = threading.Lock()
    is_done.acquire()
    try:
        helper = _idle.pop()
    except IndexError:
        helper = _Helper()
        helper.give(work, is_done)
        helper.start()
    else:
        helper.give(work, is_done)
    return is_done.acquire


class _Helper(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="raypick helper", daemon=True)
        self._given: tuple[Work, threading.Lock] | None = None
        self._is_given = threading.Lock()
        self._is_given.acquire()

    def give(self, work: Work, is_done: threading.Lock) -> None:
        """Hand it work, once it is idle or before it starts; the lock is released at the end."""
        self._given = work, is_done
        self._is_given.release()

    def run(self) -> None:
        """Do what is given, until nobody gives anything for a while."""
        while self._is_given.acquire(timeout=_PATIENCE) or not self._resigns():
            self._do()

    def _do(self) -> None:
        assert self._given is not None
        work, is_done = self._given
        self._given = None  # An idle helper keeps nothing alive.
        try:
            work()
        except BaseException:
            is_done.release()
            raise
        del work
        _idle.append(self)
        is_done.release()

    def _resigns(self) -> bool:
        """Whether it ends; else somebody who has just taken it gives it work."""
        try:
            _idle.remove(self)
        except ValueError:
            return not self._is_given.acquire()
        return True


_idle: list[_Helper] = []

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # Threads are not forked.
