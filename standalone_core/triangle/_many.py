# SPDX-License-Identifier: MIT
"""Many rays or segments against many triangles as columns; see :mod:`._one`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..arguments import Cull
from ..numerics.arrays import SHRINK, BoolArray, FloatArray, largest, power_of_two
from ..numerics.rational import LEAST_BEHIND
from ..numerics.ray_triangle import Vector, point_on
from ..numerics.values import sealed
from .hits import TriangleHits
from .limits import Limits, read_limits_many

Columns = tuple[FloatArray, FloatArray, FloatArray, BoolArray, BoolArray]

Solve = Callable[
    [Vector[FloatArray], Vector[FloatArray], Vector[FloatArray], Vector[FloatArray]], Columns
]
"""(origin - a, direction of order 1, b - a, c - a) -> t, u, v, hit, front, each (N,)."""


Within = tuple[FloatArray | float, FloatArray | float]
"""The least and the most distance of a hit, (N,) or of all alike."""


def cast_rays(
    solve: Solve,
    origins: ArrayLike,
    directions: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    cull: Cull,
    limits: Limits,
) -> TriangleHits:
    """Hits of rays and triangles (..., 3) that broadcast against each other."""
    sign = arguments.cull_sign(cull)
    o = arguments.finite(arguments.points(origins, "origins"), "origins")
    d = arguments.unit_directions(arguments.points(directions, "directions"), "directions")
    shape, (o, d, *corners) = together(origins=o, directions=d, a=a, b=b, c=c)
    within = read_limits_many(limits, shape)
    ones = np.ones(len(o))
    return hits(shape, sign, *_cast(solve, o, d, corners, ones, ones, within))


def cast_segments(
    solve: Solve,
    starts: ArrayLike,
    ends: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    cull: Cull,
) -> TriangleHits:
    """Hits of segments and triangles (..., 3) that broadcast; t is a fraction of each segment."""
    sign = arguments.cull_sign(cull)
    shape, (p, q, *corners) = segments_together(starts, ends, a, b, c)
    way, shrunk = ways(p, q)
    size = power_of_two(largest(way))
    direction = way / size[:, None]
    return hits(shape, sign, *_cast(solve, p, direction, corners, size, shrunk, (0.0, 1.0)))


def together(**points: Any) -> tuple[tuple[int, ...], list[FloatArray]]:
    """Read points (..., 3): their common shape (...), and all of them as (N, 3)."""
    arrays = arguments.points_together(**points)
    return arrays[0].shape[:-1], [array.reshape(-1, 3) for array in arrays]


def segments_together(
    starts: ArrayLike, ends: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike
) -> tuple[tuple[int, ...], list[FloatArray]]:
    """Read segments of finite ends, and triangles, as :func:`together`."""
    p = arguments.finite(arguments.points(starts, "starts"), "starts")
    q = arguments.finite(arguments.points(ends, "ends"), "ends")
    return together(starts=p, ends=q, a=a, b=b, c=c)


def ways(starts: FloatArray, ends: FloatArray) -> tuple[FloatArray, FloatArray]:
    """From starts to ends (N, 3), and what these were divided by to be finite (N,)."""
    with np.errstate(over="ignore"):
        way = ends - starts
    far = ~np.isfinite(way).all(axis=1)
    way[far] = ends[far] * SHRINK - starts[far] * SHRINK
    return way, np.where(far, 1.0 / SHRINK, 1.0)


def limited(limits: Within, t: FloatArray, distance: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Distances with the sign of t, and which of them are within the limits."""
    distance = np.where((t < 0.0) & (distance == 0.0), LEAST_BEHIND, distance)
    return distance, (distance >= limits[0]) & (distance <= limits[1]) & np.isfinite(distance)


def hits(
    shape: tuple[int, ...],
    sign: int,
    hit: BoolArray,
    t: FloatArray,
    u: FloatArray,
    v: FloatArray,
    point: FloatArray,
    front: BoolArray,
) -> TriangleHits:
    """Columns (N,) with points (3, N) in the shape of the query; sign is that of `cull`."""
    if sign:
        hit = hit & (front == (sign > 0))
    u, v = (np.where(hit, x + 0.0, np.nan).reshape(shape) for x in (u, v))
    point = np.where(hit, point, np.nan).T.reshape(*shape, 3)
    t = np.where(hit, t + 0.0, np.inf).reshape(shape)
    columns = (t, u, v, point, (hit & front).reshape(shape))
    sealed(columns)
    return TriangleHits(*columns)


def _cast(
    solve: Solve,
    origins: FloatArray,
    directions: FloatArray,
    corners: list[FloatArray],
    length: FloatArray,
    shrunk: FloatArray,
    limits: Within,
) -> tuple[BoolArray, FloatArray, FloatArray, FloatArray, FloatArray, BoolArray]:
    with np.errstate(all="ignore"):
        a, b, c = corners
        far = ~np.isfinite([origins - a, b - a, c - a]).all(axis=(0, 2))
        factor = np.where(far, SHRINK, 1.0)
        if far.any():
            origins, a, b, c = (p * factor[:, None] for p in (origins, a, b, c))
        edge1, edge2 = b - a, c - a
        size = power_of_two(np.maximum(largest(edge1), largest(edge2)))
        scaled = ((x / size[:, None]).T for x in (origins - a, edge1, edge2))
        start, e1, e2 = (vector(x) for x in scaled)
        t, u, v, hit, front = solve(start, vector(directions.T), e1, e2)
        distance, within = limited(limits, t, t / length * size * (1.0 / factor / shrunk))
        point = np.stack(point_on(vector(a.T), vector(edge1.T), vector(edge2.T), u, v)) / factor
    return hit & within, distance, u, v, point, front


def vector(components: FloatArray) -> Vector[FloatArray]:
    """Components (3, N) as a tuple of three, each in one piece."""
    x, y, z = np.ascontiguousarray(components)
    return x, y, z
