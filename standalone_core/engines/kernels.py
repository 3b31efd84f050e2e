# SPDX-License-Identifier: MIT
"""The compiled cast: one ray through the tree, the nearest boxes first.

Everything that decides the bits of an answer is compiled from :mod:`.ray_triangle`, the very
functions that NumPy runs. What those leave to :mod:`.rational` is left to the NumPy engine here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import binding as llvm
from numba import types
from numba.extending import overload, register_jitable

from ..bvh import LEAF, WIDTH
from ..cast.rays import least_step
from ..numerics import double_double, ray_triangle
from ..numerics.arrays import EPS
from ..numerics.ray_triangle import (
    SIDE_CEILING,
    SIDE_FLOOR,
    SIDE_MARGIN,
    dot3,
    side_of_edge,
    solve,
)
from ..numerics.shear import frame_of
from .approach_kernel import approached, bound_of
from .kernel_cache import kernel
from .kernel_types import VECTOR, given
from .simd import fused_multiply_add, leaf_test, lowest_bit, prefetch, slab_test

for _function in (
    double_double.two_sum,
    double_double.two_difference,
    double_double.determinant2,
    ray_triangle.edge_side,
    ray_triangle.equations,
    ray_triangle.cross3,
    ray_triangle.solution,
    ray_triangle.residual,
    ray_triangle.correction,
    ray_triangle.point_on,
    ray_triangle.solve,
    ray_triangle.side_of_edge,
    ray_triangle.tie_sides,
    frame_of,
):
    register_jitable(_function)


@overload(double_double.two_product)  # type: ignore[untyped-decorator]
def _two_product(a: Any, b: Any) -> Any:
    """With a fused multiplication the same error, which is exact, takes one instruction."""
    if not llvm.get_host_cpu_features().get("fma"):
        return double_double.two_product

    def fused(a: Any, b: Any) -> Any:
        high = a * b
        return high, fused_multiply_add(a, b, -high)

    return fused


FIELDS = 12
"""Numbers of a hit: distance, triangle, side, barycentric (3), normal (3) and point (3)."""

FULL, UNSURE = -1, -2
"""Instead of a number of hits: there are more than there is room for; only NumPy can tell."""


_GEOMETRY = (
    given(types.float32, 1),
    given(types.int64, 1),
    given(types.int32, 1),
    given(types.float64, 2),
    given(types.int32, 2),
    given(types.boolean, 1),
    VECTOR,
    types.float64,
)
_RAY = (VECTOR, VECTOR, types.float64, types.float64, types.int64, types.boolean)
_ROOM = (types.int64[::1], types.float32[::1], types.float64[::1])
_RAYS = (
    given(types.float64, 2),
    given(types.float64, 2),
    given(types.float64, 1),
    given(types.float64, 1),
    types.int64,
    types.boolean,
)
_HITS = types.float64[:, ::1]
_COLUMNS = (
    types.float64[::1],
    types.float64[:, ::1],
    types.float64[:, ::1],
    types.int64[::1],
    types.int64[::1],
    types.float64[:, ::1],
    types.boolean[::1],
    types.int64[::1],
)
# Signatures are given so that no cast ever waits for the compiler because of an unusual array.
_STEP = types.int64(*_GEOMETRY, *_RAY, *_ROOM, _HITS, types.int64[::1])
_ONE = types.int64(*_GEOMETRY, *_RAY, _HITS)
_MANY = types.int64(
    *_GEOMETRY,
    given(types.int64, 1),
    *_RAYS,
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    types.int64[::1],
    *_COLUMNS,
)

_NODE = 6 * WIDTH
STACK = 16 * WIDTH
"""More levels than 2**31 triangles have, times the children that wait on each."""
_ROUNDING = 1.0 - 16 * EPS


@kernel()
def _are_finite(vertices: Any, i: int, j: int, k: int) -> bool:
    for axis in range(3):
        total = vertices[i, axis] * 0.0 + vertices[j, axis] * 0.0 + vertices[k, axis] * 0.0
        if total != 0.0:
            return False
    return True


@kernel()
def _insert(
    hits: Any,
    count: int,
    every: bool,
    distance: float,
    triangle: int,
    side: float,
    v: float,
    w: float,
    normal: Any,
    point: Any,
) -> int:
    """Put a hit where it belongs by distance and triangle; the new number of hits, or FULL."""
    place = count
    while place > 0 and (
        hits[place - 1, 0] > distance
        or (hits[place - 1, 0] == distance and hits[place - 1, 1] > triangle)
    ):
        place -= 1
    if not every:
        if place == 1:
            return 1
        count = 0
    elif count == len(hits):
        return FULL
    for row in range(count, place, -1):
        hits[row] = hits[row - 1]
    hits[place, 0], hits[place, 1], hits[place, 2] = distance, triangle, side
    hits[place, 3], hits[place, 4], hits[place, 5] = max((1.0 - v) - w, 0.0), v, w
    length = math.sqrt(dot3(normal, normal))
    for axis in range(3):
        hits[place, 6 + axis] = normal[axis] / length
        hits[place, 9 + axis] = point[axis]
    return count + 1


@kernel(_STEP)
def _cast(
    nodes: Any,
    starts: Any,
    order: Any,
    vertices: Any,
    triangles: Any,
    excluded: Any,
    center: Any,
    scale: float,
    origin: Any,
    direction: Any,
    length: float,
    limit: float,
    cull_sign: int,
    every: bool,
    stack: Any,
    entries: Any,
    sides: Any,
    hits: Any,
    effort: Any,
) -> int:
    """Hits of one ray, sorted, as rows of `hits` (K, FIELDS); their number, FULL or UNSURE.

    Parameters
    ----------
    nodes : ndarray of float32
        The tree's nodes, flat.
    starts : ndarray of int64
        Where the levels start in them, the highest first.
    order, vertices
        As in the tree and the geometry.
    triangles : ndarray (N, 3) of int32
        The triangles in the tree's order, as many as leaves times LEAF.
    excluded : ndarray (T,) or (0,) of bool
    center, origin, direction : three floats each
    every : bool
        Else the nearest hit only is looked for.
    stack : ndarray (STACK,) of int64
    entries : ndarray (STACK,) of float32
        Room for nodes that wait, and for where the ray enters them.
    sides : ndarray (3 * LEAF,) of float64
        Room for a leaf's edge functions.
    effort : ndarray (1,) of int64
        The number of nodes and triangles that were looked at is added to it.
    """
    if len(order) == 0:
        return 0
    known, rows, shifted, inverse, unit, skipped, away = approached(
        center, scale, origin, direction
    )
    if not known:
        return UNSURE
    frame = frame_of(direction)
    kx, ky, kz = frame
    start = (origin[kx], origin[ky], origin[kz])
    shear = (direction[kx] / direction[kz], direction[ky] / direction[kz])
    along = length / direction[kz] * _ROUNDING
    margin = (SIDE_MARGIN * away, SIDE_FLOOR, SIDE_CEILING)

    reach = min(limit, np.inf)
    bound32 = bound_of(reach, length, unit, skipped)
    lowest = len(starts) - 1
    # Entry 0 to WIDTH are those of a node's children, the others those of the stack.
    stack[0] = 0
    entries[WIDTH] = 0.0
    waiting = 1
    count = 0
    while waiting:
        waiting -= 1
        if entries[WIDTH + waiting] > bound32:
            continue
        effort[0] += 1
        node, level = stack[waiting] >> 5, stack[waiting] & 31
        first = (starts[level] + node) * _NODE
        met = slab_test(nodes, first, rows, shifted, inverse, bound32, entries)
        if level < lowest:
            base = waiting
            while met:
                child = lowest_bit(met)
                met = np.uint8(met & (met - 1))
                entry = entries[child]
                ahead = (starts[level + 1] + node * WIDTH + child) * _NODE
                for line in range(0, _NODE, 16):
                    prefetch(nodes, ahead + line)
                place = waiting
                while place > base and entries[WIDTH + place - 1] < entry:
                    stack[place] = stack[place - 1]
                    entries[WIDTH + place] = entries[WIDTH + place - 1]
                    place -= 1
                stack[place] = (node * WIDTH + child) << 5 | (level + 1)
                entries[WIDTH + place] = entry
                waiting += 1
            continue
        leaves = met
        while leaves:
            prefetch(triangles, (node * WIDTH + lowest_bit(leaves)) * LEAF * 3)
            leaves = np.uint8(leaves & (leaves - 1))
        while met:
            child = lowest_bit(met)
            met = np.uint8(met & (met - 1))
            if entries[child] > bound32:
                continue
            begin = (node * WIDTH + child) * LEAF
            depth = (along, reach + least_step(length))
            possible = leaf_test(
                vertices, triangles, begin, frame, start, shear, depth, margin, sides
            )
            while possible:
                lane = lowest_bit(possible)
                possible = np.uint8(possible & (possible - 1))
                effort[0] += 1
                item = begin + lane
                if item >= len(order):
                    break
                i, j, k = triangles[item, 0], triangles[item, 1], triangles[item, 2]
                least, most, bound = sides[lane], sides[LEAF + lane], sides[2 * LEAF + lane]
                if not bound < SIDE_CEILING:
                    if _are_finite(vertices, i, j, k):
                        return UNSURE
                    continue
                triangle = order[item]
                if len(excluded) and excluded[triangle]:
                    continue
                a = (vertices[i, 0], vertices[i, 1], vertices[i, 2])
                b = (vertices[j, 0], vertices[j, 1], vertices[j, 2])
                c = (vertices[k, 0], vertices[k, 1], vertices[k, 2])
                side = 0.0
                if least > bound:
                    side = 1.0
                elif most < -bound:
                    side = -1.0
                else:
                    first_side, sure = side_of_edge(origin, direction, c, b, frame)
                    if not sure:
                        return UNSURE
                    second, sure = side_of_edge(origin, direction, a, c, frame)
                    if not sure:
                        return UNSURE
                    third, sure = side_of_edge(origin, direction, b, a, frame)
                    if not sure:
                        return UNSURE
                    if first_side == second and second == third:
                        side = first_side
                if side == 0.0 or cull_sign == -side:
                    continue
                done, t, v, w, normal, point = solve(origin, direction, a, b, c)
                if not done:
                    return UNSURE
                distance = t * length
                if not (t >= 0.0 and distance <= limit) or distance == np.inf:
                    continue
                count = _insert(hits, count, every, distance, triangle, side, v, w, normal, point)
                if count == FULL:
                    return FULL
                if not every:
                    reach = hits[0, 0]
                    bound32 = bound_of(reach, length, unit, skipped)
    return count


@kernel(_ONE)
def cast(
    nodes: Any,
    starts: Any,
    order: Any,
    vertices: Any,
    triangles: Any,
    excluded: Any,
    center: Any,
    scale: float,
    origin: Any,
    direction: Any,
    length: float,
    limit: float,
    cull_sign: int,
    every: bool,
    hits: Any,
) -> Any:
    """Cast one ray; see :func:`_cast`."""
    return _cast(
        nodes,
        starts,
        order,
        vertices,
        triangles,
        excluded,
        center,
        scale,
        origin,
        direction,
        length,
        limit,
        cull_sign,
        every,
        np.empty(STACK, dtype=np.int64),
        np.empty(STACK, dtype=np.float32),
        np.empty(3 * LEAF),
        hits,
        np.zeros(1, dtype=np.int64),
    )


@kernel(_MANY)
def cast_many(
    nodes: Any,
    starts: Any,
    order: Any,
    vertices: Any,
    triangles: Any,
    excluded: Any,
    center: Any,
    scale: float,
    faces: Any,
    origins: Any,
    directions: Any,
    lengths: Any,
    limits: Any,
    cull_sign: int,
    every: bool,
    begin: int,
    end: int,
    room: int,
    row: int,
    most: int,
    counts: Any,
    distance: Any,
    point: Any,
    normal: Any,
    triangle: Any,
    face: Any,
    barycentric: Any,
    front: Any,
    instance: Any,
) -> int:
    """Cast the rays from `begin` to `end`, and write their hits to columns.

    With `every` all hits follow each other from `row` on, as far as there is room; a ray for
    which there is none is FULL. Without, the rows are those of the rays, misses included.

    Returns
    -------
    int
        The first ray that was not cast: `end`, or one before it after so much effort (`most`).
    """
    hits = np.empty((room, FIELDS))
    stack, entries = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.float32)
    sides, effort = np.empty(3 * LEAF), np.zeros(1, dtype=np.int64)
    for ray in range(begin, end):
        if effort[0] > most:
            return ray
        count = _cast(
            nodes,
            starts,
            order,
            vertices,
            triangles,
            excluded,
            center,
            scale,
            (origins[ray, 0], origins[ray, 1], origins[ray, 2]),
            (directions[ray, 0], directions[ray, 1], directions[ray, 2]),
            lengths[ray],
            limits[ray],
            cull_sign,
            every,
            stack,
            entries,
            sides,
            hits,
            effort,
        )
        if not every:
            row = ray
            if count <= 0:
                hits[0] = np.nan
                hits[0, 0] = np.inf
        elif row + count > len(distance):
            count = FULL
        counts[ray] = count
        for number in range(count if every else 1):
            hit = hits[number]
            missed = hit[0] == np.inf
            item = -1 if missed else int(hit[1])
            distance[row] = hit[0]
            triangle[row] = item
            face[row] = faces[item] if len(faces) and not missed else item
            front[row] = hit[2] > 0.0
            for axis in range(3):
                barycentric[row, axis] = hit[3 + axis]
                normal[row, axis] = hit[6 + axis]
                point[row, axis] = hit[9 + axis]
            instance[row] = -1 if missed else 0
            row += 1
    return end
