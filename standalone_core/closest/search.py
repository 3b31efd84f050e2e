# SPDX-License-Identifier: MIT
"""The nearest point on a mesh, for many points: through the tree, or without one by a scan.

Both use safe bounds to find the few triangles that may be nearest, and compare these with twice
the digits of float64 (:mod:`.on_triangle`). Their answers are the same to the last bit, unless
corners are some 2**90 times further away than the nearest place, where even those digits do not
tell: then each finds a triangle within the error that :meth:`.Surface.closest_point` states, but
not always the same one.
"""

import math
from collections.abc import Iterator

import numpy as np

from ..bvh import Tree
from ..cast.rays import Geometry
from ..cast.scan import not_outside
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, components, pieces
from ..numerics.columns import concatenated, run_starts
from ..numerics.point_triangle import less
from .in_tree import Nearby
from .on_triangle import closest, estimated
from .one_point import bounded, compared, nearest_to_one
from .one_triangle import NOTHING, Nearest, place_on
from .places import ClosestPoints, without_places

# Pairs of a point and a triangle whose bounds are computed together, to fit the processor's cache.
_CHUNK = 1 << 13

# Pairs that are compared together with twice the digits, which takes more memory per pair.
_EXACT_CHUNK = 1 << 11

# Up to this many points are faster one by one.
_FEW = 6

# Pairs that may wait for their comparison.
_WAITING = 1 << 16


def closest_points(
    geometry: Geometry,
    tree: Tree | None,
    points: FloatArray,
    limits: FloatArray,
    excluded: BoolArray | None,
) -> ClosestPoints:
    """The nearest places on triangles to finite points (N, 3), see :meth:`.Mesh.closest_point`.

    Without a tree, all vertices are scanned for each point. Places at distances above the limits
    (N,) do not count, nor do excluded triangles (T,).
    """
    with np.errstate(all="ignore"):
        if tree is not None and len(points) > _FEW:
            return _Search(geometry, points, limits, excluded).through(tree)
        alone = (slice(row, row + 1) for row in range(len(points)))
        found = [_closest_to_one(geometry, tree, points[i], limits[i], excluded) for i in alone]
        return concatenated(found) if found else without_places(0)


def _closest_to_one(
    geometry: Geometry,
    tree: Tree | None,
    points: FloatArray,
    limits: FloatArray,
    excluded: BoolArray | None,
) -> ClosestPoints:
    point, limit = points[0], float(limits[0])
    best: Nearest | None = NOTHING
    if tree is None:
        item = _scan(geometry, point, limit, excluded)
        best = None
        if len(item) <= _CHUNK:
            some, lower, upper = bounded(geometry, point, item, excluded)
            best = compared(geometry, point, limit, some[lower <= min(limit, upper)])
    elif tree.levels:
        best = nearest_to_one(geometry, tree, point, limit, excluded)
    if best is None:
        search = _Search(geometry, points, limits, excluded)
        return search.among(item) if tree is None else search.through(tree)
    found = without_places(1)
    if best.triangle >= 0:
        x, y, z = point.tolist()
        found.point[0], found.barycentric[0] = place_on(best, (x, y, z))
        found.distance[0], found.triangle[0] = best.high, best.triangle
        found.face[0], found.instance[0] = geometry.face(best.triangle), 0
    return found


class _Search:
    """The nearest triangles of points (N, 3) so far, and pairs that are still to be compared."""

    def __init__(
        self, geometry: Geometry, points: FloatArray, limits: FloatArray, excluded: BoolArray | None
    ) -> None:
        self._geometry = geometry
        self._points = points
        self._limits = limits
        self._excluded = excluded
        self._upper = limits.copy()
        self._waiting: list[tuple[IntArray, IntArray, FloatArray]] = []
        self._count = 0
        self._best = without_places(len(points))
        self._low = np.zeros(len(points))

    def through(self, tree: Tree) -> ClosestPoints:
        """The nearest places on the triangles of a tree."""
        if tree.levels:
            nearby = Nearby(tree, self._points, self._limits, self._excluded)
            for pairs in nearby.pairs():
                for part in chunks(*pairs, self._excluded):
                    nearby.tighten(*self._offer(*part))
        self._settle()
        return self._best

    def among(self, item: IntArray) -> ClosestPoints:
        """The nearest place to the only point, among some triangles."""
        for part in chunks(np.zeros_like(item), item, self._excluded):
            self._offer(*part)
        self._settle()
        return self._best

    def _offer(self, row: IntArray, item: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Keep the pairs (M,) of a point and a triangle that may be the nearest.

        Of the pairs with finite triangles, returns the points (K,), and a place on each triangle as
        a corner and an offset (3, K).
        """
        corners = self._geometry.corners(item)
        finite = np.isfinite(corners).reshape(-1, 9).all(axis=1)
        if not finite.all():
            row, item, corners = row[finite], item[finite], corners[finite]
        a, b, c = components(corners)
        points = components(self._points.take(row, axis=0))
        lower, upper, move = estimated(points, a, b, c)
        np.minimum.at(self._upper, row, upper)
        near = np.flatnonzero(lower <= self._upper.take(row))
        self._waiting.append((row[near], item[near], lower[near]))
        self._count += len(near)
        if self._count > _WAITING:
            self._settle()
        return row, a, move

    def _settle(self) -> None:
        waiting, self._waiting, self._count = self._waiting, [], 0
        if not waiting:
            return
        row, item, lower = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
        near = lower <= self._upper[row]
        row, item = row[near], item[near]
        for part in pieces(len(row), _EXACT_CHUNK):
            self._compare(row[part], item[part])

    def _compare(self, row: IntArray, item: IntArray) -> None:
        (distance, low), weights, place = closest(self._points[row], self._geometry.corners(item))
        best, faces = self._best, self._geometry.faces
        before = best.distance[row], self._low[row]
        better = less((distance, low), before)
        better |= ~less(before, (distance, low)) & (item < best.triangle[row])
        better &= (distance <= self._limits[row]) & (distance < np.inf)
        order = np.flatnonzero(better)
        order = order[np.lexsort((item[order], low[order], distance[order], row[order]))]
        order = order[run_starts(row[order])]
        row, item = row[order], item[order]
        best.distance[row], self._low[row], best.triangle[row] = distance[order], low[order], item
        best.face[row] = item if faces is None else faces[item]
        best.instance[row] = 0
        best.barycentric[row], best.point[row] = weights[order], place[order]
        self._upper[row] = np.minimum(self._upper[row], distance[order] * (1 + 4 * EPS))


def chunks(
    row: IntArray, item: IntArray, excluded: BoolArray | None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs (M,) of a point and a triangle that counts, some at a time."""
    if excluded is not None:
        kept = ~excluded[item]
        row, item = row[kept], item[kept]
    for part in pieces(len(row), _CHUNK):
        yield row[part], item[part]


def _scan(
    geometry: Geometry, point: FloatArray, limit: float, excluded: BoolArray | None
) -> IntArray:
    """Triangles (M,) that may be nearest to one point (3,): the nearest one, and others.

    The nearest place is not further away than the furthest corner of any triangle. Triangles
    beyond one side of the cube with that reach are left out (compare :mod:`.scan`).
    """
    vertices, triangles, _ = geometry
    reach = min(limit, _furthest_corner(geometry, point, excluded))
    codes = np.zeros(len(vertices), dtype=np.uint8)
    for part in pieces(len(vertices), _CHUNK):
        code = codes[part]
        for axis, x in enumerate((vertices[part] - point).T):
            code |= (x > reach).view(np.uint8) << np.uint8(2 * axis)
            code |= (x < -reach).view(np.uint8) << np.uint8(2 * axis + 1)
    return not_outside(triangles, codes)


def _furthest_corner(geometry: Geometry, point: FloatArray, excluded: BoolArray | None) -> float:
    """The least of the triangles' distances to their furthest corners, rounded up; inf for none."""
    vertices, triangles, _ = geometry
    squares = np.empty(len(vertices))
    for part in pieces(len(vertices), _CHUNK):
        x, y, z = (vertices[part] - point).T
        squares[part] = x * x + y * y + z * z
    least = np.inf
    for part in pieces(len(triangles), _CHUNK):
        a, b, c = triangles[part].T
        corners = np.maximum(np.maximum(squares.take(a), squares.take(b)), squares.take(c))
        if excluded is not None:
            corners[excluded[part]] = np.inf
        least = min(least, float(np.fmin.reduce(corners, initial=np.inf)))
    # The last term covers squares that underflow.
    return math.sqrt(least) * (1 + 8 * EPS) + 1e-150


def ties(
    geometry: Geometry,
    tree: Tree,
    points: FloatArray,
    nearest: ClosestPoints,
    excluded: BoolArray | None,
) -> tuple[IntArray, ClosestPoints]:
    """The rows (M,) of points (N, 3) and all their nearest places, sorted by row and triangle.

    `nearest` (N,) are the answers of :func:`.closest_points`, one place each. These are kept
    even beyond 2**1022, where a triangle may be in no tree, or a distance too large to compare.
    """
    rows = np.flatnonzero(nearest.hit)
    reach = nearest.distance[rows] * (1 + 4 * EPS)
    pairs = [np.empty((2, 0), dtype=np.int64)]
    with np.errstate(all="ignore"):
        if len(rows) and tree.levels:
            for block in Nearby(tree, points[rows], reach, excluded).pairs():
                for row, item in chunks(*block, excluded):
                    a, b, c = components(geometry.corners(item))
                    lower, _, _ = estimated(components(points.take(rows[row], axis=0)), a, b, c)
                    near = np.flatnonzero(~(lower > reach.take(row)))
                    pairs.append(np.stack([rows[row[near]], item[near]]))
        row, item = np.concatenate(pairs, axis=1)
        order = np.lexsort((item, row))
        row, places = _nearest(geometry, points, row[order], item[order])
    is_lost = nearest.hit
    is_lost[row] = False
    if is_lost.any():
        row = np.concatenate([row, np.flatnonzero(is_lost)])
        order = np.argsort(row, kind="stable")
        row, places = row[order], concatenated([places, nearest.take(is_lost)]).take(order)
    return row, places


def _nearest(
    geometry: Geometry, points: FloatArray, row: IntArray, item: IntArray
) -> tuple[IntArray, ClosestPoints]:
    """Of pairs (M,), sorted by row, those with the least distance in their row."""
    found, low = without_places(len(row)), np.zeros(len(row))
    for part in pieces(len(row), _EXACT_CHUNK):
        distance, weights, place = closest(points[row[part]], geometry.corners(item[part]))
        found.distance[part], low[part] = distance
        found.barycentric[part], found.point[part] = weights, place
    found.triangle[:], found.instance[:] = item, 0
    found.face[:] = item if geometry.faces is None else geometry.faces[item]
    order = np.lexsort((low, found.distance, row))
    begin = run_starts(row[order])
    best = np.repeat(order[begin], np.diff(begin, append=len(row)))
    same = np.flatnonzero((found.distance == found.distance[best]) & (low == low[best]))
    return row[same], found.take(same)
