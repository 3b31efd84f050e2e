# SPDX-License-Identifier: GPL-3.0-or-later
"""One question to the scene, from the ray to the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf

import bpy
import numpy as np

from ..model.hit import PickHit
from ..standalone_core import Hit, RaypickError, Scene
from ..standalone_core.extension import Cull, cull_sign, distance, instance_of
from . import placing, report
from . import relocation as following
from .errors import SceneChangedError
from .mesh.scene_mesh import uses
from .occlusion import TURNED
from .placing import Place
from .scene import changes, snapshot
from .scene.snapshot import Snapshot
from .scene.visibility import Rule
from .snapping import Snapping
from .tolerance import Taken, Tolerance


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the scene.

    Attributes
    ----------
    origin, direction : sequence of 3 floats
        The ray, in world space.
    max_distance, cull, all_hits
        As :func:`.api.ray_cast` takes them.
    least, most : float
        Distances between which hits count. Where `least` is -inf, hits behind the origin count
        too, at distances below 0.
    in_front_first : bool
        What is drawn in front of all else comes before it.
    snapping : Snapping, optional
        Where hits are to snap.
    tolerance : Tolerance, optional
        How far beside the ray a thing may be seen that comes before what the ray hits.
    """

    origin: Sequence[float]
    direction: Sequence[float]
    max_distance: float = inf
    cull: Cull = None
    all_hits: bool = False
    least: float = 0.0
    most: float = inf
    in_front_first: bool = False
    snapping: Snapping | None = None
    tolerance: Tolerance | None = None


def hits(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D | None,
    rule: Rule,
    question: Question,
) -> list[PickHit]:
    """What a ray hits, the nearest first; before it what the tolerance takes beside it."""
    most = min(distance(question.max_distance), question.most)
    cull_sign(question.cull)
    question = replace(question, most=most)
    with _reading():
        shown = snapshot.of_context(context, space or _own_space(context), rule)
        found = _in_order(shown, question)
        taken = _taken(found, shown, question)
        beside = [] if taken is None else [taken.hit]
        if question.snapping is not None:
            beside, found = (
                _snapped(hits, question.snapping, shown, question) for hits in (beside, found)
            )
        if beside and not question.all_hits:
            found = []
        told = report.pick_hits([*beside, *found], shown, context.scene)
        if beside:
            told[0] = replace(told[0], pixels_away=taken.away)
        return told


def unpickable_at(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D | None,
    rule: Rule,
    question: Question,
) -> list[str]:
    """Names of the objects without faces whose boxes a ray, of a unit direction, meets."""
    most = min(question.max_distance, question.most)
    with _reading():
        shown = snapshot.of_context(context, space or _own_space(context), rule)
        part = question.origin, question.direction, question.least, most
        met = [each.name for each in shown.unpickable if each.is_met(*part)]
    return [*dict.fromkeys(met)]


def place(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D | None,
    rule: Rule,
    sought: Place,
) -> PickHit:
    """What is at a place that is named."""
    with _reading():
        shown = snapshot.of_context(context, space or _own_space(context), rule)
        hit = placing.hit_at(shown, placing.find(shown, sought), sought)
        return report.pick_hits([hit], shown, context.scene)[0]


def follow(
    context: bpy.types.Context, hits: Sequence[PickHit], origin: Sequence[float] | None
) -> list[PickHit | str]:
    """Where hits are now, whatever a single viewport hides, or why that is not known.

    The sides that were hit stay, and so do the pixels by which the ray missed.
    """
    now: dict[int, PickHit | str] = {}
    # Blender asks the viewport of the context what is visible, unless there is none.
    with context.temp_override(area=None), _reading():
        for evaluated in {hit.evaluated for hit in hits}:
            numbers = [i for i, hit in enumerate(hits) if hit.evaluated == evaluated]
            shown = snapshot.of_context(context, None, Rule(evaluated=evaluated))
            places = following.places(shown, [hits[i] for i in numbers], origin)
            now.update(zip(numbers, places, strict=True))
            there = [i for i in numbers if not isinstance(now[i], str)]
            told = report.pick_hits([now[i] for i in there], shown, context.scene)
            for i, hit in zip(there, told, strict=True):
                now[i] = _unrounded(replace(hit, pixels_away=hits[i].pixels_away), hits[i])
    return [now[i] for i in range(len(hits))]


def _unrounded(now: PickHit, then: PickHit) -> PickHit:
    """A hit where it is now: to the last digit where it was, if its triangle has not moved."""
    if (now.corners, now.matrix_world) != (then.corners, then.matrix_world):
        return now
    return replace(
        now,
        point=then.point,
        point_local=then.point_local,
        normal=then.normal,
        distance=then.distance,
    )


def _own_space(context: bpy.types.Context) -> bpy.types.SpaceView3D | None:
    """The viewport of a context, which need not have one."""
    space = instance_of(context, bpy.types.Context, "context").space_data
    return space if isinstance(space, bpy.types.SpaceView3D) else None


@contextmanager
def _reading() -> Iterator[None]:
    """Read meshes; then hold memory to its bound. Where they are gone, say so."""
    since = next(uses)
    try:
        yield
    except RaypickError:
        raise
    except (LookupError, ReferenceError):
        changes.pending.forget_everything()
        raise SceneChangedError("the scene changed in the middle of the pick: pick again") from None
    finally:
        snapshot.trim(since)


def _in_order(shown: Snapshot, question: Question) -> list[Hit]:
    """All hits, or the first, in the order in which they are seen."""
    if question.all_hits:
        return _in_front_first(_cast(shown.scene, question), shown, question)
    if question.in_front_first and shown.behind is not None:
        in_front = _cast(shown.scene, question, shown.behind)
        if in_front:
            return in_front
    return _cast(shown.scene, question)


def _taken(found: list[Hit], shown: Snapshot, question: Question) -> Taken | None:
    """What is taken though the ray passes beside it."""
    if question.tolerance is None:
        return None
    return question.tolerance.taken(
        shown,
        found[0] if found else None,
        question.max_distance,
        question.cull,
        question.in_front_first,
    )


def _snapped(
    found: list[Hit], snapping: Snapping, shown: Snapshot, question: Question
) -> list[Hit]:
    """The hits where they snap to, in order again, without those that are now too far away."""
    origin = np.array(question.origin, dtype=np.float64)
    moved = (snapping.snapped(hit, shown, origin) for hit in found)
    near = [hit for hit in moved if hit.distance <= question.most]
    return _in_front_first(sorted(near, key=lambda hit: hit.distance), shown, question)


def _in_front_first(found: list[Hit], shown: Snapshot, question: Question) -> list[Hit]:
    """The hits, those first that are drawn in front of all else if the question is so."""
    if not question.in_front_first or shown.behind is None:
        return found
    behind = set(shown.behind)
    return sorted(found, key=lambda hit: hit.instance in behind)


def _cast(scene: Scene, question: Question, exclude: list[int] | None = None) -> list[Hit]:
    """All hits in the interval of distances, or the nearest."""
    ray, least, most = (question.origin, question.direction), question.least, question.most
    behind = _behind(scene, question, exclude) if least < 0.0 else []
    if least > most:
        return []
    if not question.all_hits:
        if behind:
            return behind[:1]
        nearest = scene.ray_cast(*ray, most, question.cull, exclude)
        if nearest is None or nearest.distance >= least:
            return [nearest] if nearest else []
    every = scene.ray_cast_all(*ray, most, question.cull, exclude)
    ahead = [hit for hit in every if hit.distance >= least]
    return behind + ahead if question.all_hits else ahead[:1]


def _behind(scene: Scene, question: Question, exclude: list[int] | None) -> list[Hit]:
    """All hits behind the origin, the farthest behind first, seen in the ray's direction."""
    backward = [-part for part in question.direction]
    cull = TURNED[question.cull]
    found = scene.ray_cast_all(question.origin, backward, cull=cull, exclude=exclude)
    return [
        replace(hit, distance=-hit.distance, front=not hit.front)
        for hit in reversed(found)
        if hit.distance > 0.0
    ]
