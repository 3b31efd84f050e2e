# SPDX-License-Identifier: MIT
"""Compiled refinement of hits on known triangles to full precision, and sorting of hits.

A few hits are solved one by one. Those of a batch at a mesh are gathered, then refined eight at a
time.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

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
    point_on,
    solution,
)
from .block_kernel import UNSURE, point_at, solved, solved_start, triangle_at, vertex_at
from .kernel_cache import helper
from .kernel_types import RayRecord
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
    nothing = (np.nan, np.nan, np.nan)
    put_hit(columns, row, SolvedHit(np.inf, -1, -1.0, nothing, nothing, nothing), -1, -1)


@helper(inline=True)
def put_vector(numbers: Any, place: int, vector: Any) -> None:
    """Write a vector to a flat array from a place on."""
    put(numbers, place, vector[0])
    put(numbers, place + 1, vector[1])
    put(numbers, place + 2, vector[2])


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


sort_columns = sorting(key_of, _swap_rows)
"""Sorts the rows of one ray."""


REFINED = 10
"""The length of a refined hit: distance, barycentric (3), normal (3) and point (3)."""


@helper(inline=True)
def refine(o: Any, d: Any, a: Any, b: Any, c: Any, length: Any, refined: Any) -> int:
    """Refine LANES hits, and write them to `refined`, field by field.

    `length` has the lengths of the directions. Returns a bit for each hit, 1 if it is sure; the
    others are left to NumPy.
    """
    done, t, v, w, normal, point = _solve(o, d, a, b, c)
    size = root(dot3(normal, normal))
    store(refined, 0, t * length)
    store(refined, LANES, larger((1.0 - v) - w, 0.0))
    store(refined, 2 * LANES, v)
    store(refined, 3 * LANES, w)
    for axis in range(3):
        store(refined, (4 + axis) * LANES, normal[axis] / size)
        store(refined, (7 + axis) * LANES, point[axis])
    return bits(done)  # type: ignore[no-any-return]


@helper(inline=True)
def _largest(v: Any) -> Any:
    return larger(larger(abs(v[0]), abs(v[1])), abs(v[2]))


@helper(inline=True)
def _is_common(v: Any) -> Any:
    """The lanes where each component is 0 or at least LEAST in size."""
    x, y, z = abs(v[0]), abs(v[1]), abs(v[2])
    return ((x >= LEAST) | (x == 0.0)) & ((y >= LEAST) | (y == 0.0)) & ((z >= LEAST) | (z == 0.0))


@helper(inline=True)
def _solve(o: Any, d: Any, a: Any, b: Any, c: Any) -> Any:
    """As :func:`.ray_triangle.solve`, for lanes: finished ones wait for the others."""
    known = equations(o, d, a, b, c)
    _, s, _, e1, _, e2, _, normal = known
    size1, size2, longest, away = _largest(e1), _largest(e2), _largest(d), _largest(s)
    size = larger(size1, size2)
    full = longest * size1 * size2
    slope = abs(dot3(d, normal))
    common = (size > TINY) & (size < ORDINARY) & (away < ORDINARY) & (_largest(normal) > LEAST)
    common = common & _is_common(d) & _is_common(s) & _is_common(e1) & _is_common(e2)
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
    v, w = larger(v, 0.0) + 0.0, larger(w, 0.0) + 0.0
    return done, t, v, w, normal, point_on(a, e1, e2, v, w)


class _Waiting(NamedTuple):
    """Hits that wait to be refined."""

    rays: Any  # (K,)
    rows: Any  # (K,), where the hits are to be written to
    places: Any  # (K,)
    sides: Any  # (K,)
    vectors: Any  # (5, K), flat: where their origins, directions, and corners a, b, c begin
    refined: Any  # (REFINED * LANES,), flat


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
        np.empty(REFINED * LANES),
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


@helper(inline=True)
def _refined_hit(tree: Any, waiting: Any, number: int, lane: int) -> Any:
    refined, triangle = waiting.refined, triangle_at(tree, at(waiting.places, number))
    barycentric = numbers_at(refined, LANES + lane, LANES, 3)
    normal = numbers_at(refined, 4 * LANES + lane, LANES, 3)
    point = numbers_at(refined, 7 * LANES + lane, LANES, 3)
    side = at(waiting.sides, number)
    return SolvedHit(at(refined, lane), triangle, side, barycentric, normal, point)


@helper(inline=False)
def finish(
    mesh: Any, faces: Any, rays: Any, waiting: Any, count: int, counts: Any, columns: Any
) -> None:
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
            hit = _refined_hit(mesh.packed, waiting, number, number - first)
            ray = at(waiting.rays, number)
            if not done >> (number - first) & 1:
                line = point_at(origins, step * ray), point_at(directions, 3 * ray)
                known = RayRecord(*line, at(lengths, ray), 0.0, 0.0, 0)
                sure, hit = solved_hit(mesh, known, at(waiting.places, number), hit.side)
                if not sure and at(counts, ray) >= 0:
                    put(counts, ray, UNSURE - at(counts, ray))
            face = at(faces, hit.triangle) if len(faces) else hit.triangle
            put_hit(columns, at(waiting.rows, number), hit, face, 0)
    begin = 0
    for end in range(1, count + 1):
        if end == count or at(waiting.rays, end) != at(waiting.rays, begin):
            row = at(waiting.rows, begin)
            sort_columns(columns, row, row + end - begin)
            begin = end
