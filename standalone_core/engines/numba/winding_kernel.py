# SPDX-License-Identifier: MIT
"""The compiled descents that add up winding numbers; :mod:`..closest.winding` has them in NumPy."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ...bvh import LEAF, WIDTH
from ...closest import solid_angle
from ...closest.solid_angle import (
    FIELDS,
    careful_share,
    is_near,
    share_from_afar,
    share_of,
    tangent,
)
from ...closest.winding import FAR, FIRST, LAST, LEAST_SCALE, NEXT, SHARE, is_settled
from . import simd
from .closest_kernel import corners_of
from .kernel_cache import helper, helpers, kernel
from .kernel_types import FLOATS, POINTS, TREE, TRIANGLES, MeshArrays, TreeArrays
from .simd import at, bits, eight_at, lowest_bit, store
from .tree_kernel import STACK
from .vector_tests import leaf_corner

helpers(solid_angle, but=[solid_angle.root, solid_angle.chosen])
helper(inline=True)(is_settled)


@overload(solid_angle.root)  # type: ignore[untyped-decorator]
def _root(square: Any) -> Any:
    def root(square: Any) -> Any:
        return simd.root(square)

    return root


@overload(solid_angle.chosen)  # type: ignore[untyped-decorator]
def _chosen(condition: Any, first: Any, second: Any) -> Any:
    def chosen(condition: Any, first: Any, second: Any) -> Any:
        return simd.chosen(condition, first, second)

    return chosen


class _Room(NamedTuple):
    """Scratch memory, which points use in turn."""

    stack: Any  # (STACK,) of int64: nodes that wait, each with its level in the lowest five bits
    shares: Any  # (WIDTH,)
    errors: Any  # (WIDTH,)
    effort: Any  # (1,) of int64: how many nodes and leaves were visited


@helper(inline=True)
def _six(fields: Any, i: int) -> Any:
    """Six numbers of the clusters of all children of a node."""
    return (
        eight_at(fields, i),
        eight_at(fields, i + WIDTH),
        eight_at(fields, i + 2 * WIDTH),
        eight_at(fields, i + 3 * WIDTH),
        eight_at(fields, i + 4 * WIDTH),
        eight_at(fields, i + 5 * WIDTH),
    )


@helper(inline=True)
def _fields(fields: Any, i: int) -> Any:
    step = 6 * WIDTH
    first, last = _six(fields, i) + _six(fields, i + step), _six(fields, i + 3 * step)
    return first + _six(fields, i + 2 * step) + last


@helper(inline=True)
def _way(mesh: Any, place: int, p: Any, inverse: float) -> Any:
    x, y, z = leaf_corner(mesh.vertices, mesh.triangles, place)
    return (x - p[0]) * inverse, (y - p[1]) * inverse, (z - p[2]) * inverse


@helper(inline=False)
def _careful(mesh: Any, item: int, p: Any) -> Any:
    """The share of a triangle, and whether the point is on it; 0 if it does not count."""
    if at(mesh.triangles, 3 * item) == at(mesh.triangles, 3 * item + 1):
        return 0.0, False
    a, b, c = corners_of(mesh, item)
    share, is_on = careful_share(p, a, b, c)
    return share, bool(is_on)


@helper(inline=True)
def _leaf(mesh: Any, leaf: int, p: Any, inverse: float, shares: Any) -> Any:
    """The sum of the shares of a leaf's triangles, and whether the point is on one of them."""
    first = 3 * leaf * LEAF
    a, b = _way(mesh, first, p, inverse), _way(mesh, first + 1, p, inverse)
    over, under, size = tangent(a, b, _way(mesh, first + 2, p, inverse))
    store(shares, 0, share_of(over, under))
    near, is_on = np.uint8(bits(is_near(over, under, size))), False
    while near:
        lane = lowest_bit(near)
        near = np.uint8(near & (near - 1))
        shares[lane], touched = _careful(mesh, leaf * LEAF + lane, p)
        is_on = is_on or touched
    return (shares[0] + shares[1]) + (shares[2] + shares[3]), is_on


@helper(inline=False)
def _descent(tree: Any, mesh: Any, fields: Any, p: Any, q: Any, allowed: float, room: _Room) -> Any:
    """The number of a point p, its error, and whether p is on a triangle.

    Clusters with an error that is allowed are not opened; q is p in the tree's units.
    """
    stack, shares, errors = room.stack, room.shares, room.errors
    inverse, depth = 1.0 / max(tree.scale, LEAST_SCALE), len(tree.starts)
    number, off, is_on = 0.0, 0.0, False
    stack[0], top = 0, 1
    while top:
        top -= 1
        room.effort[0] += 1
        node, level = stack[top] >> 5, stack[top] & 31
        if level == depth:
            share, touched = _leaf(mesh, node, p, inverse, shares)
            number, is_on = number + share, is_on or touched
            continue
        f = _fields(fields, (tree.starts[level] + node) * (FIELDS * WIDTH))
        share, error = share_from_afar(f, q)
        far = (error <= allowed) | (f[3] < 0.0)
        store(shares, 0, simd.chosen(far, share, 0.0))
        store(errors, 0, simd.chosen(far, error, 0.0))
        for child in range(WIDTH):
            number += shares[child]
            off += errors[child]
        near = np.uint8(bits(~far))
        while near:
            stack[top] = (node * WIDTH + lowest_bit(near)) << 5 | (level + 1)
            near = np.uint8(near & (near - 1))
            top += 1
    return number, off, is_on


@helper(inline=False)
def _number(tree: Any, mesh: Any, fields: Any, p: Any, tolerance: float, room: _Room) -> float:
    q = (
        (p[0] - tree.center[0]) / tree.scale,
        (p[1] - tree.center[1]) / tree.scale,
        (p[2] - tree.center[2]) / tree.scale,
    )
    if not max(abs(q[0]), abs(q[1]), abs(q[2])) < FAR:
        return 0.0
    allowed = min(FIRST, SHARE * tolerance)
    while True:
        is_last = allowed < LAST
        least = -1.0 if is_last else allowed
        number, error, is_on = _descent(tree, mesh, fields, p, q, least, room)
        if is_last or is_settled(number, error, tolerance, is_on):
            return 0.0 if is_on and tolerance == np.inf else number
        allowed *= NEXT


_MESH = types.Tuple((POINTS, TRIANGLES, FLOATS))
_WORK = types.UniTuple(types.int64, 3)


@kernel(types.int64(types.Tuple(TREE), _MESH, POINTS, FLOATS, _WORK, types.float64[::1]))
def winding(tree: Any, mesh: Any, points: Any, tolerances: Any, work: Any, numbers: Any) -> Any:
    """Find the winding numbers of some points, and return the point where it stopped.

    The tree has the fields of a :class:`.TreeArrays`. The mesh are the vertices, and the triangles
    and the flat fields of :class:`.Clusters`. The work is the first point, the end, and how many
    nodes and leaves are visited before it stops early.
    """
    begin, end, most = work
    vertices, triangles, fields = mesh
    arrays = TreeArrays(*tree)
    around = MeshArrays(vertices, triangles, np.empty(0, np.int64), np.empty(0, np.bool_))
    room = _Room(
        np.empty(STACK, dtype=np.int64), np.empty(WIDTH), np.empty(WIDTH), np.zeros(1, np.int64)
    )
    for i in range(begin, end):
        if room.effort[0] > most:
            return i
        p = (points[i, 0], points[i, 1], points[i, 2])
        numbers[i] = _number(arrays, around, fields, p, tolerances[i], room)
    return end
