# SPDX-License-Identifier: MIT
"""Ray-triangle test 1: meet the triangle's plane, then find the point's parametric coordinates."""

from __future__ import annotations

from typing import Any

from ..arguments import Cull
from ..arrays import EPS, BoolArray, FloatArray, area_normal, cross, dot, length
from ..ray import Ray
from ._shared import TriangleHit, TriangleHits, cast_many, cast_one


def plane_parametric(ray: Ray, a: Any, b: Any, c: Any, cull: Cull = None) -> TriangleHit | None:
    """Test one ray against one triangle by the plane and parametric coordinates.

    With u = B - A, v = C - A and n = u x v the ray meets the plane at
    t = n.(A - origin) / (n.direction); with w = P - A, the coordinates of P along u and v are

        s = ((u.v)(w.v) - (v.v)(w.u)) / D,  t = ((u.v)(w.u) - (u.u)(w.v)) / D,
        D = (u.v)^2 - (u.u)(v.v),

    and P is inside where s >= 0, t >= 0 and s + t <= 1. The numerators and D are evaluated as
    -n.(w x v), -n.(u x w) and -n.n, to which they are equal (Binet-Cauchy), since the dot products
    cancel on slivers. A triangle is degenerate, or parallel to the ray, where rounding alone
    could give its n, or its n.direction; both are compared with the lengths of the edges, so
    that no scale is preferred.

    Parameters
    ----------
    ray : Ray
    a, b, c : array_like (3,)
        Corners, in the space of the ray.
    cull : {None, "back", "front"}
        Which side is not hit; the front is where a, b, c run counter-clockwise.

    Returns
    -------
    TriangleHit or None
        t is the distance along the ray, u and v weigh b and c. Borders count as inside.
    """
    return cast_one(plane_parametric_many, ray, a, b, c, cull)


def plane_parametric_many(
    origins: Any, directions: Any, a: Any, b: Any, c: Any, cull: Cull = None
) -> TriangleHits:
    """:func:`plane_parametric` for rays and triangles (..., 3) that broadcast; arrays (...)."""
    return cast_many(_kernel, origins, directions, a, b, c, cull)


def _kernel(
    start: FloatArray, direction: FloatArray, u: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray, BoolArray]:
    n, sound = area_normal(u, v)
    slope = dot(n, direction)
    sound &= abs(slope) > 4 * EPS * length(n)
    distance = -dot(n, start) / slope
    w = start + distance[:, None] * direction
    nn = dot(n, n)
    s = dot(n, cross(w, v)) / nn
    t = dot(n, cross(u, w)) / nn
    return distance, s, t, sound & (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0), slope < 0.0
