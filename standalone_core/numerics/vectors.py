# SPDX-License-Identifier: MIT
"""Arithmetic on one 3-vector in plain floats, and linear algebra that a fork waits for.

The floats give the same bits as arrays in :mod:`.arrays`; for three numbers, NumPy's overhead alone
takes longer than Python.

NumPy leaves matrix products and linear algebra to BLAS and LAPACK. OpenBLAS, for one, has locks and
threads of its own: a child that is forked while another thread is in there may wait for ever at its
next product. So the core never writes ``@``, and calls these functions only from here.
"""

from collections.abc import Callable
from functools import wraps
from math import frexp, isfinite, ldexp, nan, sqrt
from typing import Any

import numpy as np

from ..concurrency.forks import calculating
from .arrays import EPS
from .double_double import Number
from .ray_triangle import Point, Vector, dot3

_CLEAR, _LEAST = 1e-20, 1e-240
"""A normal is clearly more than rounding if its square exceeds _CLEAR times the edges' squares, and
that product exceeds _LEAST, so that nothing underflows. This test saves four square roots."""


def power_of_two(size: float) -> float:
    """:func:`.arrays.power_of_two` of one float."""
    return ldexp(1.0, min(max(frexp(size)[1], -1021), 1023)) if isfinite(size) else 1.0


def largest(a: Point) -> float:
    """The size of the largest component of a finite vector."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


def is_finite(a: Point) -> bool:
    """Whether no component is NaN or infinite."""
    return isfinite(a[0]) and isfinite(a[1]) and isfinite(a[2])


def length(a: Point) -> float:
    """:func:`.arrays.length` of one finite vector."""
    scale = power_of_two(largest(a))
    unit = scaled(a, 1.0 / scale)
    return sqrt(dot3(unit, unit)) * scale


def normalized(a: Point) -> Point:
    """:func:`.arrays.normalized` of one finite vector."""
    x, y, z = unit = scaled(a, 1.0 / power_of_two(largest(a)))
    size = sqrt(dot3(unit, unit))
    return (x / size, y / size, z / size) if size else (nan, nan, nan)


def difference(a: Vector[Number], b: Vector[Number]) -> Vector[Number]:
    """The vector a - b, of floats or arrays."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scaled(a: Point, factor: float) -> Point:
    """A vector times a number."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def is_area_normal(normal: Point, u: Point, v: Point) -> bool:
    """Whether the normal u x v is more than rounding, judged like :func:`.arrays.area_normal`."""
    clear = _CLEAR * dot3(u, u) * dot3(v, v)
    if dot3(normal, normal) > clear > _LEAST:
        return True
    a, b, c = length(u), length(v), length(difference(v, u))
    longest = max(a, b, c)
    return longest > 0.0 and length(normal) > 4 * EPS * (a * b * c / longest)


def scaled_ways(p: Point, a: Point, b: Point, c: Point) -> tuple[Point, Point, Point] | None:
    """Vectors from a to p, b, c, scaled like :func:`.arrays.scaled_edges`; None if not finite."""
    w, u, v = difference(p, a), difference(b, a), difference(c, a)
    if not (is_finite(w) and is_finite(u) and is_finite(v)):
        return None
    inverse = 1.0 / power_of_two(max(largest(u), largest(v)))
    return scaled(w, inverse), scaled(u, inverse), scaled(v, inverse)


def _delaying_forks(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def alone(*arguments: Any, **options: Any) -> Any:
        with calculating.here:
            return function(*arguments, **options)

    return alone


matmul = _delaying_forks(np.matmul)
inv = _delaying_forks(np.linalg.inv)
lstsq = _delaying_forks(np.linalg.lstsq)
matrix_rank = _delaying_forks(np.linalg.matrix_rank)
solve = _delaying_forks(np.linalg.solve)
svd = _delaying_forks(np.linalg.svd)
