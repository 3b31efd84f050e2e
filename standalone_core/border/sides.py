# SPDX-License-Identifier: MIT
"""On which sides of edges rays pass, as far as float64 is sure: what need not be asked exactly."""

from itertools import chain

import numpy as np

from ..cast.rays import RayBatch
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.double_double import two_difference
from ..numerics.ray_triangle import LEAST, SIDE_FLOOR, Vector, edge_side


def sure_sides(rays: RayBatch, row: IntArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """The sides of the edges p, q (N, 3) on which the lines of rays pass, (N,).

    1 or -1, 0 for one exactly through the edge's line, and NaN where float64 is not sure.
    """
    with np.errstate(all="ignore"):
        points = [_columns(x) for x in (rays.origins[row], rays.directions[row], p, q)]
        value, bound = edge_side(*points)
        sides = np.where(np.abs(value) > bound + SIDE_FLOOR, np.sign(value), np.nan)
        zero = np.flatnonzero((value == 0.0) & (bound == 0.0))
        if len(zero):
            exact = _is_exact(*([x[zero] for x in point] for point in points))
            sides[zero[exact]] = 0.0
    return sides


def may_touch(
    rays: RayBatch, row: IntArray, a: FloatArray, b: FloatArray, c: FloatArray
) -> BoolArray:
    """Whether rays may go exactly through the border of triangles a, b, c (N, 3), (N,).

    They do not where they pass on different sides of two edges, on the same side of all three, or
    in the triangle's plane.
    """
    sides = np.stack([sure_sides(rays, row, p, q) for p, q in ((a, b), (b, c), (c, a))])
    is_left, is_right = sides == 1.0, sides == -1.0
    is_past = is_left.any(axis=0) & is_right.any(axis=0)
    is_inside = (is_left | is_right).all(axis=0)
    is_edge_on = (sides == 0.0).all(axis=0)
    return np.asarray(~(is_past | is_inside | is_edge_on))


def _is_exact(
    o: list[FloatArray], d: list[FloatArray], p: list[FloatArray], q: list[FloatArray]
) -> BoolArray:
    """Whether a determinant of 0 by these is one: no product underflowed, (N,)."""
    ways = [two_difference(end[i], o[i]) for end in (p, q) for i in range(3)]
    numbers = np.abs([*d, *chain(*ways)])
    return np.asarray(((numbers == 0.0) | (numbers >= LEAST)).all(axis=0))


def _columns(rows: FloatArray) -> Vector[FloatArray]:
    x, y, z = np.ascontiguousarray(rows.T)
    return x, y, z
