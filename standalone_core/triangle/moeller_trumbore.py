# SPDX-License-Identifier: MIT
"""Ray-triangle tests 2 and 3: Moeller-Trumbore, two-sided and culled."""

from __future__ import annotations

import numpy as np

from ..arguments import Cull
from ..numerics import vectors
from ..numerics.arrays import EPS, length
from ..numerics.double_double import Number
from ..numerics.ray_triangle import Column3, Point, Vector, cross3, dot3
from ..ray import Ray
from ..types import Reals
from ._tests import RAY, Formula, Limits, Solved, SolvedMany
from .hits import TriangleHit

_CLEAR, _LEAST = 1e-24, 1e-240
"""A determinant is clearly more than rounding if its square exceeds _CLEAR times the squares of the
edges, and that product exceeds _LEAST, so nothing underflows. This test saves two square roots."""


def moller_trumbore(
    ray: Ray, a: Reals, b: Reals, c: Reals, cull: Cull = None, limits: Limits = RAY
) -> TriangleHit | None:
    """Test one ray against one triangle by Moeller and Trumbore (1997).

    With e1 = B - A, e2 = C - A, s = origin - A, p = direction x e2 and q = s x e1:
    det = e1.p, t = e2.q / det, u = s.p / det, v = direction.q / det. The sign of det is folded
    into the numerators and the division comes last. If rounding alone could give det, the ray
    counts as parallel to the triangle, or the triangle as degenerate.

    Parameters and result are those of :func:`watertight`, but borders count as inside.

    Examples
    --------
    >>> moller_trumbore(Ray((1, 1, 5), (0, 0, -1)), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    TriangleHit(t=5, u=0.25, v=0.25, point=(1, 1, 0), front=True)
    """
    return _TEST.ray(ray, a, b, c, cull, limits)


def _determinants(
    start: Vector[Number], direction: Vector[Number], edge1: Vector[Number], edge2: Vector[Number]
) -> tuple[Number, Number, Number, Number]:
    """det, and t, u and v times det."""
    p = cross3(direction, edge2)
    q = cross3(start, edge1)
    return dot3(edge1, p), dot3(edge2, q), dot3(start, p), dot3(direction, q)


def _solve(start: Point, direction: Point, edge1: Point, edge2: Point) -> Solved:
    det, t, u, v = _determinants(start, direction, edge1, edge2)
    front = det > 0.0
    if not front:
        det, t, u, v = -det, -t, -u, -v
    if not (u >= 0.0 and v >= 0.0 and u + v <= det):
        return None
    clear = _CLEAR * dot3(edge1, edge1) * dot3(edge2, edge2)
    is_clear = det * det > clear > _LEAST
    if not is_clear and not det > 4 * EPS * vectors.length(edge1) * vectors.length(edge2):
        return None
    return t / det, u / det, v / det, front


def _solve_many(start: Column3, direction: Column3, edge1: Column3, edge2: Column3) -> SolvedMany:
    det, t, u, v = _determinants(start, direction, edge1, edge2)
    front = det > 0.0
    det, t, u, v = (np.where(front, x, -x) for x in (det, t, u, v))
    sound = det > 4 * EPS * length(np.stack(edge1, axis=-1)) * length(np.stack(edge2, axis=-1))
    inside = sound & (u >= 0.0) & (v >= 0.0) & (u + v <= det)
    return inside, t / det, u / det, v / det, front


_TEST = Formula(_solve, _solve_many)
moller_trumbore_many = _TEST.many
moller_trumbore_segment = _TEST.segment
moller_trumbore_segments = _TEST.segments
