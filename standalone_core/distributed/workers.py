# SPDX-License-Identifier: MIT
"""Dask's modules, imported when a plan is made, and the threads that a worker was given.

A worker with four threads runs up to four tasks. A task that is alone has all four. Several share
them, so that no more threads work at any time than the worker was given.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from ..concurrency.forks import OfProcess, imported
from ..errors import MissingPackageError
from ..types import Reals

DaskArray: TypeAlias = Any  # Dask is not imported for its types
Option: TypeAlias = Any  # an option of a Dask function
RayNumbers: TypeAlias = DaskArray | Reals  # numbers of rays, as a Dask array or in memory


_DASK = {"array": "Dask's arrays", "dataframe": "Dask's data frames", "delayed": "Dask"}


def dask(part: str) -> Any:
    """Import ``dask.array``, ``dask.dataframe``, which needs pandas, or ``dask.delayed``."""
    try:
        return imported(f"dask.{part}")
    except ImportError as error:
        raise MissingPackageError(
            f"standalone_core.distributed needs {_DASK[part]} "
            f'(pip install "raypick-core[dask]"): {error}'
        ) from error


class ThreadShare:
    """A number of threads that holders share; each has at least one."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._change = OfProcess(threading.Condition)
        self._used = self._waiting = 0

    @contextmanager
    def held(self) -> Iterator[int]:
        """Wait until a thread is free, then hold and yield a fair share of the free threads."""
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


# By a worker's address and number of threads. A forked child has all threads to itself.
_shares: OfProcess[dict[tuple[str, int], ThreadShare]] = OfProcess(dict)


@contextmanager
def threads_here(wanted: int | None) -> Iterator[int]:
    """How many threads a task may use: `wanted`, or its share of the worker's threads, or 1.

    It is 1 without a worker: Dask's local schedulers run one task per thread.
    """
    given = _worker() if wanted is None else None
    if given is None:
        yield wanted or 1
        return
    with _shares.here.setdefault(given, ThreadShare(given[1])).held() as mine:
        yield mine


def _worker() -> tuple[str, int] | None:
    """The address of the worker that runs this task, and its number of threads."""
    distributed = sys.modules.get("distributed")  # imported in every worker
    if distributed is None:
        return None
    try:
        worker = distributed.get_worker()
    except ValueError:  # no worker runs this task
        return None
    return worker.address, worker.state.nthreads
