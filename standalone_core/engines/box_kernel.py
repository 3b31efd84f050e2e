# SPDX-License-Identifier: MIT
"""Boxes of triangles and of leaves in the units of a tree, compiled; see :mod:`..bvh.boxes`."""

from typing import Any

import numpy as np
from numba import types

from ..bvh import LEAF
from .kernel_cache import kernel
from .kernel_types import VECTOR, given

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
    for leaf in range(begin, end):
        first, last = leaf * LEAF, min(leaf * LEAF + LEAF, len(order))
        for axis in range(3):
            low, high, nothing = np.float32(np.inf), np.float32(-np.inf), np.float32(0.0)
            for item in range(first, last):
                for corner in range(3):
                    vertex = triangles[order[item], corner]
                    place = np.float32((vertices[vertex, axis] - center[axis]) * unit)
                    low, high = min(low, place), max(high, place)
                    nothing += place * np.float32(0.0)
            lower[axis, leaf], upper[axis, leaf] = low + nothing, high + nothing
