# SPDX-License-Identifier: MIT
"""The formulas of the ray-triangle test, for every engine: sides of edges, then the crossing.

A ray goes through a triangle where it is on the same side of all three edges. The side of an edge
p, q is the sign of det[d, p - o, q - o]. Neighbours share the edge: as the sign is always exact, no
ray slips between two triangles or hits both, and none hits a triangle without area. The sign is
found in three steps, each for the cases that the step before could not decide (Shewchuk, "Adaptive
precision floating-point arithmetic and fast robust geometric predicates", 1997): float64 with a
bound of its error, twice the digits (:func:`edge_side`), and integers (:mod:`.rational`), which
also break ties.

Where a triangle is hit, distance and weights solve three linear equations. The solution in
float64 is refined by residuals with twice the digits (Wilkinson; Higham, "Accuracy and stability
of numerical algorithms", ch. 12) until they are right to the last digits, whatever the shape of
the triangle and however far away it is.

Vectors are tuples (x, y, z) of floats or of arrays (N,), in one space. Both give the same bits, see
:mod:`.double_double`; :func:`side_of_edge` and :func:`solve` are for floats alone.
"""

from typing import Any

import numpy as np

from .arrays import EPS, FloatArray, IntArray
from .double_double import Number, determinant2, two_difference, two_product, two_sum

Vector = tuple[Number, Number, Number]
Point = Vector[float]
"""Three plain floats: a place, but also a direction, a normal or weights."""

Column3 = Vector[FloatArray]

Equations = tuple[Vector[Number], ...]
"""The direction d, then s = a - o and the edges e1 = b - a and e2 = c - a, each followed by its
rounding errors; last the normal e1 x e2, right to the last digits."""

SIDE_MARGIN = 32 * EPS
"""An edge function of sheared coordinates has a sure sign if its size exceeds this, times the
largest coordinate of a corner across the ray, times the largest coordinate of a corner (both
relative to the ray's origin)."""

SIDE_FLOOR = 1e-250
"""A sure edge function must exceed this too: products may underflow."""

ORDINARY = 1e40
"""Triangles larger than this, or smaller than its inverse, are left to :mod:`.rational`."""

FIRST_STEP, LAST_STEP = 2.0**-30, 2.0**-50
"""A solution is done when its first correction, or any later one, is this small: relative for t,
absolute for the weights."""

STEEP, FLAT = 2.0**-24, 2.0**-42
"""Determinants relative to the sizes of their rows. Below the first, the size of the first
correction does not tell how good a solution is; below the second no correction does, and the
solution is left to :mod:`.rational`."""

DISTANT = 2.0**-46
"""Rounding error of a residual relative to its terms, counted in last digits of a weight. A
triangle is left to :mod:`.rational` unless its slope, abs(d . normal), exceeds this, times the size
of d, times the larger edge, times the sum of that edge and the distance of a from the origin."""

BEGIN = 2.0**-97
"""Rounding error of a residual relative to its terms. If it could change the sign of t,
:mod:`.rational` decides whether the ray begins before, on or behind the triangle."""

MAX_STEPS = 6
"""Corrections before a solution is left to :mod:`.rational`."""

TINY = 1.0 / ORDINARY

SIDE_CEILING = 1e270
"""The bound of a sure edge function must not exceed this: products may overflow."""

PAIR_ERROR = 32 * EPS
"""Bound of the error of a sum of pairs, relative to the sizes of the terms of their low parts."""

LEAST = 1e-90
"""Products of three numbers larger than this, and their errors, do not underflow."""

# Columns: the frames of directions whose largest component is +x, +y, +z, -x, -y or -z.
_FRAMES = np.array([[1, 2, 0, 2, 0, 1], [2, 0, 1, 1, 2, 0], [0, 1, 2, 0, 1, 2]])


def edge_side(
    o: Vector[Number], d: Vector[Number], p: Vector[Number], q: Vector[Number]
) -> tuple[Number, Number]:
    """det[d, p - o, q - o] with twice the digits, and a bound of its error.

    The sign is right where the value exceeds the bound plus SIDE_FLOOR. If value and bound are 0,
    the determinant is exactly 0, unless an input number is smaller than LEAST.
    """
    px, py, pz = two_difference(p[0], o[0]), two_difference(p[1], o[1]), two_difference(p[2], o[2])
    qx, qy, qz = two_difference(q[0], o[0]), two_difference(q[1], o[1]), two_difference(q[2], o[2])
    x, x_low, x_size = determinant2(py, pz, qy, qz)
    y, y_low, y_size = determinant2(pz, px, qz, qx)
    z, z_low, z_size = determinant2(px, py, qx, qy)
    x, x_error = two_product(d[0], x)
    y, y_error = two_product(d[1], y)
    z, z_error = two_product(d[2], z)
    total, first = two_sum(x, y)
    total, second = two_sum(total, z)
    low = (x_error + d[0] * x_low) + (y_error + d[1] * y_low) + (z_error + d[2] * z_low)
    size = (
        (abs(x_error) + abs(d[0]) * x_size)
        + (abs(y_error) + abs(d[1]) * y_size)
        + (abs(z_error) + abs(d[2]) * z_size)
        + (abs(first) + abs(second))
    )
    return total + (low + (first + second)), PAIR_ERROR * size


def tie_sides(
    d: Vector[Number], p: Vector[Number], q: Vector[Number]
) -> tuple[Number, Number, Number, Number]:
    """The side of an edge p, q whose line the ray meets: the sign of the first value that is not 0.

    The ray counts as moved by (e, e^2) across its direction, for an infinitely small e > 0
    (simulation of simplicity, Edelsbrunner and Muecke 1990). Each value is followed by the bound of
    its error, as in :func:`edge_side`; both are 0 for an edge along the ray. Components are in the
    order of the ray's frame, see :func:`frame_of`.
    """
    ex, ey, ez = two_difference(p[0], q[0]), two_difference(p[1], q[1]), two_difference(p[2], q[2])
    dx, dy, dz = (d[0], 0.0 * d[0]), (d[1], 0.0 * d[1]), (d[2], 0.0 * d[2])
    first, first_low, first_size = determinant2(ey, dy, ez, dz)
    second, second_low, second_size = determinant2(dx, ex, dz, ez)
    return (
        (first + first_low) * d[2],
        PAIR_ERROR * first_size * abs(d[2]),
        (second + second_low) * d[2],
        PAIR_ERROR * second_size * abs(d[2]),
    )


def equations(
    o: Vector[Number], d: Vector[Number], a: Vector[Number], b: Vector[Number], c: Vector[Number]
) -> Equations[Number]:
    """The terms of t d = s + v e1 + w e2."""
    sx, sy, sz = two_difference(a[0], o[0]), two_difference(a[1], o[1]), two_difference(a[2], o[2])
    ux, uy, uz = two_difference(b[0], a[0]), two_difference(b[1], a[1]), two_difference(b[2], a[2])
    vx, vy, vz = two_difference(c[0], a[0]), two_difference(c[1], a[1]), two_difference(c[2], a[2])
    x, x_low, _ = determinant2(uy, uz, vy, vz)
    y, y_low, _ = determinant2(uz, ux, vz, vx)
    z, z_low, _ = determinant2(ux, uy, vx, vy)
    return (
        d,
        (sx[0], sy[0], sz[0]),
        (sx[1], sy[1], sz[1]),
        (ux[0], uy[0], uz[0]),
        (ux[1], uy[1], uz[1]),
        (vx[0], vy[0], vz[0]),
        (vx[1], vy[1], vz[1]),
        (x + x_low, y + y_low, z + z_low),
    )


def own_normal(
    a: Vector[Number], b: Vector[Number], c: Vector[Number]
) -> tuple[Vector[Number], Any]:
    """The normal e1 x e2 of a triangle as :func:`equations` has it, and whether that is good.

    It is right to the last digits unless numbers are tiny or huge, or the triangle is so thin that
    twice the digits do not make up for what cancels. Every hit on a triangle of which it is right
    has this normal, whatever finds the hit, as it is right where :func:`solve` is done: with the
    largest components D, E1, E2 and N of d, e1, e2 and n, the slope is at most 3 D N, so that solve
    needs N > FLAT E1 E2 / 3. Sums of components are up to three times as large.
    """
    _, _, _, e1, _, e2, _, normal = equations(a, a, a, b, c)
    size1, size2, size = _sum_of_sizes(e1), _sum_of_sizes(e2), _sum_of_sizes(normal)
    is_good = (size1 < 4.0 * ORDINARY) & (size2 < 4.0 * ORDINARY) & (size > LEAST)
    is_good = is_good & (size > FLAT / 32.0 * size1 * size2) & is_common(e1) & is_common(e2)
    return normal, is_good


def _sum_of_sizes(v: Vector[Number]) -> Number:
    return abs(v[0]) + abs(v[1]) + abs(v[2])


def is_common(v: Vector[Number]) -> Any:
    """Whether each component is 0 or at least LEAST in size."""
    x, y, z = abs(v[0]), abs(v[1]), abs(v[2])
    return ((x >= LEAST) | (x == 0.0)) & ((y >= LEAST) | (y == 0.0)) & ((z >= LEAST) | (z == 0.0))


def cross3(a: Vector[Number], b: Vector[Number]) -> Vector[Number]:
    """a x b in float64."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot3(a: Vector[Number], b: Vector[Number]) -> Number:
    """a . b in float64."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def solution(known: Equations[Number], s: Vector[Number]) -> tuple[Number, Number, Number]:
    """t, v, w of t d = s + v e1 + w e2 by Cramer's rule in float64; d . normal must not be 0."""
    d, _, _, e1, _, e2, _, normal = known
    slope = dot3(d, normal)
    return (dot3(s, normal) / slope, dot3(s, cross3(d, e2)) / slope, dot3(s, cross3(e1, d)) / slope)


def residual(known: Equations[Number], axis: int, t: Number, v: Number, w: Number) -> Number:
    """One component of s + v e1 + w e2 - t d, summed with twice the digits."""
    d, s, s_low, e1, e1_low, e2, e2_low, _ = known
    p, p_error = two_product(t, d[axis])
    q, q_error = two_product(v, e1[axis])
    r, r_error = two_product(w, e2[axis])
    total, first = two_difference(s[axis], p)
    total, second = two_sum(total, q)
    total, third = two_sum(total, r)
    errors = (first + second + third) + (s_low[axis] - p_error) + (q_error + r_error)
    return total + (errors + (v * e1_low[axis] + w * e2_low[axis]))


def correction(
    known: Equations[Number], t: Number, v: Number, w: Number
) -> tuple[Number, Number, Number]:
    """The corrections of t, v and w."""
    x, y, z = residual(known, 0, t, v, w), residual(known, 1, t, v, w), residual(known, 2, t, v, w)
    return solution(known, (x, y, z))


def point_on(
    a: Vector[Number], e1: Vector[Number], e2: Vector[Number], v: Number, w: Number
) -> Vector[Number]:
    """a + v e1 + w e2."""
    return (
        a[0] + (v * e1[0] + w * e2[0]),
        a[1] + (v * e1[1] + w * e2[1]),
        a[2] + (v * e1[2] + w * e2[2]),
    )


def place_on(
    a: Point, b: Point, c: Point, e1: Point, e2: Point, v: float, w: float
) -> Vector[float]:
    """:func:`point_on`, from b or c on where all the weight is there: a + e1 is rounded."""
    if v == 1.0:
        return b[0] + w * e2[0] + 0.0, b[1] + w * e2[1] + 0.0, b[2] + w * e2[2] + 0.0
    if w == 1.0:
        return c[0] + v * e1[0] + 0.0, c[1] + v * e1[1] + 0.0, c[2] + v * e1[2] + 0.0
    return point_on(a, e1, e2, v, w)


def side_of_edge(
    o: Point, d: Point, p: Point, q: Point, frame: tuple[int, int, int]
) -> tuple[float, bool]:
    """The side of an edge on which the ray passes, 1 or -1 (0: parallel), and whether it is sure.

    If not, :mod:`.rational` decides.
    """
    value, bound = edge_side(o, d, p, q)
    if abs(value) > bound + SIDE_FLOOR:
        return (1.0 if value > 0.0 else -1.0), True
    if value != 0.0 or bound != 0.0:
        return 0.0, False
    for i in range(3):
        for end in (p, q):
            high, low = two_difference(end[i], o[i])
            if 0.0 < abs(high) < LEAST or 0.0 < abs(low) < LEAST:
                return 0.0, False
    return tied_side(d, p, q, frame)


def tied_side(d: Point, p: Point, q: Point, frame: tuple[int, int, int]) -> tuple[float, bool]:
    """:func:`side_of_edge` for a ray that meets the edge's line."""
    for i in range(3):
        high, low = two_difference(p[i], q[i])
        for number in (d[i], high, low):
            if number != 0.0 and abs(number) < LEAST:
                return 0.0, False
    x, y, z = frame
    d, p, q = (d[x], d[y], d[z]), (p[x], p[y], p[z]), (q[x], q[y], q[z])
    first, first_bound, second, second_bound = tie_sides(d, p, q)
    if abs(first) > first_bound:
        return (1.0 if first > 0.0 else -1.0), True
    if first != 0.0 or first_bound != 0.0:
        return 0.0, False
    if abs(second) > second_bound:
        return (1.0 if second > 0.0 else -1.0), True
    return 0.0, second == 0.0 and second_bound == 0.0


def solve(
    o: Point, d: Point, a: Point, b: Point, c: Point
) -> tuple[bool, float, float, float, Point, Point]:
    """Where a ray meets a triangle's plane: done, t, v, w, normal (of any length) and point.

    If `done` is False, the rest means nothing, and :mod:`.rational` has to solve it.
    """
    known = equations(o, d, a, b, c)
    _, s, _, e1, _, e2, _, normal = known
    size1, size2 = max(abs(e1[0]), abs(e1[1]), abs(e1[2])), max(abs(e2[0]), abs(e2[1]), abs(e2[2]))
    size = max(size1, size2)
    full = max(abs(d[0]), abs(d[1]), abs(d[2])) * size1 * size2
    slope = abs(dot3(d, normal))
    away = max(abs(s[0]), abs(s[1]), abs(s[2]))
    steep = max(abs(normal[0]), abs(normal[1]), abs(normal[2]))
    common = TINY < size < ORDINARY and away < ORDINARY and steep > LEAST
    for vector in (d, s, e1, e2):
        for number in vector:
            if number != 0.0 and abs(number) < LEAST:
                common = False
    far = max(abs(d[0]), abs(d[1]), abs(d[2])) * size * (away + size)
    if not common or not slope > FLAT * full or not slope > DISTANT * far:
        return False, 0.0, 0.0, 0.0, normal, normal
    t, v, w = solution(known, s)
    for step in range(MAX_STEPS):
        dt, dv, dw = correction(known, t, v, w)
        t, v, w = t + dt, v + dv, w + dw
        enough = FIRST_STEP if step == 0 and slope > STEEP * full else LAST_STEP
        if abs(dt) <= enough * abs(t) and abs(dv) <= enough and abs(dw) <= enough:
            if not abs(t) * slope > BEGIN * (away + size) * size1 * size2:
                break
            v, w = max(v, 0.0) + 0.0, max(w, 0.0) + 0.0
            return True, t, v, w, normal, place_on(a, b, c, e1, e2, v, w)
    return False, 0.0, 0.0, 0.0, normal, normal


def frame_of(direction: Point) -> tuple[int, int, int]:
    """Which components become x, y and z if the ray becomes the z axis.

    The direction's largest component becomes z; if it is negative, x and y are swapped, which
    keeps the triangles' winding.
    """
    x, y, z = abs(direction[0]), abs(direction[1]), abs(direction[2])
    kz = 0 if x >= y and x >= z else (1 if y >= z else 2)
    kx, ky = (kz + 1) % 3, (kz + 2) % 3
    return (ky, kx, kz) if direction[kz] < 0.0 else (kx, ky, kz)


def axes_across(direction: Point) -> FloatArray:
    """A matrix (3, 3) whose columns map points to x and y across a ray, and z along it.

    They shear x and y by z (Woop, Benthin and Wald, "Watertight ray/triangle intersection", JCGT
    2013).
    """
    kx, ky, kz = frame_of(direction)
    z = direction[kz]
    rows = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    rows[kx][0] = rows[ky][1] = 1.0
    rows[kz] = [-direction[kx] / z, -direction[ky] / z, 1.0 if z > 0.0 else -1.0]
    return np.array(rows)


def axes_across_many(directions: FloatArray) -> FloatArray:
    """The x and y axes of :func:`axes_across` for many directions (R, 3), as (R, 2, 3)."""
    rows = np.arange(len(directions))
    kx, ky, kz = frame_of_many(directions)
    axes = np.zeros((len(directions), 2, 3))
    axes[rows, 0, kx] = axes[rows, 1, ky] = 1.0
    axes[rows, 0, kz] = -directions[rows, kx] / directions[rows, kz]
    axes[rows, 1, kz] = -directions[rows, ky] / directions[rows, kz]
    return axes


def frame_of_many(directions: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """:func:`frame_of` for many directions (R, 3), as three (R,)."""
    largest = np.abs(directions).argmax(axis=1)
    negative = np.take_along_axis(directions, largest[:, None], axis=1)[:, 0] < 0.0
    kx, ky, kz = _FRAMES.take(largest + 3 * negative, axis=1)
    return kx, ky, kz
