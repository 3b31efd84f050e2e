# SPDX-License-Identifier: MIT
"""The nearest of several triangles, compared one by one in plain floats.

The numba engine compiles these functions.
"""

from math import inf
from typing import NamedTuple

from ..numerics.point_triangle import less
from ..numerics.ray_triangle import Vector
from .one_triangle import (
    UNSURE,
    Corners,
    Places,
    distance_in,
    in_order,
    is_ordinary,
    is_same,
    place_of,
    region_of,
    weights_in,
)


class Nearest(NamedTuple):
    """The nearest of the triangles that were compared."""

    is_sure: bool  # else more is needed than plain floats here, and the rest says nothing
    triangle: int  # -1 if there is none within the limit
    region: int
    corners: Corners  # in order
    places: Places  # which of the triangle's corners these are
    high: float  # the distance
    low: float


_ORIGIN = (0.0, 0.0, 0.0)

NOTHING = Nearest(True, -1, UNSURE, (_ORIGIN, _ORIGIN, _ORIGIN), (0, 1, 2), inf, 0.0)
"""Before any comparison."""


def nearer(
    best: Nearest,
    p: Vector[float],
    limit: float,
    triangle: int,
    a: Vector[float],
    b: Vector[float],
    c: Vector[float],
) -> Nearest:
    """The nearest of the triangles before, and of one with the finite corners a, b, c.

    Of triangles at the same distance it is the one with the smallest number.
    """
    if not best.is_sure:
        return best
    corners, places = in_order(a, b, c)
    region = region_of(p, corners)
    if region == UNSURE and not is_ordinary(p, corners):
        return Nearest(False, -1, region, corners, places, inf, 0.0)
    first = best.triangle < 0 or triangle < best.triangle
    if best.triangle >= 0 and is_same(region, corners, best.region, best.corners):
        high, low = best.high, best.low
    else:
        high, low = distance_in(region, p, corners)
    if high <= limit and (
        less((high, low), (best.high, best.low))
        or (first and high == best.high and low == best.low)
    ):
        return Nearest(True, triangle, region, corners, places, high, low)
    return best


def place_on(best: Nearest, p: Vector[float]) -> tuple[Vector[float], Vector[float]]:
    """The nearest place, and the weights of the triangle's corners there."""
    weights = weights_in(best.region, p, best.corners)
    i, j, _ = best.places
    first = weights[0] if i == 0 else weights[1] if j == 0 else weights[2]
    second = weights[0] if i == 1 else weights[1] if j == 1 else weights[2]
    third = weights[0] if i == 2 else weights[1] if j == 2 else weights[2]
    return place_of(best.corners, weights), (first, second, third)
