# SPDX-License-Identifier: MIT
"""A plane: the points p with normal . p + offset = 0."""

from __future__ import annotations

from math import frexp, isfinite, ldexp
from typing import overload

import numpy as np

from . import arguments
from .errors import ArgumentError, DegenerateError, NonFiniteError
from .numerics.arrays import (
    EPS,
    FloatArray,
    IntArray,
    area_normal,
    dot,
    length,
    power_of_two,
    scaled_edges,
)
from .numerics.values import Value
from .ray import Ray
from .types import ManyPoints, OnePoint, Reals

# Rounding of n . p + d: three products and three sums, each within half an EPS of the sum of the
# terms' sizes; the stored normal and offset are themselves rounded about as often.
_ROUNDING = 8 * EPS

_SHRINK = 2.0**-4


class Plane(Value):
    """The plane n . p + d = 0 with a unit normal n: a value, equal by its numbers.

    Parameters
    ----------
    normal : array_like (3,)
        Any length above 0; it and `offset` are divided by that length.
    offset : float
        d above: minus the signed distance of the plane from the origin.

    Attributes
    ----------
    normal : ndarray (3,) of float64, length 1; read-only
    offset : float

    Examples
    --------
    >>> floor = Plane((0, 0, 2), -4)
    >>> float(floor.signed_distance((7, 7, 5))), floor.side((0, 0, 1))
    (3.0, -1)
    """

    __slots__ = ("normal", "offset")

    normal: FloatArray
    offset: float

    def __init__(self, normal: Reals, offset: float) -> None:
        given = arguments.floats(normal, "normal", (3,))
        unit = arguments.unit_directions(given, "normal")
        d = arguments.finite_number(offset, "offset")
        self._hold(normal=unit, offset=d if (unit == given).all() else _quotient(d, given))

    @classmethod
    def from_points(cls, a: Reals, b: Reals | None = None, c: Reals | None = None) -> Plane:
        """The plane through three points; its normal is that of (b - a) x (c - a).

        Parameters
        ----------
        a, b, c : array_like (3,)
            The points; or `a` alone, an array (3, 3) with a point in each row.

        Raises
        ------
        ArgumentError
            If only one of `b` and `c` is left out.
        DegenerateError
            If the points lie on one line as far as float64 can tell.

        Examples
        --------
        >>> Plane.from_points([(0, 0, 1), (1, 0, 1), (0, 1, 1)])
        Plane([0.0, 0.0, 1.0], -1.0)
        """
        if b is None and c is None:
            a, b, c = arguments.floats(a, "the three points", (3, 3))
        if b is None or c is None:
            raise ArgumentError("from_points takes three points a, b and c, or one array (3, 3)")
        points = [arguments.point(p, name) for p, name in ((a, "a"), (b, "b"), (c, "c"))]
        normal, sound = area_normal(*scaled_edges(*points))
        if not sound:
            given = ", ".join(str(point.tolist()) for point in points)
            raise DegenerateError(f"points {given} lie on a line: no plane")
        return cls.from_point_normal(points[0], normal)

    @classmethod
    def from_point_normal(cls, point: Reals, normal: Reals) -> Plane:
        """The plane through a point, with a normal of any length above 0.

        Examples
        --------
        >>> Plane.from_point_normal((5, 5, 2), (0, 0, 3))
        Plane([0.0, 0.0, 1.0], -2.0)
        """
        p = arguments.point(point, "point")
        unit = arguments.unit_directions(arguments.floats(normal, "normal", (3,)), "normal")
        with np.errstate(over="ignore", invalid="ignore"):
            offset = -float(dot(unit, p))
            if not isfinite(offset):  # perhaps only a partial sum is beyond float64
                offset = -float(dot(unit, p * _SHRINK) / _SHRINK)
        return cls(unit, offset)

    def signed_distance(self, points: Reals) -> FloatArray:
        """Distances (...) of points (..., 3), positive on the side that the normal points to.

        Examples
        --------
        >>> Plane((0, 0, 1), -2).signed_distance([(7, 7, 5), (7, 7, 1)]).tolist()
        [3.0, -1.0]
        """
        p = arguments.points(points, "points")
        with np.errstate(over="ignore", invalid="ignore"):
            distance: FloatArray = dot(p, self.normal) + self.offset
            far = ~np.isfinite(distance)
            if far.any():  # perhaps only a partial sum is beyond float64
                shrunk = dot(p * _SHRINK, self.normal) + self.offset * _SHRINK
                distance = np.where(far, shrunk / _SHRINK, distance)
        return distance

    @overload
    def side(self, points: OnePoint) -> int: ...

    @overload
    def side(self, points: ManyPoints) -> IntArray: ...

    def side(self, points: Reals) -> int | IntArray:
        """1 on the normal's side, -1 on the other, 0 on the plane, for points (..., 3).

        A point counts as on the plane where rounding alone could give its distance: the bound is
        a multiple of the sizes of the terms that are added, not a fixed length.

        Returns
        -------
        int, or ndarray of int64 for more than one point

        Examples
        --------
        >>> Plane((0, 0, 1), -2).side([(7, 7, 5), (7, 7, 1), (7, 7, 2)]).tolist()
        [1, -1, 0]
        """
        p = arguments.finite(arguments.points(points, "points"), "points")
        sides = np.sign(self._height(p)).astype(np.int64)
        return int(sides) if sides.ndim == 0 else sides

    def intersect_ray(self, ray: Ray) -> float | None:
        """Distance t >= 0 along the ray to the plane, or None.

        t = -(n . origin + d) / (n . direction). A ray that is parallel to the plane (up to
        rounding) misses it, also where it lies in it.

        Examples
        --------
        >>> floor = Plane((0, 0, 1), 0)
        >>> floor.intersect_ray(Ray((0, 0, 5), (0, 0, -1)))
        5.0
        >>> floor.intersect_ray(Ray((0, 0, 5), (0, 0, 1))) is None
        True
        """
        t = self.intersect_line(ray)
        return t if t is not None and t >= 0.0 else None

    def intersect_line(self, ray: Ray) -> float | None:
        """Distance t along the line of a ray to the plane, below 0 behind its origin, or None.

        None where the line is parallel to the plane, up to rounding, or t is beyond float64.

        Examples
        --------
        >>> Plane((0, 0, 1), 0).intersect_line(Ray((0, 0, 5), (0, 0, 1)))
        -5.0
        """
        ray = arguments.instance_of(ray, Ray, "ray")
        start = float(self._height(ray.origin))
        slope = float(dot(self.normal, ray.direction))
        if abs(slope) <= _ROUNDING:
            return None
        t = -start / slope / _SHRINK
        return t + 0.0 if isfinite(t) else None

    def intersect_segment(self, a: Reals, b: Reals) -> float | None:
        """Where the segment from a to b meets the plane, as a fraction in [0, 1], or None.

        A segment with both ends on the plane has no one answer: None.

        Examples
        --------
        >>> Plane((0, 0, 1), 0).intersect_segment((0, 0, 3), (0, 0, -1))
        0.75
        """
        start = float(self._height(arguments.point(a, "a")))
        end = float(self._height(arguments.point(b, "b")))
        if min(start, end) > 0.0 or max(start, end) < 0.0 or start == end:
            return None
        return start / (start - end)

    def _height(self, points: FloatArray) -> FloatArray:
        """_SHRINK times signed distances (...) of points (..., 3), 0 where they are only rounding.

        The factor keeps the distances of all finite points finite.
        """
        p, d = points * _SHRINK, self.offset * _SHRINK
        height = dot(p, self.normal) + d
        bound = _ROUNDING * (dot(np.abs(p), np.abs(self.normal)) + abs(d))
        return np.where(np.abs(height) <= bound, 0.0, height)

    def __repr__(self) -> str:
        return f"Plane({self.normal.tolist()}, {self.offset})"


def _quotient(offset: float, normal: FloatArray) -> float:
    """The offset divided by the length of the normal, which may be beyond float64."""
    scale = power_of_two(np.abs(normal).max())
    size = float(length(normal / scale))
    mantissa, exponent = frexp(offset)
    try:
        return ldexp(mantissa / size, exponent + 1 - frexp(scale)[1])
    except OverflowError:
        raise NonFiniteError(
            f"offset is beyond float64 when it is divided by the normal's length: {offset}"
        ) from None
