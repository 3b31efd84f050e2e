# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapping of a hit to a vertex, an edge or the middle of its face, near a pixel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..standalone_core import Hit, Mesh
from ..standalone_core.extension import (
    ArgumentError,
    AroundPixel,
    DegenerateError,
    FloatArray,
    IntArray,
    described,
    distance,
    is_one_of,
    moved,
    nearest_shares,
    pixels_away,
)
from .placing import hit_from, placed
from .scene.snapshot import Snapshot

Snap = Literal["vertex", "edge", "face"] | None  # what a hit snaps to

Places = tuple[IntArray, FloatArray]
"""Triangles (N,) of a face, counted from its first, and weights (N, 3) of their corners."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapping:
    """What hits snap to."""

    kind: str
    around: AroundPixel
    radius: float  # in pixels; what is farther away is not snapped to

    def snapped(self, hit: Hit, snapshot: Snapshot, origin: FloatArray) -> Hit:
        """The hit at the nearest place that it snaps to, or the hit itself if none is near.

        Its distance is that from the ray's origin (3,) to its new place.
        """
        row = snapshot.listed[hit.instance]
        triangles = row.mesh.split_face(hit.face)
        world = moved(triangles.positions, row.matrix[:3])
        with np.errstate(all="ignore"):
            parts, weights = _PLACES[self.kind](self, triangles.corners, world)
            order = self._nearest_first(np.einsum("nk,nkc->nc", weights, world[parts]))
        for i in order.tolist():
            place = triangles, int(parts[i]), weights[i].copy()
            try:
                best = placed(snapshot, hit.instance, hit.face, *place)
            except DegenerateError:
                continue
            # Behind the origin of an orthographic view without clipping it is below 0.
            return hit_from(origin, best, behind=hit.distance < 0.0, front=hit.front)
        return hit

    def _nearest_first(self, points: FloatArray) -> IntArray:
        """Those of the world points (N, 3) within the radius in the view, the nearest first."""
        away = pixels_away(self.around.offsets(points))
        near = np.flatnonzero((away < np.inf) & (away <= self.radius))
        return near[np.argsort(away[near], kind="stable")]

    def _vertices(self, corners: IntArray, _world: FloatArray) -> Places:
        count = len(corners)
        return np.repeat(np.arange(count), 3), np.tile(np.eye(3), (count, 1))

    def _edges(self, corners: IntArray, world: FloatArray) -> Places:
        """The place of each edge of the face that is nearest to the pixel in the view.

        An edge that two of the face's triangles (T, 3) share is a diagonal, and not meant.
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
        """The mean of the face's vertices, or the place of the face that is nearest to it."""
        _, places = np.unique(corners, return_index=True)
        vertices = world.reshape(-1, 3)
        middle = vertices[places].mean(axis=0)[None]
        middle = middle[np.isfinite(middle).all(axis=1)]
        face = Mesh(vertices, np.arange(len(vertices)).reshape(-1, 3), building="never")
        nearest = face.closest_point(middle)
        return nearest.triangle[nearest.hit], nearest.barycentric[nearest.hit]


def snapping(kind: Snap, around: AroundPixel, radius: float) -> Snapping:
    """Check what to snap to."""
    if kind is None or not is_one_of(kind, *_PLACES):
        raise ArgumentError(f'snap must be "vertex", "edge", "face" or None, not {described(kind)}')
    return Snapping(kind, around, distance(radius, "snap_radius"))


_PLACES: dict[str, Callable[[Snapping, IntArray, FloatArray], Places]] = {
    "vertex": Snapping._vertices,
    "edge": Snapping._edges,
    "face": Snapping._middle,
}
