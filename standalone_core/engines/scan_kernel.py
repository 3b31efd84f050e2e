# SPDX-License-Identifier: MIT
"""The compiled steps of a scan, see :mod:`.scan`."""

from typing import Any

import numpy as np
from numba import types

from ..cast.scan import ABOVE, BEHIND, BELOW, LEFT, RIGHT, Codes
from ..numerics.arrays import IndexArray, IntArray
from .kernel_cache import kernel
from .kernel_types import given

# Rows that are found in one go: mostly there are a few.
_ROOM = 1024


@kernel(
    types.void(
        given(types.float64, 2),
        given(types.float64, 2),
        given(types.float64, 1),
        types.float64,
        types.uint8[::1],
    )
)
def code_vertices(vertices: Any, matrix: Any, origin: Any, margin: float, codes: Any) -> None:
    """As :func:`..scan.code_vertices`."""
    right, left = origin[0] + margin, origin[0] - margin
    above, below = origin[1] + margin, origin[1] - margin
    behind = origin[2] - margin
    a, b, c = matrix[0, 0], matrix[1, 0], matrix[2, 0]
    d, e, f = matrix[0, 1], matrix[1, 1], matrix[2, 1]
    g, h, i = matrix[0, 2], matrix[1, 2], matrix[2, 2]
    for row in range(len(vertices)):
        p, q, r = vertices[row, 0], vertices[row, 1], vertices[row, 2]
        x = a * p + b * q + c * r
        y = d * p + e * q + f * r
        z = g * p + h * q + i * r
        codes[row] = (
            (x > right) * RIGHT
            | (x < left) * LEFT
            | (y > above) * ABOVE
            | (y < below) * BELOW
            | (z < behind) * BEHIND
        )


@kernel(types.int64(given(types.int32, 2), given(types.uint8, 1), types.int64[::1]))
def _find(triangles: Any, codes: Any, found: Any) -> int:
    """Write rows to `found` as far as there is room; how many there are."""
    count = 0
    for row in range(len(triangles)):
        i, j, k = triangles[row, 0], triangles[row, 1], triangles[row, 2]
        if codes[i] & codes[j] & codes[k] == 0:
            if count < len(found):
                found[count] = row
            count += 1
    return count


def not_outside(triangles: IndexArray, codes: Codes) -> IntArray:
    """As :func:`..scan.not_outside`."""
    found = np.empty(_ROOM, dtype=np.int64)
    count = _find(triangles, codes, found)
    if count > len(found):
        found = np.empty(count, dtype=np.int64)
        _find(triangles, codes, found)
    return found[:count]
