# SPDX-License-Identifier: MIT
"""The arrays of a mesh, as casts read them."""

from __future__ import annotations

from typing import NamedTuple

from ..numerics.arrays import FloatArray, IndexArray, IntArray
from ..numerics.read_only import read_only


class Geometry(NamedTuple):
    """Triangles (T, 3) over vertices (V, 3)."""

    vertices: FloatArray
    triangles: IndexArray
    faces: IntArray | None  # (T,); None where each triangle is a face

    def read_only(self) -> Geometry:
        """The same, whose arrays cannot be written to through it."""
        faces = None if self.faces is None else read_only(self.faces)
        return Geometry(read_only(self.vertices), read_only(self.triangles), faces)

    def corners(self, triangles: IntArray) -> FloatArray:
        """The corners (..., 3, 3) of triangles (...)."""
        return self.vertices.take(self.triangles.take(triangles, axis=0), axis=0)

    def face(self, triangle: int) -> int:
        """The face of a triangle."""
        return triangle if self.faces is None else int(self.faces[triangle])
