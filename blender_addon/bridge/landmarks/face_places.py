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


def in_triangles(polygons: PolygonMesh, spots: Spots, weights: FloatArray) -> FacePlaces:
    """Places in those triangles that their faces are split into now.

    Where these are the triangles that the places were in, their weights (N, 3) there are kept. A
    mirrored face may be split otherwise, and faces that were divided have triangles of their own.
    """
    count = len(spots.faces)
    firsts, sizes = polygons.face_corners(spots.faces)
    rows = np.repeat(np.arange(count), sizes - 2)
    corners = polygons.split_face_many(spots.faces) - firsts[rows, None]
    found = weights_in(take(spots, rows), corners)
    # Of the triangles of each face the one that the place is in, or least outside of.
    order = np.lexsort((-found.min(axis=1, initial=np.inf), rows))
    best = order[np.cumsum(sizes - 2) - (sizes - 2)]
    places = FacePlaces(spots.faces, corners[best], found[best])
    if spots.corners is not None:
        same = (np.sort(corners) == np.sort(spots.corners)[rows]).all(axis=1)
        kept, there = rows[same], np.argsort(corners[same])
        ranks = np.argsort(there)
        old = np.take_along_axis(weights[kept], np.argsort(spots.corners[kept]), axis=1)
        places.corners[kept] = corners[same]
        places.weights[kept] = np.take_along_axis(old, ranks, axis=1)
    return places
