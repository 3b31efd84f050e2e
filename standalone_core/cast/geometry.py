# SPDX-License-Identifier: MIT
"""The arrays of a mesh, as casts read them."""

from __future__ import annotations

from typing import NamedTuple

from ..numerics.arrays import FloatArray, IndexArray, IntArray
from ..numerics.read_only import read_only


class Geometry(NamedTuple):
    """Triangles over vertices.

    Attributes
    ----------
    vertices : ndarray (V, 3) of float64
    triangles : ndarray (T, 3) of int32 or int64
    faces : ndarray (T,) of int64, or None
        None where each triangle is a face.
    """

    vertices: FloatArray
    triangles: IndexArray
    faces: IntArray | None

    def read_only(self) -> Geometry:
        """The same, whose arrays cannot be written to through it."""
        faces = None if self.faces is None else read_only(self.faces)
        return Geometry(read_only(self.vertices), read_only(self.triangles), faces)

    def face(self, triangle: int) -> int:
        """The face of a triangle."""
        return triangle if self.faces is None else int(self.faces[triangle])
