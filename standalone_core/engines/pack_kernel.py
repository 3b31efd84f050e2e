# SPDX-License-Identifier: MIT
"""Blocks of a packed tree, compiled."""

from typing import Any

import numpy as np
from numba import types

from .block_simd import LANES
from .kernel_cache import helper, kernel
from .kernel_types import VECTOR, given
from .packed_descent import BLOCK
from .simd import at, prefetch, put

# How many triangles ahead triangles and their vertices are asked for.
_TRIANGLES = 48
_VERTICES = 16

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


@helper(inline=True)
def _vertices(triangles: Any, triangle: int) -> Any:
    """The three vertices of a triangle."""
    row = 3 * triangle
    return (
        np.int64(at(triangles, row)),
        np.int64(at(triangles, row + 1)),
        np.int64(at(triangles, row + 2)),
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
    last = len(order) - 1
    for block in range(begin, end):
        first, count = np.int64(starts[block]), starts[block + 1] - starts[block]
        lx = ly = lz = np.float32(np.inf)
        hx = hy = hz = np.float32(-np.inf)
        for lane in range(LANES):
            # What is waited for is asked for ahead.
            later = np.int64(at(order, min(first + lane + _TRIANGLES, last)))
            prefetch(triangles, 3 * later)
            ahead = np.int64(at(order, min(first + lane + _VERTICES, last)))
            for corner in range(3):
                prefetch(vertices, 3 * np.int64(at(triangles, 3 * ahead + corner)))
            triangle = np.int64(at(order, first + lane if lane < count else first))
            i, j, k = _vertices(triangles, triangle)
            ax, ay, az = _corner(vertices, i, center, unit)
            bx, by, bz = _corner(vertices, j, center, unit)
            cx, cy, cz = _corner(vertices, k, center, unit)
            nothing = np.float32(0.0) if lane < count else np.float32(np.nan)
            nothing += ((ax + bx + cx) + (ay + by + cy) + (az + bz + cz)) * np.float32(0.0)
            numbers = (ax, ay, az, bx, by, bz, cx, cy, cz)
            place = block * BLOCK + lane
            for row in range(9):
                put(blocks, place + row * LANES, numbers[row] + nothing)
            put(wholes, place + 9 * LANES, triangle)
            put(wholes, place + 10 * LANES, i)
            put(wholes, place + 11 * LANES, j)
            put(wholes, place + 12 * LANES, k)
            if nothing == np.float32(0.0):
                lx, hx = min(lx, ax, bx, cx), max(hx, ax, bx, cx)
                ly, hy = min(ly, ay, by, cy), max(hy, ay, by, cy)
                lz, hz = min(lz, az, bz, cz), max(hz, az, bz, cz)
        more = np.float32(2.0**-23)
        for axis, (low, high) in enumerate(((lx, hx), (ly, hy), (lz, hz))):
            boxes[axis, block], boxes[3 + axis, block] = low - more, high + more


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
