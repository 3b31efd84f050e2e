# SPDX-License-Identifier: MIT
"""The four forms of a ray-triangle test: one ray or many, one segment or many.

Arguments and answers are the same for all tests; a test adds how a line meets a triangle, in plain
floats and in columns. Both take the same steps in the same order, so their answers have the same
bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arguments import Cull
from ..errors import ArgumentError, ShapeError
from ..numerics import arrays
from ..numerics.arrays import SHRINK, BoolArray, FloatArray, columns
from ..numerics.rational import LEAST_BEHIND
from ..numerics.ray_triangle import Column3, Point, point_on
from ..numerics.reading import iterable
from ..numerics.values import sealed, vector
from ..numerics.vectors import difference, is_finite, largest, power_of_two, scaled
from ..ray import Ray
from ..types import Reals
from .hits import TriangleHit, TriangleHits

Limits = tuple[Reals, Reals]
"""The least and the most t that count, both included."""

RAY: Limits = (0.0, inf)
"""The limits of a ray: ahead of its origin."""

LINE: Limits = (-inf, inf)
"""The limits of a line: ahead of the origin and behind it."""

Corners = tuple[Point, Point, Point]

Met = tuple[float, float, float, float, Point, bool]
"""t in any unit, for its sign; the t of the answer; u, v, point, front."""

MetMany = tuple[BoolArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, BoolArray]
"""Whether lines meet their triangles, then :data:`Met` as columns (N,), with points (3, N)."""

Solved = tuple[float, float, float, bool] | None
"""t, u, v, front, or None for no hit."""

SolvedMany = tuple[BoolArray, FloatArray, FloatArray, FloatArray, BoolArray]
"""hit, t, u, v, front, each (N,)."""

Solve = Callable[[Point, Point, Point, Point], Solved]
SolveMany = Callable[[Column3, Column3, Column3, Column3], SolvedMany]
"""A formula: it takes origin - a, a direction of order 1, b - a and c - a."""


class Line(NamedTuple):
    """The line of a ray, or of a segment, which has an end."""

    start: Point
    way: Point  # the unit of t: a ray's direction, or `shrunk` times (end - start)
    end: Point | None = None
    shrunk: float = 1.0  # keeps the way finite


class Lines(NamedTuple):
    """N lines; those of segments may have no length."""

    starts: FloatArray  # (N, 3)
    ways: FloatArray  # (N, 3)
    ends: FloatArray | None = None  # (N, 3)
    shrunk: FloatArray | float = 1.0  # (N,)


class RayTest(ABC):
    """A ray-triangle test in its four forms.

    A subclass finds where the whole line meets a triangle. With `keeps_length` it takes the
    directions of many rays as they are, of any length, else as unit vectors.
    """

    keeps_length = False

    def ray(
        self, ray: Ray, a: Reals, b: Reals, c: Reals, cull: Cull, limits: Limits
    ) -> TriangleHit | None:
        ray = arguments.instance_of(ray, Ray, "ray")
        sign, (least, most) = arguments.cull_sign(cull), _read_limits(limits)
        x, y, z = ray.origin.tolist()
        dx, dy, dz = ray.direction.tolist()
        met = self._meet(Line((x, y, z), (dx, dy, dz)), _corners(a, b, c))
        return _hit(met, sign, least, most)

    def many(
        self,
        origins: Reals,
        directions: Reals,
        a: Reals,
        b: Reals,
        c: Reals,
        cull: Cull = None,
        limits: Limits = RAY,
    ) -> TriangleHits:
        """The test of this name for rays and triangles (..., 3) that broadcast; answers are (...).

        The limits are numbers, or arrays that broadcast to (...).

        Examples
        --------
        >>> from standalone_core.triangle import watertight_many
        >>> origins, corners = [(1, 1, 5), (9, 9, 5)], ((0, 0, 0), (4, 0, 0), (0, 4, 0))
        >>> watertight_many(origins, (0, 0, -1), *corners).t.tolist()
        [5.0, inf]
        """
        sign = arguments.cull_sign(cull)
        o = arguments.finite(arguments.points(origins, "origins"), "origins")
        d = arguments.points(directions, "directions")
        unit = arguments.unit_directions(d, "directions")
        d = d if self.keeps_length else unit
        shape, (o, d, *corners) = _together(origins=o, directions=d, a=a, b=b, c=c)
        least, most = _read_limits_many(limits, shape)
        return _hits(self._meet_many(Lines(o, d), corners), shape, sign, least, most)

    def segment(
        self, start: Reals, end: Reals, a: Reals, b: Reals, c: Reals, cull: Cull = None
    ) -> TriangleHit | None:
        """The test of this name for the segment between two points (3,).

        t is a fraction of the way from `start`, from 0 to 1, both included. The way between the
        ends is `end` - `start` in float64. A segment without length, or in the triangle's plane,
        hits nothing. `watertight_segment` decides exactly whether an end is before, on or behind
        the plane; t is 0 or 1 if an end is on it.

        Examples
        --------
        >>> from standalone_core.triangle import watertight_segment
        >>> watertight_segment((1, 1, 5), (1, 1, -5), (0, 0, 0), (4, 0, 0), (0, 4, 0)).t
        0.5
        """
        sign = arguments.cull_sign(cull)
        p = arguments.three_finite_floats(start, "start")
        q = arguments.three_finite_floats(end, "end")
        way, shrunk = difference(q, p), 1.0
        if not is_finite(way):
            way, shrunk = difference(scaled(q, SHRINK), scaled(p, SHRINK)), SHRINK
        corners = _corners(a, b, c)
        met = self._meet(Line(p, way, q, shrunk), corners) if any(way) else None
        return _hit(met, sign, 0.0, 1.0)

    def segments(
        self, starts: Reals, ends: Reals, a: Reals, b: Reals, c: Reals, cull: Cull = None
    ) -> TriangleHits:
        """The test of this name for segments and triangles (..., 3) that broadcast; answers (...).

        Examples
        --------
        >>> from standalone_core.triangle import watertight_segments
        >>> starts, corners = [(1, 1, 5), (9, 9, 5)], ((0, 0, 0), (4, 0, 0), (0, 4, 0))
        >>> watertight_segments(starts, (1, 1, -5), *corners).t.tolist()
        [0.5, inf]
        """
        sign = arguments.cull_sign(cull)
        p = arguments.finite(arguments.points(starts, "starts"), "starts")
        q = arguments.finite(arguments.points(ends, "ends"), "ends")
        shape, (p, q, *corners) = _together(starts=p, ends=q, a=a, b=b, c=c)
        with np.errstate(over="ignore"):
            way = q - p
        far = ~np.isfinite(way).all(axis=1)
        way[far] = q[far] * SHRINK - p[far] * SHRINK
        met = self._meet_many(Lines(p, way, q, np.where(far, SHRINK, 1.0)), corners)
        return _hits(met, shape, sign, 0.0, 1.0)

    @abstractmethod
    def _meet(self, line: Line, corners: Corners) -> Met | None: ...

    @abstractmethod
    def _meet_many(self, lines: Lines, corners: list[FloatArray]) -> MetMany: ...


class Formula(RayTest):
    """A test by a formula in float64.

    The triangle's first corner becomes the origin, and lengths are divided by a power of two near
    the triangle's size, which rounds nothing more and lets a formula compare with 1.
    """

    def __init__(self, solve: Solve, solve_many: SolveMany) -> None:
        self._solve = solve
        self._solve_many = solve_many

    def _meet(self, line: Line, corners: Corners) -> Met | None:
        origin, way, end, shrunk = line
        a, b, c = corners
        length = 1.0 if end is None else power_of_two(largest(way))
        start, edge1, edge2 = difference(origin, a), difference(b, a), difference(c, a)
        factor = 1.0
        if not (is_finite(start) and is_finite(edge1) and is_finite(edge2)):
            if not all(map(is_finite, corners)):
                return None
            factor = SHRINK
            origin, a, b, c = (scaled(p, factor) for p in (origin, a, b, c))
            start, edge1, edge2 = difference(origin, a), difference(b, a), difference(c, a)
        size = power_of_two(max(largest(edge1), largest(edge2)))
        over = 1.0 / size
        start, way = scaled(start, over), way if end is None else scaled(way, 1.0 / length)
        solved = self._solve(start, way, scaled(edge1, over), scaled(edge2, over))
        if solved is None:
            return None
        t, u, v, front = solved
        point = scaled(point_on(a, edge1, edge2, u, v), 1.0 / factor)
        return t, t / length * size * (shrunk / factor), u, v, point, front

    def _meet_many(self, lines: Lines, corners: list[FloatArray]) -> MetMany:
        origins, ways, ends, shrunk = lines
        with np.errstate(all="ignore"):
            a, b, c = corners
            length: FloatArray | float = 1.0
            if ends is not None:
                length = arrays.power_of_two(arrays.largest(ways))
                ways = ways / length[:, None]
            far = ~np.isfinite([origins - a, b - a, c - a]).all(axis=(0, 2))
            factor = np.where(far, SHRINK, 1.0)
            if far.any():
                origins, a, b, c = (p * factor[:, None] for p in (origins, a, b, c))
            edge1, edge2 = b - a, c - a
            size = arrays.power_of_two(np.maximum(arrays.largest(edge1), arrays.largest(edge2)))
            s, e1, e2 = (columns(x / size[:, None]) for x in (origins - a, edge1, edge2))
            hit, t, u, v, front = self._solve_many(s, columns(ways), e1, e2)
            point = np.stack(point_on(columns(a), columns(edge1), columns(edge2), u, v)) / factor
            return hit, t, t / length * size * (shrunk / factor), u, v, point, front


def _corners(a: Reals, b: Reals, c: Reals) -> Corners:
    read = arguments.three_floats
    return read(a, "a"), read(b, "b"), read(c, "c")


def _together(**points: Any) -> tuple[tuple[int, ...], list[FloatArray]]:
    """Read points (..., 3): their common shape (...), and all of them as (N, 3)."""
    together = arguments.points_together(**points)
    return together[0].shape[:-1], [each.reshape(-1, 3) for each in together]


def _read_limits(value: Limits) -> tuple[float, float]:
    if value is RAY:
        return 0.0, inf
    least, most = (arguments.number(x, "limits") for x in _two(value))
    if not least <= most:
        raise ArgumentError(f"limits must be a least and a most t, not {least} and {most}")
    return least, most


def _read_limits_many(value: Limits, shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Limits of an array of tests: each a number, or an array that broadcasts to `shape`."""
    least, most = (arguments.floats(x, "limits") for x in _two(value))
    least, most = arguments.broadcast(least=least, most=most)
    if not np.all(least <= most):
        raise ArgumentError("limits must be a least and a most t, the least not above the most")
    try:
        return np.broadcast_to(least, shape).ravel(), np.broadcast_to(most, shape).ravel()
    except ValueError:
        shapes = f"{least.shape} and {most.shape}"
        raise ShapeError(f"limits of shapes {shapes} do not fit the tests' {shape}") from None


def _two(value: Any) -> list[Any]:
    pair = iterable(value, "limits")
    if len(pair) != 2:
        raise ShapeError(f"limits must be two, a least and a most t, not {len(pair)}")
    return pair


def _hit(met: Met | None, sign: int, least: float, most: float) -> TriangleHit | None:
    """The hit, if its side is not culled (`sign` is that of `cull`) and its t within the limits."""
    if met is None or sign == (-1 if met[-1] else 1):
        return None
    behind, t, u, v, point, front = met
    if behind < 0.0 and t == 0.0:
        t = LEAST_BEHIND
    if not (least <= t <= most and isfinite(t)):
        return None
    return TriangleHit(t + 0.0, u + 0.0, v + 0.0, vector(point), front)


def _hits(
    met: MetMany,
    shape: tuple[int, ...],
    sign: int,
    least: FloatArray | float,
    most: FloatArray | float,
) -> TriangleHits:
    """:func:`_hit` for many tests, in the shape of the query."""
    hit, behind, t, u, v, point, front = met
    with np.errstate(invalid="ignore"):
        t = np.where((behind < 0.0) & (t == 0.0), LEAST_BEHIND, t)
        hit = hit & (t >= least) & (t <= most) & np.isfinite(t)
    if sign:
        hit = hit & (front == (sign > 0))
    u, v = (np.where(hit, x + 0.0, np.nan).reshape(shape) for x in (u, v))
    t = np.where(hit, t + 0.0, np.inf).reshape(shape)
    point = np.where(hit, point, np.nan).T.reshape(*shape, 3)
    answers = t, u, v, point, (hit & front).reshape(shape)
    sealed(answers)
    return TriangleHits(*answers)
