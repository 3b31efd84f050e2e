# SPDX-License-Identifier: MIT
"""Which boxes of a scene's instances one ray meets, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ..box import LEAST_COMPONENT
from ..bvh import LEAF, WIDTH
from .approach_kernel import approached, bound_of
from .kernel_cache import kernel
from .kernel_types import VECTOR, given
from .kernels import FULL, STACK, UNSURE
from .simd import lowest_bit, slab_test

_NODE = 6 * WIDTH
_MET = types.int64(
    given(types.float32, 1),
    given(types.int64, 1),
    given(types.int32, 1),
    VECTOR,
    types.float64,
    given(types.float64, 2),
    given(types.float64, 2),
    types.float64,
    VECTOR,
    VECTOR,
    types.float64,
    types.float64,
    types.int64[::1],
    types.float64[::1],
)


@kernel()
def _inverse(component: float) -> float:
    """As :func:`.inverse_direction`."""
    if abs(component) < LEAST_COMPONENT:
        component = np.copysign(LEAST_COMPONENT, component)
    return 1.0 / component


@kernel(_MET)
def met_boxes(
    nodes: Any,
    starts: Any,
    order: Any,
    center: Any,
    scale: float,
    lower: Any,
    upper: Any,
    margin: float,
    origin: Any,
    direction: Any,
    length: float,
    limit: float,
    places: Any,
    distances: Any,
) -> int:
    """Rows of the boxes that a ray meets, the nearest first; their number, FULL or UNSURE.

    Parameters
    ----------
    nodes, starts, order, center, scale
        A tree over the boxes, as in :mod:`.kernels`.
    lower, upper : ndarray (N, 3)
        The boxes.
    margin : float
        What they are made larger by, and what the distances may be off by.
    places : ndarray (K,) of int64
    distances : ndarray (K,)
        Room for the rows and for the distances at which the ray enters the boxes.
    """
    if len(order) == 0:
        return 0
    known, rows, shifted, inverse32, unit, skipped, _ = approached(center, scale, origin, direction)
    if not known:
        return UNSURE
    inverse = (_inverse(direction[0]), _inverse(direction[1]), _inverse(direction[2]))
    bound = bound_of(limit, length, unit, skipped)
    entries, stack = np.empty(WIDTH, dtype=np.float32), np.empty(STACK, dtype=np.int64)
    stack[0], waiting, count = 0, 1, 0
    while waiting:
        waiting -= 1
        node, level = stack[waiting] >> 5, stack[waiting] & 31
        met = slab_test(
            nodes, (starts[level] + node) * _NODE, rows, shifted, inverse32, bound, entries
        )
        while met:
            child = node * WIDTH + lowest_bit(met)
            met = np.uint8(met & (met - 1))
            if level < len(starts) - 1:
                stack[waiting] = child << 5 | (level + 1)
                waiting += 1
                continue
            for item in range(child * LEAF, min(child * LEAF + LEAF, len(order))):
                place = order[item]
                entry, leave = -np.inf, np.inf
                for axis in range(3):
                    first = (lower[place, axis] - margin - origin[axis]) * inverse[axis]
                    second = (upper[place, axis] + margin - origin[axis]) * inverse[axis]
                    entry = max(entry, min(first, second))
                    leave = min(leave, max(first, second))
                entry, leave = entry * length, leave * length
                if not (entry <= leave and leave >= 0.0 and entry <= limit):
                    continue
                if count == len(places):
                    return FULL
                spot = count
                while spot > 0 and distances[spot - 1] > entry - margin:
                    places[spot], distances[spot] = places[spot - 1], distances[spot - 1]
                    spot -= 1
                places[spot], distances[spot] = place, entry - margin
                count += 1
    return count
