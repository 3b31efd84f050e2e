# SPDX-License-Identifier: MIT
"""The compiled cast: one ray through the tree, the nearest boxes first.

Everything that decides the bits of an answer is compiled from :mod:`.ray_triangle`, the very
functions that NumPy runs. What those leave to :mod:`.rational` is left to the NumPy engine here.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding as llvm
from numba import types
from numba.extending import overload

from ..bvh import LEAF
from ..cast.rays import least_step
from ..numerics import double_double, ray_triangle
from ..numerics.arrays import EPS
from ..numerics.ray_triangle import SIDE_CEILING, SIDE_FLOOR, SIDE_MARGIN, dot3, side_of_edge, solve
from ..numerics.shear import frame_of
from .approach_kernel import approached
from .descent_kernel import FULL, UNSURE, descent, new_stack
from .kernel_cache import helper, kernel
from .kernel_types import HITS, MESH, RAY, TREE, MeshArrays, RayRecord, TreeArrays, given
from .simd import fused_multiply_add, leaf_test, lowest_bit, prefetch

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
    helper(inline=False)(_function)


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

_ROUNDING = 1.0 - 16 * EPS
_ZERO = (0.0, 0.0, 0.0)

# Signatures are given so that no cast ever waits for the compiler because of an unusual array.
_ONE = types.int64(*TREE, *MESH, *RAY, types.float64[:, ::1])
_MANY = types.int64(
    *TREE,
    *MESH,
    given(types.int64, 1),
    *(given(types.float64, dimensions) for dimensions in (2, 2, 1, 1)),
    types.int64,
    types.boolean,
    *[types.int64] * 5,
    types.int64[::1],
    HITS,
)


class _Room(NamedTuple):
    """Room for the work on a ray, then on the next."""

    stack: Any
    sides: Any  # (3 * LEAF,), a leaf's edge functions
    hits: Any  # (K, FIELDS), those so far, sorted


@helper(inline=False)
def _room(hits: Any) -> _Room:
    return _Room(new_stack(), np.empty(3 * LEAF), hits)


class _Search(NamedTuple):
    """A ray on its way to triangles; start, shear and margin are as for :func:`.leaf_test`."""

    order: Any  # (N,), the tree's
    mesh: Any
    ray: Any
    frame: Any  # three int64
    start: Any
    shear: Any
    along: float  # what distances along the last axis are to be multiplied by
    margin: Any
    room: Any


@helper(inline=True)
def _corners(mesh: Any, item: int) -> Any:
    v, t = mesh.vertices, mesh.triangles
    i, j, k = t[item, 0], t[item, 1], t[item, 2]
    return ((v[i, 0], v[i, 1], v[i, 2]), (v[j, 0], v[j, 1], v[j, 2]), (v[k, 0], v[k, 1], v[k, 2]))


@helper(inline=False)
def _exact_side(ray: Any, frame: Any, a: Any, b: Any, c: Any) -> Any:
    """From which side a ray goes through a triangle, and whether that is sure."""
    first, sure = side_of_edge(ray.origin, ray.direction, c, b, frame)
    if not sure:
        return 0.0, False
    second, sure = side_of_edge(ray.origin, ray.direction, a, c, frame)
    if not sure:
        return 0.0, False
    third, sure = side_of_edge(ray.origin, ray.direction, b, a, frame)
    return (first if first == second and second == third else 0.0), sure


@helper(inline=False)
def _insert(
    search: Any,
    count: int,
    distance: float,
    triangle: int,
    side: float,
    v: float,
    w: float,
    normal: Any,
    point: Any,
) -> int:
    """Put a hit where it belongs by distance and triangle; the new number of hits, or FULL."""
    hits, place = search.room.hits, count
    while place > 0 and (
        hits[place - 1, 0] > distance
        or (hits[place - 1, 0] == distance and hits[place - 1, 1] > triangle)
    ):
        place -= 1
    if not search.ray.every:
        if place == 1:
            return 1
        count = 0
    elif count == len(hits):
        return FULL
    for row in range(count, place, -1):
        for column in range(FIELDS):
            hits[row, column] = hits[row - 1, column]
    hits[place, 0], hits[place, 1], hits[place, 2] = distance, triangle, side
    hits[place, 3], hits[place, 4], hits[place, 5] = max((1.0 - v) - w, 0.0), v, w
    length = math.sqrt(dot3(normal, normal))
    for axis in range(3):
        hits[place, 6 + axis] = normal[axis] / length
        hits[place, 9 + axis] = point[axis]
    return count + 1


@helper(inline=True)
def _intersect(search: Any, item: int, lane: int, count: int) -> Any:
    """Add the hit of a triangle in a lane of a leaf, if it is one; the number of hits then."""
    ray, excluded, triangle = search.ray, search.mesh.excluded, search.order[item]
    sides = search.room.sides
    least, most, bound = sides[lane], sides[LEAF + lane], sides[2 * LEAF + lane]
    a, b, c = _corners(search.mesh, item)
    if not bound < SIDE_CEILING:
        is_finite = dot3(a, _ZERO) + dot3(b, _ZERO) + dot3(c, _ZERO) == 0.0
        return UNSURE if is_finite else count
    if len(excluded) and excluded[triangle]:
        return count
    side = 0.0
    if least > bound:
        side = 1.0
    elif most < -bound:
        side = -1.0
    else:
        side, sure = _exact_side(ray, search.frame, a, b, c)
        if not sure:
            return UNSURE
    if side == 0.0 or ray.cull_sign == -side:
        return count
    done, t, v, w, normal, point = solve(ray.origin, ray.direction, a, b, c)
    if not done:
        return UNSURE
    distance = t * ray.length
    if not (t >= 0.0 and distance <= ray.limit) or distance == np.inf:
        return count
    return _insert(search, count, distance, triangle, side, v, w, normal, point)


@helper(inline=True)
def _visit(search: Any, leaf: int, count: int, reach: float) -> Any:
    """Look at the triangles of a leaf; see :func:`.descent`."""
    vertices, triangles, _ = search.mesh
    begin, depth = leaf * LEAF, (search.along, reach + least_step(search.ray.length))
    possible = leaf_test(
        vertices,
        triangles,
        begin,
        search.frame,
        search.start,
        search.shear,
        depth,
        search.margin,
        search.room.sides,
    )
    while possible:
        lane = lowest_bit(possible)
        possible = np.uint8(possible & (possible - 1))
        search.room.stack.effort[0] += 1
        if begin + lane >= len(search.order):
            break
        count = _intersect(search, begin + lane, lane, count)
        if count < 0:
            return count, reach
    if count and not search.ray.every:
        reach = search.room.hits[0, 0]
    return count, reach


@helper(inline=True)
def _prefetch_leaf(search: Any, leaf: int) -> None:
    prefetch(search.mesh.triangles, leaf * LEAF * 3)


_descend = descent(_visit, _prefetch_leaf)


@helper(inline=True)
def _cast(tree: Any, mesh: Any, ray: Any, room: Any) -> Any:
    """Hits of one ray, sorted, as rows of the room's `hits`; their number, FULL or UNSURE.

    Without `every` the nearest hit only is looked for.
    """
    if len(tree.order) == 0:
        return 0
    local = approached(tree.center, tree.scale, ray.origin, ray.direction)
    if not local.known:
        return UNSURE
    frame = kx, ky, kz = frame_of(ray.direction)
    o, d = ray.origin, ray.direction
    search = _Search(
        tree.order,
        mesh,
        ray,
        frame,
        (o[kx], o[ky], o[kz]),
        (d[kx] / d[kz], d[ky] / d[kz]),
        ray.length / d[kz] * _ROUNDING,
        (SIDE_MARGIN * local.away, SIDE_FLOOR, SIDE_CEILING),
        room,
    )
    return _descend(tree, local, ray.length, ray.limit, room.stack, search)


@kernel(allocates=False)
def _cast_one(tree: Any, mesh: Any, ray: Any, room: Any) -> Any:
    return _cast(tree, mesh, ray, room)


@kernel(_ONE)
def cast(
    nodes: Any,
    starts: Any,
    order: Any,
    center: Any,
    scale: float,
    vertices: Any,
    triangles: Any,
    excluded: Any,
    origin: Any,
    direction: Any,
    length: float,
    limit: float,
    cull_sign: int,
    every: bool,
    hits: Any,
) -> Any:
    """Cast one ray; see :func:`_cast`, and :mod:`.kernel_types` for the records."""
    tree = TreeArrays(nodes, starts, order, center, scale)
    mesh = MeshArrays(vertices, triangles, excluded)
    ray = RayRecord(origin, direction, length, limit, cull_sign, every)
    return _cast_one(tree, mesh, ray, _room(hits))


@helper(inline=False)
def _write(columns: Any, row: int, hit: Any, faces: Any) -> None:
    """Write a hit to a row of columns; it is a miss where its distance is inf."""
    missed = hit[0] == np.inf
    item = -1 if missed else int(hit[1])
    columns.distance[row] = hit[0]
    columns.triangle[row] = item
    columns.face[row] = faces[item] if len(faces) and not missed else item
    columns.front[row] = hit[2] > 0.0 and not missed
    for axis in range(3):
        columns.barycentric[row, axis] = np.nan if missed else hit[3 + axis]
        columns.normal[row, axis] = np.nan if missed else hit[6 + axis]
        columns.point[row, axis] = np.nan if missed else hit[9 + axis]
    columns.instance[row] = -1 if missed else 0


@kernel(allocates=False)
def _cast_rays(
    tree: Any,
    mesh: Any,
    faces: Any,
    rays: Any,
    begin: int,
    end: int,
    row: int,
    most: int,
    counts: Any,
    columns: Any,
    room: Any,
) -> int:
    """Cast the rays from `begin` to `end`; see :func:`cast_many`."""
    o, d, lengths, limits, cull_sign, every = rays
    for i in range(begin, end):
        if room.stack.effort[0] > most:
            return i
        ray = RayRecord(
            (o[i, 0], o[i, 1], o[i, 2]),
            (d[i, 0], d[i, 1], d[i, 2]),
            lengths[i],
            limits[i],
            cull_sign,
            every,
        )
        count = _cast(tree, mesh, ray, room)
        if not every:
            row = i
            if count <= 0:
                room.hits[0, 0] = np.inf
        elif row + count > len(columns.distance):
            count = FULL
        counts[i] = count
        for number in range(count if every else 1):
            _write(columns, row, room.hits[number], faces)
            row += 1
    return end


@kernel(_MANY)
def cast_many(
    nodes: Any,
    starts: Any,
    order: Any,
    center: Any,
    scale: float,
    vertices: Any,
    triangles: Any,
    excluded: Any,
    faces: Any,
    origins: Any,
    directions: Any,
    lengths: Any,
    limits: Any,
    cull_sign: int,
    every: bool,
    begin: int,
    end: int,
    most_hits: int,
    row: int,
    most: int,
    counts: Any,
    columns: Any,
) -> int:
    """Cast the rays from `begin` to `end`, and write their hits to columns.

    With `every` all hits follow each other from `row` on, as far as there is room; a ray for
    which there is none, or which has more than `most_hits`, is FULL. Without, the rows are those of
    the rays, misses included. The result is the first ray that was not cast: `end`, or one before
    it after so much effort (`most`).
    """
    tree = TreeArrays(nodes, starts, order, center, scale)
    mesh = MeshArrays(vertices, triangles, excluded)
    rays = (origins, directions, lengths, limits, cull_sign, every)
    room = _room(np.empty((most_hits, FIELDS)))
    return _cast_rays(  # type: ignore[no-any-return]
        tree, mesh, faces, rays, begin, end, row, most, counts, columns, room
    )
