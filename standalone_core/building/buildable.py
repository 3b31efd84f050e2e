# SPDX-License-Identifier: MIT
"""The base class of meshes: they have an engine, and a tree that is built when it pays.

A mesh scans, which is rent, until the rent equals the price of a tree: it never spends more than
twice what the best choice in hindsight costs (the ski rental problem; Karlin et al., "Competitive
snoopy caching", 1988). In the same way a better tree replaces the first one once it would have
saved its price on the rays that were cast.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from .. import arguments
from ..concurrency.forks import Lock
from ..concurrency.threads import CancelledError, Progress, ThreadLimit, limit_here, thread_count
from ..engines import Engine, check_engine, engine_now
from ..numerics.values import immutable

Building = Literal["auto", "thread", "never"]


class Buildable(ABC):
    """Builds its tree when it pays, at once or in a thread, or only on request.

    Arguments are those of :class:`.Mesh`.
    """

    def __init__(self, triangle_count: int, engine: Engine, building: Building) -> None:
        check_engine(engine)
        arguments.one_of(building, "building", "auto", "thread", "never")
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
            Called with the share that is done, from 0 to 1. If it raises, the build ends and the
            mesh stays as it was.
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
        """Build the tree in a thread; until it is done, casts scan.

        Parameters
        ----------
        progress : callable, optional
            As for :meth:`build`, called in that thread.
        threads : int, optional
            As for :meth:`build`, that thread included.

        Returns
        -------
        TreeBuild
            To wait for the build or cancel it. If one is under way already, it is that one.
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
        """Build if due and if `building` is this mesh's, unless a build is under way."""
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
        """Build what is missing."""

    def _build_in_background(self, progress: Progress) -> None:
        """Build what is missing and may be built in a thread."""
        self._build(progress)

    def __getstate__(self) -> dict[str, Any]:
        own = {"_thread": None, "_progress": callable_progress(None), "_lock": Lock()}
        return {**self.__dict__, **own}


class TreeBuild:
    """A build that is under way, see :meth:`.Mesh.build_in_thread`.

    It may use as many threads as the call that makes it.

    Parameters
    ----------
    build : callable
        Called with a `progress` like the one below; builds the tree and puts it in place.
    progress : callable
        Called with the share that is done, from 0 to 1.

    Attributes
    ----------
    error : BaseException or None
        What the build raised, if it failed; :meth:`cancel` is no error.
    share : float
        How much of it is done, from 0 to 1.
    threads : int or None
        How many threads it may use; None for the limit of the process.

    Examples
    --------
    >>> from standalone_core import Mesh
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> build = mesh.build_in_thread()
    >>> mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1)).distance    # answered meanwhile, too
    1.0
    >>> build.wait(), build.error, build.share
    (True, None, 1.0)
    """

    def __init__(self, build: Callable[[Progress], None], progress: Progress) -> None:
        self._build = build
        self._progress = progress
        self._cancelled = False
        self.threads = limit_here()
        self.error: BaseException | None = None
        self.share = 0.0
        self._thread = threading.Thread(target=self._run, name="tree build")
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended: with a tree, cancelled, or with an `error`.

        In a forked process it is True without any of these: only the parent has the thread.
        """
        return not self._thread.is_alive()

    def __repr__(self) -> str:
        state = "failed" if self.error is not None else "ended" if self.done else "under way"
        return f"<TreeBuild {state}, {self.share:.0%} done>"

    def cancel(self) -> None:
        """Ask the build to end soon, without a tree unless that is done already."""
        self._cancelled = True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the thread, at most `timeout` seconds; return whether it ended."""
        if timeout is not None:
            timeout = min(arguments.distance(timeout, "timeout"), threading.TIMEOUT_MAX)
        self._thread.join(timeout)
        return self.done

    def _run(self) -> None:
        try:
            with suppress(CancelledError), ThreadLimit(self.threads):
                self._build(self._report)
        except BaseException as error:
            self.error = error

    def _report(self, done: float) -> None:
        if self._cancelled:
            raise CancelledError
        self.share = done
        self._progress(done)


def callable_progress(progress: Progress | None) -> Progress:
    """Return a caller's `progress`, or one that does nothing for None; DtypeError otherwise."""
    return arguments.callable_or_none(progress, "progress") or _ignore


def _ignore(done: float) -> None:
    """Report no progress."""


# Seconds a triangle, on a slow machine of 2026. The scan's is a first guess, replaced by what is
# measured; if the build's is wrong, trees are only built earlier or later.
_SCAN_SECONDS = 1.5e-8
_BUILD_SECONDS = 4e-7


class RentOrBuy:
    """The account of one mesh: time spent on scans against the estimated time of a build."""

    __slots__ = ("_price", "_rent", "build_seconds", "scan_seconds", "scans")

    def __init__(self, triangle_count: int) -> None:
        self._rent = _SCAN_SECONDS * triangle_count
        self._price = _BUILD_SECONDS * triangle_count
        self.scans = 0
        self.scan_seconds = 0.0
        self.build_seconds = 0.0

    def should_build(self, rays: int) -> bool:
        """Whether the scans so far and `rays` more, but for the last, cost as much as a build."""
        rent = self.scan_seconds / self.scans if self.scans else self._rent
        return self.scan_seconds + (rays - 1) * rent >= self._price

    @contextmanager
    def scanning(self) -> Iterator[None]:
        """Time one scan."""
        start = time.perf_counter()
        yield
        self.scans += 1
        self.scan_seconds += time.perf_counter() - start

    @contextmanager
    def building(self) -> Iterator[None]:
        """Time a build."""
        start = time.perf_counter()
        yield
        self.build_seconds += time.perf_counter() - start


@immutable
@dataclass(frozen=True, slots=True)
class MeshStats:
    """What a mesh has done so far.

    Attributes
    ----------
    triangles, vertices : int
    scans : int
        Queries that were answered without a tree: rays, points and regions.
    scan_seconds, build_seconds : float
    nodes, depth : int
        Nodes and levels of the tree; 0 before it is built.
    sah_cost : float
        Expected tests of boxes and triangles by a random ray, see :func:`.bvh.sah_cost`.
    nbytes : int
        Memory of the tree, and of what engines keep beside it.

    Examples
    --------
    >>> from standalone_core import Mesh
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> _ = mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1))
    >>> mesh.stats.triangles, mesh.stats.scans, mesh.stats.nodes
    (1, 1, 0)
    >>> mesh.build()
    >>> mesh.stats.nodes, mesh.stats.depth
    (1, 1)
    """

    triangles: int
    vertices: int
    scans: int
    scan_seconds: float
    build_seconds: float
    nodes: int
    depth: int
    sah_cost: float
    nbytes: int


# What a better tree costs, in seconds a triangle, and saves, in seconds a ray.
_PRICE, _SAVED = 8e-7, 1e-7

# With only one thread, a batch makes the tree if it has this share of the rays that pay for one.
_WORTH = 0.25


class BetterTree:
    """The account of a mesh's better tree: the rays cast so far, and the thread that makes it."""

    def __init__(self, triangle_count: int) -> None:
        self._enough = _PRICE / _SAVED * triangle_count
        self._rays = 0.0
        self.thread: TreeBuild | None = None  # what makes it, or made it
        self._lock = Lock()

    def is_due(self, rays: int) -> bool:
        """Count `rays` more; return whether a better tree would have paid by now."""
        self._rays += rays
        return self._rays >= self._enough

    def make(self, improve: Callable[[Progress], None], rays: int) -> None:
        """Make the tree if it is due: in a new thread, or in this one if only one is allowed.

        This thread makes it only if casting the batch of `rays` takes about as long as making it.
        """
        alone = thread_count() == 1
        with self._lock.here:
            if self._rays < self._enough:
                return
            if alone and rays < _WORTH * self._enough:
                # So that not every further cast comes here.
                self._rays = (1.0 - _WORTH) * self._enough
                return
            self._rays = -math.inf
        try:
            run = partial(self._run, improve)
            if alone:
                run(callable_progress(None))
            else:
                self.thread = TreeBuild(run, callable_progress(None))
        except RuntimeError:  # No thread can be started.
            self.begin_anew()

    def begin_anew(self) -> None:
        """Count rays from 0: the tree was replaced, or a better one could not be made."""
        self._rays = 0.0

    def cancel(self) -> None:
        """Ask the thread to end soon."""
        if (thread := self.thread) is not None:
            thread.cancel()

    def _run(self, improve: Callable[[Progress], None], progress: Progress) -> None:
        def report(done: float) -> None:
            # The process waits for its threads to end, but no longer needs the tree.
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
        self._rays, self.thread, self._lock = 0.0, None, Lock()
