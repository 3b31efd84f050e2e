# SPDX-License-Identifier: MIT
"""Normals of triangles that points are nearest to."""

import numpy as np

from ..mesh import Mesh
from ..numerics.arrays import FloatArray, IntArray, area_normal, normalized, scaled_edges


def triangle_normals(mesh: Mesh, triangles: IntArray) -> FloatArray:
    """Unit normals (..., 3) of triangles (...) by their winding; NaN for -1 and without area."""
    result = np.full((*triangles.shape, 3), np.nan)
    found = triangles >= 0
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles[triangles[found]]], 1, 0)
    result[found] = normalized(area_normal(*scaled_edges(a, b, c))[0])
    return result
