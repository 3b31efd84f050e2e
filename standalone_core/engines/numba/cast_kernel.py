# SPDX-License-Identifier: MIT
"""Rays cast at a mesh, compiled, for each of the questions that a cast answers.

One ray goes through the packed tree at a time; see :mod:`.hit_kernel` for what becomes of its hits.
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
    packed_descent,
    point_at,
    solved,
    triangle_at,
)
from .hit_kernel import WAITING, finish, new_waiting, put_miss
from .kernel_cache import helper, kernel
from .kernel_types import (
    BYTES,
    FLOATS,
    HITS,
    PACKED,
    POINTS,
    WHOLES,
    WORK,
    PackedMesh,
    PackedTree,
    RayRecord,
)
from .ray_kernel import fill_local_rays, local_ray, local_ray_of, new_local_rays
from .simd import LANE_BITS, LANES, at, prefetch, put

NEAREST, EVERY, ANY, COUNT = 0, 1, 2, 3
"""What is wanted of a ray: its nearest hit, all hits, whether there is one, their number."""

FULL = -1
"""Instead of a number of hits: there are more than there is room for."""

# No ray is at a depth of more.
_DEEPEST = 1e30

# More than what is rounded of a depth, as a share of it and by itself.
_ROUNDING = 1e-6


class Room(NamedTuple):
    """Scratch memory, which rays use in turn, and the hits of the last ray."""

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
    mesh, ray = search.mesh, search.ray
    done, t, _, _, _, _ = solved(mesh, ray, place)
    sure, s, _, _, _, _ = solved(mesh, ray, other)
    if not (done and sure):
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
    """Look for the hits of one ray; their number, FULL or UNSURE. See the room for the hits."""
    local = local_ray(mesh.packed.center, mesh.packed.unit, ray.origin, ray.direction)
    return _cast_local(mesh, ray, local, goal, room)


@helper(inline=True)
def _depths(ray: Any, local: Any, distance: float) -> Any:
    """Depths between which a place at a distance along a ray surely is."""
    depth = (distance / ray.length) * local.unit
    return (
        depth * (1.0 - _ROUNDING) - local.skipped - _ROUNDING,
        depth * (1.0 + _ROUNDING) - local.skipped + _ROUNDING,
    )


@helper(inline=True)
def _cast_local(mesh: Any, ray: Any, local: Any, goal: int, room: Any) -> Any:
    """As :func:`cast_in`, of a ray that was brought to the tree."""
    room.status[0] = 0
    if len(mesh.packed.blocks) == 0:
        return 0
    if not local.known:
        return UNSURE
    start_least, start_most = _depths(ray, local, ray.start)
    end_least, end_most = _depths(ray, local, ray.limit)
    bound = np.float32(end_most if end_most < _DEEPEST else np.inf)
    if bound >= 0.0:
        search = Search(mesh, ray, local, start_least, start_most, end_least, end_most, goal, room)
        _descend(search, bound, goal == ANY)
    return room.status[0]


_MESH = types.Tuple((types.Tuple(PACKED), POINTS, BYTES, WHOLES))
_RAYS = (POINTS, types.int64, POINTS, FLOATS, FLOATS, types.int64, FLOATS, types.int64)


@kernel(allocates=False)
def _cast_rays(
    mesh: Any, faces: Any, rays: Any, work: Any, counts: Any, columns: Any, rooms: Any
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
        ray = RayRecord(
            point_at(origins, step * i),
            point_at(directions, 3 * i),
            at(lengths, i),
            at(starts, start_step * i),
            at(limits, limit_step * i),
            cull_sign,
        )
        lane = (i - begin) % LANES
        if lane == 0:
            fill_local_rays(tree, (origins, step, directions), i, end - 1, local_rays)
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
                put_miss(columns, row)
        if count and count + found > WAITING:
            finish(mesh, faces, rays, waiting, count, counts, columns)
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
    finish(mesh, faces, rays, waiting, count, counts, columns)
    return end


# A signature is given so that no cast ever waits for the compiler because of an unusual array.
@kernel(types.int64(_MESH, types.Tuple(_RAYS), WORK, types.int64[::1], HITS))
def cast_many(mesh: Any, rays: Any, work: Any, counts: Any, columns: Any) -> int:
    """Cast rays at a mesh, write how many hits each has, and its hits to columns.

    The mesh has the fields of a :class:`.PackedMesh`, then its faces. The rays have origins,
    directions, lengths, starts and limits: ray i has its origin at ``step * i`` of all, flat, and
    so its start and its limit, which steps follow. The work is as in WORK. With EVERY all hits
    follow each other from the row on; a ray that has more than the most is FULL. With NEAREST the
    rows are those of the rays, misses included. A ray that turns out to be unsure once it has rows
    gets UNSURE less their number. The other goals need no columns. The result is the first ray that
    was not cast: the end, or one before it, for which there is no room in the columns, or after so
    much effort.
    """
    packed, vertices, excluded, faces = mesh
    _, _, _, _, most_hits, _, _ = work
    rooms = new_room(most_hits), new_waiting(most_hits), new_local_rays()
    known = PackedMesh(PackedTree(*packed), vertices, excluded)
    return _cast_rays(known, faces, rays, work, counts, columns, rooms)  # type: ignore[no-any-return]
