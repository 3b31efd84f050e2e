# SPDX-License-Identifier: MIT
"""Normals of triangles, right to the last digits however narrow they are."""

import numpy as np

from .arrays import SHRINK, FloatArray, normalized
from .point_triangle import exact_difference, larger, largest, pair_cross, power_of_two, shrunk
from .ray_triangle import Vector

# Coordinates above this are shrunk, so that their differences are finite.
_HUGE = 2.0**1000

# What the normal's rounding is at most, in products of the edges' sizes.
_ROUNDING = 2.0**-96


def triangle_normals(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Unit normals (..., 3) along (b - a) x (c - a) of triangles with these corners (..., 3).

    NaN where the corners lie on a line, or one is not finite.
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
    """Points (..., 3) as their components."""
    return points[..., 0], points[..., 1], points[..., 2]
