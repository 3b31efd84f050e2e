# SPDX-License-Identifier: MIT
"""The edges where a surface ends, and on which sides of edges rays pass."""

from itertools import chain
from typing import NamedTuple

import numpy as np

from ..cast.rays import Geometry, RayBatch
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.columns import distinct
from ..numerics.double_double import two_difference
from ..numerics.ray_triangle import LEAST, SIDE_FLOOR, edge_side


class BorderEdges(NamedTuple):
    """K edges, each as one of a triangle, by the corner opposite of it."""

    triangle: IntArray  # (K,)
    corner: IntArray  # (K,), 0, 1 or 2


def border_edges(geometry: Geometry) -> BorderEdges:
    """The edges at which an odd number of triangles meet.

    Edges with their ends at the same places are the same, whichever vertices these are: files of
    triangle soup have a vertex for each corner. Any line crosses a mesh without such an edge an
    even number of times. Triangles at vertices that are not finite do not count.
    """
    vertices, triangles, _ = geometry
    finite = np.asarray(np.isfinite(vertices).all(axis=1))
    there = np.flatnonzero(finite[triangles].all(axis=1))
    _, place = distinct(np.where(finite[:, None], vertices, 0.0).T)
    a, b, c = place[triangles[there]].T
    first, second = np.concatenate([b, c, a]), np.concatenate([c, a, b])
    key = np.minimum(first, second) * len(vertices) + np.maximum(first, second)
    edges = np.flatnonzero(first != second)
    _, number, count = np.unique(key[edges], return_inverse=True, return_counts=True)
    edges = edges[count[number] % 2 == 1]
    return BorderEdges(there[edges % max(len(there), 1)], edges // max(len(there), 1))


def sure_sides(rays: RayBatch, row: IntArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """The sides of the edges p, q (N, 3) on which the lines of rays pass, (N,).

    1 or -1, 0 for one exactly through the edge's line, and NaN where float64 is not sure.
    """
    with np.errstate(all="ignore"):
        rows = rays.origins[row], rays.directions[row], p, q
        points = [(x, y, z) for x, y, z in (np.ascontiguousarray(each.T) for each in rows)]
        value, bound = edge_side(*points)
        sides = np.where(np.abs(value) > bound + SIDE_FLOOR, np.sign(value), np.nan)
        zero = np.flatnonzero((value == 0.0) & (bound == 0.0))
        if len(zero):
            exact = _is_exact(*([x[zero] for x in point] for point in points))
            sides[zero[exact]] = 0.0
    return sides


def _is_exact(
    o: list[FloatArray], d: list[FloatArray], p: list[FloatArray], q: list[FloatArray]
) -> BoolArray:
    """Whether a determinant of 0 by these is one: no product underflowed, (N,)."""
    ways = [two_difference(end[i], o[i]) for end in (p, q) for i in range(3)]
    numbers = np.abs([*d, *chain(*ways)])
    return np.asarray(((numbers == 0.0) | (numbers >= LEAST)).all(axis=0))


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
