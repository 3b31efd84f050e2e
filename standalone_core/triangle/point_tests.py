# SPDX-License-Identifier: MIT
"""The three point-in-triangle tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, overload

import numpy as np

from .. import arguments
from ..numerics import vectors
from ..numerics.arrays import BoolArray, cross, dot, length, power_of_two
from ..numerics.ray_triangle import Point, Vector, cross3, dot3
from ..numerics.vectors import difference, is_finite, largest, scaled
from ..types import OnePoint, Reals
from .weights import quiet, scaled_ways_of, weights_of

# The tolerance is an angle, so no size matters. Rounding takes some multiples of 1e-16 off a full
# turn; a height h over a triangle of size 1 takes off about h squared.
_FULL_TURN = 2.0 * np.pi - 1e-9


@overload
def contains_angle_sum(  # type: ignore[overload-overlap]
    point: OnePoint, a: OnePoint, b: OnePoint, c: OnePoint
) -> bool: ...


@overload
def contains_angle_sum(point: Reals, a: Reals, b: Reals, c: Reals) -> BoolArray: ...


def contains_angle_sum(point: Reals, a: Reals, b: Reals, c: Reals) -> bool | BoolArray:
    """Whether the angles between the corners, seen from the point, add up to 360 degrees.

    The angles are the arctangents of cross and dot product, which unlike the arccosine are accurate
    near 0 and 180 degrees. The method needs a tolerance (1e-9 of a radian), so a
    point that is outside by less than about 1e-9 of the triangle's size counts as inside.

    Parameters
    ----------
    point, a, b, c : array_like (..., 3)
        Points that broadcast against each other, all in one space. A point off the plane sees
        less than 360 degrees: it is not contained, if it is off by more than about 1e-5 of the
        triangle's size.

    Returns
    -------
    bool, or ndarray (...) of bool
        A corner is contained; a triangle without area contains the points on it, and one with
        corners that are not finite contains nothing.

    Examples
    --------
    >>> contains_angle_sum((1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    True
    """
    points = arguments.single_points(point, a, b, c)
    if points is not None:
        ways = [difference(corner, points[0]) for corner in points[1:]]
        if all(map(is_finite, ways)):
            return _contains_one(ways)
    p, pa, pb, pc = arguments.points_together(point=point, a=a, b=b, c=c)
    with np.errstate(all="ignore"):
        sides = np.stack([pa - p, pb - p, pc - p])
        sides /= power_of_two(np.abs(sides).max(axis=(0, -1)))[..., None]
        following = sides[[1, 2, 0]]
        first, second, third = np.arctan2(length(cross(sides, following)), dot(sides, following))
        on_corner = (sides == 0.0).all(axis=-1).any(axis=0)
        finite = np.isfinite(sides).all(axis=(0, -1))
        inside = finite & (on_corner | (first + second + third >= _FULL_TURN))
    return bool(inside) if inside.ndim == 0 else inside


def _contains_one(sides: list[Point]) -> bool:
    inverse = 1.0 / vectors.power_of_two(max(map(largest, sides)))
    a, b, c = (scaled(side, inverse) for side in sides)
    if (0.0, 0.0, 0.0) in (a, b, c):
        return True
    pairs = (a, b), (b, c), (c, a)
    # NumPy's arctangent, as for many points: that of math may differ in the last bits.
    angles = np.arctan2(
        [vectors.length(cross3(x, y)) for x, y in pairs], [dot3(x, y) for x, y in pairs]
    )
    first, second, third = angles.tolist()
    return bool(first + second + third >= _FULL_TURN)


@overload
def contains_same_side(  # type: ignore[overload-overlap]
    point: OnePoint, a: OnePoint, b: OnePoint, c: OnePoint
) -> bool: ...


@overload
def contains_same_side(point: Reals, a: Reals, b: Reals, c: Reals) -> BoolArray: ...


def contains_same_side(point: Reals, a: Reals, b: Reals, c: Reals) -> bool | BoolArray:
    """Whether P is on the same side of AB as C, of BC as A, and of CA as B.

    Two points are on the same side of a line where the cross products of the line's direction
    with the vectors to them point the same way: their dot product is not negative.

    Parameters
    ----------
    point, a, b, c : array_like (..., 3)
        Points that broadcast against each other, all in one space. A point off the plane is
        judged by its perpendicular projection onto it.

    Returns
    -------
    bool, or ndarray (...) of bool
        Borders count as inside; a triangle without area, or with corners that are not finite,
        contains nothing.

    Examples
    --------
    >>> contains_same_side((1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    True
    """
    w, u, v = scaled_ways_of(point, a, b, c)
    with quiet(w):
        return _all(_same_sides(w, u, v))


def _same_sides(w: Any, u: Any, v: Any) -> Iterator[Any]:
    """The conditions for w to be in the triangle (0, u, v); components are floats or arrays."""
    zero = (0.0, 0.0, 0.0)
    yield _same_side(u, w, v)
    yield _same_side(difference(v, u), difference(w, u), difference(zero, u))
    yield _same_side(difference(zero, v), difference(w, v), difference(u, v))
    x, y, z = cross3(u, v)
    yield (x != 0.0) | (y != 0.0) | (z != 0.0)


def _same_side(edge: Vector[Any], p: Vector[Any], q: Vector[Any]) -> Any:
    return dot3(cross3(edge, p), cross3(edge, q)) >= 0.0


@overload
def contains_barycentric(  # type: ignore[overload-overlap]
    point: OnePoint, a: OnePoint, b: OnePoint, c: OnePoint
) -> bool: ...


@overload
def contains_barycentric(point: Reals, a: Reals, b: Reals, c: Reals) -> BoolArray: ...


def contains_barycentric(point: Reals, a: Reals, b: Reals, c: Reals) -> bool | BoolArray:
    """Whether all weights of the point are 0 or more.

    Tutorials solve P - A = u (C - A) + v (B - A) and ask for u >= 0, v >= 0, u + v <= 1: u is
    the weight of C, v that of B, and 1 - u - v that of A (see
    :func:`~standalone_core.triangle.barycentric`). Parameters and result are those of
    :func:`~standalone_core.triangle.contains_same_side`.

    Examples
    --------
    >>> contains_barycentric((1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    True
    """
    return _all(weight >= 0.0 for weight in weights_of(point, a, b, c))


def _all(conditions: Iterable[Any]) -> bool | BoolArray:
    """Whether all conditions hold: a bool, or an array of them."""
    inside: Any = True
    for condition in conditions:
        inside = inside & condition
        if inside is False:
            break
    return inside if isinstance(inside, np.ndarray) and inside.ndim else bool(inside)
