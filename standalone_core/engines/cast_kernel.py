# SPDX-License-Identifier: MIT
"""One ray through a mesh's packed tree, compiled, for each of the questions that a cast answers."""

from typing import Any, NamedTuple

import numpy as np

from .block_kernel import UNSURE, Search, block_visit, bound_at, solved, triangle_at
from .block_simd import LANES
from .kernel_cache import helper
from .kernel_types import PackedTree
from .local_ray import local_ray
from .packed_descent import STACK, packed_descent

NEAREST, EVERY, ANY, COUNT = 0, 1, 2, 3
"""What is wanted of a ray: its nearest hit, all hits, whether there is one, their number."""

FULL = -1
"""Instead of a number of hits: there are more than there is room for."""

# No ray is at a depth of more.
_DEEPEST = 1e30

# More than what is rounded of a depth, as a share of it and by itself.
_ROUNDING = 1e-6


class Room(NamedTuple):
    """Room for the work on a ray, then on the next; and what was found."""

    stack: Any
    entries: Any
    weights: Any  # (4 * LANES,), for `block_test`
    status: Any  # (1,): how many hits there are, FULL or UNSURE
    places: Any  # (K,) of the hits, see `triangle_at`; of the nearest one the first
    sides: Any  # (K,)
    depths: Any  # (2,), between which the nearest hit is
    effort: Any  # (1,): how many blocks were looked at, about


@helper(inline=False)
def new_room(hits: int) -> Room:
    """Room for so many hits of a ray."""
    return Room(
        np.empty(STACK, dtype=np.int64),
        np.empty(LANES, dtype=np.float32),
        np.empty(4 * LANES, dtype=np.float32),
        np.zeros(1, dtype=np.int64),
        np.empty(hits, dtype=np.int64),
        np.empty(hits),
        np.empty(2),
        np.zeros(1, dtype=np.int64),
    )


@helper(inline=False)
def _is_nearer(search: Any, place: int, other: int) -> int:
    """Whether one hit comes before another by distance and triangle, 0 or 1; or UNSURE."""
    done, t, _, _, _, _ = solved(search, place)
    sure, s, _, _, _, _ = solved(search, other)
    if not (done and sure):
        return UNSURE
    first, second = t * search.ray.length, s * search.ray.length
    is_first = triangle_at(search.packed, place) < triangle_at(search.packed, other)
    return 1 if first < second or (first == second and is_first) else 0


@helper(inline=True)
def _nearest_found(search: Any, place: int, judged: Any, bound: Any) -> Any:
    """Keep a hit if it is nearer than the one so far."""
    room = search.room
    if room.status[0]:
        if judged.near > room.depths[1]:
            return bound
        if judged.far >= room.depths[0]:
            room.effort[0] += 1
            nearer = _is_nearer(search, place, room.places[0])
            if nearer < 0:
                room.status[0] = UNSURE
                return np.float32(-1.0)
            if not nearer:
                return bound
    room.status[0], room.places[0], room.sides[0] = 1, place, judged.side
    room.depths[0], room.depths[1] = judged.near, judged.far
    return min(bound, bound_at(judged.far))


@helper(inline=True)
def _found(search: Any, place: int, judged: Any, bound: Any) -> Any:
    room, goal = search.room, search.goal
    if goal == NEAREST:
        return _nearest_found(search, place, judged, bound)
    count = room.status[0]
    if goal == EVERY:
        if count == len(room.places):
            room.status[0] = FULL
            return np.float32(-1.0)
        room.places[count], room.sides[count] = place, judged.side
    room.status[0] = count + 1
    return np.float32(-1.0) if goal == ANY else bound


@helper(inline=True)
def lone_search(tree: Any, vertices: Any, excluded: Any, ray: Any, goal: int, room: Any) -> Any:
    """What :func:`.solved` reads."""
    return Search(tree, vertices, excluded, ray, None, 0.0, 0.0, 0.0, 0.0, goal, room)


_descend = packed_descent(block_visit(_found))


@helper(inline=True)
def cast_in(tree: PackedTree, vertices: Any, excluded: Any, ray: Any, goal: int, room: Any) -> Any:
    """Look for the hits of one ray; their number, FULL or UNSURE. See the room for the hits."""
    local = local_ray(tree.center, tree.unit, ray.origin, ray.direction)
    return cast_local(tree, vertices, excluded, ray, local, goal, room)


@helper(inline=True)
def _depths(ray: Any, local: Any, distance: float) -> Any:
    """Between which depths a place at a distance along a ray surely is."""
    depth = (distance / ray.length) * local.unit
    return (
        depth * (1.0 - _ROUNDING) - local.skipped - _ROUNDING,
        depth * (1.0 + _ROUNDING) - local.skipped + _ROUNDING,
    )


@helper(inline=True)
def cast_local(
    tree: PackedTree, vertices: Any, excluded: Any, ray: Any, local: Any, goal: int, room: Any
) -> Any:
    """As :func:`cast_in`, of a ray that was brought to the tree."""
    room.status[0] = 0
    if len(tree.blocks) == 0:
        return 0
    if not local.known:
        return UNSURE
    start_least, start_most = _depths(ray, local, ray.start)
    end_least, end_most = _depths(ray, local, ray.limit)
    bound = np.float32(end_most if end_most < _DEEPEST else np.inf)
    if bound >= 0.0:
        search = Search(
            *(tree, vertices, excluded, ray, local),
            *(start_least, start_most, end_least, end_most, goal, room),
        )
        _descend(tree, local, bound, room.stack, room.entries, search, goal == ANY)
    return room.status[0]
