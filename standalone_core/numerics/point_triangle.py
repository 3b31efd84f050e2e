# SPDX-License-Identifier: MIT
"""Distances between points and triangles, and triangles' normals, in twice the digits of float64.

Vectors are tuples (x, y, z) of floats or of arrays; a pair of vectors holds each component as a
number high + low. As in :mod:`.double_double`, floats and arrays give the same bits. To avoid
divisions by 0, :func:`edge_distance` needs an edge with a length, and :func:`plane_distance` a
triangle with an area.
"""

import math
from typing import Any

import numpy as np

from . import arrays, vectors
from .arrays import SHRINK, FloatArray, normalized
from .double_double import Number, Pair, determinant2, two_difference, two_product, two_sum
from .ray_triangle import Vector

PairVector = tuple[Vector[Number], Vector[Number]]
"""Vectors high + low."""

# Adding and then subtracting it rounds numbers below 2**51 to integers, and halves to even.
_WHOLE = 1.5 * 2.0**52

# Coordinates above this are shrunk, so that their differences are finite.
_HUGE = 2.0**1000

# The largest rounding error of a normal, relative to the product of the edges' sizes.
_ROUNDING = 2.0**-96


def root(square: Number) -> Number:
    """The square root, which float64 rounds correctly."""
    return math.sqrt(square) if isinstance(square, float) else np.sqrt(square)


def power_of_two(size: Number) -> Number:
    """:func:`.arrays.power_of_two`, for floats too."""
    return vectors.power_of_two(size) if isinstance(size, float) else arrays.power_of_two(size)


def larger(a: Number, b: Number) -> Number:
    """The larger of two finite numbers."""
    return max(a, b) if isinstance(a, float) else np.maximum(a, b)


def largest(a: Vector[Number]) -> Number:
    """The size of the largest component of a finite vector."""
    return larger(larger(abs(a[0]), abs(a[1])), abs(a[2]))


def exact_difference(a: Vector[Number], b: Vector[Number]) -> PairVector[Number]:
    """a - b, without rounding."""
    x, y, z = two_difference(a[0], b[0]), two_difference(a[1], b[1]), two_difference(a[2], b[2])
    return (x[0], y[0], z[0]), (x[1], y[1], z[1])


def shrunk(a: PairVector[Number], size: Number) -> PairVector[Number]:
    """A vector divided by a power of two."""
    (x, y, z), (x_low, y_low, z_low) = a
    inverse = 1.0 / size
    return (
        (x * inverse, y * inverse, z * inverse),
        (x_low * inverse, y_low * inverse, z_low * inverse),
    )


def pair_dot(a: PairVector[Number], b: PairVector[Number]) -> Pair[Number]:
    """a . b."""
    (ax, ay, az), (ax_low, ay_low, az_low) = a
    (bx, by, bz), (bx_low, by_low, bz_low) = b
    x, x_low = two_product(ax, bx)
    y, y_low = two_product(ay, by)
    z, z_low = two_product(az, bz)
    x_low = x_low + (ax * bx_low + ax_low * bx)
    y_low = y_low + (ay * by_low + ay_low * by)
    z_low = z_low + (az * bz_low + az_low * bz)
    total, first = two_sum(x, y)
    total, second = two_sum(total, z)
    return two_sum(total, (first + second) + ((x_low + y_low) + z_low))


def pair_cross(a: PairVector[Number], b: PairVector[Number]) -> PairVector[Number]:
    """a x b as proper pairs: `determinant2` may leave a low part larger than the high one."""
    ax, ay, az = (a[0][0], a[1][0]), (a[0][1], a[1][1]), (a[0][2], a[1][2])
    bx, by, bz = (b[0][0], b[1][0]), (b[0][1], b[1][1]), (b[0][2], b[1][2])
    x, x_low, _ = determinant2(ay, az, by, bz)
    y, y_low, _ = determinant2(az, ax, bz, bx)
    z, z_low, _ = determinant2(ax, ay, bx, by)
    x, x_low = two_sum(x, x_low)
    y, y_low = two_sum(y, y_low)
    z, z_low = two_sum(z, z_low)
    return (x, y, z), (x_low, y_low, z_low)


def pair_length(a: PairVector[Number]) -> Pair[Number]:
    """The length of a vector, without over- or underflow on the way."""
    size = power_of_two(largest(a[0]))
    unit = shrunk(a, size)
    square, square_low = pair_dot(unit, unit)
    length = root(square)
    high, low = two_product(length, length)
    # For a zero vector the numerator is 0 and the divisor 1.
    rest = (((square - high) - low) + square_low) / (2.0 * length + (length == 0.0))
    return length * size, rest * size


def quotient(a: Pair[Number], b: Pair[Number]) -> Pair[Number]:
    """a / b, where b is not 0."""
    result = a[0] / b[0]
    high, low = two_product(result, b[0])
    return result, (((a[0] - high) - low) + a[1] - result * b[1]) / b[0]


def rounded(a: Pair[Number]) -> Pair[Number]:
    """Round a number to 82 bits, which earlier rounding errors do not reach."""
    high, low = two_sum(a[0], a[1])
    step = power_of_two(high) * 2.0**-82
    return high, ((low / step + _WHOLE) - _WHOLE) * step


def along(edge: PairVector[Number], q: PairVector[Number]) -> Number:
    """edge . q, whose sign is that of the cosine of the angle between the two."""
    high, low = pair_dot(q, edge)
    return high + low


def edge_distance(moment: PairVector[Number], length: Pair[Number]) -> Pair[Number]:
    """The distance from an edge's line; `moment` is edge x q, and q leads from it to the point."""
    return rounded(quotient(pair_length(moment), length))


def plane_distance(
    q: PairVector[Number], normal: PairVector[Number], area: Pair[Number]
) -> Pair[Number]:
    """The distance from the plane of a triangle whose normal has the length `area`."""
    high, low = quotient(pair_dot(q, normal), area)
    sign = (high >= 0.0) * 2.0 - 1.0
    return rounded((high * sign, low * sign))


def sides_of(along_normal: Vector[Number], sizes: Vector[Number]) -> Vector[Number]:
    """Signed areas between a point's projection and the edges opposite the corners 0, 1, 2.

    `along_normal` has the dot products of the normal with the moments of the edges from corner 0 to
    1, 0 to 2 and 1 to 2, each edge divided by its entry of `sizes`.
    """
    most = larger(larger(sizes[0], sizes[1]), sizes[2])
    return (
        along_normal[2] * (sizes[2] / most),
        -(along_normal[1] * (sizes[1] / most)),
        along_normal[0] * (sizes[0] / most),
    )


def less(a: Pair[Number], b: Pair[Number]) -> Any:
    """Whether a < b."""
    return (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))


def triangle_normals(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Unit normals (..., 3) along (b - a) x (c - a) of triangles with these corners (..., 3).

    They are right to the last digits, however narrow the triangles are. NaN where the corners lie
    on a line, or one is not finite.
    """
    with np.errstate(all="ignore"):
        size = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.abs(c)).max(axis=-1, keepdims=True)
        if (size > _HUGE).any():
            factor = np.where(size > _HUGE, SHRINK, 1.0)
            a, b, c = a * factor, b * factor, c * factor
        pa, pb, pc = _vector(a), _vector(b), _vector(c)
        u, v = exact_difference(pb, pa), exact_difference(pc, pa)
        longest = power_of_two(larger(largest(u[0]), largest(v[0])))
        u, v = shrunk(u, longest), shrunk(v, longest)
        normal, _ = pair_cross(u, v)
        sound = largest(normal) > _ROUNDING * largest(u[0]) * largest(v[0])
        return normalized(np.where(sound[..., None], np.stack(normal, axis=-1), np.nan))


def _vector(points: FloatArray) -> Vector[FloatArray]:
    return points[..., 0], points[..., 1], points[..., 2]
