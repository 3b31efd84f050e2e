# SPDX-License-Identifier: GPL-3.0-or-later
"""From a triangle and barycentric weights to a hit: the inverse of a cast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ..standalone_core import Hit, triangle
from ..standalone_core.extension import (
    ArgumentError,
    DegenerateError,
    FloatArray,
    IndexRangeError,
    cross,
    finite,
    floats,
    normalized,
)
from .mesh.flat_mesh import FlatMesh
from .mesh.scene_mesh import SceneMesh
from .scene.snapshot import Snapshot

_SUM_TOLERANCE = 1e-4
"""Weights that were copied with few digits need not add up to 1 exactly; they are made to."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place that is named: see :func:`.api.place`.

    Attributes
    ----------
    object : bpy.types.Object
        The original.
    face, triangle, triangle_of_face : int or None
    barycentric : sequence of 3 floats or None
    instance : tuple of int or None
    instancer : str or None
    """

    object: bpy.types.Object
    face: int | None = None
    triangle: int | None = None
    triangle_of_face: int | None = None
    barycentric: Sequence[float] | None = None
    instance: tuple[int, ...] | None = None
    instancer: str | None = None


def hit_at(shown: Snapshot, identifier: int, place: Place) -> Hit:
    """The hit at a place of an instance.

    Parameters
    ----------
    shown : Snapshot
    identifier : int
        Of an instance of its scene.
    place : Place
        On this instance.

    Returns
    -------
    Hit
        In world space, with the distance 0.

    Raises
    ------
    ArgumentError
        If there is no such place.
    """
    barycentric = _barycentric(place.barycentric)
    mesh = shown.listing.rows[shown.rows[identifier]].mesh
    face = _face(mesh, place)
    first, _, positions = mesh.split_face(face)
    part = place.triangle_of_face
    if place.triangle is not None:
        counted, part = part, place.triangle - first
        if counted not in (None, part):
            raise ArgumentError(f"triangle {place.triangle} is number {part} of its face")
    elif part is None:
        if place.barycentric is not None and len(positions) > 1:
            raise ArgumentError(
                f"face {face} has {len(positions)} triangles: triangle or triangle_of_face must "
                "tell whose weights these are"
            )
        part = 0
    if not 0 <= part < len(positions):
        raise IndexRangeError(f"face {face} has no triangle {part} of its own")
    return placed(shown, identifier, face, first + part, barycentric, positions[part])


def _face(mesh: SceneMesh, place: Place) -> int:
    """The face of a place, which may be named by its triangle."""
    if place.triangle is None:
        if place.face is None:
            raise ArgumentError("a face or a triangle is needed")
        return place.face
    face = mesh.face_of(place.triangle)
    if place.face not in (None, face):
        raise ArgumentError(f"triangle {place.triangle} is part of face {face}, not {place.face}")
    return face


def placed(
    shown: Snapshot,
    identifier: int,
    face: int,
    number: int,
    barycentric: FloatArray,
    corners: FloatArray,
) -> Hit:
    """The hit at weights (3,) of a triangle, whose local corners (3, 3) are known."""
    instance = shown.scene[identifier]
    if isinstance(instance.mesh, FlatMesh):
        matrix = shown.listing.matrices[shown.rows[identifier]]
        corners = corners @ matrix[:3, :3].T + matrix[:3, 3]
    a, b, c = corners
    normal = normalized(cross(b - a, c - a))
    if not np.isfinite(normal).all():
        raise DegenerateError(f"triangle {number} has no area")
    point = np.asarray(triangle.interpolate(corners, barycentric))
    local = Hit(0.0, point, normal, number, face, barycentric, True, identifier)
    return instance.to_scene(local, identifier)


def find(shown: Snapshot, place: Place) -> int:
    """The id of what is shown of a place's object: itself, or else the first of its instances.

    Raises
    ------
    ArgumentError
        If nothing of it is shown.
    """
    wanted, instancer = place.instance, place.instancer
    found = None
    for identifier, number in shown.rows.items():
        row = shown.listing.rows[number]
        if row.original != place.object or instancer not in (None, row.instancer):
            continue
        if wanted is None and row.instancer is None:
            return identifier
        if found is None and wanted in (None, shown.listing.persistent_id(number)):
            found = identifier
    if found is None:
        which = "" if wanted is None else f" with the persistent id {wanted}"
        raise ArgumentError(f"no mesh of the object {place.object.name!r}{which} is visible")
    return found


def _barycentric(weights: Sequence[float] | None) -> FloatArray:
    if weights is None:
        return np.full(3, 1.0 / 3.0)
    values = finite(floats(weights, "barycentric", (3,)), "barycentric")
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(values.sum())
    if not abs(total - 1.0) <= _SUM_TOLERANCE:
        raise ArgumentError(f"barycentric weights must add up to 1, not to {total}")
    if values.min() < -_SUM_TOLERANCE:
        raise ArgumentError(f"barycentric weights must not be below 0: {values.tolist()}")
    inside = np.maximum(values, 0.0)
    return np.asarray(inside / inside.sum())
