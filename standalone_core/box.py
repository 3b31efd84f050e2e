# SPDX-License-Identifier: MIT
"""An axis-aligned box, and the slab test of one or of many boxes."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from . import arguments
from .errors import ArgumentError, NonFiniteError
from .numerics.arrays import EPS, BoolArray, FloatArray
from .numerics.values import Value
from .ray import Ray
from .types import ManyPoints, OnePoint, Reals

LEAST_COMPONENT = 1e-300
"""A smaller component of a direction is replaced by this: its inverse is finite, so a box whose
face holds the ray gives 0 * finite = 0 instead of the NaN of 0 * inf."""

# Twice gamma(3), by which Ize, "Robust BVH ray traversal" (JCGT, 2013) widens the interval of a
# slab test so that rounding never turns a hit into a miss.
_WIDENING = 4 * EPS


class Box(Value):
    """The points between two corners, faces included: immutable, and compared by its numbers.

    Parameters
    ----------
    lower, upper : array_like (3,)
        Corners, each component of `lower` at most that of `upper`; infinite ones are allowed.

    Examples
    --------
    >>> Box((-1, -1, -1), (1, 1, 1)).intersect_ray(Ray((0, 0, 3), (0, 0, -1)))
    (2.0, 4.0)
    """

    __slots__ = ("lower", "upper")

    lower: FloatArray
    upper: FloatArray

    def __init__(self, lower: Reals, upper: Reals) -> None:
        low = arguments.floats(lower, "lower", (3,))
        high = arguments.floats(upper, "upper", (3,))
        for name, corner in (("lower", low), ("upper", high)):
            if np.isnan(corner).any():
                raise NonFiniteError(f"{name} must not be NaN: {corner.tolist()}")
        if not (low <= high).all():
            raise ArgumentError(f"lower {low.tolist()} must not exceed upper {high.tolist()}")
        self._hold(lower=low, upper=high)

    @classmethod
    def bounding(cls, points: Reals) -> Box:
        """The smallest box around those points (N, 3) that are finite.

        Raises
        ------
        ArgumentError
            If there is no finite point.

        Examples
        --------
        >>> Box.bounding([(0, 0, 3), (4, -1, 0)])
        Box([0.0, -1.0, 0.0], [4.0, 0.0, 3.0])
        """
        p = arguments.finite_points(points, "points")
        return cls(p.min(axis=0), p.max(axis=0))

    @overload
    def contains(self, points: OnePoint) -> bool: ...

    @overload
    def contains(self, points: ManyPoints) -> BoolArray: ...

    def contains(self, points: Reals) -> bool | BoolArray:
        """Whether points (..., 3) are inside the box or on its faces; decided exactly.

        Returns
        -------
        bool, or ndarray (...) of bool

        Examples
        --------
        >>> Box((0, 0, 0), (1, 1, 1)).contains([(1, 1, 1), (2, 0, 0)]).tolist()
        [True, False]
        """
        p = arguments.points(points, "points")
        inside = np.asarray(((p >= self.lower) & (p <= self.upper)).all(axis=-1))
        return bool(inside) if inside.ndim == 0 else inside

    def intersect_ray(self, ray: Ray) -> tuple[float, float] | None:
        """Where the ray's line enters and leaves, t0 <= t1, or None where the ray misses.

        t0 is negative where the ray starts inside. A box behind the ray is missed. Grazing a
        face, an edge or a corner is a hit, up to rounding in favour of the hit.

        Examples
        --------
        >>> Box((0, 0, 0), (1, 1, 1)).intersect_ray(Ray((0.5, 0.5, 0.5), (1, 0, 0)))
        (-0.5, 0.5)
        """
        ray = arguments.instance_of(ray, Ray, "ray")
        direction = ray.direction
        along = direction != 0.0
        beside = (ray.origin < self.lower) | (ray.origin > self.upper)
        if beside[~along].any():
            return None
        lower, upper = self.lower[along], self.upper[along]
        inverse = inverse_direction(direction[along])
        near, far = slab_interval(ray.origin[along], inverse, lower, upper, 0.0)
        t0, t1 = float(near), float(far)
        if not t0 - _WIDENING * abs(t0) <= t1 + _WIDENING * abs(t1) or t1 < 0.0:
            return None
        return min(t0, t1), t1

    def __repr__(self) -> str:
        return f"Box({self.lower.tolist()}, {self.upper.tolist()})"


def inverse_direction(direction: FloatArray) -> FloatArray:
    """1 / direction (..., 3) with zeros replaced, for :func:`slab_interval`."""
    least = np.copysign(LEAST_COMPONENT, direction)
    result: FloatArray = 1.0 / np.where(np.abs(direction) < LEAST_COMPONENT, least, direction)
    return result


def slab_interval(
    origin: FloatArray, inverse: FloatArray, lower: Any, upper: Any, pad: Any
) -> tuple[FloatArray, FloatArray]:
    """Entry and exit (...) of rays through boxes that are first grown by `pad`.

    The slab test of Kay and Kajiya (1986). Its rounding moves a face by a few EPS of its distance
    from the origin; a `pad` of that size makes up for it. Without a pad, chance decides whether a
    ray within a face meets the box.

    Origins, :func:`inverse_direction` and corners have the shape (..., D) in D dimensions. A line
    meets its box where entry <= exit; a box with NaN is never met.
    """
    pad = np.asarray(pad, dtype=np.float64)[..., None]
    with np.errstate(over="ignore", invalid="ignore"):
        first = (lower - pad - origin) * inverse
        second = (upper + pad - origin) * inverse
        near = np.minimum(first, second)
        far = np.maximum(first, second)
        entry, leave = near[..., 0], far[..., 0]
        for axis in range(1, near.shape[-1]):
            entry = np.maximum(entry, near[..., axis])
            leave = np.minimum(leave, far[..., axis])
    return entry, leave


def met_at(
    origin: FloatArray,
    inverse: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    margin: FloatArray | float,
    length: FloatArray | float,
    limit: FloatArray | float,
) -> tuple[BoolArray, FloatArray]:
    """Whether rays meet boxes grown by a margin, and the least distance of anything in each box.

    `length` is that of the directions. The `limit` of each ray and the answers are distances.
    """
    entry, leave = slab_interval(origin, inverse, lower, upper, margin)
    with np.errstate(over="ignore", invalid="ignore"):
        entry, leave = entry * length, leave * length
        met: BoolArray = (entry <= leave) & (leave >= 0.0) & (entry <= limit)
        return met, entry - margin
