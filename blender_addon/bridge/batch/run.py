# SPDX-License-Identifier: GPL-3.0-or-later
"""Casting many rays in chunks; the results so far can be read at any time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import bpy
import numpy as np

from ...model.columns import Array
from ...model.scene_hits import SceneHits
from ...model.survey_numbers import Name
from ...standalone_core import RayHits, Scene
from ...standalone_core.extension import ArgumentError, IntArray, alike, concatenated, described
from ..hit_objects import names_of
from ..query import SceneChangedError, Target, asked_again_if_outdated
from ..scene.snapshot import Shown
from ..tolerance import TURNED
from .columns import COLUMNS, Cast, ColumnStore, attributes_in, in_rows, reader_of
from .rays import BatchQuery, HowToCast, Part, RaySource, given_rays
from .values import ValuesOn, check_attributes, values_on

Progress = Callable[[int, int], object]
"""Called with the number of rays done, and of all rays; it returns False to stop."""


class Run(ABC):
    """Goes through the rays of a query in chunks."""

    def __init__(self, query: BatchQuery) -> None:
        self._query = query
        self._shown: Shown | None = None
        self.total = len(query.rays)
        self.done = 0  # rays, in order
        self._ahead: _Ahead | None = None  # the rays of the next chunk, made by a thread

    def step(self, ahead: bool = False, most: int | None = None) -> bool:
        """Cast the next chunk, of at most `most` rays; return whether rays are left.

        SceneChangedError if the scene has changed since the first step. With `ahead`, a thread
        makes the rays of the chunk after it meanwhile.
        """
        self._query.target.check()
        with self._query.target.lent() as shown:
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
            said = None if progress is None else progress(self.done, self.total)
            if isinstance(said, (bool, np.bool_)) and not said:
                break

    @abstractmethod
    def _begin(self, shown: Shown) -> None:
        """Prepare to cast at the scene shown."""

    @abstractmethod
    def _cast(self, shown: Shown, part: Part) -> None:
        """Cast the next rays, and keep what they hit."""


_AnyRun = TypeVar("_AnyRun", bound=Run)


@asked_again_if_outdated
def finished(begin: Callable[[], _AnyRun], progress: Progress | None) -> _AnyRun:
    """A run that has gone through its rays."""
    run = begin()
    run.go(progress)
    return run


def hits_of_rays(
    target: Target,
    columns: tuple[str, ...],
    progress: Progress | None,
    every: bool,
    lacking: bool = False,
    **given: Any,
) -> SceneHits:
    """The nearest hits of the rays that are given to :func:`.given_rays`, or every hit."""
    query = given_rays(target, **given)
    return finished(lambda: CastRun(query, columns, every, lacking), progress).hits()


def counts_of_rays(target: Target, progress: Progress | None, any_hit: bool, **given: Any) -> Array:
    """How many hits each of these rays has, or whether it has any."""
    query = given_rays(target, **given)
    return finished(lambda: CountRun(query, any_hit), progress).values()


class _Ahead(threading.Thread):
    """Makes the rays of a chunk in a thread, or when they are asked for if that did not run.

    (A forked child process does not have the thread.)
    """

    def __init__(self, rays: RaySource, start: int, stop: int) -> None:
        super().__init__(name="raypick rays")
        self.stop = stop
        self._rays, self._begin = rays, start
        self._made: Part | None = None

    def run(self) -> None:
        with suppress(Exception):  # raised again when the rays are asked for
            self._made = self._rays.part(self._begin, self.stop)

    def part(self) -> Part:
        if self.ident is not None:
            self.join()
        return self._rays.part(self._begin, self.stop) if self._made is None else self._made


class CastRun(Run):
    """The nearest hits of all rays, or every hit, as columns."""

    def __init__(
        self,
        query: BatchQuery,
        columns: tuple[str, ...],
        every: bool = False,
        lacking: bool = False,  # whether attributes may be lacking everywhere
    ) -> None:
        super().__init__(query)
        self._names, self._every, self._lacking = columns, every, lacking
        self._collector: Collector | None = None
        self._store = ColumnStore(columns, None if every else self.total)
        self._counts: list[Array] = []  # if every hit is kept: how many each ray has

    def hits(self) -> SceneHits:
        """The hits found so far."""
        if self._collector is None:
            self.step()
        assert self._collector is not None
        shape, splits = self._query.rays.shape, None
        if self._every:
            counts = np.zeros(self.total, dtype=np.int64)
            counts[: self.done] = np.concatenate([*self._counts, np.empty(0, np.int64)])
            splits = np.append(0, np.cumsum(counts))
            shape = (int(splits[-1]),)
        columns = self._store.columns(shape)
        if splits is not None:
            columns = {"ray": np.repeat(np.arange(self.total), np.diff(splits)), **columns}
        evaluated = self._query.target.rule.evaluated
        return self._collector.scene_hits(
            columns, shape, self.done, self.total, splits=splits, evaluated=evaluated
        )

    def _begin(self, shown: Shown) -> None:
        target = self._query.target
        cast = Cast(shown, target.tables(shown), self._query.rays.depths)
        self._collector = Collector(cast, self._names, self._lacking)

    def _cast(self, shown: Shown, part: Part) -> None:
        assert self._collector is not None
        if self._every:
            how = self._query.how
            hits, splits = shown.scene.cast_rays_all(
                *part[:3], how.cull, None, how.threads, min_distance=part.least, border=how.border
            )
            self._counts.append(np.diff(splits))
        else:
            hits = self._found(shown, part)
        self._store.add(self._collector.columns(hits))

    def _found(self, shown: Shown, part: Part) -> RayHits:
        """The nearest hit of each ray."""
        return cast_nearest(shown, part, self._query.how)


class CountRun(Run):
    """How many hits each ray has, or whether it has any."""

    def __init__(self, query: BatchQuery, any_hit: bool) -> None:
        super().__init__(query)
        self._any_hit = any_hit
        self._found: Array = np.zeros(self.total, dtype=np.bool_ if any_hit else np.int64)

    def values(self) -> Array:
        """The answers in the shape of the rays; those of rays not cast yet are 0."""
        return self._found.reshape(self._query.rays.shape)

    def _begin(self, shown: Shown) -> None:
        pass

    def _cast(self, shown: Shown, part: Part) -> None:
        cast = shown.scene.any_hit if self._any_hit else shown.scene.count_hits
        how, stop = self._query.how, self.done + len(part.origins)
        self._found[self.done : stop] = cast(
            *part[:3], how.cull, None, how.threads, min_distance=part.least, border=how.border
        )


def cast_nearest(shown: Shown, part: Part, how: HowToCast) -> RayHits:
    """The first hit of each ray (R,), misses included."""
    if how.in_front_first and shown.behind is not None:
        found = _nearest(shown.scene, part, how, shown.behind)
        missed = np.flatnonzero(~found.hit)
        later = _nearest(shown.scene, _some_rays(part, missed), how)
        return _replaced(found, missed, later)
    return _nearest(shown.scene, part, how)


def _nearest(scene: Scene, part: Part, how: HowToCast, exclude: list[int] | None = None) -> RayHits:
    found = scene.cast_rays(
        *part[:3], how.cull, exclude, how.threads, min_distance=part.least, border=how.border
    )
    if how.behind_too:
        found = _replaced(found, *_behind(scene, part, how, exclude))
    return found


def _behind(
    scene: Scene, part: Part, how: HowToCast, exclude: list[int] | None
) -> tuple[IntArray, RayHits]:
    """The rows (N,) of rays that hit anything behind their origins, with the farthest such hits."""
    back = part.origins, -part.directions, np.inf, TURNED[how.cull], exclude, how.threads
    found, splits = scene.cast_rays_all(*back, border=how.border)
    ray = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    farthest_first = np.flatnonzero(found.distance > 0.0)[::-1]
    rows, firsts = np.unique(ray[farthest_first], return_index=True)
    far = found.take(farthest_first[firsts])
    return rows, replace(far, distance=-far.distance, front=~far.front)


def _some_rays(part: Part, rows: IntArray) -> Part:
    """Some of the rays."""
    ends = (each if isinstance(each, float) else each[rows] for each in (part.most, part.least))
    return Part(part.origins[rows], part.directions[rows], *ends)


def _replaced(found: RayHits, rows: IntArray, others: RayHits) -> RayHits:
    """The hits (R,), with those in `rows` (N,) replaced by others (N,)."""
    if not len(rows):
        return found
    place = np.arange(len(found.distance))
    place[rows] = len(place) + np.arange(len(rows))
    return concatenated([found, others]).take(place)


class Collector:
    """Makes columns of hits at one snapshot; a mesh is read when it is first hit.

    ArgumentError for an attribute that no mesh has, unless they may be `lacking`.
    """

    def __init__(self, cast: Cast, columns: Sequence[str], lacking: bool = False) -> None:
        self.tables, self._cast = cast.tables, cast
        if not lacking and (attributes := attributes_in(columns)):
            check_attributes(attributes, dict.fromkeys(each.mesh for each in self.tables.groups))
        materials = names_of(bpy.data.materials) if "material" in columns else []
        self.materials: dict[Name, int] = {name: row for row, name in enumerate(materials)}
        self._columns = columns
        self._readers = {name: read for name in columns if (read := reader_of(name))}
        self._values: dict[int, ValuesOn] = {}  # by the number of the group

    def columns(self, hits: RayHits) -> dict[str, Array]:
        """The columns of hits (N,), misses included."""
        made = self._read(hits) if self._readers else {}
        for name in self._columns:
            if name not in made:
                made[name] = COLUMNS[name].found(hits, self._cast)
        return {name: made[name] for name in self._columns}

    def scene_hits(
        self, columns: dict[str, Array], shape: tuple[int, ...], done: int, rays: int, **more: Any
    ) -> SceneHits:
        """Columns in a shape, with the tables that they refer to."""
        objects, materials = self.tables.objects, self.materials
        return SceneHits(
            columns,
            shape,
            tuple(name for name, _ in objects),
            tuple(library for _, library in objects),
            tuple(name for name, _ in materials),
            tuple(library for _, library in materials),
            self.tables.instances,
            done,
            rays,
            **more,
        )

    def _read(self, hits: RayHits) -> dict[str, Array]:
        """The columns that are read from Blender's meshes, mesh after mesh."""
        groups = self.tables.group_of[hits.instance]
        parts, runs = [], alike(groups, np.flatnonzero(hits.hit))
        for run in runs:
            group = int(groups[run[0]])
            if group not in self._values:
                row = self.tables.groups[group]
                self._values[group] = values_on(row, self._readers, self.materials)
            some = hits.take(run)
            matrices = self.tables.instances.matrix_world[some.instance]
            parts.append(self._values[group](some, matrices))
        rows = np.concatenate([np.empty(0, np.int64), *runs])
        return {
            name: in_rows(name, len(hits.distance), rows, [part[name] for part in parts])
            for name in self._readers
        }
