# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways in which empties follow landmarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, cast

import bpy
import numpy as np

from ...model.landmarks.landmark import Landmark
from ...standalone_core import RaypickError
from ..scene.depsgraph import evaluated_depsgraph
from ..validation import one_of
from . import empties
from .carrier import carrier
from .evaluated import Evaluated, evaluated_places
from .rest import located_landmarks

WAYS = ("extension", "keyframes", "nodes")

NO_NORMALS = "Nodes do not turn empties along normals"
ON_INSTANCES = "Nodes do not follow landmarks on instances"
NO_FRAMES = "There are no frames to bake"
TOO_MANY_FRAMES = "These are more than 100,000 frames, or a million keyframes"

_MOST_FRAMES = 100_000
_MOST_KEYFRAMES = 1_000_000


def add_empties(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    way: str,
    frames: Iterable[float] | None = None,
    turning: bool = False,
) -> list[bpy.types.Object]:
    """An empty for each landmark with a place, which follows it.

    RaypickError where that is not possible.
    """
    one_of(way, WAYS, "follow")
    depsgraph = evaluated_depsgraph(context)
    anchors = {each: each.anchor for each in landmarks if each.anchor is not None}
    landmarks = [*anchors]
    places = evaluated_places(depsgraph, obj, [*anchors.values()])
    for landmark, reason in zip(landmarks, places.reasons, strict=True):
        if reason is not None:
            raise RaypickError(f"landmark {landmark.name!r}: {reason}")
    baked = _frames(context.scene, frames, len(landmarks)) if way == "keyframes" else []
    if way == "nodes" and turning:
        raise RaypickError(NO_NORMALS)
    if way == "nodes" and any(each.instancer is not None for each in anchors.values()):
        raise RaypickError(ON_INSTANCES)
    collection, made = empties.add(context, obj, landmarks)
    for empty, point, normal in zip(made, places.points, places.normals, strict=True):
        empties.put(empty, point, normal if turning else None, depsgraph)
        if way == "extension":
            empties.have_follow(empty, turning)
    if way == "keyframes":
        _bake(context, obj, landmarks, made, baked, turning)
    if way == "nodes" and made:
        _parent(collection, obj, places, made)
    return made


def _frames(scene: bpy.types.Scene, frames: Iterable[float] | None, count: int) -> list[float]:
    """The frames to bake, by default those of the scene; RaypickError for none or far too many."""
    if frames is None:
        frames = range(scene.frame_start, scene.frame_end + 1)
    every = [float(frame) for frame in islice(frames, _MOST_FRAMES + 1)]
    if not every:
        raise RaypickError(NO_FRAMES)
    if len(every) > _MOST_FRAMES or len(every) * count > _MOST_KEYFRAMES:
        raise RaypickError(TOO_MANY_FRAMES)
    return every


def _bake(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    made: Sequence[bpy.types.Object],
    frames: Sequence[float],
    turning: bool,
) -> None:
    """Keyframes at each of some frames; none where it is not known where a landmark is."""
    scene, manager = context.scene, context.window_manager
    then = scene.frame_current, scene.frame_subframe
    manager.progress_begin(0, len(frames))
    try:
        for number, frame in enumerate(frames):
            whole = int(np.floor(frame))
            scene.frame_set(whole, subframe=frame - whole)
            (places,) = located_landmarks(context, [(obj, landmarks)])
            for empty, point, normal in zip(made, places.points, places.normals, strict=True):
                if not np.isfinite(point).all():
                    continue
                empties.put(empty, point, normal if turning else None)
                empty.keyframe_insert("location", frame=frame)
                if turning:
                    empty.keyframe_insert("rotation_quaternion", frame=frame)
            manager.progress_update(number)
    finally:
        manager.progress_end()
        scene.frame_set(then[0], subframe=then[1])


def _parent(
    collection: bpy.types.Collection,
    obj: bpy.types.Object,
    places: Evaluated,
    made: Sequence[bpy.types.Object],
) -> None:
    """Have vertices that nodes move to the landmarks be parents of the empties."""
    points = carrier(obj, places.vertices, places.weights)
    points[empties.CARRIES] = True
    collection.objects.link(points)
    for number, empty in enumerate(made):
        empty.parent = points
        empty.parent_type = "VERTEX"
        cast(Any, empty).parent_vertices = (number, 0, 0)
        empty.matrix_parent_inverse.identity()
        empty.location = (0.0, 0.0, 0.0)
