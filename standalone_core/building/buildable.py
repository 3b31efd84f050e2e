# SPDX-License-Identifier: MIT
"""What meshes of either kind have in common: an engine, and a tree that is built when it pays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

from .. import arguments
from ..concurrency.forks import Lock
from ..concurrency.progress import Progress
from ..concurrency.thread_count import ThreadLimit
from ..engines import Engine, check_engine, engine_now
from ..errors import ArgumentError
from ..numerics.reading import described
from .background import TreeBuild, callable_progress
from .policy import RentOrBuy

Building = Literal["auto", "thread", "never"]


class Buildable(ABC):
    """Builds its tree at once, in a thread, or only on request; arguments as for :class:`.Mesh`."""

    def __init__(self, triangle_count: int, engine: Engine, building: Building) -> None:
        check_engine(engine)
        if not arguments.is_one_of(building, "auto", "thread", "never"):
            raise ArgumentError(
                f'building must be "auto", "thread" or "never", not {described(building)}'
            )
        self._engine: Engine = engine
        self._building: Building = building
        self._account = RentOrBuy(triangle_count)
        self._thread: TreeBuild | None = None
        self._progress = callable_progress(None)
        self._lock = Lock()

    @property
    def engine(self) -> Engine:
        """The engine that answers now, "numpy" or "numba"."""
        return engine_now(self._engine)

    @property
    def wanted_engine(self) -> Engine:
        """The engine that was asked for."""
        return self._engine

    def build(self, progress: Progress | None = None, threads: int | None = None) -> None:
        """Build the tree now, if there is none yet.

        Parameters
        ----------
        progress : callable, optional
            Called with the share that is done, from 0 to 1. What it raises ends the build, and
            leaves the mesh as it was.
        threads : int, optional
            How many threads build, this one included; see :func:`.set_threads`.
        """
        with ThreadLimit(threads):
            if (thread := self._thread) is not None:
                thread.wait()
            self._build(callable_progress(progress))

    def build_in_thread(
        self, progress: Progress | None = None, threads: int | None = None
    ) -> TreeBuild:
        """Build the tree in a thread; casts go on, by scans, until it is there.

        Parameters
        ----------
        progress : callable, optional
            As for :meth:`build`, called in that thread.
        threads : int, optional
            As for :meth:`build`, that thread included.

        Returns
        -------
        TreeBuild
            To wait for it or cancel it. A build that is under way is returned again.
        """
        with ThreadLimit(threads), self._lock.here:
            if self._thread is None or self._thread.done:
                self._progress = callable_progress(progress)
                self._thread = TreeBuild(self._build_in_background, self._progress)
            return self._thread

    def cancel(self) -> None:
        """Ask a build that is under way in a thread to end soon."""
        if (thread := self._thread) is not None:
            thread.cancel()

    def _build_if_due(self, building: Building, is_due: bool) -> None:
        """Build in this way, if that is due, is the way of this mesh, and is not under way."""
        if is_due and self._building == building != "never" and not self._is_under_way:
            if building == "auto":
                self.build()
            else:
                self.build_in_thread()

    @property
    def _is_under_way(self) -> bool:
        """Whether a thread builds."""
        return (thread := self._thread) is not None and not thread.done

    @abstractmethod
    def _build(self, progress: Progress) -> None:
        """Build what is not there."""

    def _build_in_background(self, progress: Progress) -> None:
        """Build what is not there, as far as a thread may."""
        self._build(progress)

    def __getstate__(self) -> dict[str, Any]:
        idle = {"_thread": None, "_progress": callable_progress(None), "_lock": None}
        return {**self.__dict__, **idle}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()
