# SPDX-License-Identifier: MIT
"""Vector tests of all boxes of a node, or all triangles of a block or leaf, at once.

Casts spend most of their time here.
"""

from typing import Any

import numpy as np

from ...bvh import LEAF, WIDTH
from .kernel_cache import helper
from .simd import LANES, at, bits, chosen, eight_at, four, fused, larger, smaller, store

_ZERO = np.float32(0.0)

# Covers the rounding of a comparison.
_UP = 1.0 + 2.0**-40


@helper(inline=True)
def _slab(nodes: Any, first: int, local: Any, axis: int) -> Any:
    """Where a ray enters and leaves the space between two planes of each child."""
    rows, starts, by = local.rows, local.starts, local.inverse[axis]
    near, far = eight_at(nodes, first + rows[axis]), eight_at(nodes, first + rows[3 + axis])
    return fused(near, by, -starts[axis]), fused(far, by, -starts[3 + axis])


@helper(inline=True)
def met_children(nodes: Any, first: int, local: Any, limit: Any, entries: Any) -> Any:
    """Which children of a node a ray meets, as bits; their entries go to `entries` (LANES,).

    The node starts at `first` in the flat nodes. The :class:`.LocalRay` names its rows of near
    planes x, y, z, then those of far planes; the ray meets a plane at the depth
    ``plane * inverse - start``. Floats are float32.
    """
    x0, x1 = _slab(nodes, first, local, 0)
    y0, y1 = _slab(nodes, first, local, 1)
    z0, z1 = _slab(nodes, first, local, 2)
    entry = larger(larger(larger(x0, y0), z0), _ZERO)
    leave = smaller(smaller(smaller(x1, y1), z1), limit)
    store(entries, 0, entry)
    return np.uint8(bits(entry <= leave))


@helper(inline=True)
def _block_corner(blocks: Any, first: int, local: Any) -> Any:
    """A corner of each triangle of a block: two components across the ray, then one along it."""
    rows, shear, offset = local.axes, local.shear, local.offset
    x, y = eight_at(blocks, first + rows[0]), eight_at(blocks, first + rows[1])
    z = eight_at(blocks, first + rows[2])
    return fused(z, -shear[0], x - offset[0]), fused(z, -shear[1], y - offset[1]), z


@helper(inline=True)
def _edge(p: Any, q: Any) -> Any:
    return fused(p[0], q[1], -(p[1] * q[0]))


@helper(inline=True)
def _size(p: Any) -> Any:
    return larger(abs(p[0]), abs(p[1]))


@helper(inline=True)
def block_test(blocks: Any, first: int, local: Any, reach: Any, weights: Any) -> Any:
    """Which triangles of a block a ray may go through, and which it surely does, as bits.

    Bits 0 to 7 are for triangles that it may go through, bits 8 to 15 for those that it surely goes
    through from the front, bits 16 to 23 for those from the back. Floats are float32, in the units
    of the tree.

    Parameters
    ----------
    blocks : array (n,) of float32
        The block starts at `first`: rows of eight numbers for x, y, z of the corners a, b, c.
    local : LocalRay
    reach : float32
        The furthest place along the ray where triangles may begin.
    weights : array (4 * LANES,) of float32
        Gets the edge functions of each triangle, and the bound of their errors.
    """
    a = _block_corner(blocks, first, local)
    b = _block_corner(blocks, first + 3 * LANES, local)
    c = _block_corner(blocks, first + 6 * LANES, local)
    u, v, w = _edge(c, b), _edge(a, c), _edge(b, a)
    least, most = smaller(smaller(u, v), w), larger(larger(u, v), w)
    size = larger(larger(_size(a), _size(b)), _size(c))
    bound = fused(size, fused(size, local.margin[1], local.margin[0]), local.margin[2])
    sign = np.float32(local.sign)
    begin = smaller(smaller(a[2] * sign, b[2] * sign), c[2] * sign)
    # Where a number is NaN, no comparison holds: such a triangle is never hit.
    possible = ((least >= -bound) | (most <= bound)) & (begin <= reach)
    store(weights, 0, u)
    store(weights, LANES, v)
    store(weights, 2 * LANES, w)
    store(weights, 3 * LANES, bound)
    sure = bits(least > bound) << LANES | bits(most < -bound) << 2 * LANES
    return np.uint32(bits(possible) | sure)


@helper(inline=True)
def within_depths(blocks: Any, first: int, local: Any, low: Any, high: Any) -> Any:
    """The triangles of a block that lie between two places along the ray, as bits 0 to 7."""
    row, sign = first + local.axes[2], np.float32(local.sign)
    a, b = eight_at(blocks, row) * sign, eight_at(blocks, row + 3 * LANES) * sign
    c = eight_at(blocks, row + 6 * LANES) * sign
    begin, end = smaller(smaller(a, b), c), larger(larger(a, b), c)
    return np.uint8(bits((begin > low) & (end < high)))


@helper(inline=True)
def _gap(nodes: Any, place: int, low: Any, high: Any) -> Any:
    """How far a point between `low` and `high` is from a node's children along an axis."""
    before, after = eight_at(nodes, place) - high, low - eight_at(nodes, place + 3 * WIDTH)
    return larger(larger(before, after), _ZERO)


@helper(inline=True)
def box_test(nodes: Any, first: int, low: Any, high: Any, bound: Any, squares: Any) -> Any:
    """Which children of a node are not further away than a bound, as bits.

    The node starts at `first` in the flat nodes. The point lies between `low` and `high`. The
    bound is a squared distance; those of children go to `squares` (WIDTH,). Floats are float32.
    """
    x = _gap(nodes, first, low[0], high[0])
    y = _gap(nodes, first + WIDTH, low[1], high[1])
    z = _gap(nodes, first + 2 * WIDTH, low[2], high[2])
    total = fused(z, z, fused(y, y, x * x))
    store(squares, 0, total)
    return np.uint8(bits(total <= bound))


@helper(inline=True)
def _dot(a: Any, b: Any) -> Any:
    return fused(a[2], b[2], fused(a[1], b[1], a[0] * b[0]))


@helper(inline=True)
def _minus(a: Any, b: Any) -> Any:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@helper(inline=True)
def _sum(v: Any) -> Any:
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@helper(inline=True)
def leaf_corner(vertices: Any, triangles: Any, place: int) -> Any:
    """A corner of each triangle of a leaf."""
    i = 3 * np.int64(at(triangles, place))
    j = 3 * np.int64(at(triangles, place + 3))
    k = 3 * np.int64(at(triangles, place + 6))
    n = 3 * np.int64(at(triangles, place + 9))
    return (
        four(at(vertices, i), at(vertices, j), at(vertices, k), at(vertices, n)),
        four(at(vertices, i + 1), at(vertices, j + 1), at(vertices, k + 1), at(vertices, n + 1)),
        four(at(vertices, i + 2), at(vertices, j + 2), at(vertices, k + 2), at(vertices, n + 2)),
    )


@helper(inline=True)
def _share(over: Any, under: Any) -> Any:
    """A share from 0 to 1 of an edge; 1 if it has no length."""
    return larger(0.0, smaller(over / under, 1.0))


@helper(inline=True)
def _along(share: Any, square: Any, way: Any) -> Any:
    return share * fused(share, square, -2.0 * way)


@helper(inline=True)
def _place_near(e1: Any, e2: Any, q: Any) -> Any:
    """The weights v and w of a place on each triangle that is near its nearest one."""
    g11, g12, g22, d1, d2 = _dot(e1, e1), _dot(e1, e2), _dot(e2, e2), _dot(q, e1), _dot(q, e2)
    # Not fused: for two equal edges these must be exactly 0, or the bounds would be loose.
    area = g11 * g22 - g12 * g12
    second, third = g22 * d1 - g12 * d2, g11 * d2 - g12 * d1
    inside = (second > 0.0) & (third > 0.0) & (second + third < area)
    on_ab, on_ac = _share(d1, g11), _share(d2, g22)
    on_bc = _share(d2 - d1 + (g11 - g12), g11 + g22 - 2.0 * g12)
    from_b = 1.0 - on_bc
    best, other = _along(on_ab, g11, d1), _along(on_ac, g22, d2)
    nearer = other < best
    best = chosen(nearer, other, best)
    v, w = chosen(nearer, 0.0, on_ab), chosen(nearer, on_ac, 0.0)
    across = 2.0 * (from_b * on_bc) * g12
    nearer = _along(from_b, g11, d1) + _along(on_bc, g22, d2) + across < best
    v, w = chosen(nearer, from_b, v), chosen(nearer, on_bc, w)
    inverse = 1.0 / area
    return chosen(inside, second * inverse, v), chosen(inside, third * inverse, w)


@helper(inline=True)
def triangle_test(
    vertices: Any, triangles: Any, first: int, point: Any, reach: float, margin: Any, found: Any
) -> Any:
    """Which triangles of a leaf may be within reach of a point, as bits.

    The bounds are those of :func:`.on_triangle.estimated`, which proves them.

    Parameters
    ----------
    vertices : array (V, 3) of float64
    triangles : array (N, 3) of int32
        In the tree's order; LEAF of them are read, from `first` on.
    point : three float64
    reach : float64
        Triangles that are further away are of no interest.
    margin : two float64
        The rounding error as a share of the sizes of vectors, and the error of underflow.
    found : array (3 * LEAF,) of float64
        Gets for each triangle r . r, with the vector r from a place on it to the point; the least
        r . y of all vectors y from the triangle to the point; and the error of both, as a distance.
    """
    a = leaf_corner(vertices, triangles, 3 * first)
    e1 = _minus(leaf_corner(vertices, triangles, 3 * first + 1), a)
    e2 = _minus(leaf_corner(vertices, triangles, 3 * first + 2), a)
    q = _minus(point, a)
    v, w = _place_near(e1, e2, q)
    r = (
        fused(-w, e2[0], fused(-v, e1[0], q[0])),
        fused(-w, e2[1], fused(-v, e1[1], q[1])),
        fused(-w, e2[2], fused(-v, e1[2], q[2])),
    )
    square = _dot(r, r)
    least = _dot(r, q) - larger(larger(_dot(r, e1), _dot(r, e2)), 0.0)
    error = (_sum(q) + _sum(e1) + _sum(e2)) * margin[0] + margin[1]
    limit = reach + error
    away = (least * least > limit * limit * square * _UP) & (least > 0.0)
    store(found, 0, square)
    store(found, LEAF, least)
    store(found, 2 * LEAF, error)
    return np.uint8(bits(~away))
