# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a mesh that are not hidden, and their numbers in the whole mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ...standalone_core import Hit, RayHits, Triangles
from ...standalone_core.extension import Polygons, runs

Found = TypeVar("Found", Hit, RayHits, Triangles)
IntArray = npt.NDArray[np.int64]


class VisiblePart:
    """A mesh of some of the faces, over the same vertices.

    Parameters
    ----------
    whole : Polygons
    hidden : ndarray (F,) of bool

    Attributes
    ----------
    corners, sizes : ndarray
        The faces that are left, numbered anew.
    """

    def __init__(self, whole: Polygons, hidden: npt.NDArray[np.bool_]) -> None:
        self._faces = np.flatnonzero(~hidden)
        sizes = whole.sizes_of(self._faces)
        self._corners = runs(whole.corners_from(self._faces), sizes)
        self.corners, self.sizes = whole.corners[self._corners], sizes
        self._whole_start = whole.triangles_from(self._faces)
        self._own_start = np.cumsum(sizes - 2) - (sizes - 2)

    def whole_triangles(self, triangles: IntArray, faces: IntArray) -> IntArray:
        """Numbers in the whole mesh of triangles (N,) of faces (N,) of the part."""
        return triangles - self._own_start[faces] + self._whole_start[faces]

    def whole_hit(self, hit: Found) -> Found:
        """A hit, hits or triangles of the part with face and triangle as in the whole mesh."""
        face, triangle = self._faces[hit.face], self.whole_triangles(hit.triangle, hit.face)
        if isinstance(hit, Hit):
            return replace(hit, face=int(face), triangle=int(triangle))
        return replace(hit, face=face, triangle=triangle)

    def own_face(self, face: int) -> int | None:
        """The number in the part of a face of the whole mesh; None where it is hidden."""
        own = int(self._faces.searchsorted(face))
        return own if own < len(self._faces) and self._faces[own] == face else None

    def face_of(self, triangle: int) -> int | None:
        """The face of a triangle, both as in the whole mesh; None where it is hidden."""
        own = int(self._whole_start.searchsorted(triangle, side="right")) - 1
        if own < 0 or triangle >= self._whole_start[own] + self.sizes[own] - 2:
            return None
        return int(self._faces[own])

    def own_triangle(self, face: int, triangle: int) -> int:
        """The number in the part of a triangle of the whole mesh."""
        own = self._faces.searchsorted(face)
        return int(triangle - self._whole_start[own] + self._own_start[own])

    def whole_corners(self, corners: IntArray) -> IntArray:
        """Numbers in the whole mesh of corners of the part."""
        return self._corners[corners]

    def own_corners(self, corners: IntArray) -> IntArray:
        """Numbers in the part of corners of the whole mesh that are left."""
        return self._corners.searchsorted(corners)
