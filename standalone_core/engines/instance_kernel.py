# SPDX-License-Identifier: MIT
"""Which boxes of a scene's instances one ray meets, compiled."""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from ..box import LEAST_COMPONENT
from ..bvh import LEAF
from .approach_kernel import approached
from .descent_kernel import FULL, UNSURE, descent, new_stack
from .kernel_cache import helper, kernel
from .kernel_types import RAY, TREE, TreeArrays, given
from .simd import prefetch

_MET = types.int64(
    *TREE,
    given(types.float64, 2),
    given(types.float64, 2),
    types.float64,
    *RAY[:3],
    types.float64,
    types.int64[::1],
    types.float64[::1],
)


class _Search(NamedTuple):
    """A ray on its way to boxes; the fields are those of :func:`met_boxes`."""

    order: Any
    lower: Any
    upper: Any
    margin: float
    origin: Any
    inverse: Any
    length: float
    places: Any
    distances: Any


@helper(inline=False)
def _inverse(component: float) -> float:
    if abs(component) < LEAST_COMPONENT:
        component = np.copysign(LEAST_COMPONENT, component)
    return 1.0 / component


@helper(inline=False)
def inverse_of(direction: Any) -> Any:
    """As :func:`.inverse_direction`."""
    return _inverse(direction[0]), _inverse(direction[1]), _inverse(direction[2])


@helper(inline=True)
def entry_of(ray: Any, lower: Any, upper: Any, limit: float) -> Any:
    """Whether a ray meets a box made larger by its margin, and the distance there."""
    margin, origin, inverse = ray.margin, ray.origin, ray.inverse
    entry, leave = -np.inf, np.inf
    for axis in range(3):
        first = (lower[axis] - margin - origin[axis]) * inverse[axis]
        second = (upper[axis] + margin - origin[axis]) * inverse[axis]
        entry = max(entry, min(first, second))
        leave = min(leave, max(first, second))
    entry, leave = entry * ray.length, leave * ray.length
    return entry <= leave and leave >= 0.0 and entry <= limit, entry - margin


@helper(inline=False)
def _visit(search: Any, leaf: int, count: int, limit: float) -> Any:
    """Look at the boxes of a leaf; see :func:`.descent`."""
    order, places, distances = search.order, search.places, search.distances
    for item in range(leaf * LEAF, min(leaf * LEAF + LEAF, len(order))):
        place = order[item]
        met, entry = entry_of(search, search.lower[place], search.upper[place], limit)
        if not met:
            continue
        if count == len(places):
            return FULL, limit
        spot = count
        while spot > 0 and distances[spot - 1] > entry:
            places[spot], distances[spot] = places[spot - 1], distances[spot - 1]
            spot -= 1
        places[spot], distances[spot] = place, entry
        count += 1
    return count, limit


@helper(inline=True)
def _prefetch_leaf(search: Any, leaf: int) -> None:
    prefetch(search.order, leaf * LEAF)


_descend = descent(_visit, _prefetch_leaf)


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
) -> Any:
    """Rows of the boxes that a ray meets, the nearest first; their number, FULL or UNSURE.

    The tree, as in :class:`.TreeArrays`, is over boxes (N, 3), which are made larger by the margin;
    distances may be off by it. `places` and `distances` (K,) are room for the rows, and for how far
    away the ray enters the boxes.
    """
    if len(order) == 0:
        return 0
    local = approached(center, scale, origin, direction)
    if not local.known:
        return UNSURE
    inverse = inverse_of(direction)
    search = _Search(order, lower, upper, margin, origin, inverse, length, places, distances)
    tree = TreeArrays(nodes, starts, order, center, scale)
    return _descend(tree, local, length, limit, new_stack(), search)
