# SPDX-License-Identifier: MIT
"""Locks that hold up a fork: the child finds them free, and what they guard not half changed."""

import os
import threading
import time
from types import TracebackType
from weakref import WeakSet

# Seconds that a fork waits for all locks: they guard a few assignments, or the boxes of a scene.
_PATIENCE = 5.0


class Lock:
    """As :class:`threading.Lock`, for ``with``."""

    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        _all.add(self)

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.lock.release()


_all: WeakSet[Lock] = WeakSet()
_held: list[Lock] = []


def _before_fork() -> None:
    end = time.monotonic() + _PATIENCE
    _held.extend(
        lock for lock in list(_all) if lock.lock.acquire(timeout=max(end - time.monotonic(), 0.0))
    )


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().lock.release()


def _after_fork_in_child() -> None:
    _held.clear()
    for lock in list(_all):
        lock.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
