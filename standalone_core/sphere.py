# SPDX-License-Identifier: MIT
"""Spheres, and the smallest one around points."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Literal, overload

import numpy as np

from . import arguments
from .errors import NonFiniteError
from .numerics.arrays import EPS, BoolArray, FloatArray, dot, length, power_of_two
from .numerics.values import Value
from .numerics.vectors import lstsq
from .ray import Ray
from .types import ManyPoints, OnePoint, Reals

SphereCase = Literal["outside", "inside", "behind", "tangent", "miss"]

_SHRINK = 2.0**-3  # keeps distances of finite points finite

_ROUNDS = 100  # at most, of adding the farthest point

# Points outside by up to this share of the radius count as inside: rounding must add no support
# point.
_SLACK = 64 * EPS


class Sphere(Value):
    """A ball with a center and a radius: immutable, and compared by its numbers.

    Parameters
    ----------
    center : array_like (3,)
    radius : float, 0 or more

    Examples
    --------
    >>> Sphere((0, 0, 0), 1).intersect_ray(Ray((0, 0, 3), (0, 0, -1)))
    (2.0, 4.0)
    """

    __slots__ = ("center", "radius")

    center: FloatArray
    radius: float

    def __init__(self, center: Reals, radius: float) -> None:
        middle = arguments.point(center, "center")
        size = arguments.distance(radius, "radius")
        if not np.isfinite(size):
            raise NonFiniteError(f"radius is not finite: {size}")
        self._hold(center=middle, radius=size)

    @classmethod
    def bounding(cls, points: Reals) -> Sphere:
        """The smallest sphere that holds all the finite ones of the points (N, 3).

        Its radius exceeds the least possible one by less than a relative 1e-13 (measured against
        rational arithmetic), plus a rounding of the points' coordinates.

        Raises
        ------
        ArgumentError
            If there is no finite point.
        NonFiniteError
            If the radius is beyond float64.

        Examples
        --------
        >>> sphere = Sphere.bounding([(0, 0, 0), (4, 0, 0), (1, 1, 0)])
        >>> sphere.center.tolist(), round(sphere.radius, 12)
        ([2.0, 0.0, 0.0], 2.0)
        """
        p = arguments.finite_points(points, "points")
        size = float(power_of_two(np.abs(p).max()))
        p = p / size
        middle = p.min(axis=0) / 2 + p.max(axis=0) / 2
        center = smallest_sphere(p - middle) + middle
        reach = float(length(p - center).max())
        reach += 4 * EPS * (reach + float(np.abs(center).max()))
        return cls(center * size, reach * size)

    @overload
    def contains(self, points: OnePoint) -> bool: ...

    @overload
    def contains(self, points: ManyPoints) -> BoolArray: ...

    def contains(self, points: Reals) -> bool | BoolArray:
        """Whether points (..., 3) are inside the sphere or on it, up to a rounding.

        Returns
        -------
        bool, or ndarray (...) of bool
            False for points that are not finite.

        Examples
        --------
        >>> Sphere((0, 0, 0), 1).contains([(0, 0, 0.5), (0, 0, 2)]).tolist()
        [True, False]
        """
        inside = np.asarray(self._away(points) <= 0.0)
        return bool(inside) if inside.ndim == 0 else inside

    @overload
    def distance(self, points: OnePoint) -> float: ...

    @overload
    def distance(self, points: ManyPoints) -> FloatArray: ...

    def distance(self, points: Reals) -> float | FloatArray:
        """Signed distances (...) of points (..., 3) from the surface, below 0 inside.

        Returns
        -------
        float, or ndarray (...)
            From -radius at the center; inf beyond float64, NaN for points with NaN.

        Examples
        --------
        >>> Sphere((0, 0, 0), 1).distance([(0, 0, 0), (0, 0, 3)]).tolist()
        [-1.0, 2.0]
        """
        away = self._away(points)
        return away if away.ndim else float(away)

    def _away(self, points: Reals) -> FloatArray:
        p = arguments.points(points, "points")
        with np.errstate(over="ignore", invalid="ignore"):
            away = length(p * _SHRINK - self.center * _SHRINK)
            away = np.where(np.isinf(p).any(axis=-1) & ~np.isnan(p).any(axis=-1), np.inf, away)
            return np.asarray((away - self.radius * _SHRINK) / _SHRINK)

    def intersect_ray(self, ray: Ray) -> tuple[float, float] | None:
        """Both roots t0 <= t1 of the ray's line, or None where the ray misses the sphere.

        Outside: 0 <= t0 <= t1. Inside: t0 < 0 <= t1, also where the ray starts on the sphere and
        leaves it. Tangent: t0 == t1. Behind (t1 < 0): None.

        Examples
        --------
        >>> Sphere((0, 0, 0), 1).intersect_ray(Ray((0, 0, 0.5), (0, 0, 1)))
        (-1.5, 0.5)
        """
        roots = self._roots(ray)
        return None if roots is None or roots[1] < 0.0 else roots

    def case(self, ray: Ray) -> SphereCase:
        """How the ray meets the sphere.

        Returns
        -------
        "outside" (starts outside, goes through), "inside" (starts inside), "tangent" (touches),
        "behind" (the line meets the sphere only behind the origin), or "miss"

        Examples
        --------
        >>> Sphere((0, 0, 0), 1).case(Ray((1, 0, 5), (0, 0, -1)))
        'tangent'
        """
        roots = self._roots(ray)
        if roots is None:
            return "miss"
        if roots[1] < 0.0:
            return "behind"
        if roots[0] == roots[1]:
            return "tangent"
        return "inside" if roots[0] < 0.0 else "outside"

    def _roots(self, ray: Ray) -> tuple[float, float] | None:
        """Roots of t^2 + B t + C with B = 2 u.v, C = v.v - r^2, v = origin - center.

        The discriminant comes from the line's distance to the center, without cancellation for a
        small sphere far away. The smaller root comes from the product of both roots, which is C
        (Haines et al., "Precision improvements for ray/sphere intersection", Ray Tracing Gems,
        2019).
        """
        ray = arguments.instance_of(ray, Ray, "ray")
        origin, direction = ray.origin, ray.direction
        v, r = origin * _SHRINK - self.center * _SHRINK, self.radius * _SHRINK
        scale = float(power_of_two(max(float(np.abs(v).max()), r)))
        v, r = v / scale, r / scale
        half_b = float(dot(v, direction))
        to_line = v - half_b * direction
        gap2 = float(dot(to_line, to_line))
        away = float(length(v))
        rounding = 8 * EPS * (r * r + np.sqrt(gap2) * away)
        quarter = r * r - gap2
        if abs(quarter) <= rounding:
            quarter = 0.0
        if quarter < 0.0:
            return None
        if quarter == 0.0:
            touch = -half_b * scale / _SHRINK + 0.0  # no -0.0
            return touch, touch
        far = float(-half_b - np.copysign(np.sqrt(quarter), half_b))
        near = (away - r) * (away + r) / far
        t0, t1 = sorted(root * scale / _SHRINK + 0.0 for root in (far, near))  # no -0.0
        return t0, t1

    def __repr__(self) -> str:
        return f"Sphere({self.center.tolist()}, {self.radius})"


def smallest_sphere(points: FloatArray) -> FloatArray:
    """The center (3,) of the smallest sphere around points (N, 3) of size about 1, N > 0.

    Two to four of the points lie on it and determine it. They are found by adding the farthest
    point again and again (Gärtner, "Fast and robust smallest enclosing balls", 1999), which takes
    some ten passes over all points.
    """
    support = points[:1]
    center: FloatArray = points[0]
    radius = 0.0
    for _ in range(_ROUNDS):
        distances = length(points - center)
        farthest = int(distances.argmax())
        if distances[farthest] <= radius * (1.0 + _SLACK):
            break
        best = _smallest_with(points[farthest], support)
        if best is None or best[1] <= radius:
            break
        center, radius, support = best
    return center


def _smallest_with(
    point: FloatArray, others: FloatArray
) -> tuple[FloatArray, float, FloatArray] | None:
    """The smallest sphere around a few points with `point` on it: center, radius, points on it."""
    every = np.vstack([point, others])
    best = None
    for chosen in chain.from_iterable(combinations(others, size) for size in (1, 2, 3)):
        support = np.vstack([point, *chosen])
        # Of all centers equally far from the support points, the nearest one.
        edges = support[1:] - point
        middle, *_ = lstsq(edges, (edges * edges).sum(axis=1) / 2, rcond=None)
        center: FloatArray = point + middle
        radius = float(length(support - center).max())
        if (best is None or radius < best[1]) and (
            length(every - center) <= radius * (1.0 + _SLACK)
        ).all():
            best = center, radius, support
    return best
