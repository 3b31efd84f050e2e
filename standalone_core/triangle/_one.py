# SPDX-License-Identifier: MIT
"""One ray or segment against one triangle in plain floats, for the tests in float64.

The triangle is moved to its first corner and divided by a power of two near its size, which rounds
nothing more and lets a test compare with 1. :mod:`._many` does the same with columns, in the same
order, so that the answers have the same bits.
"""

from collections.abc import Callable
from math import isfinite

from numpy.typing import ArrayLike

from .. import arguments
from ..arguments import Cull
from ..numerics.arrays import SHRINK
from ..numerics.rational import LEAST_BEHIND
from ..numerics.ray_triangle import Vector, point_on
from ..numerics.values import vector
from ..numerics.vectors import difference, is_finite, largest, power_of_two, scaled
from ..ray import Ray
from .hits import TriangleHit
from .limits import Limits, read_limits

Solved = tuple[float, float, float, bool] | None

Solve = Callable[[Vector[float], Vector[float], Vector[float], Vector[float]], Solved]
"""(origin - a, direction of order 1, b - a, c - a) -> t, u, v, front, or None for no hit."""

Corners = tuple[Vector[float], Vector[float], Vector[float]]


def read_corners(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Corners:
    """The corners of one triangle, in plain floats."""
    read = arguments.three_floats
    return read(a, "a"), read(b, "b"), read(c, "c")


def read_ray(
    ray: Ray, a: ArrayLike, b: ArrayLike, c: ArrayLike, cull: Cull, limits: Limits
) -> tuple[Vector[float], Vector[float], Corners, int, tuple[float, float]]:
    """A ray's origin and unit direction, the corners, the sign of `cull`, and the limits."""
    arguments.instance_of(ray, Ray, "ray")
    sign = arguments.cull_sign(cull)
    limits = read_limits(limits)
    x, y, z = ray.origin.tolist()
    dx, dy, dz = ray.direction.tolist()
    return (x, y, z), (dx, dy, dz), read_corners(a, b, c), sign, limits


def hit_within(
    limits: tuple[float, float],
    t: float,
    distance: float,
    u: float,
    v: float,
    point: Vector[float],
    front: bool,
) -> TriangleHit | None:
    """A hit, if its distance is within the limits; t has the sign of the distance, in any unit."""
    if t < 0.0 and distance == 0.0:
        distance = LEAST_BEHIND
    if not (limits[0] <= distance <= limits[1] and isfinite(distance)):
        return None
    return TriangleHit(distance + 0.0, u + 0.0, v + 0.0, vector(point), front)


def cast_ray(
    solve: Solve, ray: Ray, a: ArrayLike, b: ArrayLike, c: ArrayLike, cull: Cull, limits: Limits
) -> TriangleHit | None:
    """The hit of a ray within the limits, by its unit direction."""
    origin, direction, corners, sign, limits = read_ray(ray, a, b, c, cull, limits)
    return _cast(solve, origin, direction, corners, 1.0, 1.0, sign, limits)


def cast_segment(
    solve: Solve,
    start: ArrayLike,
    end: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    cull: Cull,
) -> TriangleHit | None:
    """The hit of a segment; t is a fraction of it."""
    sign = arguments.cull_sign(cull)
    p, way, grown = read_segment(start, end)
    size = power_of_two(largest(way))
    direction = scaled(way, 1.0 / size)
    return _cast(solve, p, direction, read_corners(a, b, c), size, grown, sign, (0.0, 1.0))


def read_segment(start: ArrayLike, end: ArrayLike) -> tuple[Vector[float], Vector[float], float]:
    """The start of a segment, the way to its end, and what that was divided by to be finite."""
    p = arguments.three_finite_floats(start, "start")
    q = arguments.three_finite_floats(end, "end")
    way = difference(q, p)
    if is_finite(way):
        return p, way, 1.0
    return p, difference(scaled(q, SHRINK), scaled(p, SHRINK)), 1.0 / SHRINK


def _cast(
    solve: Solve,
    origin: Vector[float],
    direction: Vector[float],
    corners: Corners,
    length: float,
    shrunk: float,
    sign: int,
    limits: tuple[float, float],
) -> TriangleHit | None:
    a, b, c = corners
    start, edge1, edge2 = difference(origin, a), difference(b, a), difference(c, a)
    grown = 1.0
    if not (is_finite(start) and is_finite(edge1) and is_finite(edge2)):
        if not (is_finite(a) and is_finite(b) and is_finite(c)):
            return None
        grown = 1.0 / SHRINK
        origin, a, b, c = (scaled(p, SHRINK) for p in (origin, a, b, c))
        start, edge1, edge2 = difference(origin, a), difference(b, a), difference(c, a)
    size = power_of_two(max(largest(edge1), largest(edge2)))
    inverse = 1.0 / size
    found = solve(scaled(start, inverse), direction, scaled(edge1, inverse), scaled(edge2, inverse))
    if found is None or sign == (-1 if found[3] else 1):
        return None
    t, u, v, front = found
    point = scaled(point_on(a, edge1, edge2, u, v), grown)
    return hit_within(limits, t, t / length * size * (grown / shrunk), u, v, point, front)
