# SPDX-License-Identifier: MIT
"""The threads that a worker was given, shared by the tasks that it runs at the same time.

A worker of four threads runs up to four tasks. A task that is alone has all four; where several
wait they share, so that at no time more threads work than the worker was given.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..concurrency.forks import OfProcess


class ThreadShare:
    """So many threads, of which each holder has at least one."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._change = OfProcess(threading.Condition)
        self._used = self._waiting = 0

    @contextmanager
    def held(self) -> Iterator[int]:
        """Hold some of the threads, as soon as one is free: how many is what it yields."""
        with self._change.here:
            self._waiting += 1
            try:
                self._change.here.wait_for(lambda: self._used < self.count)
                mine = max(1, (self.count - self._used) // self._waiting)
            finally:
                self._waiting -= 1
            self._used += mine
        try:
            yield mine
        finally:
            with self._change.here:
                self._used -= mine
                self._change.here.notify_all()


# By the worker's address and number of threads. A forked child has all of them to itself.
_shares: OfProcess[dict[tuple[str, int], ThreadShare]] = OfProcess(dict)


@contextmanager
def threads_here(wanted: int | None) -> Iterator[int]:
    """How many threads a task may use: as `wanted`, or its share of those of its worker, or 1.

    One is the answer in the schedulers of a single machine: they run a task in each thread.
    """
    given = _worker() if wanted is None else None
    if given is None:
        yield wanted or 1
        return
    with _shares.here.setdefault(given, ThreadShare(given[1])).held() as mine:
        yield mine


def _worker() -> tuple[str, int] | None:
    """The address of the worker that runs this task, and its number of threads."""
    distributed = sys.modules.get("distributed")  # which a worker has imported
    if distributed is None:
        return None
    try:
        worker = distributed.get_worker()
    except ValueError:
        return None
    return worker.address, worker.state.nthreads
