# SPDX-License-Identifier: MIT
"""Distances along rays in lengths of their directions, as Open3D counts them."""

import numpy as np

from ..numerics.arrays import FloatArray, largest, length, power_of_two


def in_lengths(distances: FloatArray, directions: FloatArray) -> FloatArray:
    """Distances (...) in lengths of directions (..., 3), inf beyond float64."""
    scale = power_of_two(largest(directions))
    with np.errstate(over="ignore", invalid="ignore"):
        # In two steps, as the length itself may be beyond float64.
        t: FloatArray = distances / length(directions / scale[..., None]) / scale
    return t
