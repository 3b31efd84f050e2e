# SPDX-License-Identifier: MIT
"""The order of a tree's items, compiled: halving by selection in place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

from ..bvh import LEAF

_RECORDS = types.int32[:, ::1]


@njit(  # type: ignore[untyped-decorator]
    types.void(_RECORDS, types.int64, types.int64, types.int64, types.int64),
    cache=True,
    nogil=True,
)
def _select(records: Any, begin: int, end: int, middle: int, axis: int) -> None:
    """Put the least of the rows `begin` to `end` by a column in front of `middle` (Hoare 1961)."""
    last = end - 1
    while begin < last:
        a, b, c = records[begin, axis], records[(begin + last) // 2, axis], records[last, axis]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = begin, last
        while i <= j:
            while records[i, axis] < pivot:
                i += 1
            while records[j, axis] > pivot:
                j -= 1
            if i <= j:
                for column in range(4):
                    kept = records[i, column]
                    records[i, column] = records[j, column]
                    records[j, column] = kept
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            begin = i
        else:
            return


@njit(  # type: ignore[untyped-decorator]
    types.int64(_RECORDS, types.int64, types.int64), cache=True, nogil=True
)
def halve(records: Any, begin: int, end: int) -> int:
    """Cut the rows `begin` to `end` at the last border of the implied tree; where that is.

    Parameters
    ----------
    records : ndarray (N, 4) of int32
        Middles as whole numbers, and what they belong to, which is carried along.
    """
    size = LEAF
    while size * 2 < end - begin:
        size *= 2
    widest, extent = 0, np.int64(-1)
    step = max(1, (end - begin) // 64)
    for axis in range(3):
        low = high = records[begin, axis]
        for row in range(begin, end, step):
            low, high = min(low, records[row, axis]), max(high, records[row, axis])
        if np.int64(high) - low > extent:
            widest, extent = axis, np.int64(high) - low
    _select(records, begin, end, begin + size, widest)
    return begin + size


@njit(  # type: ignore[untyped-decorator]
    types.void(_RECORDS, types.int64, types.int64), cache=True, nogil=True
)
def order(records: Any, begin: int, end: int) -> None:
    """Bring the rows `begin` to `end` into the order of the leaves."""
    stack = np.empty((64, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = begin, end
    waiting = 1
    while waiting:
        waiting -= 1
        first, last = stack[waiting, 0], stack[waiting, 1]
        while last - first > LEAF:
            middle = halve(records, first, last)
            stack[waiting, 0], stack[waiting, 1] = middle, last
            waiting += 1
            last = middle
