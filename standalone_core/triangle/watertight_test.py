# SPDX-License-Identifier: MIT
"""The watertight ray-triangle test, the one that meshes and scenes use."""

from __future__ import annotations

import numpy as np

from ..arguments import Cull
from ..cast.many_rays import sides_of, solve_many
from ..cast.one_ray import crossing, side_of
from ..cast.rays import Query, RayBatch, ordinary
from ..cast.read_rays import ordinary_directions
from ..numerics import rational
from ..numerics.arrays import EPS, FloatArray, largest
from ..numerics.double_double import Number
from ..numerics.ray_triangle import SIDE_FLOOR, Point, Vector, axes_across_many
from ..ray import Ray
from ..types import Reals
from ._tests import RAY, Corners, Limits, Line, Lines, Met, MetMany, RayTest
from .hits import TriangleHit


def watertight(
    ray: Ray, a: Reals, b: Reals, c: Reals, cull: Cull = None, limits: Limits = RAY
) -> TriangleHit | None:
    """Test one ray against one triangle so that neighbours never both miss, nor both hit.

    The sides of the edges are decided exactly, and one rule for all triangles puts a ray through an
    edge or a vertex on one side of it. Hence only parts of the border of a lone triangle belong to
    it, as with the border pixels of a rasterized triangle.

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
        The least and the most t that count, both included: by default :data:`RAY`, all points ahead
        of the origin; :data:`LINE` for the whole line.

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
    return _TEST.ray(ray, a, b, c, cull, limits)


_MARGIN = 8 * EPS


class _Watertight(RayTest):
    keeps_length = True

    def _meet(self, line: Line, corners: Corners) -> Met | None:
        start, way, end, shrunk = line
        direction, length = ordinary(way)
        side = side_of(start, direction, *corners)
        if side == 0.0:
            return None
        if end is None:
            t, u, v, _, point = crossing(start, direction, *corners)
            return t, t * length, u, v, point, side > 0.0
        first, last = plane_side(start, *corners), plane_side(end, *corners)
        if first == last:
            return None
        # If the direction had to be scaled, t in lengths of it may overflow float64.
        found = crossing if direction == way else rational.crossing
        t, u, v, _, point = found(start, way, *corners)
        t = 0.0 if first == 0.0 else 1.0 if last == 0.0 else min(max(t * shrunk, 0.0), 1.0)
        return t, t, u, v, point, side > 0.0

    def _meet_many(self, lines: Lines, corners: list[FloatArray]) -> MetMany:
        starts, ways, ends, shrunk = lines
        moving = largest(ways) > 0.0
        if not moving.all():
            ways = np.where(moving[:, None], ways, (0.0, 0.0, 1.0))
        directions, lengths = ordinary_directions(ways)
        side, (t, u, v), point = _crossings(starts, directions, lengths, corners)
        hit, front = side != 0.0, side > 0.0
        with np.errstate(all="ignore"):
            if ends is None:
                return hit, t, t * lengths, u, v, point, front
            first, last = plane_sides(starts, *corners), plane_sides(ends, *corners)
            hit &= moving & (first != last)
            for i in np.flatnonzero(hit & (directions != ways).any(axis=1)):
                numbers = (x[i].tolist() for x in (starts, ways, *corners))
                t[i], u[i], v[i], _, point[:, i] = rational.crossing(*numbers)
            t = np.clip(t * shrunk, 0.0, 1.0)
            t = np.select([first == 0.0, last == 0.0], [0.0, 1.0], t)
        return hit, t, t, u, v, point, front


def _crossings(
    origins: FloatArray, directions: FloatArray, lengths: FloatArray, corners: list[FloatArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Where N lines go through N triangles: side (N,), 0 for a miss; t, u, v and point, (3, N)."""
    count = len(origins)
    lines = RayBatch(origins, directions, lengths, np.zeros(count), np.full(count, np.inf), Query())
    columns = np.ascontiguousarray(np.moveaxis(np.stack(corners), 1, 2))
    with np.errstate(all="ignore"):
        side, _ = sides_of(columns, lines, axes_across_many(directions), np.arange(count))
        crossed = np.flatnonzero(side)
        t, u, v, _, place = solve_many(columns.take(crossed, axis=2), lines, crossed)
    solved, point = np.full((3, count), np.nan), np.full((3, count), np.nan)
    solved[:, crossed], point[:, crossed] = (t, u, v), place
    return side, solved, point


def plane_side(p: Point, a: Point, b: Point, c: Point) -> float:
    """The side of p: 1 where (b - a) x (c - a) points, -1 opposite, 0 on the plane abc.

    All numbers must be finite.
    """
    value, bound = _height(p, a, b, c)
    if abs(value) > bound:
        return 1.0 if value > 0.0 else -1.0
    return float(rational.plane_side(p, a, b, c))


def plane_sides(p: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """:func:`plane_side` of points and corners (N, 3), as (N,); 0 where one is not finite."""
    with np.errstate(all="ignore"):
        value, bound = _height(*((x[:, 0], x[:, 1], x[:, 2]) for x in (p, a, b, c)))
        unsure = ~(np.abs(value) > bound)
        side = np.where(unsure, 0.0, np.sign(value))
    left = unsure & np.isfinite([p, a, b, c]).all(axis=(0, 2))
    side[left] = rational.plane_sides(*(x[left].T for x in (p, a, b, c)))
    return side


def _height(
    p: Vector[Number], a: Vector[Number], b: Vector[Number], c: Vector[Number]
) -> tuple[Number, Number]:
    """(p - a) . (b - a) x (c - a) as -det[a - p, b - p, c - p], and the bound of its error."""
    ax, ay, az = a[0] - p[0], a[1] - p[1], a[2] - p[2]
    bx, by, bz = b[0] - p[0], b[1] - p[1], b[2] - p[2]
    cx, cy, cz = c[0] - p[0], c[1] - p[1], c[2] - p[2]
    bycz, bzcy, bzcx, bxcz, bxcy, bycx = by * cz, bz * cy, bz * cx, bx * cz, bx * cy, by * cx
    value = ax * (bycz - bzcy) + ay * (bzcx - bxcz) + az * (bxcy - bycx)
    x, y, z = abs(bycz) + abs(bzcy), abs(bzcx) + abs(bxcz), abs(bxcy) + abs(bycx)
    size = abs(ax) * x + abs(ay) * y + abs(az) * z
    return -value, _MARGIN * size + SIDE_FLOOR


_TEST = _Watertight()
watertight_many = _TEST.many
watertight_segment = _TEST.segment
watertight_segments = _TEST.segments
