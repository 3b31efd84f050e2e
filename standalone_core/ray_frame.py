# SPDX-License-Identifier: MIT
"""Axes across a ray: a shear by which the ray becomes the z axis.

The direction's largest component becomes z, and the other two are sheared by it (Woop, Benthin
and Wald, "Watertight ray/triangle intersection", JCGT 2013); x and y are swapped where it is
negative, which keeps the triangles' winding.
"""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray


def axes_across(direction: tuple[float, float, float]) -> FloatArray:
    """Columns (3, 3) that a point is multiplied by for x and y across a ray, and z along it."""
    kz = max(range(3), key=lambda axis: abs(direction[axis]))
    kx, ky = (kz + 1) % 3, (kz + 2) % 3
    if direction[kz] < 0.0:
        kx, ky = ky, kx
    matrix = np.zeros((3, 3))
    matrix[kx, 0] = matrix[ky, 1] = 1.0
    matrix[kz] = (
        -direction[kx] / direction[kz],
        -direction[ky] / direction[kz],
        1.0 if direction[kz] > 0.0 else -1.0,
    )
    return matrix


def all_axes_across(directions: FloatArray) -> FloatArray:
    """The x and y axes of :func:`axes_across` for many directions (R, 3), as (R, 2, 3)."""
    rows = np.arange(len(directions))
    kz = np.abs(directions).argmax(axis=1)
    swap = directions[rows, kz] < 0.0
    kx = np.where(swap, kz + 2, kz + 1) % 3
    ky = np.where(swap, kz + 1, kz + 2) % 3
    axes = np.zeros((len(directions), 2, 3))
    axes[rows, 0, kx] = axes[rows, 1, ky] = 1.0
    axes[rows, 0, kz] = -directions[rows, kx] / directions[rows, kz]
    axes[rows, 1, kz] = -directions[rows, ky] / directions[rows, kz]
    return axes
