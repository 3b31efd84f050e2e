# SPDX-License-Identifier: MIT
"""Names of the array types, and arithmetic on arrays of 3-vectors.

Sums are written out term by term instead of using BLAS or ``einsum``: this fixes the order of the
additions, so that a single ray and a batch of rays give the same bits.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .values import read_only

FloatArray = npt.NDArray[np.float64]
SingleArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
IndexArray = npt.NDArray[np.signedinteger[Any]]

EPS = float(np.finfo(np.float64).eps)
"""Spacing of float64 at 1; relative bounds of rounding errors are small multiples of it."""

SHRINK = 2.0**-8
"""Finite points times this have finite differences."""


def repeated(array: FloatArray, count: int) -> FloatArray:
    """A contiguous array (...) as read-only rows (count, ...), faster than ``broadcast_to``."""
    rows = np.ndarray((count, *array.shape), array.dtype, array, 0, (0, *array.strides))
    rows.flags.writeable = False
    return rows


def pieces(count: int, size: int) -> Iterator[slice]:
    """The rows 0 ... count - 1, as slices of `size` rows."""
    return (slice(first, first + size) for first in range(0, count, size))


def columns(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The components (N,) or (K, N) of vectors (N, 3) or (N, K, 3), each contiguous."""
    x, y, z = np.ascontiguousarray(rows.T)
    return x, y, z


def components(rows: FloatArray) -> FloatArray:
    """Rows (N, 3) or (N, K, 3) as contiguous components (..., N): NumPy's fastest order."""
    return np.ascontiguousarray(rows.T if rows.ndim == 2 else rows.transpose(1, 2, 0))


def as_vectors(components: Sequence[FloatArray]) -> FloatArray:
    """K components (...) as vectors (..., K); each stays contiguous, NumPy's fastest order."""
    rows = np.array(components)
    return rows.transpose(*range(1, rows.ndim), 0)


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Dot product over the last axis, (..., 3) and (..., 3) -> (...)."""
    total: FloatArray = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return total


def dot_columns(a: FloatArray, b: FloatArray) -> FloatArray:
    """Dot product over the first axis, (3, ...) and (3, ...) -> (...)."""
    total: FloatArray = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return total


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross product over the last axis, (..., 3) and (..., 3) -> (..., 3)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def largest(a: FloatArray) -> FloatArray:
    """The size of the largest component over the last axis, (..., 3) -> (...); NaN if one is NaN.

    Several times as fast as ``max`` along so short an axis.
    """
    sizes = np.abs(a)
    result: FloatArray = np.maximum(np.maximum(sizes[..., 0], sizes[..., 1]), sizes[..., 2])
    return result


def length(a: FloatArray) -> FloatArray:
    """Length over the last axis, (..., 3) -> (...), without overflow or underflow on the way."""
    scale = power_of_two(largest(a))
    unit = a / scale[..., None]
    result: FloatArray = np.sqrt(dot(unit, unit)) * scale
    return result


def scaled_edges(
    a: FloatArray, b: FloatArray, c: FloatArray, *points: FloatArray
) -> tuple[FloatArray, ...]:
    """The edges b - a and c - a (..., 3) of triangles, divided by a power of two each.

    The larger edge is then of order 1, so that formulas neither over- nor underflow, whatever the
    triangles' size: corners whose differences are beyond float64 are divided before they are
    subtracted. After the edges come the vectors from a to the points (..., 3), divided alike.
    """
    with np.errstate(all="ignore"):
        ways = [point - a for point in (b, c, *points)]
        far = ~np.isfinite(np.broadcast_arrays(*ways)).all(axis=0).all(axis=-1, keepdims=True)
        if far.any():
            shrunk = (point * SHRINK - a * SHRINK for point in (b, c, *points))
            ways = [np.where(far, *both) for both in zip(shrunk, ways, strict=True)]
        size = power_of_two(np.maximum(largest(ways[0]), largest(ways[1])))[..., None]
        return tuple(way / size for way in ways)


def area_normal(u: FloatArray, v: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The normal u x v of edges (..., 3), and whether it is more than rounding (...).

    It is only rounding where the corners lie on a line, or a number is not finite. Its length is
    compared with the product of the two shortest sides: the order of the corners does not matter,
    nor does the scale as long as the products do not underflow (see :func:`scaled_edges`).
    """
    normal = cross(u, v)
    a, b, c = length(u), length(v), length(v - u)
    with np.errstate(invalid="ignore"):
        shortest = a * b * c / np.maximum(np.maximum(a, b), c)
    sound: BoolArray = np.asarray(length(normal) > 4 * EPS * shortest)
    return normal, sound


def normalized(a: FloatArray) -> FloatArray:
    """Vectors (..., 3) scaled to length 1; NaN where the length is 0 or not finite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        unit: FloatArray = a / power_of_two(largest(a))[..., None]
        unit /= np.sqrt(dot(unit, unit))[..., None]
    return unit


def near_unit(square: FloatArray | float) -> Any:
    """Whether a vector of this squared length is a unit vector up to rounding.

    Results of :func:`normalized` always are: five roundings there and three in the square.
    """
    difference: Any = square - 1.0
    return abs(difference) <= 8 * EPS


def power_of_two(size: Any) -> FloatArray:
    """The power of two just above each size (...); 1 where the size is 0 or not finite.

    Dividing by it brings a quantity to order 1 without any rounding: so the geometry tests do not
    depend on scale.
    """
    size = np.asarray(size, dtype=np.float64)
    exponent = np.frexp(np.where(np.isfinite(size), size, 0.0))[1]
    # Faster for few numbers than np.clip.
    result: FloatArray = np.ldexp(1.0, np.minimum(np.maximum(exponent, -1021), 1023))
    return result


def moved(points: FloatArray, rows: FloatArray) -> FloatArray:
    """Points (..., 3) times the rows (R, 4) of a matrix, or (..., R, 4) of one per point: (..., R).

    Unlike a matrix product, it gives a point the same bits however many there are.
    """
    return dot(points[..., None, :], rows[..., :3]) + rows[..., 3]


def finite_extent(vertices: FloatArray) -> float:
    """Largest size of a finite coordinate of vertices (V, 3); 0 without one."""
    if not vertices.size:
        return 0.0
    extent = max(float(vertices.max()), -float(vertices.min()))
    if math.isfinite(extent):
        return extent
    return float(np.abs(vertices[np.isfinite(vertices)]).max(initial=0.0))


def finite_bounds(vertices: FloatArray | SingleArray) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corner (3,) around the finite vertices (V, 3), read-only; NaN without one."""
    if not len(vertices):
        return read_only(np.full(3, np.nan)), read_only(np.full(3, np.nan))
    # Axis by axis is faster than min(axis=0).
    lower, upper = (np.array([*map(pick, vertices.T)]) for pick in (np.min, np.max))
    if not np.isfinite([lower, upper]).all():
        return finite_bounds(vertices[np.isfinite(vertices).all(axis=1)])
    return read_only(lower), read_only(upper)
