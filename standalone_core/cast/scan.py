# SPDX-License-Identifier: MIT
"""Find candidates without a tree: one pass over all vertices, for the first click on a mesh.

Seen along the ray, each vertex gets a code that says in which half-spaces around the ray it lies,
as in the line clipping of Cohen and Sutherland. A triangle whose three codes share a bit lies
wholly in one half-space that the ray does not enter. The few that are left are tested exactly.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..numerics.arrays import EPS, FloatArray, IndexArray, IntArray, SingleArray, pieces
from ..numerics.ray_triangle import axes_across
from ..numerics.vectors import matmul
from .rays import LoneRay

Codes = npt.NDArray[np.unsignedinteger[Any]]
Positions = FloatArray | SingleArray

RIGHT, LEFT, ABOVE, BELOW, BEHIND = 1, 2, 4, 8, 16
"""The half-spaces' bits."""

# The largest rounding error of a shear, relative to the terms that it adds up.
_ROUNDING = 16 * EPS

# The same in absolute terms, for numbers so small that they round to multiples of 5e-324.
_LEAST = 32 * 5e-324

# Vertices and triangles that are looked at together: they fit the processor's cache.
_CHUNK = 1 << 15


def code_vertices(
    vertices: Positions, matrix: FloatArray, origin: FloatArray, margin: float, codes: Codes
) -> None:
    """Write the codes (V,) of vertices (V, 3), float64 or float32, which converts exactly.

    The matrix (3, 3) is the ray's :func:`.axes_across`, the origin (3,) that of the ray times the
    matrix. A vertex counts as in a half-space if it is by more than the margin.
    """
    x0, y0, z0 = origin.tolist()
    with np.errstate(all="ignore"):
        for part in pieces(len(vertices), _CHUNK):
            x, y, z = matmul(matrix.T, vertices[part].T)
            code = (x > x0 + margin).view(np.uint8) * np.uint8(RIGHT)
            code |= (x < x0 - margin).view(np.uint8) * np.uint8(LEFT)
            code |= (y > y0 + margin).view(np.uint8) * np.uint8(ABOVE)
            code |= (y < y0 - margin).view(np.uint8) * np.uint8(BELOW)
            code |= (z < z0 - margin).view(np.uint8) * np.uint8(BEHIND)
            codes[part] = code


def not_outside(triangles: IndexArray, codes: Codes) -> IntArray:
    """Rows of the triangles (T, 3) whose corners' codes share no bit."""
    found = [np.empty(0, dtype=np.int64)]
    for part in pieces(len(triangles), _CHUNK):
        a, b, c = triangles[part].T
        shared = codes.take(a) & codes.take(b) & codes.take(c)
        found.append(np.flatnonzero(shared == 0) + part.start)
    return np.concatenate(found)


def candidates(
    ray: LoneRay,
    vertices: Positions,
    triangles: IndexArray,
    extent: float,
    code: Callable[[Any, FloatArray, FloatArray, float, Codes], None] = code_vertices,
    left: Callable[[IndexArray, Codes], IntArray] = not_outside,
) -> IntArray:
    """Rows of the triangles that one ray can hit: all that it does hit, and few others.

    `extent` is the largest absolute value of the vertices' finite coordinates; `code` and `left`
    may replace :func:`code_vertices` and :func:`not_outside`.
    """
    matrix = axes_across(ray.direction)
    margin = _ROUNDING * (extent + max(map(abs, ray.origin))) + _LEAST
    with np.errstate(all="ignore"):
        origin = matmul(np.array(ray.origin), matrix)
    codes = np.empty(len(vertices), dtype=np.uint8)
    code(vertices, matrix, origin, margin, codes)
    return left(triangles, codes)
