# SPDX-License-Identifier: MIT
"""The watertight ray-triangle test, the one that meshes and scenes use."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..arguments import Cull
from ..cast.many_rays import crossings
from ..cast.one_ray import crossing, side_of
from ..cast.rays import Query, RayBatch, ordinary
from ..cast.read_rays import ordinary_directions
from ..numerics import rational
from ..numerics.arrays import FloatArray, largest
from ..numerics.ray_triangle import axes_across_many
from ..numerics.values import vector
from ..ray import Ray
from . import _many, _one
from .hits import TriangleHit, TriangleHits
from .limits import RAY, Limits, read_limits_many
from .plane_side import plane_side, plane_sides


def watertight(
    ray: Ray, a: ArrayLike, b: ArrayLike, c: ArrayLike, cull: Cull = None, limits: Limits = RAY
) -> TriangleHit | None:
    """Test one ray against one triangle so that neighbours never both miss, nor both hit.

    The sides of the edges are decided exactly, and a ray through an edge or a vertex is given to
    one side of it by one rule for all triangles. Hence the border of a lone triangle belongs to it
    in parts only, as the pixels on the border of a drawn one do.

    The answer is that of :meth:`.Mesh.ray_cast` for the ray's origin and direction, to the last
    bit.

    Parameters
    ----------
    ray : Ray
        In the space of the triangle.
    a, b, c : array_like (3,)
        Its corners. They run counter-clockwise seen from the front in a right-handed world,
        clockwise in a left-handed one.
    cull : {None, "back", "front"}
        Which side of the triangle is not hit.
    limits : (float, float)
        The least and the most t that count, both included: by default :data:`RAY`, what is ahead of
        the origin; :data:`LINE` for the whole line.

    Returns
    -------
    TriangleHit or None

    Raises
    ------
    RaypickError
        One of :mod:`standalone_core.errors`, for bad input.

    Examples
    --------
    >>> watertight(Ray((1, 1, 5), (0, 0, -1)), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    TriangleHit(t=5, u=0.25, v=0.25, point=(1, 1, 0), front=True)
    """
    origin, unit, corners, sign, limits = _one.read_ray(ray, a, b, c, cull, limits)
    direction, length = ordinary(unit)
    side = side_of(origin, direction, *corners)
    if side == 0.0 or side == -sign:
        return None
    t, v, w, _, point = crossing(origin, direction, *corners)
    return _one.hit_within(limits, t, t * length, v, w, point, side > 0.0)


def watertight_many(
    origins: ArrayLike,
    directions: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    cull: Cull = None,
    limits: Limits = RAY,
) -> TriangleHits:
    """:func:`watertight` for rays and triangles (..., 3) that broadcast; arrays (...).

    The limits are numbers, or arrays that broadcast to (...).

    Examples
    --------
    >>> origins, corners = [(1, 1, 5), (9, 9, 5)], ((0, 0, 0), (4, 0, 0), (0, 4, 0))
    >>> watertight_many(origins, (0, 0, -1), *corners).t.tolist()
    [5.0, inf]
    """
    sign = arguments.cull_sign(cull)
    o = arguments.finite(arguments.points(origins, "origins"), "origins")
    d = arguments.points(directions, "directions")
    arguments.unit_directions(d, "directions")
    shape, (o, d, *corners) = _many.together(origins=o, directions=d, a=a, b=b, c=c)
    limits = read_limits_many(limits, shape)
    d, lengths = ordinary_directions(d)
    side, t, u, v, point = _crossings(o, d, lengths, corners)
    with np.errstate(over="ignore", invalid="ignore"):
        distance, within = _many.limited(limits, t, t * lengths)
    return _many.hits(shape, sign, (side != 0.0) & within, distance, u, v, point, side > 0.0)


def watertight_segment(
    start: ArrayLike, end: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike, cull: Cull = None
) -> TriangleHit | None:
    """:func:`watertight` for the segment between two points (3,).

    t is a fraction of the way from `start`, from 0 to 1, both included. Whether an end is on the
    triangle's plane, before or behind it is decided exactly: t is 0 or 1 where one is on it. The
    way between the ends is `end` - `start` in float64. A segment without length hits nothing, nor
    does one that lies in the plane.

    Examples
    --------
    >>> watertight_segment((1, 1, 5), (1, 1, -5), (0, 0, 0), (4, 0, 0), (0, 4, 0)).t
    0.5
    """
    sign = arguments.cull_sign(cull)
    p, way, shrunk = _one.read_segment(start, end)
    corners = _one.read_corners(a, b, c)
    if way == (0.0, 0.0, 0.0):
        return None
    direction, _ = ordinary(way)
    side = side_of(p, direction, *corners)
    if side == 0.0 or side == -sign:
        return None
    first = plane_side(p, *corners)
    last = plane_side(arguments.three_floats(end, "end"), *corners)
    if first == last:
        return None
    # Along a way that had to be scaled t may be beyond float64.
    found = crossing if direction == way else rational.crossing
    t, v, w, _, point = found(p, way, *corners)
    t = 0.0 if first == 0.0 else 1.0 if last == 0.0 else min(max(t / shrunk, 0.0), 1.0)
    return TriangleHit(t, v, w, vector(point), side > 0.0)


def watertight_segments(
    starts: ArrayLike, ends: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike, cull: Cull = None
) -> TriangleHits:
    """:func:`watertight_segment` for segments and triangles (..., 3) that broadcast.

    Examples
    --------
    >>> starts, corners = [(1, 1, 5), (9, 9, 5)], ((0, 0, 0), (4, 0, 0), (0, 4, 0))
    >>> watertight_segments(starts, (1, 1, -5), *corners).t.tolist()
    [0.5, inf]
    """
    sign = arguments.cull_sign(cull)
    shape, (p, q, *corners) = _many.segments_together(starts, ends, a, b, c)
    way, shrunk = _many.ways(p, q)
    moving = largest(way) > 0.0
    direction, _ = ordinary_directions(np.where(moving[:, None], way, (0.0, 0.0, 1.0)))
    side, t, u, v, point = _crossings(p, direction, np.ones(len(p)), corners)
    first, last = plane_sides(p, *corners), plane_sides(q, *corners)
    hit = moving & (side != 0.0) & (first != last)
    with np.errstate(all="ignore"):
        for i in np.flatnonzero(hit & (direction != way).any(axis=1)):
            place = (x[i].tolist() for x in (p, way, *corners))
            t[i], u[i], v[i], _, point[:, i] = rational.crossing(*place)
        t = np.clip(t / shrunk, 0.0, 1.0)
    t = np.where(first == 0.0, 0.0, np.where(last == 0.0, 1.0, t))
    return _many.hits(shape, sign, hit, t, u, v, point, side > 0.0)


def _crossings(
    origins: FloatArray, directions: FloatArray, lengths: FloatArray, corners: list[FloatArray]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Where N lines go through N triangles: side, t, u, v (N,) and point (3, N); side 0: not."""
    count = len(origins)
    rows = np.arange(count)
    lines = RayBatch(origins, directions, lengths, np.zeros(count), np.full(count, np.inf), Query())
    columns = np.ascontiguousarray(np.moveaxis(np.stack(corners), 1, 2))
    with np.errstate(all="ignore"):
        crossed, *found, _, place = crossings(columns, lines, axes_across_many(directions), rows)
    answers = np.full((4, count), np.nan)
    answers[0] = 0.0
    answers[:, crossed] = found
    point = np.full((3, count), np.nan)
    point[:, crossed] = place
    side, t, u, v = answers
    return side, t, u, v, point
