# SPDX-License-Identifier: MIT
"""Ray-triangle tests 2 and 3: Moeller-Trumbore, two-sided and culled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import Cull
from ..arrays import EPS, BoolArray, FloatArray, cross, dot, length
from ..ray import Ray
from ._shared import TriangleHit, TriangleHits, cast_many, cast_one


def moller_trumbore(ray: Ray, a: Any, b: Any, c: Any, cull: Cull = None) -> TriangleHit | None:
    """Test one ray against one triangle by Moeller and Trumbore (1997).

    With e1 = B - A, e2 = C - A, s = origin - A, p = direction x e2 and q = s x e1:
    det = e1.p, t = e2.q / det, u = s.p / det, v = direction.q / det. The sign of det is folded
    into the numerators and the division put off to the end. The ray is parallel to the triangle,
    or the triangle degenerate, where rounding alone could give det.

    Parameters
    ----------
    ray : Ray
    a, b, c : array_like (3,)
        Corners, in the space of the ray.
    cull : {None, "back", "front"}
        Which side is not hit; None is the two-sided test. The front is where a, b, c run
        counter-clockwise (det > 0).

    Returns
    -------
    TriangleHit or None
        t is the distance along the ray, u and v weigh b and c. Borders count as inside.
    """
    return cast_one(moller_trumbore_many, ray, a, b, c, cull)


def moller_trumbore_many(
    origins: Any, directions: Any, a: Any, b: Any, c: Any, cull: Cull = None
) -> TriangleHits:
    """:func:`moller_trumbore` for rays and triangles (..., 3) that broadcast; arrays (...)."""
    return cast_many(_kernel, origins, directions, a, b, c, cull)


def _kernel(
    start: FloatArray, direction: FloatArray, edge1: FloatArray, edge2: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray, BoolArray]:
    p = cross(direction, edge2)
    q = cross(start, edge1)
    det = dot(edge1, p)
    front = det > 0.0
    sign = np.where(front, 1.0, -1.0)
    size = det * sign
    u = dot(start, p) * sign
    v = dot(direction, q) * sign
    t = dot(edge2, q) * sign
    sound = size > 4 * EPS * length(edge1) * length(edge2)
    inside = sound & (u >= 0.0) & (v >= 0.0) & (u + v <= size)
    return t / size, u / size, v / size, inside, front
