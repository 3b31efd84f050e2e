# SPDX-License-Identifier: MIT
"""Locks and kept values that a forked child can use.

A child has its parent's memory, but only the thread that forked. A lock that another thread held
would stay taken there for ever, so the core takes all its locks from here. A child gets each
:class:`Lock` anew, so the data that it guards must be consistent at any time, for instance because
one assignment replaces them. A fork waits for each :class:`AwaitedLock`: :data:`changing` guards
changes of several steps, the others guard calls of Python or libraries that lock something
themselves. A value that is computed on first use has no lock, see :class:`cached`.
"""

import importlib
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any, Generic, Self, TypeVar, overload
from weakref import ref

Made = TypeVar("Made")
Owner = TypeVar("Owner")


class OfProcess(Generic[Made]):
    """An object, `here`, that each process has for itself: a forked child makes a new one."""

    __slots__ = ("__weakref__", "_make", "here")

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self.here = make()
        _all.add(ref(self, _all.discard))

    def _renew(self) -> None:
        self.here = self._make()


# Not a WeakSet, which cannot be listed while another thread adds to it.
_all: set[ref[OfProcess[Any]]] = set()


class Lock(OfProcess[threading.Lock]):
    """A lock for ``with lock.here``, which is free in a forked child.

    The lock in `here` is Python's own, so no interrupt comes between taking it and the block. A
    copy is another lock, and so is a pickled one.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(threading.Lock)

    def __reduce__(self) -> tuple[type["Lock"], tuple[()]]:
        return Lock, ()


class AwaitedLock(OfProcess[threading.RLock]):
    """A lock for ``with lock.here``, around work that a child must not find half done.

    A fork waits for other threads to release it, at most `patience` seconds.

    Attributes
    ----------
    was_cut : bool
        In a child: whether another thread of its parent held the lock at the fork, or
        was in :meth:`pause`.
    """

    __slots__ = ("_held", "_in_pause", "_waiting", "patience", "was_cut")

    def __init__(self, patience: float) -> None:
        super().__init__(threading.RLock)
        self.patience = patience
        # The threads that fork, and those of them that have got the lock.
        self._waiting: list[int] = []
        self._held: list[int] = []
        self.was_cut = self._in_pause = False
        _awaited.append(self)

    def pause(self) -> None:
        """Let forks that wait happen now; their children find that the work `was_cut`.

        Only for the thread that holds the lock, and holds it once.
        """
        if self._waiting:
            self._in_pause = True
            self.here.release()
            while self._waiting:
                time.sleep(0.001)
            self.here.acquire()
            self._in_pause = False

    def _before_fork(self, thread: int) -> None:
        self._waiting.append(thread)
        if self.here.acquire(timeout=self.patience):
            self._held.append(thread)

    def _after_fork(self, thread: int) -> None:
        # An interrupt may have come at any point of `_before_fork`.
        for threads in (self._held, self._waiting):
            if thread in threads:
                threads.remove(thread)
        with suppress(RuntimeError):  # it did not get the lock
            self.here.release()

    def _renew(self) -> None:
        super()._renew()
        self.was_cut = self._in_pause or threading.get_ident() not in self._held
        self._waiting, self._held, self._in_pause = [], [], False


_awaited: list[AwaitedLock] = []

# A thread that holds a lock may take those below it. A fork takes them in this order, too.

compiling = AwaitedLock(60.0)
"""For numba and LLVM: while they are imported, or compile a kernel."""

_importing = AwaitedLock(60.0)

calculating = AwaitedLock(60.0)
"""For BLAS and LAPACK, see :mod:`..numerics.vectors`."""

changing = AwaitedLock(-1.0)  # for ever
"""For a few assignments that belong together; the block must not wait for another lock."""

process = OfProcess(object)
"""Its `here` is a different object in each process."""


def imported(name: str) -> ModuleType:
    """A module, imported now. A fork waits for it: a child could not finish the import."""
    with _importing.here:
        return importlib.import_module(name)


class cached(Generic[Owner, Made]):  # noqa: N801
    """A property that is computed once and kept in ``__dict__``, without a lock.

    Threads that ask for it at the same time may each compute it, but all get the same object.
    ``functools.cached_property`` has a lock in Python 3.11, one for all objects.
    """

    def __init__(self, function: Callable[[Owner], Made]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type[Owner], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type[Owner]) -> Self: ...

    @overload
    def __get__(self, owner: Owner, kind: type[Owner] | None = None) -> Made: ...

    def __get__(self, owner: Owner | None, kind: type[Owner] | None = None) -> Self | Made:
        if owner is None:
            return self
        made: Made = owner.__dict__.setdefault(self._name, self._function(owner))
        return made


def _before_fork() -> None:
    for each in _awaited:
        each._before_fork(threading.get_ident())


def _after_fork_in_parent() -> None:
    for each in _awaited:
        each._after_fork(threading.get_ident())


def _after_fork_in_child() -> None:
    for each in list(_all):
        known = each()
        if known is not None:
            known._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
