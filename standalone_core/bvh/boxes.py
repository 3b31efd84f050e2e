# SPDX-License-Identifier: MIT
"""Boxes of triangles, and of leaves of triangles, in the units of a tree."""

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..concurrency.threads import on_all_cores
from ..errors import ShapeError
from ..numerics.arrays import FloatArray, IndexArray, SingleArray
from ..numerics.reading import counted
from .tree import LEAF


def read_boxes(lower: ArrayLike, upper: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Read the corners (N, 3) of boxes, as many lower as upper ones."""
    low, high = arguments.positions(lower, "lower"), arguments.positions(upper, "upper")
    if len(low) != len(high):
        raise ShapeError(f"lower has {counted(len(low), 'corners')}, but upper {len(high)}")
    return low, high


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
            place = _in_units(vertices, axis, center, scale)
            first, second, third = place.take(a), place.take(b), place.take(c)
            np.minimum(np.minimum(first, second), third, out=lower[axis])
            np.maximum(np.maximum(first, second), third, out=upper[axis])

    on_all_cores(bound, range(3), len(triangles))
    return lower, upper


def leaf_boxes_of(
    vertices: FloatArray, triangles: IndexArray, order: IndexArray, center: FloatArray, scale: float
) -> tuple[SingleArray, SingleArray]:
    """Lower and upper corners (3, L) of leaves of triangles in an order; NaN as in their corners.

    Sooner than by :func:`boxes_of`, as corner by corner goes through all leaves.
    """
    filled = np.concatenate([order, order[-1:].repeat(-len(order) % LEAF)])
    corners = np.ascontiguousarray(triangles.take(filled, axis=0).reshape(-1, 3 * LEAF).T)
    lower = np.empty((3, corners.shape[1]), dtype=np.float32)
    upper = np.empty_like(lower)

    def bound(axis: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            place = _in_units(vertices, axis, center, scale)
            lower[axis], upper[axis] = np.inf, -np.inf
            for corner in corners:
                there = place.take(corner)
                np.minimum(lower[axis], there, out=lower[axis])
                np.maximum(upper[axis], there, out=upper[axis])

    on_all_cores(bound, range(3), len(order))
    return lower, upper


def _in_units(vertices: FloatArray, axis: int, center: FloatArray, scale: float) -> SingleArray:
    """One coordinate (V,) of the vertices."""
    place: SingleArray = ((vertices[:, axis] - center[axis]) / scale).astype(np.float32)
    return place
