# SPDX-License-Identifier: MIT
"""Boxes of triangles in the units of a tree."""

import numpy as np

from ..concurrency.threads import on_all_cores
from ..numerics.arrays import FloatArray, IndexArray, SingleArray


def boxes_of(
    vertices: FloatArray, triangles: IndexArray, center: FloatArray, scale: float
) -> tuple[SingleArray, SingleArray]:
    """Lower and upper corners (3, T) of triangles: (corner - center) / scale to nearest float32.

    Rounding keeps order, so the least of rounded corners is the rounded least of them.
    """
    lower = np.empty((3, len(triangles)), dtype=np.float32)
    upper = np.empty_like(lower)
    a, b, c = np.ascontiguousarray(triangles.T)

    def bound(axis: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            place = ((vertices[:, axis] - center[axis]) / scale).astype(np.float32)
            first, second, third = place.take(a), place.take(b), place.take(c)
            np.minimum(np.minimum(first, second), third, out=lower[axis])
            np.maximum(np.maximum(first, second), third, out=upper[axis])

    on_all_cores(bound, range(3), len(triangles))
    return lower, upper
