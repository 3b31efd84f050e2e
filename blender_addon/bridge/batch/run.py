# SPDX-License-Identifier: GPL-3.0-or-later
"""A cast of many rays, chunk after chunk; what is done can be had at any time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import bpy
import numpy as np

from ...model.scene_hits import Column, SceneHits
from ...standalone_core.extension import ArgumentError, described
from ..query import shown_in
from ..reading import SceneChangedError, reading
from ..scene.snapshot import Snapshot
from ..scene.visibility import Rule
from ..view import areas
from . import casting
from .casting import HowToCast
from .collector import Collector
from .column_store import ColumnStore
from .rays import Part, RaySource

Progress = Callable[[int, int], object]
"""Called with the rays that are done, and with all; it returns False to stop."""


@dataclass(frozen=True, slots=True)
class BatchQuery:
    """Rays, and which of their hits count."""

    rays: RaySource
    how: HowToCast
    rule: Rule
    space: bpy.types.SpaceView3D | None = None  # decides on visibility, or else the context's


class Run(ABC):
    """Goes through the rays of a query in chunks."""

    def __init__(self, context: bpy.types.Context, query: BatchQuery) -> None:
        self._context, self._query = context, query
        self._shown: Snapshot | None = None
        self.total = len(query.rays)
        self.done = 0  # rays, in order
        # The rays of the next chunk, made by a thread.
        self._ahead: _Ahead | None = None

    def step(self, ahead: bool = False, most: int | None = None) -> bool:
        """Cast the next chunk, of at most so many rays; return whether more is left.

        SceneChangedError if the scene is another than at the first step. A thread makes the rays of
        the chunk after it meanwhile, if it may work `ahead`.
        """
        space = self._query.space
        if space is not None and not areas.is_kept(space):
            raise SceneChangedError("the 3D viewport was closed in the middle of the cast")
        with reading():
            shown = shown_in(self._context, space, self._query.rule)
            if self._shown is None:
                self._shown = shown
                self._begin(shown)
            elif shown is not self._shown:
                raise SceneChangedError("the scene changed in the middle of the cast")
            rays = self._query.rays
            made = self._ahead or _Ahead(rays, self.done, rays.end_of_chunk(self.done, most))
            if self.done < made.stop:
                self._ahead, part = None, made.part()
                if ahead and made.stop < self.total:
                    self._ahead = _Ahead(rays, made.stop, rays.end_of_chunk(made.stop, most))
                    with suppress(RuntimeError):  # where no thread can be started
                        self._ahead.start()
                self._cast(shown, part)
            self.done = made.stop
        return self.done < self.total

    def go(self, progress: Progress | None) -> None:
        """Cast all, or until `progress` returns False."""
        if progress is not None and not callable(progress):
            raise ArgumentError(f"progress must be callable, not {described(progress)}")
        more = True
        while more:
            more = self.step(ahead=self._query.how.threads != 1)
            if progress is not None and _is_false(progress(self.done, self.total)):
                break

    @abstractmethod
    def _begin(self, shown: Snapshot) -> None:
        """Prepare for the scene as it is."""

    @abstractmethod
    def _cast(self, shown: Snapshot, part: Part) -> None:
        """Cast the next rays, and keep what they hit."""


class _Ahead(threading.Thread):
    """The rays of a chunk, made by its thread; where that did not run, when they are asked for.

    A forked child does not have the thread.
    """

    def __init__(self, rays: RaySource, start: int, stop: int) -> None:
        super().__init__(name="raypick rays")
        self.stop = stop
        self._rays, self._begin = rays, start
        self._made: Part | None = None

    def run(self) -> None:
        with suppress(Exception):  # It is raised when the rays are asked for.
            self._made = self._rays.part(self._begin, self.stop)

    def part(self) -> Part:
        if self.ident is not None:
            self.join()
        return self._rays.part(self._begin, self.stop) if self._made is None else self._made


def _is_false(said: object) -> bool:
    """Whether a caller's progress says False, as Python or NumPy has it."""
    return isinstance(said, (bool, np.bool_)) and not said


class CastRun(Run):
    """The nearest hits of all rays, or every hit, as columns."""

    def __init__(
        self,
        context: bpy.types.Context,
        query: BatchQuery,
        columns: tuple[str, ...],
        every: bool = False,
    ) -> None:
        super().__init__(context, query)
        self._names, self._every = columns, every
        self._collector: Collector | None = None
        self._store = ColumnStore(columns, None if every else self.total)
        self._counts: list[Column] = []  # of all hits: how many each ray has

    def hits(self) -> SceneHits:
        """What is done so far."""
        if self._collector is None:
            self.step()
        assert self._collector is not None
        tables = self._collector.tables
        shape, splits = self._query.rays.shape, None
        if self._every:
            counts = np.zeros(self.total, dtype=np.int64)
            counts[: self.done] = np.concatenate([*self._counts, np.empty(0, np.int64)])
            splits = np.append(0, np.cumsum(counts))
            shape = (int(splits[-1]),)
        columns = self._store.columns(shape)
        if splits is not None:
            columns = {"ray": np.repeat(np.arange(self.total), np.diff(splits)), **columns}
        return SceneHits(
            columns,
            shape,
            tuple(name for name, _ in tables.objects),
            tuple(library for _, library in tables.objects),
            tuple(name for name, _ in self._collector.materials),
            tuple(library for _, library in self._collector.materials),
            tables.instances,
            self.done,
            self.total,
            splits,
            self._query.rule.evaluated,
        )

    def _begin(self, shown: Snapshot) -> None:
        scene = self._context.scene
        self._collector = Collector(shown, self._names, scene, self._query.rays.depths)

    def _cast(self, shown: Snapshot, part: Part) -> None:
        assert self._collector is not None
        if self._every:
            hits, ray = casting.every(shown, part, self._query.how)
            self._counts.append(np.bincount(ray, minlength=len(part.origins)))
        else:
            hits = casting.nearest(shown, part, self._query.how)
        self._store.add(self._collector.columns(hits))


class CountRun(Run):
    """How many hits each ray has, or whether it has any."""

    def __init__(self, context: bpy.types.Context, query: BatchQuery, any_hit: bool) -> None:
        super().__init__(context, query)
        self._cast_part = casting.any_hit if any_hit else casting.counts
        self._found: Column = np.zeros(self.total, dtype=np.bool_ if any_hit else np.int64)

    def values(self) -> Column:
        """The answers in the shape of the rays; those of rays not cast yet are 0."""
        return self._found.reshape(self._query.rays.shape)

    def _begin(self, shown: Snapshot) -> None:
        pass

    def _cast(self, shown: Snapshot, part: Part) -> None:
        found = self._cast_part(shown, part, self._query.how)
        self._found[self.done : self.done + len(found)] = found
