# SPDX-License-Identifier: MIT
"""Axes across a ray: a shear by which the ray becomes the z axis.

The direction's largest component becomes z, and the other two are sheared by it (Woop, Benthin
and Wald, "Watertight ray/triangle intersection", JCGT 2013); x and y are swapped where it is
negative, which keeps the triangles' winding.
"""

import numpy as np

from .arrays import FloatArray, IntArray

# Of directions whose largest component is x, y or z, and then of those where it is negative.
_FRAMES = np.array([[1, 2, 0, 2, 0, 1], [2, 0, 1, 1, 2, 0], [0, 1, 2, 0, 1, 2]])


def frame_of(direction: tuple[float, float, float]) -> tuple[int, int, int]:
    """Which components become x, y and z."""
    x, y, z = abs(direction[0]), abs(direction[1]), abs(direction[2])
    kz = 0 if x >= y and x >= z else (1 if y >= z else 2)
    kx, ky = (kz + 1) % 3, (kz + 2) % 3
    return (ky, kx, kz) if direction[kz] < 0.0 else (kx, ky, kz)


def axes_across(direction: tuple[float, float, float]) -> FloatArray:
    """Columns (3, 3) that a point is multiplied by for x and y across a ray, and z along it."""
    kx, ky, kz = frame_of(direction)
    z = direction[kz]
    rows = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    rows[kx][0] = rows[ky][1] = 1.0
    rows[kz] = [-direction[kx] / z, -direction[ky] / z, 1.0 if z > 0.0 else -1.0]
    return np.array(rows)


def axes_across_many(directions: FloatArray) -> FloatArray:
    """The x and y axes of :func:`axes_across` for many directions (R, 3), as (R, 2, 3)."""
    rows = np.arange(len(directions))
    kx, ky, kz = frame_of_many(directions)
    axes = np.zeros((len(directions), 2, 3))
    axes[rows, 0, kx] = axes[rows, 1, ky] = 1.0
    axes[rows, 0, kz] = -directions[rows, kx] / directions[rows, kz]
    axes[rows, 1, kz] = -directions[rows, ky] / directions[rows, kz]
    return axes


def frame_of_many(directions: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """:func:`frame_of` for many directions (R, 3), as three (R,)."""
    x, y, z = np.ascontiguousarray(directions.T)
    size_x, size_y, size_z = np.abs([x, y, z])
    by_x, by_y = (size_x >= size_y) & (size_x >= size_z), size_y >= size_z
    largest = np.where(by_x, 0, np.where(by_y, 1, 2))
    negative = np.where(by_x, x, np.where(by_y, y, z)) < 0.0
    kx, ky, kz = _FRAMES.take(largest + 3 * negative, axis=1)
    return kx, ky, kz
