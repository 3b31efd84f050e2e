# SPDX-License-Identifier: GPL-3.0-or-later
"""From a triangle and barycentric weights to a hit: the inverse of a cast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..standalone_core import Hit, triangle
from ..standalone_core.extension import (
    ArgumentError,
    BoolArray,
    DegenerateError,
    FloatArray,
    IndexRangeError,
    cross,
    finite,
    floats,
    moved,
    normalized,
    to_scene,
)
from .mesh.flat_mesh import FlatMesh
from .mesh.scene_mesh import FaceTriangles, SceneMesh
from .scene.snapshot import Snapshot

_SUM_TOLERANCE = 1e-4
"""Weights that were copied with few digits need not add up to 1 exactly; they are made to."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place on an original object, by the arguments of :func:`.api.place`."""

    object: bpy.types.Object
    face: int | None = None
    triangle: int | None = None
    triangle_of_face: int | None = None
    barycentric: Sequence[float] | None = None
    instance: tuple[int, ...] | None = None
    instancer: str | None = None


def hit_at(snapshot: Snapshot, place: Place) -> Hit:
    """The hit at a place, in world space, with the distance 0; RaypickError if there is none."""
    identifier = _find(snapshot, place)
    weights = _weights(place.barycentric)
    mesh = snapshot.listed[identifier].mesh
    face = _face(mesh, place)
    triangles = mesh.split_face(face)
    part = _part(face, triangles, place)
    return placed(snapshot, identifier, face, triangles, part, weights)


def placed(
    snapshot: Snapshot,
    identifier: int,
    face: int,
    triangles: FaceTriangles,
    part: int,
    weights: FloatArray,
) -> Hit:
    """The hit at weights (3,) of one of a face's triangles, with the distance 0."""
    instance, corners = snapshot.scene[identifier], triangles.positions[part]
    number = triangles.first + part
    if isinstance(instance.mesh, FlatMesh):
        corners = moved(corners, snapshot.listed[identifier].matrix[:3])
    a, b, c = corners
    normal = normalized(cross(b - a, c - a))
    if not np.isfinite(normal).all():
        raise DegenerateError(f"triangle {number} has no area")
    point = np.asarray(triangle.interpolate(corners, weights))
    local = Hit(0.0, point, normal, number, face, weights, True, identifier)
    return to_scene(instance, local, identifier)


def hit_from(origin: FloatArray, hit: Hit, behind: bool, front: bool) -> Hit:
    """A placed hit as a ray from an origin (3,) has it: behind it the distance is below 0."""
    distance = float(np.linalg.norm(hit.point - origin))
    return replace(hit, distance=-distance if behind else distance, front=front)


def _find(snapshot: Snapshot, place: Place) -> int:
    """The id of a place's object itself, or else of the first of its instances."""
    wanted, found = place.instance, None
    for identifier, row in snapshot.listed.items():
        if row.original != place.object or place.instancer not in (None, row.instancer):
            continue
        if wanted is None and row.instancer is None:
            return identifier
        if found is None and wanted in (None, row.persistent_id):
            found = identifier
    if found is None:
        which = "" if wanted is None else f" with the persistent id {wanted}"
        raise ArgumentError(f"no mesh of the object {place.object.name!r}{which} is visible")
    return found


def _face(mesh: SceneMesh, place: Place) -> int:
    """The face of a place, which may be that of its triangle."""
    if place.triangle is None:
        if place.face is None:
            raise ArgumentError("a face or a triangle is needed")
        return place.face
    face = mesh.face_of(place.triangle)
    if place.face not in (None, face):
        raise ArgumentError(f"triangle {place.triangle} is part of face {face}, not {place.face}")
    return face


def _part(face: int, triangles: FaceTriangles, place: Place) -> int:
    """Which of its face's triangles a place is in."""
    part, count = place.triangle_of_face, len(triangles.positions)
    if place.triangle is not None:
        part = place.triangle - triangles.first
        if place.triangle_of_face not in (None, part):
            raise ArgumentError(f"triangle {place.triangle} is number {part} of its face")
    elif part is None:
        if place.barycentric is not None and count > 1:
            raise ArgumentError(
                f"face {face} has {count} triangles: triangle or triangle_of_face must "
                "tell whose weights these are"
            )
        part = 0
    if not 0 <= part < count:
        raise IndexRangeError(f"face {face} has no triangle {part} of its own")
    return part


def _weights(barycentric: Sequence[float] | None) -> FloatArray:
    """Check barycentric weights, and make them add up to 1; by default the middle."""
    if barycentric is None:
        return np.full(3, 1.0 / 3.0)
    values = finite(floats(barycentric, "barycentric", (3,)), "barycentric")
    made, adds_up, is_inside = adding_up_to_one(values)
    if not adds_up:
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(values.sum())
        raise ArgumentError(f"barycentric weights must add up to 1, not to {total}")
    if not is_inside:
        raise ArgumentError(f"barycentric weights must not be below 0: {values.tolist()}")
    return made


def adding_up_to_one(weights: FloatArray) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Weights (..., 3) made to add up to 1.

    And, within rounding (...), which of them did so before, and which have none below 0.
    """
    with np.errstate(all="ignore"):
        adds_up = np.asarray(np.abs(weights.sum(axis=-1) - 1.0) <= _SUM_TOLERANCE)
        inside = np.maximum(weights, 0.0)
        made = np.asarray(inside / inside.sum(axis=-1, keepdims=True))
    return made, adds_up, np.asarray((weights >= -_SUM_TOLERANCE).all(axis=-1))
