# SPDX-License-Identifier: MIT
"""Compiled casts of rays at a mesh: for the nearest hit, all hits, any hit or their number.

Rays go through the packed tree one at a time; :mod:`.hit_kernel` refines and sorts their hits.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from .block_kernel import (
    BLOCK,
    STACK,
    UNSURE,
    Search,
    block_visit,
    bound_at,
    met_at,
    packed_descent,
    point_at,
    triangle_at,
)
from .hit_kernel import WAITING, finish, new_waiting, put_found
from .kernel_cache import helper, kernel
from .kernel_types import (
    BYTES,
    FLOATS,
    FOUND,
    PACKED,
    POINTS,
    WORK,
    PackedMesh,
    PackedTree,
    RayRecord,
)
from .ray_kernel import fill_local_rays, local_ray, local_ray_of, new_local_rays, root_box
from .simd import LANE_BITS, LANES, at, prefetch, put

NEAREST, EVERY, ANY, COUNT = 0, 1, 2, 3
"""The goal of a cast: the nearest hit, all hits, whether there is one, or their number."""

FULL = -1
"""Instead of a number of hits: there are more than there is room for."""

# No box or triangle is so deep: larger bounds become infinite.
_DEEPEST = 1e30

# More than a depth's rounding error, relative and absolute.
_ROUNDING = 1e-6


class Room(NamedTuple):
    """Scratch memory, which rays use in turn, and the hits of the last ray."""

    stack: Any
    entries: Any
    weights: Any  # (4 * LANES,), for `block_test`
    status: Any  # (1,): how many hits there are, FULL or UNSURE
    places: Any  # (K,) of the hits, see `triangle_at`; the nearest hit is the first
    sides: Any  # (K,)
    depths: Any  # (2,), bounds of the nearest hit's depth
    effort: Any  # (1,): about how many blocks were tested


@helper(inline=False)
def new_room(hits: int) -> Room:
    """Scratch memory for rays with at most so many hits."""
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
    """1 if a hit comes before another by distance, then by triangle, else 0; or UNSURE."""
    mesh, ray = search.mesh, search.ray
    is_sure, t = met_at(mesh, ray, place)
    is_other_sure, s = met_at(mesh, ray, other)
    if not (is_sure and is_other_sure):
        return UNSURE
    first = t * ray.length, triangle_at(mesh.packed, place)
    second = s * ray.length, triangle_at(mesh.packed, other)
    return 1 if first < second else 0


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


_descend = packed_descent(block_visit(_found))


@helper(inline=True)
def cast_in(mesh: Any, ray: Any, goal: int, room: Any) -> Any:
    """Find the hits of one ray, put them in the room, and return their number, FULL or UNSURE."""
    local = local_ray(mesh.packed.center, mesh.packed.unit, ray.origin, ray.direction)
    return _cast_local(mesh, ray, local, goal, room)


@helper(inline=True)
def _depths(local: Any, distance: float, scale: float) -> Any:
    """Bounds of the depth at a distance along a ray; `scale` makes depths of distances."""
    depth = distance * scale
    return (
        depth * (1.0 - _ROUNDING) - local.skipped - _ROUNDING,
        depth * (1.0 + _ROUNDING) - local.skipped + _ROUNDING,
    )


@helper(inline=True)
def _cast_local(mesh: Any, ray: Any, local: Any, goal: int, room: Any) -> Any:
    """As :func:`cast_in`, for a ray that is also given as a :class:`.LocalRay`."""
    room.status[0] = 0
    if len(mesh.packed.blocks) == 0:
        return 0
    if not local.known:
        return UNSURE
    scale = local.unit / ray.length
    start_least, start_most = _depths(local, ray.start, scale)
    end_least, end_most = _depths(local, ray.limit, scale)
    bound = np.float32(end_most if end_most < _DEEPEST else np.inf)
    if bound >= 0.0:
        depths = start_least, start_most, end_least, end_most
        search = Search(mesh, ray, local, *depths, goal, goal == ANY, room)
        _descend(search, bound, search.is_any)
    return room.status[0]


_MESH = types.Tuple((types.Tuple(PACKED), POINTS, BYTES))
_RAYS = (POINTS, types.int64, POINTS, FLOATS, FLOATS, types.int64, FLOATS, types.int64)


@kernel(allocates=False)
def _cast_rays(
    mesh: Any, box: Any, rays: Any, work: Any, counts: Any, columns: Any, rooms: Any
) -> Any:
    """Cast the rays from `begin` to `end`; see :func:`cast_many`."""
    origins, step, directions, lengths, starts, start_step, limits, limit_step = rays
    cull_sign, goal, begin, end, _, row, most = work
    room, waiting, local_rays = rooms
    tree, count = mesh.packed, 0
    for i in range(begin, end):
        if room.effort[0] > most:
            end = i
            break
        room.effort[0] += 1
        lane, found = (i - begin) % LANES, 0
        if lane == 0:
            given = origins, step, directions
            met = fill_local_rays(tree, box, given, i, end - 1, local_rays)
        if met >> lane & 1:
            ray = RayRecord(
                point_at(origins, step * i),
                point_at(directions, 3 * i),
                at(lengths, i),
                at(starts, start_step * i),
                at(limits, limit_step * i),
                cull_sign,
            )
            local = local_ray_of(local_rays, lane, tree.unit)
            found = _cast_local(mesh, ray, local, goal, room)
        if goal == EVERY and row + found > len(columns.distance):
            end = i
            break
        put(counts, i, found)
        if goal > EVERY:
            continue
        if goal == NEAREST:
            row = i
            if found <= 0:
                put_found(columns, row, np.inf, -1, -1.0, (np.nan, np.nan))
        if count and count + found > WAITING:
            finish(mesh, rays, waiting, count, counts, columns)
            count = 0
        for number in range(found):
            place = at(room.places, number)
            prefetch(tree.blocks, (place >> LANE_BITS) * BLOCK + 9 * LANES)
            put(waiting.rays, count, i)
            put(waiting.rows, count, row + number)
            put(waiting.places, count, place)
            put(waiting.sides, count, at(room.sides, number))
            count += 1
        row += max(found, 0)
    finish(mesh, rays, waiting, count, counts, columns)
    return end


# The signature is fixed, so that no unusual array makes a cast wait for the compiler.
@kernel(types.int64(_MESH, types.Tuple(_RAYS), WORK, types.int64[::1], FOUND))
def cast_many(mesh: Any, rays: Any, work: Any, counts: Any, columns: Any) -> int:
    """Cast rays at a mesh; write the number of hits of each, and the hits to columns.

    The mesh has the fields of a :class:`.PackedMesh`. The rays are flat origins,
    directions, lengths, starts and limits; ray i has its origin at ``step * i``, and likewise its
    start and limit, each with a step after it. For the work see WORK. With EVERY, the hits fill the
    rows from the first one on; a ray with more hits than the most is FULL. With NEAREST, row i is
    that of ray i, misses included. If a hit that has a row turns out to be unsure, the count of its
    ray becomes UNSURE minus its number of rows. The other goals need no columns. Returns the first
    ray that was not cast: the end, or an earlier one if the columns are full or the effort is
    spent.
    """
    packed, vertices, excluded = mesh
    _, _, _, _, most_hits, _, _ = work
    rooms = new_room(most_hits), new_waiting(most_hits), new_local_rays()
    known = PackedMesh(PackedTree(*packed), vertices, excluded)
    box = root_box(known.packed.nodes)
    return _cast_rays(known, box, rays, work, counts, columns, rooms)  # type: ignore[no-any-return]
