# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on triangles of faces, whichever way the faces are split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core import PolygonMesh
from ...standalone_core.extension import BoolArray, FloatArray, IntArray
from ..original.spots import Spots, spots_of, take, weights_in


class FacePlaces(NamedTuple):
    """N places on triangles of faces."""

    faces: IntArray  # (N,)
    corners: IntArray  # (N, 3), counted from the first of the face
    weights: FloatArray  # (N, 3), of these corners

    @classmethod
    def of(cls, anchors: Sequence[Anchor]) -> FacePlaces:
        """Those of anchors, in their meshes."""
        return cls(
            np.array([each.face for each in anchors], np.int64),
            np.array([each.corners for each in anchors], np.int64).reshape(-1, 3),
            np.array([each.barycentric for each in anchors], np.float64).reshape(-1, 3),
        )

    def take(self, rows: IntArray | BoolArray) -> FacePlaces:
        """Some of them."""
        return FacePlaces(self.faces[rows], self.corners[rows], self.weights[rows])

    def are_on(self, polygons: PolygonMesh) -> BoolArray:
        """Which (N,) have a face and corners that a mesh has: files may say anything."""
        known: BoolArray = self.faces < polygons.face_count
        _, sizes = polygons.face_corners(self.faces[known])
        a, b, c = self.corners[known].T
        known[known] = (a != b) & (b != c) & (c != a) & (np.maximum(np.maximum(a, b), c) < sizes)
        return known

    def vertices(self, polygons: PolygonMesh) -> IntArray:
        """The vertices (N, 3) at the corners."""
        firsts, _ = polygons.face_corners(self.faces)
        return polygons.corner_vertices(firsts[:, None] + self.corners)

    def spots(self, polygons: PolygonMesh) -> Spots:
        """The places whichever way the faces are split."""
        _, sizes = polygons.face_corners(self.faces)
        return spots_of(self.faces, sizes, self.corners, self.weights)


def in_triangles(polygons: PolygonMesh, spots: Spots) -> FacePlaces:
    """Places in those triangles that the faces are split into now."""
    count = len(spots.faces)
    firsts, sizes = polygons.face_corners(spots.faces)
    rows = np.repeat(np.arange(count), sizes - 2)
    corners = polygons.split_face_many(spots.faces) - firsts[rows, None]
    weights = weights_in(take(spots, rows), corners)
    # Of the triangles of each face the one that the place is in, or least outside of.
    order = np.lexsort((-weights.min(axis=1, initial=np.inf), rows))
    best = order[np.cumsum(sizes - 2) - (sizes - 2)]
    return FacePlaces(spots.faces, corners[best], weights[best])


def as_split(polygons: PolygonMesh, places: FacePlaces, known: BoolArray) -> FacePlaces:
    """The places, those known (N,) in triangles that their faces are split into now.

    A quad that bends may be split along its other diagonal: its old triangles leave the surface.
    """
    rows = np.flatnonzero(known)
    faces = places.faces[rows]
    firsts, sizes = polygons.face_corners(faces)
    of = np.repeat(np.arange(len(rows)), sizes - 2)
    corners = polygons.split_face_many(faces) - firsts[of, None]
    same = (np.sort(corners) == np.sort(places.corners[rows])[of]).all(axis=1)
    other = np.delete(rows, of[same])
    if not len(other):
        return places
    moved = in_triangles(polygons, places.take(other).spots(polygons))
    new = FacePlaces(places.faces, places.corners.copy(), places.weights.copy())
    new.corners[other], new.weights[other] = moved.corners, moved.weights
    return new
