# SPDX-License-Identifier: MIT
"""Ray-triangle test 1: meet the triangle's plane, then find the point's parametric coordinates."""

from __future__ import annotations

import numpy as np

from ..arguments import Cull
from ..numerics import vectors
from ..numerics.arrays import EPS, area_normal, columns, length
from ..numerics.double_double import Number
from ..numerics.ray_triangle import Column3, Point, Vector, cross3, dot3
from ..ray import Ray
from ..types import Reals
from ._tests import RAY, Formula, Limits, Solved, SolvedMany
from .hits import TriangleHit

_STEEP = 1e-20
"""A slope is clearly more than rounding if its square exceeds this times the normal's square."""


def plane_parametric(
    ray: Ray, a: Reals, b: Reals, c: Reals, cull: Cull = None, limits: Limits = RAY
) -> TriangleHit | None:
    """Test one ray against one triangle by the plane and parametric coordinates.

    With u = B - A, v = C - A and n = u x v the ray meets the plane at
    t = n.(A - origin) / (n.direction); with w = P - A, the coordinates of P along u and v are

        s = ((u.v)(w.v) - (v.v)(w.u)) / D,  t = ((u.v)(w.u) - (u.u)(w.v)) / D,
        D = (u.v)^2 - (u.u)(v.v),

    and P is inside where s >= 0, t >= 0 and s + t <= 1. The numerators and D are evaluated as
    -n.(w x v), -n.(u x w) and -n.n, to which they are equal (Binet-Cauchy), since the dot products
    cancel on slivers. A triangle counts as degenerate if rounding alone could give its n, and as
    parallel to the ray if rounding alone could give n.direction. As n is compared with the lengths
    of the edges, and n.direction with the length of n, scale does not matter.

    Parameters and result are those of :func:`watertight`, but borders count as inside.

    Examples
    --------
    >>> plane_parametric(Ray((1, 1, 5), (0, 0, -1)), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    TriangleHit(t=5, u=0.25, v=0.25, point=(1, 1, 0), front=True)
    """
    return _TEST.ray(ray, a, b, c, cull, limits)


def _place(start: Vector[Number], way: Vector[Number], t: Number) -> Vector[Number]:
    """The point at `t` along a line."""
    return start[0] + t * way[0], start[1] + t * way[1], start[2] + t * way[2]


def _solve(start: Point, direction: Point, u: Point, v: Point) -> Solved:
    n = cross3(u, v)
    slope = dot3(n, direction)
    nn = dot3(n, n)
    if not nn or not vectors.is_area_normal(n, u, v):
        return None
    if not slope * slope > _STEEP * nn and not abs(slope) > 4 * EPS * vectors.length(n):
        return None
    distance = -dot3(n, start) / slope
    w = _place(start, direction, distance)
    s, t = dot3(n, cross3(w, v)) / nn, dot3(n, cross3(u, w)) / nn
    if not (s >= 0.0 and t >= 0.0 and s + t <= 1.0):
        return None
    return distance, s, t, slope < 0.0


def _solve_many(start: Column3, direction: Column3, u: Column3, v: Column3) -> SolvedMany:
    normal, sound = area_normal(np.stack(u, axis=-1), np.stack(v, axis=-1))
    n = columns(normal)
    slope = dot3(n, direction)
    sound &= abs(slope) > 4 * EPS * length(normal)
    distance = -dot3(n, start) / slope
    nn = dot3(n, n)
    w = _place(start, direction, distance)
    s, t = dot3(n, cross3(w, v)) / nn, dot3(n, cross3(u, w)) / nn
    inside = sound & (nn > 0.0) & (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
    return inside, distance, s, t, slope < 0.0


_TEST = Formula(_solve, _solve_many)
plane_parametric_many = _TEST.many
plane_parametric_segment = _TEST.segment
plane_parametric_segments = _TEST.segments
