# SPDX-License-Identifier: MIT
"""The last resort of the ray-triangle test: integers of any length.

Float64 numbers are integers times powers of two, so only the answer is rounded, once: Python rounds
a quotient of integers correctly. Vectors are three floats. Functions with plural names take columns
(3, N), and compute with arrays of integers in a tenth of the time.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..concurrency.threads import go_on
from .arrays import BoolArray, FloatArray, pieces
from .ray_triangle import Point, Vector, cross3, dot3, frame_of
from .vectors import difference

Floats = Sequence[float]
Crossing = tuple[float, float, float, Point, Point]
Integers = Vector[Any]
"""Components are integers, or arrays (N,) of them."""
Exponents = npt.NDArray[np.int32]

LEAST_BEHIND = -math.ulp(0.0)
"""Replaces a negative t that underflows, so that its point stays behind the origin."""

_NOTHING = (math.nan, math.nan, math.nan)

# How many columns are computed together; an interrupt waits for these at most.
_CHUNK = 1 << 12

# Bits of a float64's mantissa.
_DIGITS = 53


class Meeting(NamedTuple):
    """Where a ray meets a triangle, exactly: t in lengths of its direction, and from which side."""

    t: Fraction
    is_front: bool


def edge_side(origin: Floats, direction: Floats, p: Floats, q: Floats) -> int:
    """On which side of the edge from `p` to `q` the ray passes: 1, -1, or 0 if they are parallel.

    It is the sign of det[d, p - o, q - o]. Where that is 0, the ray counts as moved by (e, e^2)
    across its direction, for an infinitely small e > 0 (simulation of simplicity, Edelsbrunner and
    Muecke 1990). So a ray is on one side of every edge that is not parallel to it, and on the
    opposite side of the same edge from `q` to `p`.
    """
    (d,), _ = _integers(direction)
    (o, a, b), _ = _integers(origin, p, q)
    side = _sign(dot3(d, cross3(difference(a, o), difference(b, o))))
    return int(side) or _tie(d, difference(a, b))


def edge_sides(o: FloatArray, d: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """:func:`edge_side` for columns (3, N), as (N,)."""
    sides = [np.empty(0)]
    for part in _parts(o, d, p, q):
        way, edge, side = _signs(*part)
        for i in np.flatnonzero(side == 0).tolist():
            side[i] = _tie([x[i] for x in way], [x[i] for x in edge])
        sides.append(side)
    return np.concatenate(sides)


def are_in_plane(o: FloatArray, d: FloatArray, p: FloatArray, q: FloatArray) -> BoolArray:
    """Whether rays and edges lie in one plane: columns (3, N), as (N,)."""
    found = [_signs(*part)[2] == 0 for part in _parts(o, d, p, q)]
    return np.concatenate([np.empty(0, dtype=np.bool_), *found])


def orientation(a: Floats, b: Floats, c: Floats) -> int:
    """The sign of det[a, b, c], of finite vectors: 1, -1, or 0."""
    (u,), (v,), (w,) = (_integers(vector)[0] for vector in (a, b, c))
    return int(_sign(dot3(u, cross3(v, w))))


def _signs(o: FloatArray, d: FloatArray, p: FloatArray, q: FloatArray) -> tuple[Any, Any, Any]:
    """Directions and edges as integers, and the signs of det[d, p - o, q - o]; columns (3, N)."""
    (way,), _ = _columns(d)
    (start, a, b), _ = _columns(o, p, q)
    signs = _sign(dot3(way, cross3(difference(a, start), difference(b, start))))
    return way, difference(a, b), signs


def plane_side(p: Floats, a: Floats, b: Floats, c: Floats) -> int:
    """The side of the plane through a, b, c that a point is on: 1, -1, or 0 on the plane.

    It is the sign of n . (p - a) with n = (b - a) x (c - a).
    """
    return int(_sign(_height(*_integers(p, a, b, c)[0])))


def plane_sides(p: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """:func:`plane_side` for columns (3, N), as (N,)."""
    sides = [_sign(_height(*_columns(*part)[0])) for part in _parts(p, a, b, c)]
    return np.concatenate([np.empty(0), *sides])


def crossing(origin: Floats, direction: Floats, a: Floats, b: Floats, c: Floats) -> Crossing:
    """Where the ray's line meets the triangle's plane: t, weights v of b and w of c, normal, point.

    t is in lengths of the direction: negative behind the origin, however close, and NaN if the line
    is parallel to the plane. The normal is (b - a) x (c - a), scaled to a largest component of 1.
    """
    (o, pa, pb, pc), unit = _integers(origin, a, b, c)
    (d,), way_unit = _integers(direction)
    return _rounded(unit, way_unit, *_solution(o, d, pa, pb, pc))


def crossings(
    o: FloatArray, d: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """:func:`crossing` for columns (3, N): t, v, w as (3, N), normal and point as (2, 3, N)."""
    weights, places = np.empty((3, o.shape[1])), np.empty((2, 3, o.shape[1]))
    i = 0
    for *points, ways in _parts(o, a, b, c, d):
        (start, pa, pb, pc), unit = _columns(*points)
        (way,), way_unit = _columns(ways)
        solution = _solution(start, way, pa, pb, pc)
        for known in zip(unit.tolist(), way_unit.tolist(), *solution, strict=True):
            *weights[:, i], places[0, :, i], places[1, :, i] = _rounded(*known)
            i += 1
    return weights, places


def meeting(origin: Floats, direction: Floats, a: Floats, b: Floats, c: Floats) -> Meeting | None:
    """Where a ray goes through a triangle, its edges and corners included, or None.

    None also if the ray lies in the triangle's plane, or the triangle has no area.
    """
    (o, *corners), unit = _integers(origin, a, b, c)
    (d,), way_unit = _integers(direction)
    p, q, r = (difference(corner, o) for corner in corners)
    qr = cross3(q, r)
    sides = dot3(d, cross3(p, q)), dot3(d, qr), dot3(d, cross3(r, p))
    height, slope = dot3(p, qr), sum(sides)  # both times the normal's length
    if min(sides) < 0 < max(sides) or slope == 0 or height * slope < 0:
        return None
    power = unit - way_unit
    t = Fraction(height << max(power, 0), slope << max(-power, 0))
    return Meeting(t, slope < 0)


def _solution(o: Integers, d: Integers, a: Integers, b: Integers, c: Integers) -> tuple[Any, ...]:
    """Slope; t, v, w, x, y, z times the slope; and the normal nx, ny, nz: all are integers."""
    e1, e2, s = difference(b, a), difference(c, a), difference(a, o)
    n, across = cross3(e1, e2), cross3(s, d)
    slope, v, w = dot3(d, n), dot3(e2, across), -dot3(e1, across)
    point = (a[i] * slope + v * e1[i] + w * e2[i] for i in range(3))
    return slope, dot3(s, n), v, w, *point, *n


def _rounded(unit: int, way_unit: int, slope: int, *numbers: int) -> Crossing:
    """Round a crossing; points are multiples of 2**unit, the direction of 2**way_unit."""
    nx, ny, nz = numbers[6:]
    size = max(abs(nx), abs(ny), abs(nz)) or 1
    normal = nx / size, ny / size, nz / size
    if not slope:
        return (*_NOTHING, normal, _NOTHING)
    # 0 divided by a negative integer is -0.0.
    t, v, w, x, y, z = numbers[:6] if slope > 0 else [-number for number in numbers[:6]]
    slope = abs(slope)
    point = _quotient(x, slope, unit), _quotient(y, slope, unit), _quotient(z, slope, unit)
    try:
        distance = _quotient(t, slope, unit - way_unit)
    except OverflowError:
        distance = math.nan
    if t < 0 and distance == 0.0:
        distance = LEAST_BEHIND
    return distance, v / slope, w / slope, normal, point


def _quotient(number: int, divisor: int, power: int) -> float:
    """number * 2**power / divisor."""
    return (number << power) / divisor if power > 0 else number / (divisor << -power)


def _height(p: Integers, a: Integers, b: Integers, c: Integers) -> Any:
    return dot3(cross3(difference(b, a), difference(c, a)), difference(p, a))


def _tie(d: Sequence[int], edge: Sequence[int]) -> int:
    """The side of an edge (p - q) whose line the ray meets, as :func:`edge_side` breaks ties."""
    kx, ky, kz = frame_of((d[0], d[1], d[2]))
    first, second = (_sign(edge[k] * d[kz] - d[k] * edge[kz]) for k in (ky, kx))
    return int(_sign(d[kz]) * (first or -second))


def _integers(*vectors: Floats) -> tuple[list[Any], int]:
    """Vectors as multiples of one power of two, and its exponent."""
    ratios = [number.as_integer_ratio() for vector in vectors for number in vector]
    common = max(denominator for _, denominator in ratios)
    whole = [numerator * (common // denominator) for numerator, denominator in ratios]
    return [whole[i : i + 3] for i in range(0, len(whole), 3)], 1 - common.bit_length()


def _columns(*vectors: FloatArray) -> tuple[list[Any], Exponents]:
    """:func:`_integers` of vectors (3, N), with an exponent for each column (N,)."""
    mantissa, exponent = np.frexp(np.stack(vectors))
    whole = np.ldexp(mantissa, _DIGITS).astype(np.int64)
    most = np.iinfo(np.int32).max
    unit = np.where(whole == 0, most, exponent).min(axis=(0, 1))
    shift = np.where(whole == 0, 0, exponent - unit)
    unit = np.where(unit == most, 0, unit - _DIGITS)
    return list(whole.astype(object) << shift.astype(object)), unit


def _parts(*vectors: FloatArray) -> Iterator[list[FloatArray]]:
    """Yield the columns (3, N) in chunks."""
    for part in pieces(vectors[0].shape[1], _CHUNK):
        go_on()
        yield [vector[:, part] for vector in vectors]


def _sign(x: Any) -> Any:
    return 1 * (x > 0) - 1 * (x < 0)
