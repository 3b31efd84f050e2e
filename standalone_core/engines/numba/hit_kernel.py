# SPDX-License-Identifier: MIT
"""Compiled refinement of hits on known triangles to full precision, and sorting of hits.

A few hits are solved one by one. Those of a batch at a mesh are gathered, then refined eight at a
time.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ...numerics.ray_triangle import (
    BEGIN,
    DISTANT,
    FIRST_STEP,
    FLAT,
    LAST_STEP,
    LEAST,
    MAX_STEPS,
    ORDINARY,
    STEEP,
    TINY,
    correction,
    dot3,
    equations,
    is_common,
    point_on,
    solution,
)
from .block_kernel import (
    UNSURE,
    point_at,
    put_vector,
    size_of,
    solved,
    solved_start,
    triangle_at,
    vertex_at,
)
from .kernel_cache import helper, kernel
from .kernel_types import POINTS, TRIANGLES, WHOLES, RayRecord
from .simd import (
    LANES,
    at,
    bits,
    chosen,
    gathered,
    larger,
    numbers_at,
    prefetch,
    put,
    root,
    store,
    vectors_at,
)

# The most hits gathered before they are refined: enough for vertices to be prefetched meanwhile.
WAITING = 64

# Up to so many hits of a ray are sorted by plain insertion.
_FEW = 12

_NOTHING = (np.nan, np.nan, np.nan)


class SolvedHit(NamedTuple):
    """A hit with full precision."""

    distance: float
    triangle: int
    side: float
    barycentric: Any
    normal: Any
    point: Any


@helper(inline=False)
def solved_hit(mesh: Any, ray: Any, place: int, side: float) -> Any:
    """Whether a hit is sure, and that hit."""
    done, t, v, w, normal, point = solved(mesh, ray, place)
    if not done:
        done, t, v, w, normal, point = solved_start(mesh, ray, place)
    length = math.sqrt(dot3(normal, normal))
    return done, SolvedHit(
        t * ray.length,
        triangle_at(mesh.packed, place),
        side,
        (max((1.0 - v) - w, 0.0), v, w),
        (normal[0] / length, normal[1] / length, normal[2] / length),
        point,
    )


@helper(inline=True)
def put_hit(columns: Any, row: int, hit: SolvedHit, face: int, instance: int) -> None:
    """Write a hit to a row of columns."""
    put(columns.distance, row, hit.distance)
    put(columns.triangle, row, hit.triangle)
    put(columns.face, row, face)
    put(columns.front, row, hit.side > 0.0)
    put(columns.instance, row, instance)
    put_vector(columns.barycentric, 3 * row, hit.barycentric)
    put_vector(columns.normal, 3 * row, hit.normal)
    put_vector(columns.point, 3 * row, hit.point)


@helper(inline=True)
def put_miss(columns: Any, row: int) -> None:
    """Write a miss to a row of columns."""
    put_hit(columns, row, SolvedHit(np.inf, -1, -1.0, _NOTHING, _NOTHING, _NOTHING), -1, -1)


@helper(inline=True)
def put_found(
    columns: Any, row: int, distance: float, triangle: int, side: float, weights: Any
) -> None:
    """Write a hit, or a miss, to a row of :data:`.FoundColumns`."""
    put(columns.distance, row, distance)
    put(columns.triangle, row, triangle)
    put(columns.front, row, side > 0.0)
    put(columns.weights, 2 * row, weights[0])
    put(columns.weights, 2 * row + 1, weights[1])


def sorting(key: Callable[..., Any], swap: Callable[..., None]) -> Any:
    """A compiled sort of the rows of hits from `begin` to `end` (Shell's, with Knuth's gaps).

    ``key(hits, row)`` is the sort key of a row, and ``swap(hits, row, other)`` swaps two. Mostly
    few rows are out of order, but among many hits some may be far from their places.
    """

    @helper(inline=False)
    def sort(hits: Any, begin: int, end: int) -> None:
        gap = 1
        while gap * _FEW < end - begin:
            gap = 3 * gap + 1
        while gap:
            for last in range(begin + gap, end):
                row = last
                while row >= begin + gap and key(hits, row) < key(hits, row - gap):
                    swap(hits, row, row - gap)
                    row -= gap
            gap //= 3

    return sort


@helper(inline=True)
def key_of(columns: Any, row: int) -> Any:
    """The sort key of a ray's hit."""
    return at(columns.distance, row), at(columns.instance, row), at(columns.triangle, row)


@helper(inline=True)
def _swap_rows(columns: Any, row: int, other: int) -> None:
    swap(columns.distance, row, other)
    swap(columns.triangle, row, other)
    swap(columns.face, row, other)
    swap(columns.front, row, other)
    swap(columns.instance, row, other)
    for axis in range(3):
        swap(columns.barycentric, 3 * row + axis, 3 * other + axis)
        swap(columns.normal, 3 * row + axis, 3 * other + axis)
        swap(columns.point, 3 * row + axis, 3 * other + axis)


@helper(inline=True)
def swap(column: Any, place: int, other: int) -> None:
    """Swap two elements of a flat column."""
    first, second = at(column, place), at(column, other)
    put(column, place, second)
    put(column, other, first)


@helper(inline=True)
def _key_of_found(columns: Any, row: int) -> Any:
    return at(columns.distance, row), at(columns.triangle, row)


@helper(inline=True)
def _swap_found(columns: Any, row: int, other: int) -> None:
    swap(columns.distance, row, other)
    swap(columns.triangle, row, other)
    swap(columns.front, row, other)
    swap(columns.weights, 2 * row, 2 * other)
    swap(columns.weights, 2 * row + 1, 2 * other + 1)


sort_columns = sorting(key_of, _swap_rows)
"""Sorts the rows of one ray."""

_sort_found = sorting(_key_of_found, _swap_found)


# The length of a refined hit: distance and two weights.
_REFINED = 3


@helper(inline=True)
def _refine(o: Any, d: Any, a: Any, b: Any, c: Any, length: Any, refined: Any) -> int:
    """Refine LANES hits, and write them to `refined`, field by field.

    `length` has the lengths of the directions. Returns a bit for each hit, 1 if it is sure; the
    others are left to NumPy.
    """
    done, t, v, w = _solve(o, d, a, b, c)
    store(refined, 0, t * length)
    store(refined, LANES, v)
    store(refined, 2 * LANES, w)
    return bits(done)  # type: ignore[no-any-return]


@helper(inline=True)
def _solve(o: Any, d: Any, a: Any, b: Any, c: Any) -> Any:
    """The first values of :func:`.ray_triangle.solve`, for lanes: finished ones wait for others."""
    known = equations(o, d, a, b, c)
    _, s, _, e1, _, e2, _, normal = known
    size1, size2, longest, away = (size_of(e1), size_of(e2), size_of(d), size_of(s))
    size = larger(size1, size2)
    full = longest * size1 * size2
    slope = abs(dot3(d, normal))
    common = (size > TINY) & (size < ORDINARY) & (away < ORDINARY) & (size_of(normal) > LEAST)
    common = common & is_common(d) & is_common(s) & is_common(e1) & is_common(e2)
    far = longest * size * (away + size)
    active = common & (slope > FLAT * full) & (slope > DISTANT * far)
    done = active & ~active
    t, v, w = solution(known, s)
    enough = chosen(slope > STEEP * full, FIRST_STEP, LAST_STEP)
    for _ in range(MAX_STEPS):
        dt, dv, dw = correction(known, t, v, w)
        t, v, w = chosen(active, t + dt, t), chosen(active, v + dv, v), chosen(active, w + dw, w)
        is_small = (abs(dt) <= enough * abs(t)) & (abs(dv) <= enough) & (abs(dw) <= enough)
        done = done | (active & is_small)
        active = active & ~is_small
        if bits(active) == 0:
            break
        enough = chosen(active, LAST_STEP, LAST_STEP)
    done = done & (abs(t) * slope > BEGIN * (away + size) * size1 * size2)
    return done, t, larger(v, 0.0) + 0.0, larger(w, 0.0) + 0.0


class _Waiting(NamedTuple):
    """Hits that wait to be refined."""

    rays: Any  # (K,)
    rows: Any  # (K,), where the hits are to be written to
    places: Any  # (K,)
    sides: Any  # (K,)
    vectors: Any  # (5, K), flat: where their origins, directions, and corners a, b, c begin
    refined: Any  # (_REFINED * LANES,), flat


@helper(inline=False)
def new_waiting(hits: int) -> _Waiting:
    """Room for WAITING hits, or for so many of one ray if these are more."""
    room = max(WAITING, -(-hits // LANES) * LANES)
    return _Waiting(
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room),
        np.empty(5 * room, dtype=np.int64),
        np.empty(_REFINED * LANES),
    )


@helper(inline=True)
def _locate(mesh: Any, step: int, waiting: Any, number: int, like: int) -> None:
    """Note, as those of hit `number`, where the vectors of hit `like` begin; prefetch vertices."""
    vectors, place, ray = waiting.vectors, at(waiting.places, like), at(waiting.rays, like)
    room = len(waiting.rays)
    put(waiting.rays, number, ray)
    put(vectors, number, step * ray)
    put(vectors, room + number, 3 * ray)
    for corner in range(3):
        vertex = vertex_at(mesh.packed, place, corner)
        put(vectors, (2 + corner) * room + number, vertex)
        prefetch(mesh.vertices, vertex)


@helper(inline=False)
def finish(mesh: Any, rays: Any, waiting: Any, count: int, counts: Any, columns: Any) -> None:
    """Refine all waiting hits, and write them, sorted for each ray.

    If one is not sure, the count of its ray becomes UNSURE minus its number of rows.
    """
    origins, step, directions, lengths, _, _, _, _ = rays
    vertices = mesh.vertices
    for number in range(-(-count // LANES) * LANES):
        _locate(mesh, step, waiting, number, min(number, count - 1))
    vectors, room = waiting.vectors, len(waiting.rays)
    for first in range(0, count, LANES):
        last = min(first + LANES, count)
        done = _refine(
            vectors_at(origins, vectors, first),
            vectors_at(directions, vectors, room + first),
            vectors_at(vertices, vectors, 2 * room + first),
            vectors_at(vertices, vectors, 3 * room + first),
            vectors_at(vertices, vectors, 4 * room + first),
            gathered(lengths, waiting.rays, first, 0),
            waiting.refined,
        )
        for number in range(first, last):
            ray, place = at(waiting.rays, number), at(waiting.places, number)
            distance, v, w = numbers_at(waiting.refined, number - first, LANES, _REFINED)
            if not done >> (number - first) & 1:
                line = point_at(origins, step * ray), point_at(directions, 3 * ray)
                known = RayRecord(*line, at(lengths, ray), 0.0, 0.0, 0)
                sure, distance, v, w, _, _ = solved_start(mesh, known, place)
                if not sure and at(counts, ray) >= 0:
                    put(counts, ray, UNSURE - at(counts, ray))
            triangle, side = triangle_at(mesh.packed, place), at(waiting.sides, number)
            put_found(columns, at(waiting.rows, number), distance, triangle, side, (v, w))
    begin = 0
    for end in range(1, count + 1):
        if end == count or at(waiting.rays, end) != at(waiting.rays, begin):
            if end - begin > 1:
                row = at(waiting.rows, begin)
                _sort_found(columns, row, row + end - begin)
            begin = end


BARYCENTRIC, NORMAL, POINT = 0, 1, 2
"""The columns of vectors that :func:`fill_vectors` writes."""


@helper(inline=False)
def _fill_lanes(given: Any, column: int, rows: Any, count: int, room: Any, into: Any) -> None:
    """Write the normals or the points of up to LANES hits in `rows`."""
    vertices, triangles, triangle, weights = given
    places, found = room
    for lane in range(LANES):
        row = at(rows, min(lane, count - 1))
        put(places, lane, 2 * row)
        for corner in range(3):
            vertex = at(triangles, 3 * at(triangle, row) + corner)
            put(places, (corner + 1) * LANES + lane, 3 * np.int64(vertex))
    a = vectors_at(vertices, places, LANES)
    b, c = vectors_at(vertices, places, 2 * LANES), vectors_at(vertices, places, 3 * LANES)
    v, w = gathered(weights, places, 0, 0), gathered(weights, places, 0, 1)
    _, _, _, e1, _, e2, _, normal = equations(a, a, a, b, c)
    size, point = root(dot3(normal, normal)), point_on(a, e1, e2, v, w)
    for axis in range(3):
        place = chosen(w == 1.0, c[axis] + v * e1[axis] + 0.0, point[axis])  # as by `place_on`
        place = chosen(v == 1.0, b[axis] + w * e2[axis] + 0.0, place)
        store(found, axis * LANES, normal[axis] / size if column == NORMAL else place)
    for lane in range(count):
        put_vector(into, 3 * at(rows, lane), numbers_at(found, lane, LANES, 3))


_GIVEN = types.Tuple((POINTS, TRIANGLES, WHOLES, POINTS))


@kernel(types.void(_GIVEN, *[types.int64] * 3, types.float64[:, ::1]))
def fill_vectors(given: Any, column: int, begin: int, end: int, into: Any) -> None:
    """Write a column of vectors of the hits from `begin` to `end`; NaN for a miss.

    Vertices and triangles are given, and for each hit its triangle, and the weights (N, 2) of the
    corners b and c.
    """
    _, _, triangle, weights = given
    rows, count = np.empty(LANES, dtype=np.int64), 0
    room = np.empty(4 * LANES, dtype=np.int64), np.empty(3 * LANES)
    for row in range(begin, end):
        if at(triangle, row) < 0:
            put_vector(into, 3 * row, _NOTHING)
        elif column == BARYCENTRIC:
            v, w = numbers_at(weights, 2 * row, 1, 2)
            put_vector(into, 3 * row, (max((1.0 - v) - w, 0.0), v, w))
        else:
            put(rows, count, row)
            count += 1
            if count == LANES:
                _fill_lanes(given, column, rows, count, room, into)
                count = 0
    if count:
        _fill_lanes(given, column, rows, count, room, into)
