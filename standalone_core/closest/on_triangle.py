# SPDX-License-Identifier: MIT
"""The point of a triangle that is nearest to a point: fast with bounds, and to the last digits.

:func:`estimated` does most of the work in float64. It finds some point of the triangle near the
nearest one, and how far off that can be at most, so that it may be trusted for any input.
:func:`closest` decides between the few remaining triangles, with twice the digits of float64.
"""

from typing import Any

import numpy as np

from ..numerics import double_double
from ..numerics.arrays import EPS, BoolArray, FloatArray, dot_columns, power_of_two
from ..numerics.double_double import determinant2, two_difference, two_product, two_sum

Pair = double_double.Pair[FloatArray]
"""Numbers high + low; vectors have their components on the first axis."""

# The edges between corners 0, 1, 2: from the lower to the higher.
_EDGES, _STARTS, _ENDS = [0, 1, 2], [0, 0, 1], [1, 2, 2]

# Rounding errors of `estimated`, relative to the terms that are added up; and what underflows.
_ROUNDING = 16 * EPS
_FLOOR = 1e-150

# Triangles with a smaller sine of an angle are as their edges: their normal has few digits even
# here, and their inside is no further from the edges than float64 rounds.
_THIN = 2.0**-50

# Points are over the inside of a triangle where all weights are more than this: more than the error
# of the weights of ordinary triangles, so that points over an edge are recognized.
_INSIDE = 2.0**-85


def estimated(
    p: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bounds of the distances from points to triangles; all arguments are finite, (3, N).

    A place x on the triangle is found by the normal equations, or on the nearest edge (compare
    Ericson, "Real-Time Collision Detection", 2005, 5.1.5). Its distance is an upper bound. With
    r = p - x, the plane across r through the nearest of the corners is a lower one: no part of the
    triangle is before it. However x was found, both are right, and they meet where x is the
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
    pad = _ROUNDING * (np.sqrt(qq) + np.sqrt(g11) + np.sqrt(g22)) + _FLOOR
    # fmin and fmax drop NaN: what over- or underflowed bounds nothing.
    lower = np.fmax(np.where(rr > _FLOOR * _FLOOR, first / distance, 0.0) - pad, 0.0)
    return lower, np.fmin(distance + pad, np.inf), move


def closest(p: FloatArray, corners: FloatArray) -> tuple[Pair, FloatArray, FloatArray]:
    """Distances of points (N, 3) from triangles (N, 3, 3), and where they are nearest; all finite.

    The result does not depend on the order of the corners, nor, where an edge or corner is
    nearest, on the triangle that it is part of. Distances (N,) are rounded to 2**-82 of themselves,
    so that what is equally near is equal. Places are weights of the corners (N, 3), 0 or more with
    the sum 1, and points (N, 3).
    """
    order = np.lexsort(corners.transpose(2, 0, 1)[::-1])
    corners = np.take_along_axis(corners, order[:, :, None], axis=1)
    columns = np.ascontiguousarray(corners.transpose(2, 1, 0))
    distance, weights = _closest(np.ascontiguousarray(p.T)[:, None], columns)
    # From the corner with the largest weight: a corner is itself, and an edge is as good as exact.
    rows = np.arange(len(p))
    near = corners[rows, weights.argmax(axis=0)]
    move = (corners - near[:, None]) * weights.T[:, :, None]
    place = near + ((move[:, 0] + move[:, 1]) + move[:, 2])
    result = np.empty_like(place)
    np.put_along_axis(result, order, weights.T, axis=1)
    return distance, result, place


def less(a: Pair, b: Pair) -> BoolArray:
    """Whether numbers are less than others."""
    result: BoolArray = (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
    return result


def _closest(p: FloatArray, corners: FloatArray) -> tuple[Pair, FloatArray]:
    """Distances (N,) and weights (3, N); p is (3, 1, N), corners are (xyz, corner, N)."""
    q, away = _scaled(two_difference(p, corners), (0, 1))
    edge, size = _scaled(two_difference(corners[:, _ENDS], corners[:, _STARTS]), (0,))
    starts, ends = _part(q, np.s_[:, _STARTS]), _part(q, np.s_[:, _ENDS])
    moment = _pair_cross(edge, starts)
    # Where the angle at an end of an edge is obtuse, that end is nearest.
    after, before = np.add(*_pair_dot(starts, edge)), -np.add(*_pair_dot(ends, edge))
    share = np.where(before <= 0.0, 1.0, after / (after + before))
    share = np.where(after <= 0.0, 0.0, share)
    length, from_corner = _length(edge), _length(q)
    from_edge = _rounded(_quotient(_length(moment), length))
    from_edge = _chosen(before <= 0.0, _rounded(_part(from_corner, _ENDS)), from_edge)
    from_edge = _chosen(after <= 0.0, _rounded(_part(from_corner, _STARTS)), from_edge)
    weights_on_edge = np.zeros((3, *share.shape))
    weights_on_edge[_EDGES, _STARTS], weights_on_edge[_EDGES, _ENDS] = 1.0 - share, share
    distance, weights = _part(from_edge, 0), weights_on_edge[0]
    for k in (1, 2):
        nearer = less(_part(from_edge, k), distance)
        distance = _chosen(nearer, _part(from_edge, k), distance)
        weights = np.where(nearer, weights_on_edge[k], weights)
    inside, from_plane, areas = _over_face(_part(q, np.s_[:, 0]), edge, length, moment, size)
    distance = _chosen(inside, from_plane, distance)
    return (distance[0] * away, distance[1] * away), np.where(inside, areas, weights)


def _over_face(
    q: Pair, edge: Pair, length: Pair, moment: Pair, size: FloatArray
) -> tuple[BoolArray, Pair, FloatArray]:
    """Whether points are over the inside of triangles (N,), distance (N,) and weights (3, N).

    The weights are the areas between a point and the edges, over the sum of the three.
    """
    normal = _pair_cross(_part(edge, np.s_[:, 0]), _part(edge, np.s_[:, 1]))
    area = _length(normal)
    sound = area[0] > _THIN * (length[0][0] * length[0][1])
    high, low = _quotient(_pair_dot(q, normal), area)
    from_plane = _rounded((np.abs(high), np.where(high < 0.0, -low, low)))
    sides = np.add(*_pair_dot(_part(normal, np.s_[:, None]), moment))
    sides = sides[[2, 1, 0]] * (size / size.max(axis=0))[[2, 1, 0]]
    sides[1] = -sides[1]
    total = (sides[0] + sides[1]) + sides[2]
    inside = sound & (sides > _INSIDE * total).all(axis=0) & (total > 0.0)
    return inside, from_plane, sides / total


def _clipped(x: FloatArray) -> FloatArray:
    """Numbers brought to 0 ... 1; any of these for NaN."""
    return np.fmax(np.fmin(x, 1.0), 0.0)


def _part(a: Pair, index: Any) -> Pair:
    return a[0][index], a[1][index]


def _chosen(condition: BoolArray, a: Pair, b: Pair) -> Pair:
    return np.where(condition, a[0], b[0]), np.where(condition, a[1], b[1])


def _rounded(a: Pair) -> Pair:
    """Numbers rounded to 82 binary digits, which are free of rounding errors."""
    high, low = two_sum(*a)
    step = power_of_two(high) * 2.0**-82
    return high, np.rint(low / step) * step


def _scaled(a: Pair, axes: tuple[int, ...]) -> tuple[Pair, FloatArray]:
    """Vectors divided by powers of two that are common along `axes`, and these."""
    size = power_of_two(np.abs(a[0]).max(axis=axes))
    return (a[0] / size, a[1] / size), size


def _pair_dot(a: Pair, b: Pair) -> Pair:
    high, low = two_product(a[0], b[0])
    low = low + (a[0] * b[1] + a[1] * b[0])
    total, first = two_sum(high[0], high[1])
    total, second = two_sum(total, high[2])
    return two_sum(total, (first + second) + ((low[0] + low[1]) + low[2]))


def _pair_cross(a: Pair, b: Pair) -> Pair:
    """a x b; `determinant2` may leave more in the low part than in the high one."""
    i, j = [1, 2, 0], [2, 0, 1]
    high, low = determinant2(*((x[0][k], x[1][k]) for x in (a, b) for k in (i, j)))[:2]
    return two_sum(high, low)


def _length(a: Pair) -> Pair:
    """Lengths of vectors, without over- or underflow on the way."""
    scaled, size = _scaled(a, (0,))
    square = _pair_dot(scaled, scaled)
    root = np.sqrt(square[0])
    high, low = two_product(root, root)
    low = (((square[0] - high) - low) + square[1]) / (2.0 * root)
    return root * size, np.where(root > 0.0, low, 0.0) * size


def _quotient(a: Pair, b: Pair) -> Pair:
    """a / b; NaN where b is 0."""
    result = a[0] / b[0]
    high, low = two_product(result, b[0])
    return result, (((a[0] - high) - low) + a[1] - result * b[1]) / b[0]
