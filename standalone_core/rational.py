# SPDX-License-Identifier: MIT
"""The last resort of the ray-triangle test: integers and fractions of any length.

Float64 numbers are integers times powers of two, so nothing here is ever rounded but an answer,
once. All vectors are three floats each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .ray_frame import frame_of

Floats = Sequence[float]
Integers = Sequence[int]
Point = tuple[float, float, float]

_LEAST_BEHIND = -math.ulp(0.0)
_NOTHING = (math.nan, math.nan, math.nan)


def edge_side(origin: Floats, direction: Floats, p: Floats, q: Floats) -> int:
    """On which side of the edge from `p` to `q` the ray passes: 1, -1, or 0 if it is all edge-on.

    It is the sign of det[d, p - o, q - o]. Where that is 0, the ray's point is thought of as moved
    by (e, e^2) across the ray for an infinitely small e > 0 (simulation of simplicity,
    Edelsbrunner and Muecke 1990), so that every ray has one side of every edge, and the opposite
    side of the edge from `q` to `p`.
    """
    d = _integers(direction)
    o, a, b = _thirds(_integers([*origin, *p, *q]))
    a, b = _difference(a, o), _difference(b, o)
    n = _cross(a, b)
    return _sign(sum(x * y for x, y in zip(d, n, strict=True))) or _tie(d, _difference(a, b))


def plane_side(p: Floats, a: Floats, b: Floats, c: Floats) -> int:
    """The side of the plane through a, b, c that a point is on: 1, -1, or 0 on the plane.

    It is the sign of n . (p - a) with n = (b - a) x (c - a).
    """
    numbers = _integers([*a, *b, *c, *p])
    pa, pb, pc, point = numbers[:3], numbers[3:6], numbers[6:9], numbers[9:]
    normal = _cross(_difference(pb, pa), _difference(pc, pa))
    return _sign(_dot(normal, _difference(point, pa)))


def crossing(
    origin: Floats, direction: Floats, a: Floats, b: Floats, c: Floats
) -> tuple[float, float, float, Point, Point]:
    """Where the ray's line meets the triangle's plane.

    Returns
    -------
    t : float
        In lengths of the direction, below 0 behind the origin however close; NaN where the line
        is parallel to the plane.
    v, w : float
        Barycentric weights of b and c.
    normal : tuple of float
        (b - a) x (c - a), brought to order 1.
    point : tuple of float
    """
    o, d, pa, pb, pc = ([Fraction(x) for x in point] for point in (origin, direction, a, b, c))
    e1, e2, s = _difference(pb, pa), _difference(pc, pa), _difference(pa, o)
    n = _cross(e1, e2)
    size = max(abs(x) for x in n) or Fraction(1)
    normal = (float(n[0] / size), float(n[1] / size), float(n[2] / size))
    slope = _dot(d, n)
    if not slope:
        return (*_NOTHING, normal, _NOTHING)
    v, w = _dot(s, _cross(d, e2)) / slope, _dot(s, _cross(e1, d)) / slope
    x, y, z = (float(pa[i] + v * e1[i] + w * e2[i]) for i in range(3))
    exact = _dot(s, n) / slope
    try:
        t = float(exact)
    except OverflowError:
        t = math.nan
    if exact < 0 and t == 0.0:
        t = _LEAST_BEHIND
    return t, float(v), float(w), normal, (x, y, z)


def _tie(d: Integers, edge: Integers) -> int:
    """The side of an edge (p - q) that the ray meets exactly."""
    kx, ky, kz = frame_of((d[0], d[1], d[2]))
    along = _sign(d[kz])
    first = _sign(edge[ky] * d[kz] - d[ky] * edge[kz]) * along
    return first or -_sign(edge[kx] * d[kz] - d[kx] * edge[kz]) * along


def _integers(numbers: Floats) -> list[int]:
    """The numbers times a power of two that they share."""
    ratios = [number.as_integer_ratio() for number in numbers]
    common = max(denominator for _, denominator in ratios)
    return [numerator * (common // denominator) for numerator, denominator in ratios]


def _thirds(numbers: list[int]) -> tuple[list[int], list[int], list[int]]:
    return numbers[:3], numbers[3:6], numbers[6:]


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


def _difference(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
