# SPDX-License-Identifier: MIT
"""A look at many rays before they are cast, compiled."""

import math
from typing import Any

from numba import types

from ..cast.rays import LEAST_LENGTH, LEAST_SQUARE, MOST_SQUARE
from ..numerics.ray_triangle import dot3
from .exact_kernel import point_at
from .kernel_cache import kernel
from .kernel_types import given
from .simd import put

_VECTORS = given(types.float64, 2)


@kernel(
    types.boolean(
        _VECTORS,
        types.int64,
        _VECTORS,
        types.int64,
        types.int64,
        types.Array(types.float64, 1, "C"),
    )
)
def fill_lengths(
    origins: Any, step: int, directions: Any, begin: int, end: int, lengths: Any
) -> bool:
    """Write the lengths of the directions from `begin` to `end`; whether the rays are ordinary.

    Origin i is at ``step * i`` of all, flat. Ordinary is what :func:`.lengthened_many` leaves as it
    is, from finite origins.
    """
    nothing, is_ordinary = 0.0, True
    for i in range(begin, end):
        x, y, z = point_at(origins, step * i)
        nothing += x * 0.0 + y * 0.0 + z * 0.0
        direction = point_at(directions, 3 * i)
        square = dot3(direction, direction)
        length = math.sqrt(square)
        put(lengths, i, length)
        is_ordinary &= (LEAST_SQUARE < square < MOST_SQUARE) and length >= LEAST_LENGTH
    return is_ordinary and nothing == 0.0
