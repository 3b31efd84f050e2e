# SPDX-License-Identifier: MIT
"""The answer without a tree: one pass over all vertices, for the first click on a mesh.

Seen along the ray, each vertex gets a code of the half-spaces around the ray that it lies in, as
in the line clipping of Cohen and Sutherland. A triangle whose three codes share a bit lies wholly
in one half-space that the ray does not enter. The few that are left are tested exactly.
"""

from __future__ import annotations

import numpy as np

from .arrays import EPS, FloatArray, IndexArray, IntArray
from .ray_batch import LoneRay
from .ray_frame import axes_across

_LEFT, _RIGHT, _BELOW, _ABOVE, _BEHIND = (np.uint8(1 << bit) for bit in range(5))

# A shear, its products and its sums round so many EPS of what they add up, at most.
_ROUNDING = 16 * EPS

# Vertices and triangles that are looked at together: they fit the processor's cache.
_CHUNK = 1 << 15


def candidates(
    ray: LoneRay, vertices: FloatArray, triangles: IndexArray, extent: float
) -> IntArray:
    """Rows of the triangles that one ray can hit: all that it does hit, and few others.

    Parameters
    ----------
    ray : LoneRay
    vertices : ndarray (V, 3)
    triangles : ndarray (T, 3)
    extent : float
        Largest size of a finite coordinate of the vertices.
    """
    matrix = axes_across(ray.direction)
    margin = _ROUNDING * (extent + max(map(abs, ray.origin)))
    codes = np.empty(len(vertices), dtype=np.uint8)
    found = []
    with np.errstate(all="ignore"):
        x0, y0, z0 = (np.array(ray.origin) @ matrix).tolist()
        for first in range(0, len(vertices), _CHUNK):
            part = slice(first, first + _CHUNK)
            x, y, z = matrix.T @ vertices[part].T
            code = (x > x0 + margin).view(np.uint8) * _RIGHT
            code |= (x < x0 - margin).view(np.uint8) * _LEFT
            code |= (y > y0 + margin).view(np.uint8) * _ABOVE
            code |= (y < y0 - margin).view(np.uint8) * _BELOW
            code |= (z < z0 - margin).view(np.uint8) * _BEHIND
            codes[part] = code
    for first in range(0, len(triangles), _CHUNK):
        a, b, c = triangles[first : first + _CHUNK].T
        shared = codes.take(a) & codes.take(b) & codes.take(c)
        found.append(np.flatnonzero(shared == 0) + first)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
