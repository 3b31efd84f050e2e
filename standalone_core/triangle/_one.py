# SPDX-License-Identifier: MIT
"""One ray or segment against one triangle in plain floats, for the tests in float64.

The triangle is moved to its first corner and divided by a power of two near its size, which rounds
nothing more and lets a test compare with 1. :mod:`._many` does the same with columns, in the same
order, so that the answers have the same bits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import arguments
from ..arguments import Cull
from ..numerics.ray_triangle import Vector, point_on
from ..numerics.vectors import difference, is_finite, largest, power_of_two
from ..ray import Ray
from .hits import TriangleHit
from .limits import Limits, read_limits

SHRINK = 2.0**-8
"""Brings points that are finite to where their differences are finite too."""

LEAST_BEHIND = -5e-324
"""What a negative t becomes that is too small for float64: it stays behind the origin."""

Solved = tuple[float, float, float, bool] | None

Solve = Callable[[Vector[float], Vector[float], Vector[float], Vector[float]], Solved]
"""(origin - a, direction of order 1, b - a, c - a) -> t, u, v, front, or None for no hit."""

Corners = tuple[Vector[float], Vector[float], Vector[float]]


def read_corners(a: Any, b: Any, c: Any) -> Corners:
    """The corners of one triangle, in plain floats."""
    read = arguments.three_floats
    return read(a, "a"), read(b, "b"), read(c, "c")


def cast_ray(
    solve: Solve, ray: Ray, a: Any, b: Any, c: Any, cull: Cull, limits: Limits
) -> TriangleHit | None:
    """The hit of a ray within the limits, by its unit direction."""
    if type(ray) is not Ray:
        arguments.instance_of(ray, Ray, "ray")
    sign = arguments.cull_sign(cull)
    least, most = read_limits(limits)
    x, y, z = ray.direction.tolist()
    ox, oy, oz = ray.origin.tolist()
    corners = read_corners(a, b, c)
    return _cast(solve, (ox, oy, oz), (x, y, z), corners, 1.0, 1.0, sign, least, most)


def cast_segment(
    solve: Solve, start: Any, end: Any, a: Any, b: Any, c: Any, cull: Cull
) -> TriangleHit | None:
    """The hit of a segment; t is a fraction of it."""
    sign = arguments.cull_sign(cull)
    p, way, grown = read_segment(start, end)
    size = power_of_two(largest(way))
    direction = way[0] / size, way[1] / size, way[2] / size
    return _cast(solve, p, direction, read_corners(a, b, c), size, grown, sign, 0.0, 1.0)


def read_segment(start: Any, end: Any) -> tuple[Vector[float], Vector[float], float]:
    """The start of a segment, the way to its end, and what that was divided by to be finite."""
    p = arguments.three_finite_floats(start, "start")
    q = arguments.three_finite_floats(end, "end")
    way = difference(q, p)
    if is_finite(way):
        return p, way, 1.0
    return p, difference(times(q, SHRINK), times(p, SHRINK)), 1.0 / SHRINK


def _cast(
    solve: Solve,
    origin: Vector[float],
    direction: Vector[float],
    corners: Corners,
    length: float,
    shrunk: float,
    sign: int,
    least: float,
    most: float,
) -> TriangleHit | None:
    a, b, c = corners
    start, edge1, edge2 = difference(origin, a), difference(b, a), difference(c, a)
    grown = 1.0
    if not (is_finite(start) and is_finite(edge1) and is_finite(edge2)):
        if not (is_finite(a) and is_finite(b) and is_finite(c)):
            return None
        grown = 1.0 / SHRINK
        origin, a, b, c = (times(p, SHRINK) for p in (origin, a, b, c))
        start, edge1, edge2 = difference(origin, a), difference(b, a), difference(c, a)
    size = power_of_two(max(largest(edge1), largest(edge2)))
    found = solve(
        (start[0] / size, start[1] / size, start[2] / size),
        direction,
        (edge1[0] / size, edge1[1] / size, edge1[2] / size),
        (edge2[0] / size, edge2[1] / size, edge2[2] / size),
    )
    if found is None:
        return None
    t, u, v, front = found
    distance = t / length * size * (grown / shrunk)
    if t < 0.0 and distance == 0.0:
        distance = LEAST_BEHIND
    if not least <= distance <= most or distance - distance != 0.0 or sign == (-1 if front else 1):
        return None
    point = point_on(a, edge1, edge2, u, v)
    if grown != 1.0:
        point = times(point, grown)
    return TriangleHit(distance + 0.0, u + 0.0, v + 0.0, np.array(point), front)


def times(a: Vector[float], factor: float) -> Vector[float]:
    """A vector times a number."""
    return a[0] * factor, a[1] * factor, a[2] * factor
