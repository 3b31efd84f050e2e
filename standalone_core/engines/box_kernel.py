# SPDX-License-Identifier: MIT
"""Boxes of triangles and of leaves in the units of a tree, compiled; see :mod:`..bvh.boxes`."""

from typing import Any

import numpy as np
from numba import types

from ..bvh import LEAF
from .kernel_cache import kernel
from .kernel_types import VECTOR, given
from .simd import prefetch

# How many items ahead triangles and their vertices are asked for.
_TRIANGLES = 48
_VERTICES = 16

_COLUMNS = types.float32[:, ::1]
_GIVEN = (
    given(types.float64, 2),
    given(types.int32, 2),
    VECTOR,
    types.float64,
    types.int64,
    types.int64,
)


@kernel(types.void(*_GIVEN, _COLUMNS))
def middles(
    vertices: Any, triangles: Any, center: Any, scale: float, begin: int, end: int, middle: Any
) -> None:
    """Middles of the boxes of the triangles from `begin` to `end`; NaN where one is not finite."""
    unit = 1.0 / scale  # A power of two, as the scale is: nothing is rounded.
    for row in range(begin, end):
        i, j, k = triangles[row, 0], triangles[row, 1], triangles[row, 2]
        for axis in range(3):
            a = np.float32((vertices[i, axis] - center[axis]) * unit)
            b = np.float32((vertices[j, axis] - center[axis]) * unit)
            c = np.float32((vertices[k, axis] - center[axis]) * unit)
            # Comparisons lose NaN, sums do not.
            nothing = (a + b + c) * np.float32(0.0)
            half = np.float32(0.5)
            middle[axis, row] = min(a, b, c) * half + max(a, b, c) * half + nothing


@kernel(types.void(*_GIVEN, given(types.int32, 1), _COLUMNS, _COLUMNS))
def leaves(
    vertices: Any,
    triangles: Any,
    center: Any,
    scale: float,
    begin: int,
    end: int,
    order: Any,
    lower: Any,
    upper: Any,
) -> None:
    """Boxes of the leaves from `begin` to `end`, NaN where a triangle is not finite.

    A leaf holds the next LEAF triangles of the order; the last may hold fewer.
    """
    unit = 1.0 / scale
    cx, cy, cz = center
    zero, count = np.float32(0.0), len(order)
    for leaf in range(begin, end):
        first = leaf * LEAF
        # Triangles and vertices come from all over the mesh: what is waited for is asked for ahead.
        for item in range(first + _TRIANGLES, min(first + _TRIANGLES + LEAF, count)):
            prefetch(triangles, order[item] * 3)
        for item in range(first + _VERTICES, min(first + _VERTICES + LEAF, count)):
            for corner in range(3):
                prefetch(vertices, triangles[order[item], corner] * 3)
        lx = ly = lz = np.float32(np.inf)
        hx = hy = hz = np.float32(-np.inf)
        nx = ny = nz = zero
        for item in range(first, min(first + LEAF, count)):
            for corner in range(3):
                vertex = triangles[order[item], corner]
                x = np.float32((vertices[vertex, 0] - cx) * unit)
                y = np.float32((vertices[vertex, 1] - cy) * unit)
                z = np.float32((vertices[vertex, 2] - cz) * unit)
                lx, hx, nx = min(lx, x), max(hx, x), nx + x * zero
                ly, hy, ny = min(ly, y), max(hy, y), ny + y * zero
                lz, hz, nz = min(lz, z), max(hz, z), nz + z * zero
        lower[0, leaf], lower[1, leaf], lower[2, leaf] = lx + nx, ly + ny, lz + nz
        upper[0, leaf], upper[1, leaf], upper[2, leaf] = hx + nx, hy + ny, hz + nz
