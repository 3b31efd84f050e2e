# SPDX-License-Identifier: MIT
"""The compiled search for the nearest place to a point, which visits the nearest boxes first.

As in NumPy, safe bounds find the few triangles that may be nearest. These are compared with twice
the digits of float64, by the functions of :mod:`.one_triangle`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ...bvh import LEAF, WIDTH
from ...closest import one_triangle
from ...closest.on_triangle import FLOOR, ROUNDING
from ...closest.one_triangle import NOTHING, Nearest, nearer, place_on
from ...numerics import point_triangle
from ...numerics.arrays import EPS
from .block_kernel import point_at
from .kernel_cache import helper, helpers, kernel
from .kernel_types import FLOATS, MASK, POINTS, TREE, TRIANGLES, WHOLES, MeshArrays, TreeArrays
from .simd import at, lowest_bit
from .tree_kernel import new_stack, push
from .vector_tests import box_test, triangle_test


@helper(inline=True)
def corners_of(mesh: Any, item: int) -> Any:
    """The corners of a triangle of a :class:`.MeshArrays`."""
    vertices, t = mesh.vertices, mesh.triangles
    return (
        point_at(vertices, 3 * np.int64(at(t, 3 * item))),
        point_at(vertices, 3 * np.int64(at(t, 3 * item + 1))),
        point_at(vertices, 3 * np.int64(at(t, 3 * item + 2))),
    )


_OVERLOADED = point_triangle.root, point_triangle.larger, point_triangle.power_of_two
helpers(one_triangle, point_triangle, but=_OVERLOADED)


@overload(point_triangle.root)  # type: ignore[untyped-decorator]
def _root(square: Any) -> Any:
    def root(square: Any) -> Any:
        return math.sqrt(square)

    return root


@overload(point_triangle.larger)  # type: ignore[untyped-decorator]
def _larger(a: Any, b: Any) -> Any:
    def larger(a: Any, b: Any) -> Any:
        return a if a >= b else b

    return larger


@overload(point_triangle.power_of_two)  # type: ignore[untyped-decorator]
def _power_of_two(size: Any) -> Any:
    """By the bits of the exponent: `frexp` and `ldexp` would take most of the time."""

    def power_of_two(size: Any) -> Any:
        bits: Any = np.float64(size).view(np.int64)
        exponent: Any = (bits >> 52) & 2047
        if exponent == 2047 or bits << 1 == 0:
            return 1.0
        power: Any = min(max(exponent + 1, 2), 2046)
        return np.int64(power << 52).view(np.float64)

    return power_of_two


UNKNOWN = -2
"""Instead of a triangle: only NumPy can tell."""

_NODE = 6 * WIDTH

# The most triangles that wait to be compared.
_WAITING = 64

# Points with a larger coordinate in the tree's units are left to NumPy, as float32 is too coarse
# for them; so are trees with scales outside this range, as numbers may leave that of float64.
_FAR = 2.0**12
_LEAST_SCALE, _MOST_SCALE = 2.0**-300, 2.0**300

# A coordinate x in the tree's units has an error of 2**-53 x, and as float32 one of 2**-24 x: this
# share of the largest coordinate, subtracted and added, gives its bounds.
_WIDE = 2.0**-23

# In float32 the gap from these bounds to a box, which is rounded outward, is too large by at most
# the share 2**-24. In the sum of squares that is below 2**-21, and underflow is below 2**-140. So
# the square of the reach, enlarged by _UP and _TINY, leaves out no box within reach. It is at most
# _MOST, which is finite, as boxes of missing children are at infinity.
_UP, _TINY, _MOST = 1.0 + 2.0**-18, 2.0**-100, 2.0**120


class _Room(NamedTuple):
    """Scratch memory, which points use in turn."""

    stack: Any  # its entries are squared distances
    found: Any  # (3 * LEAF,), see triangle_test
    items: Any  # (_WAITING,) of int64: triangles that may be nearest
    lower: Any  # (_WAITING,): lower bounds of their distances


@helper(inline=True)
def _nothing(is_sure: bool) -> Nearest:
    _, triangle, region, corners, places, high, low = NOTHING
    return Nearest(is_sure, triangle, region, corners, places, high, low)


@helper(inline=False)
def _new_room() -> _Room:
    return _Room(
        new_stack(), np.empty(3 * LEAF), np.empty(_WAITING, dtype=np.int64), np.empty(_WAITING)
    )


@helper(inline=True)
def _bound(reach: float, scale: float) -> Any:
    """The square of a reach, in the tree's units, rounded up."""
    away = reach / scale
    return np.float32(min(away * away * _UP + _TINY, _MOST))


@helper(inline=False)
def _is_finite(corners: Any) -> bool:
    for corner in corners:
        for number in corner:
            if not math.isfinite(number):
                return False
    return True


@helper(inline=True)
def _visit(
    tree: Any, mesh: Any, point: Any, room: _Room, leaf: int, count: int, reach: float
) -> Any:
    """Test the triangles of a leaf; return how many wait now, and the new reach."""
    begin, found = leaf * LEAF, room.found
    near = triangle_test(
        mesh.vertices, mesh.triangles, begin, point, reach, (ROUNDING, FLOOR), found
    )
    while near:
        lane = lowest_bit(near)
        near = np.uint8(near & (near - 1))
        item = begin + lane
        room.stack.effort[0] += 1
        if item >= len(tree.order):
            break
        if len(mesh.excluded) and mesh.excluded[tree.order[item]]:
            continue
        square, least, error = found[lane], found[LEAF + lane], found[2 * LEAF + lane]
        lower = 0.0
        if square < np.inf:
            distance = math.sqrt(square)
            reach = min(reach, distance + error)
            if square > FLOOR * FLOOR:
                lower = least / distance - error
        elif not _is_finite(corners_of(mesh, item)):
            continue
        room.items[count], room.lower[count] = item, lower
        count += 1
    return count, reach


@helper(inline=False)
def _settled(
    tree: Any, mesh: Any, point: Any, limit: float, room: _Room, count: int, reach: float, best: Any
) -> Any:
    """The nearest of the waiting triangles and the best one so far."""
    for i in range(count):
        if room.lower[i] <= reach:
            room.stack.effort[0] += 1
            item = room.items[i]
            number: Any = np.int64(tree.order[item])  # one type for all records
            a, b, c = corners_of(mesh, item)
            best = nearer(best, point, limit, number, a, b, c)
    return best


@helper(inline=True)
def _nearest(tree: Any, mesh: Any, point: Any, limit: float, room: _Room) -> Any:
    """The triangle that is nearest to a point."""
    best = _nothing(True)
    x = (point[0] - tree.center[0]) / tree.scale
    y = (point[1] - tree.center[1]) / tree.scale
    z = (point[2] - tree.center[2]) / tree.scale
    size = max(abs(x), abs(y), abs(z))
    if not (size < _FAR and _LEAST_SCALE < tree.scale < _MOST_SCALE):
        return _nothing(False)
    wide = _WIDE * size
    low = np.float32(x - wide), np.float32(y - wide), np.float32(z - wide)
    high = np.float32(x + wide), np.float32(y + wide), np.float32(z + wide)
    stack = room.stack
    nodes, squares = stack.nodes, stack.entries
    reach, bound, count = limit, _bound(limit, tree.scale), 0
    nodes[0], squares[WIDTH], top = 0, np.float32(0.0), 1
    depth = len(tree.starts)
    while top:
        top -= 1
        if squares[WIDTH + top] > bound:
            continue
        node, level = nodes[top] >> 5, nodes[top] & 31
        room.stack.effort[0] += 1
        if level < depth:
            first = (tree.starts[level] + node) * _NODE
            near = box_test(tree.nodes, first, low, high, bound, squares)
            top = push(stack, node, level, near, top)
            continue
        before = reach
        count, reach = _visit(tree, mesh, point, room, node, count, reach)
        if reach < before:
            bound = _bound(reach, tree.scale)
        if count > _WAITING - LEAF:
            kept = 0
            for i in range(count):
                if room.lower[i] <= reach:
                    room.items[kept], room.lower[kept] = room.items[i], room.lower[i]
                    kept += 1
            count = kept
            if count > _WAITING // 2:
                best = _settled(tree, mesh, point, limit, room, count, reach, best)
                if not best.is_sure:
                    return best
                reach, count = min(reach, best.high * (1 + 4 * EPS)), 0
    return _settled(tree, mesh, point, limit, room, count, reach, best)


@kernel(allocates=False)
def _find(
    tree: Any, mesh: Any, points: Any, limits: Any, work: Any, columns: Any, room: Any
) -> Any:
    """Find the nearest places of some points; see :func:`closest`."""
    distance, place, triangle, face, barycentric = columns
    begin, end, most = work
    faces = mesh.faces
    for i in range(begin, end):
        if room.stack.effort[0] > most:
            return i
        point = (points[i, 0], points[i, 1], points[i, 2])
        best = _nearest(tree, mesh, point, limits[i], room)
        if best.triangle < 0:
            distance[i], triangle[i], face[i] = np.inf, -1 if best.is_sure else UNKNOWN, -1
            for axis in range(3):
                place[i, axis] = barycentric[i, axis] = np.nan
            continue
        on, weights = place_on(best, point)
        distance[i], triangle[i] = best.high, best.triangle
        face[i] = faces[best.triangle] if len(faces) else best.triangle
        for axis in range(3):
            place[i, axis] = on[axis]
            barycentric[i, axis] = weights[axis]
    return end


_MESH = types.Tuple((POINTS, TRIANGLES, WHOLES, MASK))
_GIVEN = (types.Tuple(TREE), _MESH, POINTS, FLOATS, types.UniTuple(types.int64, 3))
_VECTORS = types.float64[:, ::1]
_COLUMNS = (types.float64[::1], _VECTORS, types.int64[::1], types.int64[::1], _VECTORS)


@kernel(types.int64(*_GIVEN, types.Tuple(_COLUMNS)))
def closest(tree: Any, mesh: Any, points: Any, limits: Any, work: Any, columns: Any) -> Any:
    """Find the nearest places of some points, and return the point where it stopped.

    The tree has the fields of a :class:`.TreeArrays`, and the mesh those of a :class:`.MeshArrays`.
    The work is the first point, the end, and how many nodes and triangles are tested before it
    stops early. The columns are those of :class:`.ClosestPoints`. Where the triangle is UNKNOWN,
    the other columns mean nothing, and the caller asks NumPy.
    """
    return _find(TreeArrays(*tree), MeshArrays(*mesh), points, limits, work, columns, _new_room())
