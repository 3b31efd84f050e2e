# SPDX-License-Identifier: MIT
"""The compiled build of a tree: the order of its items, and the boxes of triangles and leaves.

Items are halved by selection in place. Boxes are in the units of the tree; see :class:`.Tree`.
"""

from typing import Any

import numpy as np
from numba import types

from ...bvh import LEAF
from .kernel_cache import kernel
from .kernel_types import INDICES, POINTS, TRIANGLES, VECTOR
from .simd import prefetch

_RECORDS = types.int32[:, ::1]

# Runs of at most so many rows are sorted by counting, for each row, how many come before it.
_FEW = 8

# For runs longer than the first number, a pivot is chosen from the second number of samples.
_SAMPLES = ((100_000, 127), (4096, 63), (200, 15), (0, 5))
_MOST_SAMPLES = 127


@kernel()
def _pivot(records: Any, begin: int, end: int, middle: int, axis: int, keys: Any) -> int:
    """A pivot, from samples: about `middle - begin` rows are less than it."""
    count = end - begin
    samples = 0
    for longer, number in _SAMPLES:
        if samples == 0 and count > longer:
            samples = number
    for i in range(samples):
        key = records[begin + (2 * i + 1) * count // (2 * samples), axis]
        place = i
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key
    return keys[(middle - begin) * samples // count]  # type: ignore[no-any-return]


@kernel()
def _part(records: Any, begin: int, end: int, axis: int, pivot: int) -> int:
    """Put the rows that are less than a pivot first; return where the others begin.

    Every row is swapped, even with itself: that is faster than a branch (Lomuto's partition).
    """
    place = begin
    for row in range(begin, end):
        a, b, c, d = records[row, 0], records[row, 1], records[row, 2], records[row, 3]
        less = records[row, axis] < pivot
        for column in range(4):
            records[row, column] = records[place, column]
        records[place, 0], records[place, 1], records[place, 2], records[place, 3] = a, b, c, d
        place += less
    return place


@kernel()
def _sort_few(records: Any, begin: int, end: int, axis: int, keys: Any, spare: Any) -> None:
    """Sort at most _FEW rows by a column."""
    count = end - begin
    for i in range(count):
        keys[i] = records[begin + i, axis]
        for column in range(4):
            spare[i, column] = records[begin + i, column]
    for i in range(count):
        place = begin
        for j in range(i):
            place += keys[j] <= keys[i]
        for j in range(i + 1, count):
            place += keys[j] < keys[i]
        for column in range(4):
            records[place, column] = spare[i, column]


@kernel()
def _select(
    records: Any, begin: int, end: int, middle: int, axis: int, keys: Any, spare: Any
) -> None:
    """Move the rows with the least keys, of those from `begin` to `end`, in front of `middle`."""
    aim = middle
    while end - begin > _FEW:
        count = end - begin
        pivot = _pivot(records, begin, end, aim, axis, keys)
        cut = _part(records, begin, end, axis, pivot)
        if cut == begin:
            cut = _part(records, begin, end, axis, pivot + 1)
            if cut >= middle:
                return
        if cut == middle:
            return
        if cut > middle:
            end = cut
        else:
            begin = cut
        # Bad samples may be bad at every pass: after a poor cut, aim at the median.
        misled = end - begin > count - count // 8
        aim = (begin + end) // 2 if misled else middle
    _sort_few(records, begin, end, axis, keys, spare)


@kernel()
def _widest(records: Any, begin: int, end: int) -> int:
    """The column in which the rows extend most, judged by some of them."""
    step = max(1, (end - begin) // 32)
    x0 = x1 = records[begin, 0]
    y0 = y1 = records[begin, 1]
    z0 = z1 = records[begin, 2]
    for row in range(begin, end, step):
        x, y, z = records[row, 0], records[row, 1], records[row, 2]
        x0, x1 = min(x0, x), max(x1, x)
        y0, y1 = min(y0, y), max(y1, y)
        z0, z1 = min(z0, z), max(z1, z)
    x_extent, y_extent, z_extent = np.int64(x1) - x0, np.int64(y1) - y0, np.int64(z1) - z0
    if x_extent >= y_extent and x_extent >= z_extent:
        return 0
    return 1 if y_extent >= z_extent else 2


@kernel()
def _halve(records: Any, begin: int, end: int, keys: Any, spare: Any) -> int:
    size = LEAF
    while size * 2 < end - begin:
        size *= 2
    middle = begin + size
    _select(records, begin, end, middle, _widest(records, begin, end), keys, spare)
    return middle


@kernel(types.void(types.Array(types.float32, 2, "A", readonly=True), _RECORDS))
def record(middles: Any, records: Any) -> None:
    """Write middles (3, N) from -1 to 1 to records, each with the index of its item."""
    for row in range(len(records)):
        for axis in range(3):
            middle = min(max(middles[axis, row], np.float32(-1.0)), np.float32(1.0))
            records[row, axis] = np.int32(middle * np.float32(2.0**30))
        records[row, 3] = row


@kernel(types.int64(_RECORDS, types.int64, types.int64))
def halve(records: Any, begin: int, end: int) -> Any:
    """Cut the rows `begin` to `end` in two, as the implied tree does; return where.

    Records (N, 4) are middles as whole numbers up to 2**30, then the index of the item.
    """
    keys, spare = np.empty(_MOST_SAMPLES, np.int32), np.empty((_FEW, 4), np.int32)
    return _halve(records, begin, end, keys, spare)


@kernel(types.void(_RECORDS, types.int64, types.int64))
def order(records: Any, begin: int, end: int) -> None:
    """Bring the rows `begin` to `end` into the order of the leaves."""
    keys, spare = np.empty(_MOST_SAMPLES, np.int32), np.empty((_FEW, 4), np.int32)
    stack = np.empty((64, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = begin, end
    waiting = 1
    while waiting:
        waiting -= 1
        first, last = stack[waiting, 0], stack[waiting, 1]
        while last - first > LEAF:
            middle = _halve(records, first, last, keys, spare)
            stack[waiting, 0], stack[waiting, 1] = middle, last
            waiting += 1
            last = middle


# How many items ahead triangles and their vertices are prefetched.
_TRIANGLES_AHEAD = 48
_VERTICES_AHEAD = 16

_COLUMNS = types.float32[:, ::1]
_GIVEN = (POINTS, TRIANGLES, VECTOR, types.float64, types.int64, types.int64)


@kernel(types.void(*_GIVEN, _COLUMNS))
def middles(
    vertices: Any, triangles: Any, center: Any, scale: float, begin: int, end: int, middle: Any
) -> None:
    """Middles of the boxes of the triangles from `begin` to `end`; NaN if one is not finite."""
    unit = 1.0 / scale  # A power of two, as the scale is: nothing is rounded.
    for row in range(begin, end):
        i, j, k = triangles[row, 0], triangles[row, 1], triangles[row, 2]
        for axis in range(3):
            a = np.float32((vertices[i, axis] - center[axis]) * unit)
            b = np.float32((vertices[j, axis] - center[axis]) * unit)
            c = np.float32((vertices[k, axis] - center[axis]) * unit)
            # min and max may lose a NaN, a sum does not.
            nothing = (a + b + c) * np.float32(0.0)
            half = np.float32(0.5)
            middle[axis, row] = min(a, b, c) * half + max(a, b, c) * half + nothing


@kernel(types.void(*_GIVEN, INDICES, _COLUMNS, _COLUMNS))
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
    """Boxes of the leaves from `begin` to `end`; NaN if a triangle is not finite.

    A leaf holds the next LEAF triangles of the order; the last may hold fewer.
    """
    unit = 1.0 / scale
    cx, cy, cz = center
    zero, count = np.float32(0.0), len(order)
    for leaf in range(begin, end):
        first = leaf * LEAF
        # Triangles and vertices lie all over memory: prefetch them.
        for item in range(first + _TRIANGLES_AHEAD, min(first + _TRIANGLES_AHEAD + LEAF, count)):
            prefetch(triangles, order[item] * 3)
        for item in range(first + _VERTICES_AHEAD, min(first + _VERTICES_AHEAD + LEAF, count)):
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
