# SPDX-License-Identifier: MIT
"""The exact distance of a point from a triangle, compiled: the very functions of the core."""

import math
from typing import Any

import numpy as np
from numba.extending import overload

from ..closest import one_triangle
from ..closest.one_triangle import nearer, place_on
from ..numerics import point_triangle
from . import exact_kernel  # noqa: F401 - compiles the arithmetic with twice the digits
from .exact_kernel import point_at
from .kernel_cache import helper
from .simd import at

__all__ = ["corners_of", "nearer", "place_on"]


@helper(inline=True)
def corners_of(mesh: Any, item: int) -> Any:
    """The corners of a triangle of a :class:`.MeshArrays`."""
    vertices, t = mesh.vertices, mesh.triangles
    return (
        point_at(vertices, 3 * np.int64(at(t, 3 * item))),
        point_at(vertices, 3 * np.int64(at(t, 3 * item + 1))),
        point_at(vertices, 3 * np.int64(at(t, 3 * item + 2))),
    )


for _function in (
    point_triangle.largest,
    point_triangle.exact_difference,
    point_triangle.shrunk,
    point_triangle.pair_dot,
    point_triangle.pair_cross,
    point_triangle.pair_length,
    point_triangle.quotient,
    point_triangle.rounded,
    point_triangle.corner_distance,
    point_triangle.along,
    point_triangle.edge_distance,
    point_triangle.plane_distance,
    point_triangle.sides_of,
    point_triangle.sum_of,
    point_triangle.less,
    one_triangle.in_order,
    one_triangle.region_of,
    one_triangle.is_ordinary,
    one_triangle.distance_in,
    one_triangle.weights_in,
    one_triangle.place_of,
    one_triangle.is_same,
    one_triangle._corner_at,
    one_triangle._region_outside,
    one_triangle._is_before,
    one_triangle._ways,
    one_triangle._edge,
    one_triangle._on_edge,
    one_triangle._sides,
    one_triangle._anywhere,
    nearer,
    place_on,
):
    helper(inline=False)(_function)


@overload(point_triangle.root)  # type: ignore[untyped-decorator]
def _root(square: Any) -> Any:
    def root(square: Any) -> Any:
        return math.sqrt(square)

    return root


@overload(point_triangle.larger)  # type: ignore[untyped-decorator]
def _larger(a: Any, b: Any) -> Any:
    def larger(a: Any, b: Any) -> Any:
        return a if a >= b else b

    return larger


@overload(point_triangle.power_of_two)  # type: ignore[untyped-decorator]
def _power_of_two(size: Any) -> Any:
    """By the bits of the exponent: `frexp` and `ldexp` would be most of an exact distance."""

    def power_of_two(size: Any) -> Any:
        bits: Any = np.float64(size).view(np.int64)
        exponent: Any = (bits >> 52) & 2047
        if exponent == 2047 or bits << 1 == 0:
            return 1.0
        power: Any = min(max(exponent + 1, 2), 2046)
        return np.int64(power << 52).view(np.float64)

    return power_of_two
