# SPDX-License-Identifier: MIT
"""Arithmetic on one 3-vector in plain floats, to the same bits as that on arrays in :mod:`.arrays`.

A lone ray is all overhead: NumPy takes longer to start on three numbers than Python takes to be
done with them.
"""

from __future__ import annotations

from math import frexp, isfinite, ldexp, nan, sqrt

from .arrays import EPS
from .intersection import Vector, dot3


def power_of_two(size: float) -> float:
    """As :func:`.arrays.power_of_two`."""
    return ldexp(1.0, min(max(frexp(size)[1], -1021), 1023)) if isfinite(size) else 1.0


def largest(a: Vector[float]) -> float:
    """The size of the largest component of a finite vector."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


def is_finite(a: Vector[float]) -> bool:
    """Whether no component is NaN or infinite."""
    return isfinite(a[0]) and isfinite(a[1]) and isfinite(a[2])


def length(a: Vector[float]) -> float:
    """As :func:`.arrays.length`, of a finite vector."""
    scale = power_of_two(max(abs(a[0]), abs(a[1]), abs(a[2])))
    x, y, z = a[0] / scale, a[1] / scale, a[2] / scale
    return sqrt(x * x + y * y + z * z) * scale


def normalized(a: Vector[float]) -> Vector[float]:
    """As :func:`.arrays.normalized`, of a finite vector."""
    scale = power_of_two(max(abs(a[0]), abs(a[1]), abs(a[2])))
    x, y, z = a[0] / scale, a[1] / scale, a[2] / scale
    size = sqrt(dot3((x, y, z), (x, y, z)))
    return (x / size, y / size, z / size) if size else (nan, nan, nan)


def difference(a: Vector[float], b: Vector[float]) -> Vector[float]:
    """The vector a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def is_area_normal(normal: Vector[float], u: Vector[float], v: Vector[float]) -> bool:
    """Whether the normal u x v is more than rounding, as :func:`.arrays.area_normal` has it."""
    a, b, c = length(u), length(v), length(difference(v, u))
    longest = max(a, b, c)
    return longest > 0.0 and length(normal) > 4 * EPS * (a * b * c / longest)
