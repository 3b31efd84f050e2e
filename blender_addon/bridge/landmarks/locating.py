# SPDX-License-Identifier: GPL-3.0-or-later
"""Where landmarks are: in what a context shows, or in the depsgraph that a handler is given.

:func:`located` looks at what the context shows, :func:`evaluated_places` at a depsgraph, which may
be that of a render.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core import RaypickError, triangle
from ...standalone_core.extension import FloatArray, cross, moved, normalized
from ..mesh.cache import MeshCache
from ..mesh.scene_mesh import SceneMesh, Source
from ..placing import HIDDEN, NO_INSTANCE
from ..query import asked_again_if_outdated, reading
from ..scene import snapshot
from ..scene.instances import ListedMesh, listing
from ..scene.snapshot import Rule, Snapshot
from .places import FoundPlaces, find_places

MISSING = "The landmark is missing"

Rows: TypeAlias = dict[tuple[str | None, tuple[int, ...] | None], ListedMesh]
"""The meshes of one object, by instancer and persistent id: its instances', in the scene's order,
and its own, whose key is (None, None)."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where N places of one object are; NaN where that is not known."""

    points: FloatArray  # (N, 3), in world space
    normals: FloatArray  # (N, 3), in world space, of unit length
    local: FloatArray  # (N, 3), in the local space of the object, as evaluated
    reasons: list[str | None]  # why that is not known, in English
    anchors: list[Anchor | None]  # up to date: the numbers of bound faces may have changed


@asked_again_if_outdated
def located(
    context: bpy.types.Context, wanted: Sequence[tuple[bpy.types.Object, Sequence[Anchor | None]]]
) -> list[Located]:
    """Where places of original objects are, even if a single viewport hides these.

    The anchor of a missing landmark is None.
    """
    # Blender asks the viewport of the context what is visible, unless there is none.
    with context.temp_override(area=None), reading():
        shown = rows_of(snapshot.of_context(context), [obj for obj, _ in wanted])
        return [
            located_on(shown[obj], anchors, partial(original_mesh, context, obj))
            for obj, anchors in wanted
        ]


def original_mesh(context: bpy.types.Context, obj: bpy.types.Object) -> SceneMesh | None:
    """A visible object's mesh, before modifiers and shape keys; None where it has none."""
    shown = snapshot.of_context(context, None, Rule(evaluated=False))
    row = row_of(rows_of(shown, [obj])[obj])
    return None if row is None or row.mesh.source.is_evaluated else row.mesh


def located_on(
    rows: Rows, anchors: Sequence[Anchor | None], original: Callable[[], SceneMesh | None]
) -> Located:
    """Where places are on what is shown of an object; `original` reads its own mesh."""
    points, normals, local = np.full((3, len(anchors), 3), np.nan)
    found = Located(points, normals, local, [None] * len(anchors), [*anchors])
    groups: dict[int, tuple[ListedMesh, dict[int, Anchor]]] = {}
    for i, anchor in enumerate(anchors):
        if anchor is None:
            found.reasons[i] = MISSING
            continue
        row = row_of(rows, anchor.instancer, anchor.instance)
        if row is None:
            found.reasons[i] = HIDDEN if anchor.instancer is None else NO_INSTANCE
        else:
            groups.setdefault(row.number, (row, {}))[1][i] = anchor
    for row, own in groups.values():
        places = find_places(row.mesh, [*own.values()], original)
        for i, reason, anchor in zip(own, places.reasons, places.anchors, strict=True):
            found.reasons[i], found.anchors[i] = reason, anchor
        known = np.array([reason is None for reason in places.reasons])
        into, weights = np.array([*own])[known], places.weights[known]
        corners = row.mesh.polygons.positions(places.vertices[known])
        in_world = moved(corners, row.matrix[:3])
        found.local[into] = triangle.interpolate(corners, weights)
        found.points[into], found.normals[into] = _points_and_normals(in_world, weights, row.matrix)
    return found


def _points_and_normals(
    corners: FloatArray, weights: FloatArray, matrices: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """World points and unit normals (N, 3) at weights (N, 3) of triangles (N, 3, 3) in world space.

    `matrices` (N, 4, 4), or one for all, moved them there; if it mirrors, the normal is reversed.
    """
    a, b, c = corners.swapaxes(0, 1)
    side = np.where(np.linalg.det(matrices[..., :3, :3]) < 0.0, -1.0, 1.0)
    return triangle.interpolate(corners, weights), side[..., None] * normalized(cross(b - a, c - a))


@contextmanager
def frame_restored(scene: bpy.types.Scene) -> Iterator[None]:
    """Set a scene back to its frame afterwards, and to its camera, which markers may change."""
    frame, subframe, camera = scene.frame_current, scene.frame_subframe, scene.camera
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
        scene.camera = camera


def set_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Set a scene to a frame, which may lie between two whole ones."""
    whole = int(np.floor(frame))
    scene.frame_set(whole, subframe=frame - whole)


def rows_of(shown: Snapshot, objects: Iterable[bpy.types.Object]) -> dict[bpy.types.Object, Rows]:
    """The meshes of each of some original objects that a snapshot shows."""
    found: dict[int, Rows] = {obj.session_uid: {} for obj in objects}
    for row in shown.listed.values():
        if row.uid in found:
            instance = None if row.instancer is None else row.persistent_id
            found[row.uid].setdefault((row.instancer, instance), row)
    return {obj: found[obj.session_uid] for obj in objects}


def row_of(
    rows: Rows, instancer: str | None = None, instance: tuple[int, ...] | None = None
) -> ListedMesh | None:
    """The mesh of an instance, or by default of the object; None where it is not shown.

    For an object that only instances show, the default is the first of them.
    """
    if instancer is not None:
        return rows.get((instancer, instance))
    return rows.get((None, None)) or next(iter(rows.values()), None)


def visible_row(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    evaluated: bool = True,
    instancer: str | None = None,
    instance: tuple[int, ...] | None = None,
) -> ListedMesh:
    """The visible mesh of an object or instance; RaypickError if there is none."""
    shown = snapshot.of_context(context, None, Rule(evaluated=evaluated))
    row = row_of(rows_of(shown, [obj])[obj], instancer, instance)
    if row is None:
        raise RaypickError(HIDDEN)
    return row


def evaluated_places(
    depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object, anchors: Sequence[Anchor]
) -> tuple[FoundPlaces, FloatArray, FloatArray]:
    """Where anchors of an original object are on its evaluated mesh, if the depsgraph has one.

    Return the places, and their points and unit normals (N, 3) in world space, NaN if unknown.
    """
    count = len(anchors)
    points, normals = np.full((2, count, 3), np.nan)
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated or not count:  # the depsgraph does not have it
        nowhere = np.zeros((count, 3), np.int64), np.full((count, 3), np.nan)
        return FoundPlaces(*nowhere, [HIDDEN] * count, [*anchors]), points, normals
    mesh = mesh_in(depsgraph, obj, True)
    places = find_places(mesh, anchors, lambda: mesh_in(depsgraph, obj, False))
    matrices = _matrices(depsgraph, evaluated, anchors)
    shown = np.isfinite(matrices).all(axis=(1, 2))
    for i in np.flatnonzero(~shown).tolist():
        places.reasons[i] = places.reasons[i] or NO_INSTANCE
    known = np.array([reason is None for reason in places.reasons])
    matrices, weights = matrices[known], places.weights[known]
    corners = moved(mesh.polygons.positions(places.vertices[known]), matrices[:, None, :3])
    points[known], normals[known] = _points_and_normals(corners, weights, matrices)
    return places, points, normals


def mesh_in(depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object, evaluated: bool) -> SceneMesh:
    """An object's mesh in a depsgraph: the evaluated one, or its own."""
    source = Source(depsgraph, obj, 0, evaluated)
    with source.opened() as (_, mesh):
        return SceneMesh(source, mesh)


def _matrices(
    depsgraph: bpy.types.Depsgraph, evaluated: bpy.types.Object, anchors: Sequence[Anchor]
) -> FloatArray:
    """Local to world space (N, 4, 4) of the object or of instances; NaN for an unknown instance."""
    own = np.array(evaluated.matrix_world, np.float64)
    if all(each.instancer is None for each in anchors):
        return np.repeat(own[None], len(anchors), axis=0)
    uid = evaluated.original.session_uid
    instances = {
        (row.instancer, row.persistent_id): row.matrix
        for row in listing(depsgraph, MeshCache(), True).meshes
        if row.uid == uid and row.instancer is not None
    }
    none = np.full((4, 4), np.nan)
    return np.stack(
        [
            own if each.instancer is None else instances.get((each.instancer, each.instance), none)
            for each in anchors
        ]
    )
