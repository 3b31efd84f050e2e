# SPDX-License-Identifier: MIT
"""When a mesh gets a better tree than its first, and the thread that makes it.

A better tree is bought once the rays that were cast would have saved as much as it costs (compare
:mod:`.policy`).
"""

import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from ..concurrency.forks import Lock
from ..concurrency.progress import Progress
from ..concurrency.thread_count import thread_count
from .background import CancelledError, TreeBuild, callable_progress

# Seconds a triangle that a better tree costs, and that it saves a ray.
_PRICE, _SAVED = 8e-7, 1e-7

# The share of the rays that pay for it which a batch must have where nobody else can make it.
_WORTH = 0.25


class BetterTree:
    """The better tree of one mesh: rays that were cast so far, and the thread that makes it."""

    def __init__(self, triangle_count: int) -> None:
        self._enough = _PRICE / _SAVED * triangle_count
        self._rays = 0.0
        self._thread: TreeBuild | None = None
        self._lock = Lock()

    @property
    def thread(self) -> TreeBuild | None:
        """What makes it, or made it, in a thread."""
        return self._thread

    def is_due(self, rays: int) -> bool:
        """Whether it would have paid by now, with so many more rays."""
        self._rays += rays
        return self._rays >= self._enough

    def make(self, improve: Callable[[Progress], None], rays: int) -> None:
        """Make it where it is due: in a thread, or here if that is the only one there may be.

        Here only for a batch of `rays` that itself takes about as long. Casts go on in any case.
        """
        alone = thread_count() == 1
        with self._lock.here:
            if self._rays < self._enough:
                return
            if alone and rays < _WORTH * self._enough:
                # So that not each further ray comes here.
                self._rays = (1.0 - _WORTH) * self._enough
                return
            self._rays = -math.inf
        try:
            run = partial(self._run, improve)
            if alone:
                run(callable_progress(None))
            else:
                self._thread = TreeBuild(run, callable_progress(None))
        except RuntimeError:  # No thread can be started.
            self.begin_anew()

    def begin_anew(self) -> None:
        """Count rays from now on: the tree is another one, or what was begun came to nothing."""
        self._rays = 0.0

    def cancel(self) -> None:
        """Ask the thread to end soon."""
        if (thread := self._thread) is not None:
            thread.cancel()

    def _run(self, improve: Callable[[Progress], None], progress: Progress) -> None:
        def report(done: float) -> None:
            # The end of the process waits for threads, but nobody for the tree.
            if not threading.main_thread().is_alive():
                raise CancelledError
            progress(done)

        try:
            improve(report)
        except BaseException:
            self.begin_anew()
            raise

    def __getstate__(self) -> dict[str, Any]:
        return {"_enough": self._enough}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rays, self._thread, self._lock = 0.0, None, Lock()
