# SPDX-License-Identifier: MIT
"""What a forked child goes on with: it has its parent's memory, but only the thread that forked.

A lock that another thread held would be held for ever there. So each lock of the core is one of
these. A :class:`Lock` is new in the child, whoever held it: what it guards has to be whole at any
time, for instance replaced by one assignment. For what takes several steps there is
:data:`changing`, which a fork waits for, as for what has locks of its own: imports, compilers and
linear algebra. A value that is kept once it was asked for needs no lock, see :class:`cached`.
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

# What `acquire` takes for a wait without an end.
_FOR_EVER = -1.0


class OfProcess(Generic[Made]):
    """Something that each process has its own of, `here`: a forked child makes it anew."""

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
    """A lock for ``with lock.here``, which a forked child finds free.

    Python's own ``with`` takes it: an interrupt cannot come between taking it and the block.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(threading.Lock)


class HeldUp(OfProcess[threading.RLock]):
    """A lock for ``with held_up.here``, for what a child must not find half done: a fork waits.

    It waits at most `patience` seconds, and not for its own thread.

    Attributes
    ----------
    was_cut : bool
        In a child: whether another thread of its parent was in the middle of it nevertheless.
    """

    __slots__ = ("_held", "_in_pause", "_waiting", "patience", "was_cut")

    def __init__(self, patience: float) -> None:
        super().__init__(threading.RLock)
        self.patience = patience
        # The threads that fork: that wait for it or hold it, and that hold it.
        self._waiting: list[int] = []
        self._held: list[int] = []
        self.was_cut = self._in_pause = False
        _held_up.append(self)

    def pause(self) -> None:
        """Let waiting forks happen now; their children find the work cut, see `was_cut`.

        For the thread that holds the lock, once.
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
        # An interrupt may have come anywhere in between.
        for threads in (self._held, self._waiting):
            if thread in threads:
                threads.remove(thread)
        with suppress(RuntimeError):  # the wait ended without the lock
            self.here.release()

    def _renew(self) -> None:
        super()._renew()
        self.was_cut = self._in_pause or threading.get_ident() not in self._held
        self._waiting, self._held, self._in_pause = [], [], False


_held_up: list[HeldUp] = []

# In the order in which a thread may take one while it holds another: so does a fork.

compiling = HeldUp(60.0)
"""For numba and LLVM: an import, or a kernel."""

_importing = HeldUp(60.0)

calculating = HeldUp(60.0)
"""For BLAS and LAPACK, see :mod:`..numerics.linear`."""

changing = HeldUp(_FOR_EVER)
"""For a few assignments that belong together; nothing in the block may wait for another lock."""

process = OfProcess(object)
"""Another object in each process."""


def imported(name: str) -> ModuleType:
    """A module, imported when it is needed. A fork waits: a child could not finish the import."""
    with _importing.here:
        return importlib.import_module(name)


class cached(Generic[Owner, Made]):  # noqa: N801
    """A property that is computed once and kept in ``__dict__``, without a lock.

    Threads that ask for it at the same time may each compute it; all get what the first one kept.
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
    for each in _held_up:
        each._before_fork(threading.get_ident())


def _after_fork_in_parent() -> None:
    for each in _held_up:
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
