# SPDX-License-Identifier: GPL-3.0-or-later
"""Place hits at weights of a triangle, and snap them near a pixel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import bpy
import numpy as np

from ..standalone_core import Hit, Mesh, triangle
from ..standalone_core.extension import (
    ArgumentError,
    AroundPixel,
    BoolArray,
    DegenerateError,
    FloatArray,
    IndexRangeError,
    IntArray,
    cross,
    described,
    distance,
    finite,
    floats,
    is_one_of,
    moved,
    nearest_shares,
    normalized,
    pixels_away,
    to_scene,
)
from .mesh.cache import FlatMesh
from .mesh.shown_mesh import FaceTriangles, ShownMesh
from .scene.snapshot import Shown, Snapshot

_SUM_TOLERANCE = 1e-4  # weights that were copied with few digits do not add up to 1 exactly

Snap = Literal["vertex", "edge", "face"] | None  # what a hit snaps to

Places = tuple[IntArray, FloatArray]
"""Numbers (N,) of triangles within their face, and weights (N, 3) of their corners."""

REMOVED = "The object was deleted"
HIDDEN = "The object is not visible"
NO_INSTANCE = "The instance is not visible"
TOPOLOGY = "The topology has changed"
HIDDEN_FACE = "The face is hidden"
SPLIT = "The face is split differently"
FLAT = "The triangle has no area"


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
    identifier = place_of(snapshot, place)
    weights = _weights(place.barycentric)
    mesh = snapshot.listed[identifier].mesh
    face, triangles, part = _triangle(mesh, place)
    return placed(snapshot, identifier, face, triangles, part, weights)


def placed(
    snapshot: Shown,
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
    """A placed hit with its side and its distance from an origin (3,), negative behind it."""
    distance = float(np.linalg.norm(hit.point - origin))
    return replace(hit, distance=-distance if behind else distance, front=front)


def place_of(snapshot: Snapshot, place: Place) -> int:
    """The instance that a place is on: of several the object itself, or else the first."""
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


def _triangle(mesh: ShownMesh, place: Place) -> tuple[int, FaceTriangles, int]:
    """The face of a place, its triangles, and which of these the place is on."""
    face, part = place.face, place.triangle_of_face
    if place.triangle is not None:
        face = mesh.face_of(place.triangle)
        if place.face not in (None, face):
            text = f"triangle {place.triangle} is part of face {face}, not {place.face}"
            raise ArgumentError(text)
    elif face is None:
        raise ArgumentError("a face or a triangle is needed")
    triangles = mesh.split_face(face)
    count = len(triangles.positions)
    if place.triangle is not None:
        part = place.triangle - triangles.first
        if place.triangle_of_face not in (None, part):
            raise ArgumentError(f"triangle {place.triangle} is number {part} of its face")
    elif part is None and place.barycentric is not None and count > 1:
        raise ArgumentError(
            f"face {face} has {count} triangles: say with triangle or triangle_of_face "
            "which one has these weights"
        )
    part = part or 0
    if not 0 <= part < count:
        raise IndexRangeError(f"face {face} has no triangle {part} among its {count}")
    return face, triangles, part


def _weights(barycentric: Sequence[float] | None) -> FloatArray:
    """Checked barycentric weights that add up to 1, by default those of the center."""
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
    """Weights (..., 3) scaled to add up to 1, and whether each (...) did so, and is not negative.

    Both checks have a tolerance for rounding.
    """
    with np.errstate(all="ignore"):
        adds_up = np.asarray(np.abs(weights.sum(axis=-1) - 1.0) <= _SUM_TOLERANCE)
        inside = np.maximum(weights, 0.0)
        made = np.asarray(inside / inside.sum(axis=-1, keepdims=True))
    return made, adds_up, np.asarray((weights >= -_SUM_TOLERANCE).all(axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class Snapping:
    """Snaps hits to vertices, edges or centers of faces within a radius in pixels."""

    kind: str
    around: AroundPixel
    radius: float

    def snapped(self, hit: Hit, snapshot: Shown, origin: FloatArray) -> Hit:
        """The hit moved to the nearest place that it snaps to, or the hit itself if none is near.

        Its distance is measured from the ray's origin (3,).
        """
        row = snapshot.listed[hit.instance]
        triangles = row.mesh.split_face(hit.face)
        world = moved(triangles.positions, row.matrix[:3])
        with np.errstate(all="ignore"):
            parts, weights = _PLACES[self.kind](self, triangles.corners, world)
            points = np.einsum("nk,nkc->nc", weights, world[parts])
            away = pixels_away(self.around.offsets(points))
            near = np.flatnonzero((away < np.inf) & (away <= self.radius))
        for i in near[np.argsort(away[near], kind="stable")].tolist():
            place = triangles, int(parts[i]), weights[i].copy()
            try:
                best = placed(snapshot, hit.instance, hit.face, *place)
            except DegenerateError:
                continue
            # The distance is below 0 behind the origin of an orthographic view without clipping.
            return hit_from(origin, best, behind=hit.distance < 0.0, front=hit.front)
        return hit

    def _vertices(self, corners: IntArray, _world: FloatArray) -> Places:
        count = len(corners)
        return np.repeat(np.arange(count), 3), np.tile(np.eye(3), (count, 1))

    def _edges(self, corners: IntArray, world: FloatArray) -> Places:
        """On each edge of the face, the place that is nearest to the pixel in the view.

        An edge that two of the face's triangles (T, 3) share is a diagonal, and left out.
        """
        following = np.roll(corners, -1, axis=1)
        low, high = np.minimum(corners, following), np.maximum(corners, following)
        names = (low * (high.max() + 1) + high).ravel()
        _, rows, counts = np.unique(names, return_inverse=True, return_counts=True)
        edges = np.flatnonzero(counts[rows] == 1)
        triangles, start = np.divmod(edges, 3)
        end = (start + 1) % 3
        offsets = self.around.offsets(world)
        shares = nearest_shares(offsets[triangles, start], offsets[triangles, end])
        weights = np.zeros((len(edges), 3))
        weights[np.arange(len(edges)), start] = 1.0 - shares
        weights[np.arange(len(edges)), end] = shares
        return triangles, weights

    def _middle(self, corners: IntArray, world: FloatArray) -> Places:
        """The place of the face that is nearest to the mean of its vertices."""
        _, places = np.unique(corners, return_index=True)
        vertices = world.reshape(-1, 3)
        middle = vertices[places].mean(axis=0)[None]
        middle = middle[np.isfinite(middle).all(axis=1)]
        face = Mesh(vertices, np.arange(len(vertices)).reshape(-1, 3), building="never")
        nearest = face.closest_point(middle)
        return nearest.triangle[nearest.hit], nearest.barycentric[nearest.hit]


def snapping(kind: Snap, around: AroundPixel, radius: float) -> Snapping:
    """Check the arguments of snapping."""
    if kind is None or not is_one_of(kind, *_PLACES):
        raise ArgumentError(f'snap must be "vertex", "edge", "face" or None, not {described(kind)}')
    return Snapping(kind, around, distance(radius, "snap_radius"))


_PLACES: dict[str, Callable[[Snapping, IntArray, FloatArray], Places]] = {
    "vertex": Snapping._vertices,
    "edge": Snapping._edges,
    "face": Snapping._middle,
}
