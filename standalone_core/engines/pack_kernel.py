# SPDX-License-Identifier: MIT
"""Blocks of a packed tree, compiled."""

from typing import Any

import numpy as np
from numba import types

from .block_simd import LANES
from .kernel_cache import helper, kernel
from .kernel_types import VECTOR, given
from .packed_descent import BLOCK
from .simd import at, put

_NUMBERS = types.float32[::1]
_GIVEN = (given(types.float64, 2), given(types.int32, 2), VECTOR, types.float64)


@helper(inline=True)
def _corner(vertices: Any, vertex: int, center: Any, unit: float) -> Any:
    """A vertex in the units of the tree."""
    return (
        np.float32((at(vertices, 3 * vertex) - center[0]) * unit),
        np.float32((at(vertices, 3 * vertex + 1) - center[1]) * unit),
        np.float32((at(vertices, 3 * vertex + 2) - center[2]) * unit),
    )


@kernel(
    types.void(
        *_GIVEN,
        given(types.int32, 1),
        given(types.int32, 1),
        types.int64,
        types.int64,
        _NUMBERS,
        types.Array(types.int32, 1, "C"),
        types.float32[:, ::1],
    )
)
def fill_blocks(
    vertices: Any,
    triangles: Any,
    center: Any,
    unit: float,
    order: Any,
    starts: Any,
    begin: int,
    end: int,
    blocks: Any,
    wholes: Any,
    boxes: Any,
) -> None:
    """Fill the blocks from `begin` to `end`, and write their boxes (6, blocks), by a bit too large.

    Block i holds the triangles ``order[starts[i] : starts[i + 1]]``; `wholes` are the bits of the
    blocks. Lanes without a triangle, and triangles that are not finite, are NaN.
    """
    more = np.float32(2.0**-23)
    for block in range(begin, end):
        first, count = starts[block], starts[block + 1] - starts[block]
        for axis in range(3):
            boxes[axis, block], boxes[3 + axis, block] = np.inf, -np.inf
        for lane in range(LANES):
            place = block * BLOCK + lane
            triangle = order[first + lane] if lane < count else order[first]
            put(wholes, place + 9 * LANES, triangle)
            nothing = np.float32(0.0) if lane < count else np.float32(np.nan)
            for corner in range(3):
                vertex = at(triangles, 3 * np.int64(triangle) + corner)
                put(wholes, place + (10 + corner) * LANES, vertex)
                x, y, z = _corner(vertices, np.int64(vertex), center, unit)
                nothing += (x + y + z) * np.float32(0.0)
            for corner in range(3):
                vertex = np.int64(at(triangles, 3 * np.int64(triangle) + corner))
                numbers = _corner(vertices, vertex, center, unit)
                for axis in range(3):
                    number = numbers[axis] + nothing
                    put(blocks, place + (3 * corner + axis) * LANES, number)
                    if number - more < boxes[axis, block]:
                        boxes[axis, block] = number - more
                    if number + more > boxes[3 + axis, block]:
                        boxes[3 + axis, block] = number + more


@kernel(types.int64(*_GIVEN, types.float32[:, ::1], types.Array(types.int32, 1, "C")))
def fill_records(
    vertices: Any, triangles: Any, center: Any, unit: float, boxes: Any, items: Any
) -> int:
    """Write the boxes (T, 6) of the finite triangles, and which these are; how many there are."""
    count = 0
    for triangle in range(len(triangles)):
        nothing = np.float32(0.0)
        for axis in range(6):
            boxes[count, axis] = np.inf if axis < 3 else -np.inf
        for corner in range(3):
            vertex = np.int64(at(triangles, 3 * triangle + corner))
            numbers = _corner(vertices, vertex, center, unit)
            for axis in range(3):
                nothing += numbers[axis] * np.float32(0.0)
                boxes[count, axis] = min(boxes[count, axis], numbers[axis])
                boxes[count, 3 + axis] = max(boxes[count, 3 + axis], numbers[axis])
        items[count] = triangle
        if nothing == np.float32(0.0):
            count += 1
    return count
