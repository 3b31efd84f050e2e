# SPDX-License-Identifier: MIT
"""The compiled cast of many rays; that of one is in :mod:`.lone_kernel`."""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ..numerics.ray_triangle import dot3
from .block_kernel import UNSURE, solved, triangle_at, vertex_at
from .block_simd import LANE_BITS, LANES
from .cast_kernel import EVERY, NEAREST, cast_local, new_room
from .exact_kernel import point_at
from .kernel_cache import helper, kernel
from .kernel_types import HITS, PACKED, PackedTree, RayRecord, given
from .lanes import COUNT, gathered, vectors_at
from .local_ray import fill_local_rays, local_ray_of, new_local_rays
from .packed_descent import BLOCK
from .refine_kernel import REFINED, refine
from .simd import at, prefetch, put

FIELDS = 12
"""Numbers of a hit: distance, triangle, side, barycentric (3), normal (3) and point (3)."""

# Hits that wait to be refined together: enough for their vertices to be fetched meanwhile.
_WAITING = 64

# How many hits of a ray are sorted by single steps alone.
_FEW = 12

_MESH = (given(types.float64, 2), given(types.uint8, 1))

# Signatures are given so that no cast ever waits for the compiler because of an unusual array.
_MANY = types.int64(
    *PACKED,
    *_MESH,
    given(types.int64, 1),
    given(types.float64, 2),
    types.int64,
    given(types.float64, 2),
    given(types.float64, 1),
    given(types.float64, 1),
    types.int64,
    given(types.float64, 1),
    *[types.int64] * 8,
    types.int64[::1],
    HITS,
)


@helper(inline=False)
def insert(search: Any, place: int, side: float, count: int, hits: Any) -> int:
    """Put a hit where it belongs by distance and triangle; the new number of hits, or UNSURE."""
    done, t, v, w, normal, point = solved(search, place)
    if not done:
        return UNSURE
    distance, triangle = t * search.ray.length, triangle_at(search.packed, place)
    row = count
    while row > 0 and (
        hits[row - 1, 0] > distance
        or (hits[row - 1, 0] == distance and hits[row - 1, 1] > triangle)
    ):
        for column in range(FIELDS):
            hits[row, column] = hits[row - 1, column]
        row -= 1
    hits[row, 0], hits[row, 1], hits[row, 2] = distance, triangle, side
    hits[row, 3], hits[row, 4], hits[row, 5] = max((1.0 - v) - w, 0.0), v, w
    length = math.sqrt(dot3(normal, normal))
    for axis in range(3):
        hits[row, 6 + axis] = normal[axis] / length
        hits[row, 9 + axis] = point[axis]
    return count + 1


class _Waiting(NamedTuple):
    """Hits that wait to be refined."""

    rays: Any  # (K,)
    rows: Any  # (K,), where the hits are to be written to
    places: Any  # (K,)
    sides: Any  # (K,)
    vectors: Any  # (5, K), flat: where their origins, directions, and corners a, b, c begin
    refined: Any


@helper(inline=False)
def _new_waiting(hits: int) -> _Waiting:
    """Room for at least so many hits, those of a ray."""
    room = max(_WAITING, -(-hits // COUNT) * COUNT)
    return _Waiting(
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room),
        np.empty(5 * room, dtype=np.int64),
        np.empty(REFINED * COUNT),
    )


@helper(inline=True)
def _locate(tree: Any, vertices: Any, step: int, waiting: Any, number: int, like: int) -> None:
    """Note where the vectors of a hit begin, or of one like it, and fetch its vertices."""
    vectors, place, ray = waiting.vectors, at(waiting.places, like), at(waiting.rays, like)
    room = len(waiting.rays)
    put(waiting.rays, number, ray)
    put(vectors, number, step * ray)
    put(vectors, room + number, 3 * ray)
    for corner in range(3):
        vertex = vertex_at(tree, place, corner)
        put(vectors, (2 + corner) * room + number, vertex)
        prefetch(vertices, vertex)


@helper(inline=True)
def _write(tree: Any, faces: Any, waiting: Any, number: int, lane: int, columns: Any) -> None:
    """Write a refined hit to its row of columns."""
    row, refined = at(waiting.rows, number), waiting.refined
    triangle = triangle_at(tree, at(waiting.places, number))
    put(columns.distance, row, at(refined, lane))
    put(columns.triangle, row, triangle)
    put(columns.face, row, at(faces, triangle) if len(faces) else triangle)
    put(columns.front, row, at(waiting.sides, number) > 0.0)
    put(columns.instance, row, 0)
    for axis in range(3):
        put(columns.barycentric, 3 * row + axis, at(refined, (1 + axis) * COUNT + lane))
        put(columns.normal, 3 * row + axis, at(refined, (4 + axis) * COUNT + lane))
        put(columns.point, 3 * row + axis, at(refined, (7 + axis) * COUNT + lane))


@helper(inline=True)
def write_miss(row: int, columns: Any) -> None:
    """Write a miss to a row of columns."""
    put(columns.distance, row, np.inf)
    put(columns.triangle, row, -1)
    put(columns.face, row, -1)
    put(columns.front, row, False)
    put(columns.instance, row, -1)
    for axis in range(3):
        put(columns.barycentric, 3 * row + axis, np.nan)
        put(columns.normal, 3 * row + axis, np.nan)
        put(columns.point, 3 * row + axis, np.nan)


@helper(inline=False)
def _finish(
    tree: Any,
    vertices: Any,
    faces: Any,
    rays: Any,
    waiting: Any,
    count: int,
    counts: Any,
    columns: Any,
) -> None:
    """Refine and write all hits that wait, those of a ray sorted.

    A ray for which that is not sure gets UNSURE less the number of its rows instead of its count.
    """
    origins, step, directions, lengths, _, _, _, _ = rays
    for number in range(-(-count // COUNT) * COUNT):
        _locate(tree, vertices, step, waiting, number, min(number, count - 1))
    vectors, room = waiting.vectors, len(waiting.rays)
    for first in range(0, count, COUNT):
        last = min(first + COUNT, count)
        done = refine(
            vectors_at(origins, vectors, first),
            vectors_at(directions, vectors, room + first),
            vectors_at(vertices, vectors, 2 * room + first),
            vectors_at(vertices, vectors, 3 * room + first),
            vectors_at(vertices, vectors, 4 * room + first),
            gathered(lengths, waiting.rays, first, 0),
            waiting.refined,
        )
        for number in range(first, last):
            _write(tree, faces, waiting, number, number - first, columns)
            ray = at(waiting.rays, number)
            if not done >> (number - first) & 1 and at(counts, ray) >= 0:
                put(counts, ray, UNSURE - at(counts, ray))
    begin = 0
    for end in range(1, count + 1):
        if end == count or at(waiting.rays, end) != at(waiting.rays, begin):
            _sort(at(waiting.rows, begin), at(waiting.rows, begin) + end - begin, columns)
            begin = end


@helper(inline=False)
def _sort(begin: int, end: int, columns: Any) -> None:
    """Sort a ray's rows by distance and triangle (Shell's sort, with Knuth's gaps).

    Few of them are out of order, but those of many hits may be far from their places.
    """
    gap = 1
    while gap * _FEW < end - begin:
        gap = 3 * gap + 1
    while gap:
        for last in range(begin + gap, end):
            row = last
            while row >= begin + gap and _is_before(columns, row, row - gap):
                _swap_rows(columns, row, row - gap)
                row -= gap
        gap //= 3


@helper(inline=True)
def _is_before(columns: Any, row: int, other: int) -> Any:
    """Whether a row comes before another by distance and triangle."""
    distance, further = at(columns.distance, row), at(columns.distance, other)
    return distance < further or (
        distance == further and at(columns.triangle, row) < at(columns.triangle, other)
    )


@helper(inline=True)
def _swap_rows(columns: Any, row: int, other: int) -> None:
    _swap(columns.distance, row, other)
    _swap(columns.triangle, row, other)
    _swap(columns.face, row, other)
    _swap(columns.front, row, other)
    for axis in range(3):
        _swap(columns.barycentric, 3 * row + axis, 3 * other + axis)
        _swap(columns.normal, 3 * row + axis, 3 * other + axis)
        _swap(columns.point, 3 * row + axis, 3 * other + axis)


@helper(inline=True)
def _swap(column: Any, place: int, other: int) -> None:
    first, second = at(column, place), at(column, other)
    put(column, place, second)
    put(column, other, first)


@kernel(allocates=False)
def _cast_rays(
    tree: Any,
    vertices: Any,
    excluded: Any,
    faces: Any,
    rays: Any,
    cull_sign: int,
    goal: int,
    begin: int,
    end: int,
    row: int,
    most: int,
    counts: Any,
    columns: Any,
    room: Any,
    waiting: Any,
    locals_: Any,
) -> int:
    """Cast the rays from `begin` to `end`; see :func:`cast_many`."""
    origins, step, directions, lengths, starts, start_step, limits, limit_step = rays
    count = 0
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
            goal == EVERY,
        )
        lane = (i - begin) % COUNT
        if lane == 0:
            fill_local_rays(
                tree.center, tree.unit, (origins, step, directions), i, end - 1, locals_
            )
        local = local_ray_of(locals_, lane, tree.unit)
        found = cast_local(tree, vertices, excluded, ray, local, goal, room)
        if goal == EVERY and row + found > len(columns.distance):
            end = i
            break
        put(counts, i, found)
        if goal > EVERY:
            continue
        if goal == NEAREST:
            row = i
            if found <= 0:
                write_miss(row, columns)
        if count and count + found > _WAITING:
            _finish(tree, vertices, faces, rays, waiting, count, counts, columns)
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
    _finish(tree, vertices, faces, rays, waiting, count, counts, columns)
    return end


@kernel(_MANY)
def cast_many(
    nodes: Any,
    blocks: Any,
    center: Any,
    unit: float,
    vertices: Any,
    excluded: Any,
    faces: Any,
    origins: Any,
    step: int,
    directions: Any,
    lengths: Any,
    starts: Any,
    start_step: int,
    limits: Any,
    limit_step: int,
    cull_sign: int,
    goal: int,
    begin: int,
    end: int,
    most_hits: int,
    row: int,
    most: int,
    counts: Any,
    columns: Any,
) -> int:
    """Cast the rays from `begin` to `end`, write how many hits each has, and its hits to columns.

    Ray i has its origin at ``step * i`` of all, flat, and so its start and its limit. The goal
    is one of :mod:`.cast_kernel`. With EVERY all hits follow each other from `row` on; a ray that
    has more than `most_hits` is FULL. With NEAREST the rows are those of the rays, misses included.
    A ray that turns out to be unsure once it has rows gets UNSURE less their number. The others
    need no columns. The result is the first ray that was not cast: `end`, or one before it, for
    which there is no room in the columns, or after so much effort (`most`).
    """
    tree = PackedTree(nodes, blocks, center, unit)
    rays = (origins, step, directions, lengths, starts, start_step, limits, limit_step)
    return _cast_rays(  # type: ignore[no-any-return]
        tree,
        vertices,
        excluded,
        faces,
        rays,
        cull_sign,
        goal,
        begin,
        end,
        row,
        most,
        counts,
        columns,
        new_room(most_hits),
        _new_waiting(most_hits),
        new_local_rays(),
    )
