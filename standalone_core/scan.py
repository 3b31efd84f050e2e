# SPDX-License-Identifier: MIT
"""The answer without a tree: one pass over all vertices, for the first click on a mesh.

In ray space each vertex gets a code of the half-spaces around the ray that it lies in, as in the
line clipping of Cohen and Sutherland. A triangle whose three codes share a bit lies wholly in
one half-space that the ray does not enter. The few that are left are tested exactly.
"""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray, IndexArray, IntArray
from .rayspace import RayFrame, rounding_margin

_LEFT, _RIGHT, _BELOW, _ABOVE, _BEHIND = (np.uint8(1 << bit) for bit in range(5))


def candidates(
    frame: RayFrame,
    ray: int,
    vertices: FloatArray,
    triangles: IndexArray,
    extent: float,
) -> IntArray:
    """Rows of the triangles that one ray can hit: all that it does hit, and few others.

    Parameters
    ----------
    frame : RayFrame
    ray : int
        Which ray of the frame.
    vertices : ndarray (V, 3)
    triangles : ndarray (T, 3)
    extent : float
        Largest size of a finite coordinate of the vertices.
    """
    kx, ky, kz = frame.axes[ray]
    shear_x, shear_y, scale_z = frame.shear[ray]
    matrix = np.zeros((3, 3))
    matrix[[kx, kz], 0] = 1.0, -shear_x
    matrix[[ky, kz], 1] = 1.0, -shear_y
    matrix[kz, 2] = np.sign(scale_z)
    origin = np.empty(3)
    origin[[kx, ky, kz]] = frame.origin[ray]
    margin = rounding_margin(extent, origin)
    with np.errstate(all="ignore"):
        seen = matrix.T @ vertices.T
        x, y, z = seen
        at_x, at_y, at_z = origin @ matrix
        codes = np.where(x > at_x + margin, _RIGHT, np.uint8(0))
        codes |= np.where(x < at_x - margin, _LEFT, np.uint8(0))
        codes |= np.where(y > at_y + margin, _ABOVE, np.uint8(0))
        codes |= np.where(y < at_y - margin, _BELOW, np.uint8(0))
        codes |= np.where(z < at_z - margin, _BEHIND, np.uint8(0))
    shared = codes[triangles[:, 0]] & codes[triangles[:, 1]] & codes[triangles[:, 2]]
    return np.flatnonzero(shared == 0)
