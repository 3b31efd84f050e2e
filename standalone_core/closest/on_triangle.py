# SPDX-License-Identifier: MIT
"""The point of a triangle that is nearest to a point: fast, with bounds, or precisely.

:func:`estimated` does most of the work in float64. It finds a point of the triangle near the
nearest one, with bounds of the distance that hold for any input.
:func:`closest` decides between the few remaining triangles, with twice the digits of float64.
"""

import numpy as np

from ..numerics import point_triangle as exact
from ..numerics.arrays import EPS, BoolArray, FloatArray, columns, dot_columns, power_of_two
from ..numerics.double_double import Pair
from ..numerics.point_triangle import PairVector, exact_difference, largest, pair_cross, pair_length
from ..numerics.ray_triangle import Column3

Rows = list[int] | int

# The edges between corners 0, 1, 2: from the lower to the higher.
_EDGES, _STARTS, _ENDS = [0, 1, 2], [0, 0, 1], [1, 2, 2]

# Rounding errors of `estimated`, relative to the terms that it adds up; and those of underflow.
ROUNDING = 16 * EPS
FLOOR = 1e-150

# Triangles with a smaller sine of an angle count as their edges: their normal is imprecise even
# with twice the digits, and their inside is within float64's rounding of the edges.
THIN = 2.0**-50

# Points are over the inside of a triangle where all weights are more than this. It is more than the
# error of the weights of ordinary triangles, so that points over an edge are recognized.
INSIDE = 2.0**-85


def estimated(
    p: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bounds of the distances from points to triangles; all arguments are finite, (3, N).

    A place x on the triangle is found by the normal equations, or on the nearest edge (compare
    Ericson, "Real-Time Collision Detection", 2005, 5.1.5). Its distance is an upper bound. With
    r = p - x, the plane normal to r through the corner nearest along r gives a lower one: no part
    of the triangle is before it. However x was found, both are right, and they meet where x is the
    nearest place. The result is lower and upper bounds (N,), and x - a (3, N).
    """
    q, e1, e2 = p - a, b - a, c - a
    qq, g11, g12, g22, d1, d2 = (
        dot_columns(x, y) for x, y in ((q, q), (e1, e1), (e1, e2), (e2, e2), (q, e1), (q, e2))
    )
    area = g11 * g22 - g12 * g12
    v, w = (g22 * d1 - g12 * d2) / area, (g11 * d2 - g12 * d1) / area
    inside = (v > 0.0) & (w > 0.0) & (v + w < 1.0)
    on_ab, on_ac = _clipped(d1 / g11), _clipped(d2 / g22)
    on_bc = _clipped((d2 - d1 + g11 - g12) / (g11 - 2.0 * g12 + g22))
    best = on_ab * (on_ab * g11 - 2.0 * d1)
    edge_v, edge_w = on_ab, np.zeros_like(on_ab)
    for x, y in ((np.zeros_like(on_ac), on_ac), (1.0 - on_bc, on_bc)):
        value = x * (x * g11 - 2.0 * d1) + y * (y * g22 - 2.0 * d2) + 2.0 * x * y * g12
        nearer = value < best
        best = np.where(nearer, value, best)
        edge_v, edge_w = np.where(nearer, x, edge_v), np.where(nearer, y, edge_w)
    move = np.where(inside, v, edge_v) * e1 + np.where(inside, w, edge_w) * e2
    r = q - move
    rr = dot_columns(r, r)
    distance = np.sqrt(rr)
    first = dot_columns(r, q) - np.maximum(np.maximum(dot_columns(r, e1), dot_columns(r, e2)), 0.0)
    pad = ROUNDING * (np.sqrt(qq) + np.sqrt(g11) + np.sqrt(g22)) + FLOOR
    # fmin and fmax drop NaN: what over- or underflowed bounds nothing.
    lower = np.fmax(np.where(rr > FLOOR * FLOOR, first / distance, 0.0) - pad, 0.0)
    return lower, np.fmin(distance + pad, np.inf), move


def closest(p: FloatArray, corners: FloatArray) -> tuple[Pair[FloatArray], FloatArray, FloatArray]:
    """Distances of points (N, 3) from triangles (N, 3, 3), and where they are nearest; all finite.

    The result does not depend on the order of the corners, nor, where an edge or corner is
    nearest, on the triangle that it is part of. Distances (N,) are rounded to 2**-82 of themselves,
    so that what is equally near is equal. Places are weights of the corners (N, 3), 0 or more with
    the sum 1, and points (N, 3).
    """
    order = np.lexsort(corners.transpose(2, 0, 1)[::-1])
    corners = np.take_along_axis(corners, order[:, :, None], axis=1)
    distance, weights = _closest(columns(p), columns(corners))
    # Start at the corner with the largest weight: a corner is then exact, an edge nearly so.
    rows = np.arange(len(p))
    near = corners[rows, weights.argmax(axis=0)]
    move = (corners - near[:, None]) * weights.T[:, :, None]
    place = near + ((move[:, 0] + move[:, 1]) + move[:, 2])
    result = np.empty_like(place)
    np.put_along_axis(result, order, weights.T, axis=1)
    return distance, result, place


def _closest(p: Column3, corners: Column3) -> tuple[Pair[FloatArray], FloatArray]:
    """Distances (N,) and weights (3, N) for columns of points (N,) and corners (3, N)."""
    ways = exact_difference(p, corners)
    away = power_of_two(largest(ways[0]).max(axis=0))
    q = exact.shrunk(ways, away)
    edges = exact_difference(_rows(corners, _ENDS), _rows(corners, _STARTS))
    sizes = power_of_two(largest(edges[0]))
    edges = exact.shrunk(edges, sizes)
    starts, ends = _pair_rows(q, _STARTS), _pair_rows(q, _ENDS)
    moments, lengths = pair_cross(edges, starts), pair_length(edges)
    # Where the angle at an end of an edge is obtuse, that end is nearest.
    after, before = exact.along(edges, starts), -exact.along(edges, ends)
    share = np.where(before <= 0.0, 1.0, after / (after + before))
    share = np.where(after <= 0.0, 0.0, share)
    high, low = exact.rounded(pair_length(q))
    on_edge = exact.edge_distance(moments, lengths)
    on_edge = _chosen(before <= 0.0, (high[_ENDS], low[_ENDS]), on_edge)
    on_edge = _chosen(after <= 0.0, (high[_STARTS], low[_STARTS]), on_edge)
    weights_on_edge = np.zeros((3, *share.shape))
    weights_on_edge[_EDGES, _STARTS], weights_on_edge[_EDGES, _ENDS] = 1.0 - share, share
    distance, weights = _part(on_edge, 0), weights_on_edge[0]
    for k in (1, 2):
        nearer = exact.less(_part(on_edge, k), distance)
        distance = _chosen(nearer, _part(on_edge, k), distance)
        weights = np.where(nearer, weights_on_edge[k], weights)
    first, second = _pair_rows(edges, 0), _pair_rows(edges, 1)
    normal = pair_cross(first, second)
    area = pair_length(normal)
    sound = area[0] > THIN * (lengths[0][0] * lengths[0][1])
    sides = np.array(exact.sides_of(_three(exact.along(moments, normal)), _three(sizes)))
    total = (sides[0] + sides[1]) + sides[2]
    inside = sound & (sides > INSIDE * total).all(axis=0) & (total > 0.0)
    from_plane = exact.plane_distance(_pair_rows(q, 0), normal, area)
    distance = _chosen(inside, from_plane, distance)
    return (distance[0] * away, distance[1] * away), np.where(inside, sides / total, weights)


def _three(rows: FloatArray) -> Column3:
    return rows[0], rows[1], rows[2]


def _rows(a: Column3, rows: Rows) -> Column3:
    return a[0][rows], a[1][rows], a[2][rows]


def _pair_rows(a: PairVector[FloatArray], rows: Rows) -> PairVector[FloatArray]:
    return _rows(a[0], rows), _rows(a[1], rows)


def _part(a: Pair[FloatArray], k: int) -> Pair[FloatArray]:
    return a[0][k], a[1][k]


def _clipped(x: FloatArray) -> FloatArray:
    """Clamp numbers to 0 ... 1; NaN may become any of these."""
    return np.fmax(np.fmin(x, 1.0), 0.0)


def _chosen(condition: BoolArray, a: Pair[FloatArray], b: Pair[FloatArray]) -> Pair[FloatArray]:
    return np.where(condition, a[0], b[0]), np.where(condition, a[1], b[1])
