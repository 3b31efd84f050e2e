# SPDX-License-Identifier: MIT
"""Search a tree for one point in NumPy, with few calls: these cost more than boxes and triangles.

The path to the nearest boxes leads to vertices near the point; boxes farther away than these are
skipped. The search descends two levels at a time.
"""

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from ..bvh import LEAF, WIDTH, Tree
from ..bvh.tree import child_count, items_of
from ..cast.rays import Geometry
from ..numerics.arrays import BoolArray, FloatArray, IntArray, components
from .in_tree import FAR, MARGIN
from .on_triangle import estimated
from .one_triangle import NOTHING, Nearest, nearer

# The search starts at a level of so many nodes: testing them all costs less than another call.
_FIRST_NODES = 64

# From up to so many nodes it descends two levels at a time; from more, boxes cost more than calls.
_FEW = 24

# Leaves that are searched first, before all others that may still be as near.
_LEAVES = 24

# Triangles that are compared one by one; arrays are faster with more.
_TRIANGLES = 24

_CHILDREN = np.arange(WIDTH)

Boxes = tuple[IntArray, FloatArray]
"""Nodes or leaves (K,) and the squares of their distances, in the tree's units."""


def nearest_to_one(
    geometry: Geometry, tree: Tree, point: FloatArray, limit: float, excluded: BoolArray | None
) -> Nearest | None:
    """The nearest triangle to a point (3,), within a limit; None if a batch must search it."""
    place = (point - tree.center) / tree.scale
    if not np.abs(place).max() <= FAR:
        return None
    search = _Search(geometry, tree, place[:, None], point, excluded)
    height = next(h for h, nodes in enumerate(tree.levels) if len(nodes) <= _FIRST_NODES)
    first = search.children(height, np.arange(len(tree.levels[height])))
    reach = min(limit, search.bound_below(height, first))
    leaf, square = search.leaves(height, first, reach)
    leaf = leaf.take(np.argsort(square))
    square.sort()
    parts = [(np.empty(0, dtype=np.int64), np.empty(0))]
    start, end = 0, min(_LEAVES, len(leaf)) if reach < inf else 0
    while start < end:
        item, lower, upper = bounded(geometry, point, items_of(tree, leaf[start:end])[1], excluded)
        reach = min(reach, upper)
        parts.append((item, lower))
        start, end = end, int(square.searchsorted(search.square(reach), "right"))
    if not reach < inf:
        return None
    item = np.concatenate([item[lower <= reach] for item, lower in parts])
    return compared(geometry, point, limit, item)


def bounded(
    geometry: Geometry, point: FloatArray, item: IntArray, excluded: BoolArray | None
) -> tuple[IntArray, FloatArray, float]:
    """The triangles that count, lower bounds of their distances, and an upper one of the least."""
    item = counted(item, excluded)
    corners = geometry.corners(item)
    finite = np.isfinite(corners).all(axis=(1, 2))
    if not finite.all():
        item, corners = item[finite], corners[finite]
    a, b, c = components(corners)
    lower, upper, _ = estimated(point[:, None], a, b, c)
    return item, lower, float(upper.min(initial=inf))


def compared(geometry: Geometry, point: FloatArray, limit: float, item: IntArray) -> Nearest | None:
    """The nearest of some triangles; None if they are too many or too unusual."""
    if len(item) > _TRIANGLES:
        return None
    best = NOTHING
    x, y, z = point.tolist()
    for number, corners in zip(item.tolist(), geometry.corners(item).tolist(), strict=True):
        a, b, c = map(tuple, corners)
        best = nearer(best, (x, y, z), limit, number, a, b, c)
    return best if best.is_sure else None


def counted(item: IntArray, excluded: BoolArray | None) -> IntArray:
    """Those of some triangles that are not excluded."""
    return item if excluded is None else item[~excluded[item]]


class _Search(NamedTuple):
    """A point that searches a tree."""

    geometry: Geometry
    tree: Tree
    place: FloatArray  # (3, 1), in the tree's units
    point: FloatArray  # (3,)
    excluded: BoolArray | None

    def square(self, reach: float) -> float:
        """The square of a distance in the tree's units, rounded up."""
        away = reach / self.tree.scale + FAR * MARGIN
        return away * away

    def children(self, height: int, nodes: IntArray) -> Boxes:
        tree = self.tree
        boxes = tree.levels[height]
        if len(nodes) < len(boxes):
            boxes = boxes.take(nodes, axis=0)
        x = np.maximum(boxes[:, :3], self.place)
        np.minimum(x, boxes[:, 3:], out=x)
        x -= self.place
        x *= x
        square = (x[:, 0] + x[:, 1] + x[:, 2]).ravel()
        child = (nodes[:, None] * WIDTH + _CHILDREN).ravel()
        count = child_count(tree, height)
        if len(child) and child[-1] >= count:
            there = child < count
            child, square = child[there], square[there]
        return child, square

    def bound_below(self, height: int, boxes: Boxes) -> float:
        """The distance of a vertex near the point, found below the nearest of the boxes."""
        child, square = boxes
        while height:
            nodes = child[[square.argmin()]]
            if height > 1:
                nodes = self._child_nodes(nodes, height - 2)
            height -= min(height, 2)
            child, square = self.children(height, nodes)
        begin = int(child[square.argmin()]) // WIDTH * WIDTH * LEAF
        item = self.tree.order[begin : begin + WIDTH * LEAF]
        corners = self.geometry.corners(counted(item, self.excluded))
        corners -= self.point
        corners *= corners
        squares = corners[:, :, 0] + corners[:, :, 1] + corners[:, :, 2]
        least = float(squares[squares.max(axis=1) < inf].min(initial=inf))
        # Rounded up by more than rounding errors and underflow.
        return sqrt(least) * (1.0 + MARGIN) + 1e-150

    def leaves(self, height: int, boxes: Boxes, reach: float) -> Boxes:
        child, square = boxes
        most = self.square(reach)
        while True:
            near = np.flatnonzero(square <= most)
            nodes = child.take(near)
            if height == 0:
                return nodes, square.take(near)
            height -= 1
            if height and len(nodes) <= _FEW:
                height -= 1
                nodes = self._child_nodes(nodes, height)
            child, square = self.children(height, nodes)

    def _child_nodes(self, nodes: IntArray, height: int) -> IntArray:
        """The children of nodes, which are nodes of the level `height`."""
        children = (nodes[:, None] * WIDTH + _CHILDREN).ravel()
        return children[children < len(self.tree.levels[height])]
