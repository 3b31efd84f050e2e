# SPDX-License-Identifier: MIT
"""The compiled descent of a ray to the blocks of a packed tree, and the test of their triangles.

Float32 decides where its error bounds allow, and exact formulas elsewhere. All code that the bits
of an answer depend on is compiled from :mod:`.ray_triangle`, the functions that NumPy runs. Where
these need :mod:`.rational`, the NumPy engine answers instead.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding as llvm
from numba.extending import overload

from ...arguments import EXCLUDED, NO_BACK, NO_FRONT
from ...cast.rays import LEAST_DISTANCE
from ...numerics import double_double, expansions, ray_triangle
from ...numerics.arrays import EPS
from ...numerics.double_double import two_sum
from ...numerics.expansions import (
    ENOUGH,
    TERMS,
    distilled,
    edge_rows,
    fill,
    fits,
    moved,
    start_solver,
    tie_rows,
)
from ...numerics.ray_triangle import (
    SIDE_CEILING,
    SIDE_FLOOR,
    cross3,
    dot3,
    frame_of,
    own_normal,
    side_of_edge,
    solve,
    tied_side,
)
from ...numerics.vectors import difference, power_of_two
from .kernel_cache import helper, helpers
from .simd import (
    LANE_BITS,
    LANES,
    address_of,
    at,
    bits_of,
    fused_multiply_add,
    larger,
    lowest_bit,
    numbers_at,
    prefetch,
    prefetch_lines,
    put,
    stack_array,
    whole_at,
)
from .vector_tests import block_test, met_children, within_depths

NODE = 7 * LANES
"""The length of a node in float32: six rows of planes, and a row of the children's indices."""

BLOCK = 13 * LANES
"""The length of a block in float32: nine rows of corners, one of triangles, three of vertices."""

STACK = 640
"""The most nodes and blocks on a stack: seven a level at most, and no tree has 80 levels."""

NO_HIT, HIT, UNSURE = 0, 1, -2
"""The verdict on a triangle or a ray; NumPy decides what is UNSURE."""

# Where rows begin: children in a node, triangles and their vertices in a block.
_CHILDREN, _TRIANGLES, _VERTICES = 6 * LANES, 9 * LANES, 10 * LANES

# More than the rounding error of depths up to 8 in float32.
_DEPTH = 2.0**-18

# A key has the bits of an entry depth above, and a child's index in these.
_LOW = 0xFFFFFFFF

# A bit for each child of a node, and for the last one.
_ALL, _LAST = (1 << LANES) - 1, 1 << (LANES - 1)

# Cache lines with the corners of a block, and with a node, which has fewer.
_LINES = 9 * LANES * 4 // 64 + 1


@helper(inline=True)
def _child(packed: Any, node: int, child: int) -> Any:
    """The index of a node's child."""
    return np.int64(whole_at(packed.nodes, node + _CHILDREN + child))


@helper(inline=True)
def _key(packed: Any, entries: Any, node: int, child: int) -> int:
    """The key of a child, from its entry depth and its index: the nearer, the smaller."""
    number = _child(packed, node, child)
    if number >= 0:
        for line in range(0, NODE, 16):
            prefetch(packed.nodes, number * NODE + line)
    else:
        for line in range(0, 9 * LANES, 16):
            prefetch(packed.blocks, ~number * BLOCK + line)
    return bits_of(at(entries, child)) << 32 | (number & _LOW)  # type: ignore[no-any-return]


@helper(inline=True)
def _wait(packed: Any, stack: Any, node: int, others: Any, top: int) -> Any:
    """Put children that are met on the stack, as two numbers; return the new top.

    The first one is prefetched, and its index is the upper number, so it is at hand.
    """
    first = _child(packed, node, lowest_bit(others | _LAST))
    put(stack, top, node << LANES | others)
    put(stack, top + 1, first)
    # Without a branch, which the processor would often guess wrong.
    by_node = address_of(packed.nodes, first * NODE)
    by_block = address_of(packed.blocks, ~first * BLOCK)
    prefetch_lines(by_node if first >= 0 else by_block, _LINES)
    return top + (2 if others else 0)


@helper(inline=True)
def _nearest(packed: Any, stack: Any, entries: Any, node: int, met: Any, top: int) -> Any:
    """The key of the nearest child that is met, and the top of the stack with the others."""
    near = _key(packed, entries, node, lowest_bit(met))
    met = np.uint8(met & (met - 1))
    if met == 0:
        return near, top
    key = _key(packed, entries, node, lowest_bit(met))
    met = np.uint8(met & (met - 1))
    put(stack, top, max(near, key))
    near = min(near, key)
    base = top
    top += 1
    while met:
        key = _key(packed, entries, node, lowest_bit(met))
        met = np.uint8(met & (met - 1))
        key, near = max(key, near), min(key, near)
        place = top
        while place > base and at(stack, place - 1) < key:
            put(stack, place, at(stack, place - 1))
            place -= 1
        put(stack, place, key)
        top += 1
    return near, top


@helper(inline=True)
def _within(stack: Any, top: int, limit: Any) -> Any:
    """The nearest child on the stack, if it is within the limit, and the new top; else top -1."""
    while top > 0:
        top -= 1
        key = at(stack, top)
        if key >> 32 <= limit:
            return np.int64(np.int32(key & _LOW)), top
    return np.int64(0), -1


def packed_descent(visit: Callable[..., Any]) -> Any:
    """A compiled descent to the blocks that the ray of a :class:`Search` meets.

    ``visit(search, block, bound) -> bound`` tests a block, and returns the depth up to which the
    search goes on; a negative bound ends it. If any hit will do, the children of a node come in
    their order, and two numbers on the stack stand for all that wait.
    """

    @helper(inline=True)
    def descend(search: Any, bound: Any, is_any: bool) -> None:
        packed, local = search.mesh.packed, search.local
        stack, entries = search.room.stack, search.room.entries
        top, number = 0, np.int64(0)
        limit = bits_of(bound)
        while True:
            if number >= 0:
                node = number * NODE
                met = met_children(packed.nodes, node, local, bound, entries)
                if met:
                    if is_any:
                        number = _child(packed, node, lowest_bit(met))
                        others = np.int64(met & (met - 1))
                        top = _wait(packed, stack, node, others, top)
                    else:
                        key, top = _nearest(packed, stack, entries, node, met, top)
                        number = np.int64(np.int32(key & _LOW))
                    continue
            else:
                bound = visit(search, ~number, bound)
                limit = bits_of(bound) if bound >= 0.0 else np.int64(-1)
            if is_any:
                if top == 0 or limit < 0:
                    return
                number, waiting = at(stack, top - 1), at(stack, top - 2)
                others = waiting & (waiting - 1) & _ALL
                top = _wait(packed, stack, waiting >> LANES, others, top - 2)
            else:
                number, top = _within(stack, top, limit)
                if top < 0:
                    return

    return descend


helpers(double_double, ray_triangle, expansions, but=[double_double.two_product])
for _function in (power_of_two, difference):
    helper(inline=False)(_function)


@overload(double_double.two_product)  # type: ignore[untyped-decorator]
def _two_product(a: Any, b: Any) -> Any:
    """A fused multiplication gives the same exact error in one instruction."""
    if not llvm.get_host_cpu_features().get("fma"):
        return double_double.two_product

    def fused(a: Any, b: Any) -> Any:
        high = a * b
        return high, fused_multiply_add(a, b, -high)

    return fused


@helper(inline=True)
def size_of(v: Any) -> Any:
    """The size of the largest component of a vector, or of vectors in lanes."""
    return larger(larger(abs(v[0]), abs(v[1])), abs(v[2]))


@helper(inline=True)
def point_at(points: Any, place: int) -> Any:
    """The point whose x is at `place` of a flat array; the place is not checked."""
    return numbers_at(points, place, 1, 3)


@helper(inline=True)
def put_vector(numbers: Any, place: int, vector: Any) -> None:
    """Write a vector to a flat array from a place on."""
    put(numbers, place, vector[0])
    put(numbers, place + 1, vector[1])
    put(numbers, place + 2, vector[2])


@helper(inline=False)
def _exact_side(mesh: Any, ray: Any, place: int) -> Any:
    """From which side a ray goes through a triangle, and whether that is sure."""
    a, b, c = _corners(mesh, place)
    total = a[0] + a[1] + a[2] + b[0] + b[1] + b[2] + c[0] + c[1] + c[2]
    if total * 0.0 != 0.0:
        return 0.0, True
    frame = frame_of(ray.direction)
    first, sure = _side_of_edge(ray, c, b, frame)
    if first == 0.0:
        return 0.0, sure
    second, sure = _side_of_edge(ray, a, c, frame)
    if second != first:
        return 0.0, sure
    third, sure = _side_of_edge(ray, b, a, frame)
    return (first if third == first else 0.0), sure


@helper(inline=False)
def _side_of_edge(ray: Any, p: Any, q: Any, frame: Any) -> Any:
    """:func:`.rational.edge_side`, and whether that is sure."""
    o, d = ray.origin, ray.direction
    if p == o or q == o:
        side, sure = tied_side(d, p, q, frame)
    else:
        side, sure = side_of_edge(o, d, p, q, frame)
    if sure:
        return side, True
    first, second, third = edge_rows(o, d, p, q)
    if not (fits(first) and fits(second) and fits(third)):
        return 0.0, False
    value, _ = _determinant((first, second, third))
    if value == 0.0:
        x, y, z = frame
        d = (d[x], d[y], d[z])
        rows, others = tie_rows(d, (p[x], p[y], p[z]), (q[x], q[y], q[z]))
        if not fits(rows[1]):
            return 0.0, False
        value, _ = _determinant(rows)
        if value == 0.0:
            value, _ = _determinant(others)
        if d[2] < 0.0:
            value = -value
    return (1.0 if value > 0.0 else (-1.0 if value < 0.0 else 0.0)), True


@helper(inline=False)
def _determinant(rows: Any) -> Any:
    """As :func:`.expansions.determinants`, for one."""
    terms = stack_array(TERMS, np.float64)
    count = fill(rows, (_parts(rows[0]), _parts(rows[1]), _parts(rows[2])), terms)
    while True:
        kept = 0
        for i in range(count):
            if terms[i] != 0.0:
                terms[kept] = terms[i]
                kept += 1
        if kept == 0:
            return 0.0, 0.0
        count = kept
        total, size = distilled(terms, count)
        if not size > ENOUGH * abs(total):
            low = 0.0
            for i in range(count - 1):
                low += terms[i]
            return two_sum(total, low)


@helper(inline=True)
def _parts(row: Any) -> int:
    x, y, z = row[1]
    return 1 if x == 0.0 and y == 0.0 and z == 0.0 else 2


_solve_start = helper(inline=False)(start_solver(_determinant, fits))


class Search(NamedTuple):
    """A ray on its way through a packed tree."""

    mesh: Any
    ray: Any
    local: Any
    start_least: float  # bounds of the depth of the ray's start
    start_most: float
    end_least: float  # bounds of the depth of its limit
    end_most: float
    goal: int
    is_any: bool  # whether any hit ends the search
    room: Any


class Judged(NamedTuple):
    """The verdict on a triangle: its kind, and for a HIT the side, and bounds of the depth."""

    kind: int
    side: float
    near: float
    far: float


@helper(inline=True)
def triangle_at(packed: Any, place: int) -> Any:
    """The triangle at a place, which is ``block * LANES + lane``."""
    block, lane = place >> LANE_BITS, place & (LANES - 1)
    return np.int64(whole_at(packed.blocks, block * BLOCK + _TRIANGLES + lane))


@helper(inline=True)
def vertex_at(packed: Any, place: int, corner: int) -> Any:
    """Where the x of a triangle's corner is in the flat vertices."""
    block, lane = place >> LANE_BITS, place & (LANES - 1)
    row = block * BLOCK + _VERTICES + corner * LANES
    return 3 * np.int64(whole_at(packed.blocks, row + lane))


@helper(inline=False)
def solved(mesh: Any, ray: Any, place: int) -> Any:
    """The result of :func:`.solve` for a ray and the triangle at a place."""
    a, b, c = _corners(mesh, place)
    return solve(ray.origin, ray.direction, a, b, c)


@helper(inline=False)
def _begins_on(ray: Any, a: Any, b: Any, c: Any) -> bool:
    """Whether a ray surely begins in the plane of a triangle."""
    o = ray.origin
    if a == o or b == o or c == o:
        return True
    for axis in range(3):
        if a[axis] == o[axis] and b[axis] == o[axis] and c[axis] == o[axis]:
            return True
    p, q, r = moved(a, o), moved(b, o), moved(c, o)
    if not (fits(p) and fits(q) and fits(r)):
        return False
    height, _ = _determinant((p, q, r))
    return height == 0.0  # type: ignore[no-any-return]


@helper(inline=False)
def met_at(mesh: Any, ray: Any, place: int) -> Any:
    """Where a ray meets a triangle that it goes through: whether t is sure, and t."""
    a, b, c = _corners(mesh, place)
    if not (a == ray.origin or b == ray.origin or c == ray.origin):
        done, t, _, _, _, _ = solved(mesh, ray, place)
        if done:
            return True, t
    return _begins_on(ray, a, b, c), 0.0


@helper(inline=False)
def solved_start(mesh: Any, ray: Any, place: int) -> Any:
    """As :func:`solved`, for a ray that may begin on the triangle at a place."""
    a, b, c = _corners(mesh, place)
    o = ray.origin
    point = (o[0] + 0.0, o[1] + 0.0, o[2] + 0.0)
    normal, is_good = own_normal(a, b, c)
    if not (is_good and _begins_on(ray, a, b, c)):
        return False, 0.0, 0.0, 0.0, normal, point
    sure, v, w = _solve_start(o, ray.direction, a, b, c)
    return sure, 0.0, v, w, normal, point


@helper(inline=True)
def _corners(mesh: Any, place: int) -> Any:
    packed, vertices = mesh.packed, mesh.vertices
    a, b = vertex_at(packed, place, 0), vertex_at(packed, place, 1)
    c = vertex_at(packed, place, 2)
    return point_at(vertices, a), point_at(vertices, b), point_at(vertices, c)


# More than the rounding errors of the determinants in `_misses`, and of a distance.
_OFF, _MORE = 64 * EPS, 1.0 + 2.0**-40


@helper(inline=False)
def _misses(search: Any, place: int) -> bool:
    """Whether float64 shows that a ray meets a triangle's plane never, too early or too late.

    A ray that begins at a corner meets it there, if at all; one that is parallel to an axis-aligned
    triangle never does. With n = e1 x e2, t is h / g for the height h = s . n and the slope
    g = d . n. Let S, D, E1 and E2 be the largest components of s, d, e1 and e2, and u = EPS / 2. A
    component of n is at most 2 E1 E2, and off by 10 u E1 E2; so h is off by less than 54 u S E1 E2,
    and g by 48 u D E1 E2.
    """
    ray = search.ray
    a, b, c = _corners(search.mesh, place)
    o, d = ray.origin, ray.direction
    if ray.start > 0.0 and (a == o or b == o or c == o):
        return True
    for axis in range(3):
        if a[axis] == b[axis] and a[axis] == c[axis] and d[axis] == 0.0:
            return True
    s, e1, e2 = difference(a, o), difference(b, a), difference(c, a)
    n = cross3(e1, e2)
    height, slope = dot3(s, n), dot3(d, n)
    size = size_of(e1) * size_of(e2) * _OFF
    height_off, slope_off = size_of(s) * size + SIDE_FLOOR, size_of(d) * size
    if not (slope_off > SIDE_FLOOR and height_off < SIDE_CEILING and slope_off < SIDE_CEILING):
        return False
    if abs(slope) <= slope_off:
        return False
    if abs(height) > height_off and (height < 0.0) != (slope < 0.0):
        return True
    nearest = (abs(height) - height_off) * ray.length
    furthest = (abs(height) + height_off) * (ray.length * _MORE)
    if ray.start > LEAST_DISTANCE and furthest < ray.start * (abs(slope) - slope_off):
        return True
    late = nearest > (ray.limit * _MORE) * (abs(slope) + slope_off)
    return ray.limit > LEAST_DISTANCE and late and nearest < np.inf  # type: ignore[no-any-return]


@helper(inline=False)
def _judged_exactly(search: Any, place: int, side: float) -> Any:
    """The verdict, by its exact distance, on a triangle that the ray's line goes through."""
    ray, local = search.ray, search.local
    sure, t = met_at(search.mesh, ray, place)
    if not sure:
        return Judged(UNSURE, side, 0.0, 0.0)
    distance = t * ray.length
    if not (t >= 0.0 and ray.start <= distance <= ray.limit) or distance == np.inf:
        return Judged(NO_HIT, side, 0.0, 0.0)
    depth = t * local.unit - local.skipped
    return Judged(HIT, side, depth - local.slack, depth + local.slack)


@helper(inline=True)
def _judged(search: Any, bits: Any, block: int, lane: int) -> Any:
    """The verdict on a triangle that passed the test of its block.

    In float32 each edge function u_i is off by at most B, and its sign is sure. The hit's depth z
    is the mean of the corners' depths with the weights u_i. Let D be the sum of the u_i, and R the
    range of the depths. Errors of the weights change z by at most 3 B R / (D - 3 B), which is at
    most 6 B R / D where that is at most R; and no mean is off by more than R. All other rounding
    is within `slack`.
    """
    ray, local = search.ray, search.local
    place = block * LANES + lane
    side = 1.0 if bits >> (LANES + lane) & 1 else (-1.0 if bits >> (2 * LANES + lane) & 1 else 0.0)
    if side == 0.0:
        search.room.effort[0] += LANES
        if _misses(search, place):
            return Judged(NO_HIT, side, 0.0, 0.0)
        side, sure = _exact_side(search.mesh, ray, place)
        if not sure:
            return Judged(UNSURE, side, 0.0, 0.0)
        if side == 0.0 or ray.cull_sign == -side:
            return Judged(NO_HIT, side, 0.0, 0.0)
        return _judged_exactly(search, place, side)
    if ray.cull_sign == -side:
        return Judged(NO_HIT, side, 0.0, 0.0)
    weights, blocks = search.room.weights, search.mesh.packed.blocks
    u, v, w = at(weights, lane), at(weights, LANES + lane), at(weights, 2 * LANES + lane)
    row = block * BLOCK + local.axes[2] + lane
    a, b, c = at(blocks, row), at(blocks, row + 3 * LANES), at(blocks, row + 6 * LANES)
    total = u + v + w
    extent = max(a, b, c) - min(a, b, c)
    off = np.float32(6.5) * at(weights, 3 * LANES + lane) * extent / abs(total)
    depth = (np.float64((u * a + v * b + w * c) / total) - local.start) * local.sign
    # Not `min`, which may keep a NaN.
    error = (np.float64(off) if off < extent else np.float64(extent)) * 1.01 + local.slack
    near, far = depth - error, depth + error
    if near > search.start_most and far < search.end_least:
        return Judged(HIT, side, near, far)
    if far < search.start_least or near > search.end_most or _misses(search, place):
        return Judged(NO_HIT, side, 0.0, 0.0)
    return _judged_exactly(search, place, side)


@helper(inline=True)
def _has_sure_hit(search: Any, bits: Any, block: int) -> Any:
    """Whether float32 shows that the ray goes through a triangle of a block where hits count.

    A hit is no nearer than the nearest corner of its triangle, and no further than the furthest.
    """
    ray, local = search.ray, search.local
    front, back = bits >> LANES & 255, bits >> 2 * LANES & 255
    sure = (0 if ray.cull_sign < 0 else front) | (0 if ray.cull_sign > 0 else back)
    if sure == 0:
        return False
    origin = local.sign * local.start
    low = np.float32(search.start_most + origin + local.slack + _DEPTH)
    high = np.float32(search.end_least + origin - local.slack - _DEPTH)
    blocks = search.mesh.packed.blocks
    return (sure & within_depths(blocks, block * BLOCK, local, low, high)) != 0


def block_visit(found: Any) -> Any:
    """A visit for :func:`.packed_descent`.

    ``found(search, place, judged, bound) -> bound`` takes each hit, and returns the new bound.
    """

    @helper(inline=True)
    def visit(search: Any, block: int, bound: Any) -> Any:
        mesh, local, room = search.mesh, search.local, search.room
        packed, excluded = mesh.packed, mesh.excluded
        reach = np.float32(np.float64(bound) + local.sign * local.start + _DEPTH)
        bits = block_test(packed.blocks, block * BLOCK, local, reach, room.weights)
        room.effort[0] += 1
        possible = np.uint8(bits & 255)
        if search.is_any and len(excluded) == 0 and _has_sure_hit(search, bits, block):
            room.status[0] = 1
            return np.float32(-1.0)
        while possible and bound >= 0.0:
            lane = lowest_bit(possible)
            possible = np.uint8(possible & (possible - 1))
            hidden = 0
            if len(excluded):
                hidden = excluded[triangle_at(packed, block * LANES + lane)]
                if hidden == EXCLUDED:
                    continue
            judged = _judged(search, bits, block, lane)
            if hidden and hidden == (NO_FRONT if judged.side > 0.0 else NO_BACK):
                continue
            if judged.kind == HIT:
                bound = found(search, block * LANES + lane, judged, bound)
            elif judged.kind == UNSURE:
                room.status[0] = UNSURE
                bound = np.float32(-1.0)
        return bound

    return visit


@helper(inline=True)
def bound_at(depth: float) -> Any:
    """A bound in float32 that is not less than a depth."""
    return np.float32(depth + _DEPTH)
