# SPDX-License-Identifier: GPL-3.0-or-later
"""One query of the scene: from a ray, or a position in a 3D viewport, to the reported hits.

Memory is trimmed to its limit after each query. If the scene changes meanwhile, the query is
repeated once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from math import inf
from typing import Any, ParamSpec, TypeVar

import bpy
import numpy as np

from ..model.hit import PickHit
from ..standalone_core import Hit, RaypickError, Scene
from ..standalone_core.extension import AroundPixel, Border, Cull, cull_sign, distance, instance_of
from . import placing, refinding, report, tolerance
from .mesh.scene_mesh import OutOfDateError, use_counter
from .placing import Place, Snapping
from .query_options import QueryOptions
from .refinding import Refound
from .scene import changes, snapshot
from .scene.instances import ListedMesh
from .scene.lone import lone_meshes
from .scene.snapshot import EVERYTHING, Rule, Shown, Snapshot, checked_rule
from .scene.tables import Tables, tables_of
from .tolerance import TURNED, Tolerance
from .validation import Viewport, checked_border, flag, viewport
from .view import cameras


def ray_query(
    origin: Sequence[float],
    direction: Sequence[float],
    options: QueryOptions,
    space: Viewport = None,
) -> PickQuery:
    """The query for a ray in world space."""
    least = least_distance(options.min_distance)
    return PickQuery(
        origin,
        direction,
        options.max_distance,
        options.cull,
        flag(options.all_hits, "all_hits"),
        options.rule(),
        space,
        min_distance=least,
        border=checked_border(options.border),
        least=least,
    )


def viewport_query(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    position: Sequence[float],
    options: QueryOptions,
) -> PickQuery:
    """The query for the ray through a position in a region."""
    instance_of(context, bpy.types.Context, "context")
    camera = cameras.camera(region, region_data)
    around = AroundPixel(camera, *cameras.pixel(position))
    ray, space = around.ray, cameras.space_of(context, region_data)
    distance(options.max_distance)
    query = ray_query(ray.origin.tolist(), ray.direction.tolist(), options, space)
    if options.snap is not None:
        snap = placing.snapping(options.snap, around, options.snap_radius)
        query = replace(query, snapping=snap)
    is_clipped = flag(options.clip, "clip")
    planes = cameras.view_planes(region_data, space) if is_clipped else np.empty((0, 4))
    query = replace(query, tolerance=tolerance.tolerance(options.tolerance, around, planes))
    if not is_clipped:
        has_least = camera.is_perspective or options.min_distance is not None
        return query if has_least else replace(query, min_distance=-inf, least=-inf)
    ends = cameras.intervals(planes, ray.origin[None], ray.direction[None])
    least, most = (each.item() for each in ends)
    in_front_first, cull = cameras.order_and_cull(space, query.cull)
    return replace(
        query, least=max(least, query.least), most=most, in_front_first=in_front_first, cull=cull
    )


def least_distance(value: float | None) -> float:
    """Check the least distance of hits; None is 0."""
    return 0.0 if value is None else distance(value, "min_distance")


_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class SceneChangedError(RaypickError):
    """The scene changed in the middle of a pick."""


def asked_again_if_outdated(ask: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """Repeat a query once if it read data that was out of date, and has forgotten it."""

    @wraps(ask)
    def asked(*given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return ask(*given, **named)
        except SceneChangedError:
            return ask(*given, **named)

    return asked


@contextmanager
def reading() -> Iterator[None]:
    """Read meshes, then trim memory to its limit; SceneChangedError if they are out of date."""
    since = next(use_counter)
    try:
        yield
    except (OutOfDateError, ReferenceError):
        changes.pending.forget_everything()
        raise SceneChangedError("the scene changed in the middle of the pick: pick again") from None
    finally:
        snapshot.trim(since)


class Target(ABC):
    """What is asked: the scene as Blender shows it, or as it was."""

    rule: Rule  # which objects and meshes count

    @abstractmethod
    def check(self) -> None:
        """Raise an error if it cannot be asked any more."""

    @abstractmethod
    def lent(self) -> AbstractContextManager[Shown]:
        """Lend what can be hit; SceneChangedError if it changes meanwhile."""

    @abstractmethod
    def report(
        self, hits: Sequence[Hit], shown: Any, snaps: Sequence[str | None] | None = None
    ) -> list[PickHit]:
        """Hits in Blender's terms, with the kinds that they snapped to."""

    @abstractmethod
    def tables(self, shown: Any) -> Tables:
        """What the numbers of its objects and instances stand for."""


@dataclass(frozen=True, slots=True)
class Live(Target):
    """The scene of a context as it is now."""

    context: bpy.types.Context
    rule: Rule = EVERYTHING
    space: Viewport = None  # decides what is visible; None for the context's, if that has one

    def check(self) -> None:
        if self.space is not None and not cameras.is_open(self.space):
            raise SceneChangedError("the 3D viewport was closed in the middle of the cast")

    @contextmanager
    def lent(self) -> Iterator[Snapshot]:
        with reading():
            yield shown_in(self.context, self.space, self.rule)

    def report(
        self, hits: Sequence[Hit], shown: Any, snaps: Sequence[str | None] | None = None
    ) -> list[PickHit]:
        return report.pick_hits(hits, shown, snaps)

    def tables(self, shown: Any) -> Tables:
        return tables_of(shown)


def live(context: bpy.types.Context, space: Viewport, *rule: Any) -> Live:
    """The scene of a context; the rule is as for :func:`.checked_rule`."""
    return Live(context, checked_rule(*rule), viewport(space))


@dataclass(frozen=True, slots=True)
class PickQuery:
    """A ray, and which of its hits count."""

    origin: Sequence[float]  # in world space, like the direction
    direction: Sequence[float]
    max_distance: float = inf  # this and the next two are as :func:`.api.ray_cast` takes them
    cull: Cull = None
    all_hits: bool = False
    rule: Rule = EVERYTHING  # which objects and meshes count
    space: Viewport = None  # decides what is visible; None for the context's
    min_distance: float = 0.0  # nearer hits do not count; -inf includes those behind the origin
    border: Border = "open"  # what happens to a ray exactly through the border of a surface
    least: float = 0.0  # the same, or where the viewport begins to show the ray
    most: float = inf  # hits farther do not count
    in_front_first: bool = False  # whether In Front objects come before all others
    snapping: Snapping | None = None  # where hits snap to
    tolerance: Tolerance | None = None  # finds hits beside the ray, which come first


def hits(context: bpy.types.Context, query: PickQuery) -> list[PickHit]:
    """The hits of a ray in the scene of a context, as of :func:`hits_of`."""
    return hits_of(Live(context, query.rule, query.space), query)


@asked_again_if_outdated
def hits_of(target: Target, query: PickQuery) -> list[PickHit]:
    """The hits of a ray, nearest first, after the one that the tolerance finds beside it."""
    most = min(distance(query.max_distance), query.most)
    cull_sign(query.cull)
    query = replace(query, most=most)
    with target.lent() as shown:
        found = _in_order(shown, query)
        first, taken = found[0] if found else None, None
        if query.tolerance is not None:
            how = query.min_distance, query.max_distance, query.cull, query.in_front_first
            taken = query.tolerance.nearest(shown, first, *how)
        beside = [] if taken is None else [taken.hit]
        exact = {*map(id, beside), *map(id, found)}
        if query.snapping is not None:
            beside, found = (
                _snapped(part, query.snapping, shown, query) for part in (beside, found)
            )
        if beside and not query.all_hits:
            found = []
        every, kind = [*beside, *found], query.snapping.kind if query.snapping else None
        snaps = [None if id(hit) in exact else kind for hit in every]
        reported = target.report(every, shown, snaps)
        if beside and taken is not None:
            reported[0] = replace(reported[0], pixels_away=taken.away)
        return reported


@asked_again_if_outdated
def unpickable_at(context: bpy.types.Context, query: PickQuery) -> list[str]:
    """Names of objects without faces whose boxes the ray meets; its direction has length 1."""
    most = min(query.max_distance, query.most)
    with Live(context, query.rule, query.space).lent() as shown:
        part = query.origin, query.direction, query.least, most
        met = [each.name for each in shown.unpickable if each.is_met(*part)]
    return [*dict.fromkeys(met)]


@asked_again_if_outdated
def place(
    context: bpy.types.Context, place: Place, evaluated: bool = True, space: Viewport = None
) -> PickHit:
    """The hit at a given place."""
    live = Live(context, Rule(evaluated=evaluated), space)
    with live.lent() as shown:
        return live.report([placing.hit_at(shown, place)], shown)[0]


@asked_again_if_outdated
def place_again(context: bpy.types.Context, hit: PickHit, space: Viewport = None) -> PickHit:
    """A hit as it is now, at the distance 0; RaypickError if it is gone."""
    with reading():
        found = refound(context, [hit], space)
        for reason in filter(None, found.reasons):
            raise RaypickError(f"the hit on {hit.object!r} is gone: {reason}")
        (now,) = report.pick_hits([*found.hits], found)
    return replace(now, snapped=hit.snapped)


def refound(context: bpy.types.Context, hits: Sequence[PickHit], space: Viewport) -> Refound:
    """Where hits are now, all on evaluated meshes or all on original ones.

    While the list of all objects is out of date, mesh objects are looked at by themselves.
    """
    evaluated = all(hit.evaluated for hit in hits)
    own = viewport_of(context, space)

    def find(
        objects: Sequence[bpy.types.Object], hits: Sequence[PickHit]
    ) -> Sequence[ListedMesh | None]:
        rows = None
        if all(hit.instancer is None for hit in hits):
            rows = lone_meshes(context, objects, own, evaluated)
        if rows is None:
            shown = snapshot.of_context(context, own, Rule(evaluated=evaluated))
            return refinding.shown_by(shown)(objects, hits)
        return rows

    return refinding.refound(hits, find)


@asked_again_if_outdated
def follow(
    context: bpy.types.Context, hits: Sequence[PickHit], origin: Sequence[float] | None
) -> list[PickHit | str]:
    """The hits as they are now, or why one cannot be found; a viewport's own hiding is ignored.

    The side that was hit stays, and so do `pixels_away` and `snapped`.
    """
    now: dict[int, PickHit | str] = {}
    # Blender asks the viewport of the context what is visible, unless there is none.
    with context.temp_override(area=None), reading():
        for evaluated in {hit.evaluated for hit in hits}:
            numbers = [i for i, hit in enumerate(hits) if hit.evaluated == evaluated]
            shown = snapshot.of_context(context, None, Rule(evaluated=evaluated))
            then = [hits[i] for i in numbers]
            found = refinding.refound(then, refinding.shown_by(shown))
            there = [
                _seen_from(origin, now, old)
                for now, old in zip(found.hits, then, strict=True)
                if now is not None
            ]
            reported = iter(report.pick_hits(there, found))
            for i, reason in zip(numbers, found.reasons, strict=True):
                now[i] = reason or _kept_exact(next(reported), hits[i])
    return [now[i] for i in range(len(hits))]


def _seen_from(origin: Sequence[float] | None, now: Hit, then: PickHit) -> Hit:
    """A hit found again, with its distance from the ray's origin, if there is one."""
    if origin is None:
        return now
    return placing.hit_from(np.array(origin), now, then.distance < 0.0, now.front)


def _kept_exact(now: PickHit, then: PickHit) -> PickHit:
    """A hit as it is now; if its triangle has not moved, with all the digits that it had."""
    now = replace(now, pixels_away=then.pixels_away, snapped=then.snapped)
    if (now.corners, now.matrix_world) != (then.corners, then.matrix_world):
        return now
    kept = ("point", "point_local", "normal", "distance")
    return replace(now, **{name: getattr(then, name) for name in kept})


def shown_in(context: bpy.types.Context, space: Viewport, rule: Rule) -> Snapshot:
    """The scene as a viewport shows it, by default the context's, if that has one."""
    return snapshot.of_context(context, viewport_of(context, space), rule)


def viewport_of(context: bpy.types.Context, space: Viewport) -> Viewport:
    """A viewport, or else the context's, if that has one."""
    own = instance_of(context, bpy.types.Context, "context").space_data
    return space or (own if isinstance(own, bpy.types.SpaceView3D) else None)


def _in_order(shown: Shown, query: PickQuery) -> list[Hit]:
    """All hits, or the first, in the order in which they are seen."""
    if query.all_hits:
        return _in_front_first(_cast(shown.scene, query), shown, query)
    if query.in_front_first and shown.behind is not None:
        in_front = _cast(shown.scene, query, shown.behind)
        if in_front:
            return in_front
    return _cast(shown.scene, query)


def _snapped(found: list[Hit], snapping: Snapping, shown: Shown, query: PickQuery) -> list[Hit]:
    """The snapped hits, sorted again, without those that are now too near or too far away."""
    origin = np.array(query.origin, dtype=np.float64)
    moved = (snapping.snapped(hit, shown, origin) for hit in found)
    near = [hit for hit in moved if query.min_distance <= hit.distance <= query.most]
    return _in_front_first(sorted(near, key=lambda hit: hit.distance), shown, query)


def _in_front_first(found: list[Hit], shown: Shown, query: PickQuery) -> list[Hit]:
    """The hits; if the query asks for it, those on In Front objects come first."""
    if not query.in_front_first or shown.behind is None:
        return found
    behind = set(shown.behind)
    return sorted(found, key=lambda hit: hit.instance in behind)


def _cast(scene: Scene, query: PickQuery, exclude: list[int] | None = None) -> list[Hit]:
    """All hits in the interval of distances, or the nearest."""
    ray, least, most = (query.origin, query.direction), query.least, query.most
    behind = _behind(scene, query, exclude) if least < 0.0 else []
    if least > most:
        return []
    how: Any = {"min_distance": max(least, 0.0), "border": query.border}
    if query.all_hits:
        return behind + scene.ray_cast_all(*ray, most, query.cull, exclude, **how)
    if behind:
        return behind[:1]
    nearest = scene.ray_cast(*ray, most, query.cull, exclude, **how)
    return [nearest] if nearest else []


def _behind(scene: Scene, query: PickQuery, exclude: list[int] | None) -> list[Hit]:
    """All hits behind the origin, the farthest behind first, seen in the ray's direction."""
    backward = [-part for part in query.direction]
    cull = TURNED[query.cull]
    how: Any = {"cull": cull, "exclude": exclude, "border": query.border}
    found = scene.ray_cast_all(query.origin, backward, **how)
    return [
        replace(hit, distance=-hit.distance, front=not hit.front)
        for hit in reversed(found)
        if hit.distance > 0.0
    ]
