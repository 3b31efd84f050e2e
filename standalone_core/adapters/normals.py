# SPDX-License-Identifier: MIT
"""Normals of triangles that points are nearest to."""

import numpy as np

from ..mesh import Mesh
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.normals import triangle_normals


def normals_of(mesh: Mesh, triangles: IntArray) -> FloatArray:
    """Unit normals (..., 3) of triangles (...) by their winding; NaN for -1 and without area."""
    result = np.full((*triangles.shape, 3), np.nan)
    found = triangles >= 0
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles[triangles[found]]], 1, 0)
    result[found] = triangle_normals(a, b, c)
    return result
