# SPDX-License-Identifier: MIT
"""All triangles that are as near to a point as its nearest one."""

import numpy as np

from ..bvh import Tree
from ..cast.geometry import Geometry
from ..cast.hits import put
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray
from ..numerics.columns import concatenated, run_starts
from .in_tree import Nearby
from .on_triangle import closest, estimated
from .places import ClosestPoints, without_places
from .search import chunks

# Pairs of a point and a triangle that are compared together.
_CHUNK = 1 << 11

_NO_PAIRS = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def ties(
    geometry: Geometry,
    tree: Tree,
    points: FloatArray,
    nearest: ClosestPoints,
    excluded: BoolArray | None,
) -> tuple[IntArray, ClosestPoints]:
    """The nearest places (M,) of points (N, 3), with their rows, sorted by these and by triangle.

    `nearest` (N,) are the answers of :func:`.closest_points`, with one place for each. That is kept
    also beyond 2**1022, where it may be in no tree, or its distance too large to compare.
    """
    row, places = _ties(geometry, tree, points, nearest, excluded)
    is_lost = nearest.hit
    is_lost[row] = False
    if is_lost.any():
        row = np.concatenate([row, np.flatnonzero(is_lost)])
        order = np.argsort(row, kind="stable")
        row, places = row[order], concatenated([places, nearest.take(is_lost)]).take(order)
    return row, places


def _ties(
    geometry: Geometry,
    tree: Tree,
    points: FloatArray,
    nearest: ClosestPoints,
    excluded: BoolArray | None,
) -> tuple[IntArray, ClosestPoints]:
    """Those that the tree leads to."""
    asked = np.flatnonzero(nearest.hit)
    reach = nearest.distance[asked] * (1 + 4 * EPS)
    if not len(asked) or not tree.levels:
        return np.empty(0, dtype=np.int64), without_places(0)
    with np.errstate(all="ignore"):
        near = Nearby(tree, points[asked], reach, excluded)
        pairs = [
            _possible(geometry, points[asked], reach, *some)
            for block in near.pairs()
            for some in chunks(*block, excluded)
        ]
        row, item = (np.concatenate(parts) for parts in zip(_NO_PAIRS, *pairs, strict=True))
        order = np.lexsort((item, row))
        return _nearest(geometry, points, asked[row[order]], item[order])


def _possible(
    geometry: Geometry, points: FloatArray, reach: FloatArray, row: IntArray, item: IntArray
) -> tuple[IntArray, IntArray]:
    """Those of the pairs (M,) of a point and a triangle that may be within the point's reach."""
    corners = geometry.corners(item)
    a, b, c = np.ascontiguousarray(corners.transpose(1, 2, 0))
    lower, _, _ = estimated(np.ascontiguousarray(points.take(row, axis=0).T), a, b, c)
    near = np.flatnonzero(~(lower > reach.take(row)))
    return row[near], item[near]


def _nearest(
    geometry: Geometry, points: FloatArray, row: IntArray, item: IntArray
) -> tuple[IntArray, ClosestPoints]:
    """Those of the pairs (M,), sorted by row, whose distance is the least of their row."""
    found, low = without_places(len(row)), np.zeros(len(row))
    for first in range(0, len(row), _CHUNK):
        part = slice(first, first + _CHUNK)
        some = item[part]
        corners = geometry.corners(some)
        (distance, low[part]), weights, place = closest(points[row[part]], corners)
        faces = some if geometry.faces is None else geometry.faces[some]
        columns = ClosestPoints(distance, place, some, faces, weights, np.zeros_like(some))
        put(found, np.arange(first, first + len(some)), columns)
    order = np.lexsort((low, found.distance, row))
    begin = run_starts(row[order])
    best = np.repeat(order[begin], np.diff(begin, append=len(row)))
    same = np.flatnonzero((found.distance == found.distance[best]) & (low == low[best]))
    return row[same], found.take(same)
