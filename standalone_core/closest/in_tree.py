# SPDX-License-Identifier: MIT
"""Search a tree for the leaves that may hold what is nearest to points.

A box is no further away than anything in it, which tells which boxes to skip and in which order to
search the others (Roussopoulos, Kelley, Vincent, "Nearest neighbor queries", 1995). Many points
descend together, level by level.
"""

from collections.abc import Iterator

import numpy as np

from ..bvh import LEAF, WIDTH, Tree
from ..bvh.tree import child_count, items_of
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, largest, pieces

_CHILDREN = np.arange(WIDTH)

Nodes = tuple[IntArray, IntArray, FloatArray]
"""Points, nodes, and :class:`Nearby`'s measures between them, (K,) each."""

# Pairs of a point and a node that are tested together, so that they stay in the processor's cache.
_BLOCK = 2048

# Points, or pairs of a point and a node, that descend together: enough for calls to cost little.
_POINTS = 1 << 13

# Points with a larger coordinate, in the tree's units, are far from it.
FAR = 4.0

# Bounds the rounding errors of float64. For points that are not far they are those of distances
# from places in the tree, in its units; for far points those of measures, as a share of the point's
# largest coordinate.
MARGIN = 256 * EPS

# Distances that are the same to 82 bits are ties; this bounds the relative error of their squares.
_TIES = 2.0**-78


class Nearby:
    """Points that search a tree, with bounds of their distances from its items.

    The measure of the distance of a place x from a point p is (x - s) . (x - m). Usually s and m
    are p, and it is the squared distance. For points that are far away s is 0 and m is 2 p: it is
    the squared distance less that of the center, next to which differences would be rounded away.

    The tree has at least one level. Items farther away than the limits (N,), and excluded
    items, are ignored.
    """

    def __init__(
        self, tree: Tree, points: FloatArray, limits: FloatArray, excluded: BoolArray | None
    ) -> None:
        p = (points - tree.center) / tree.scale
        size = largest(p)
        far = size > FAR
        self._tree = tree
        self._open = None if excluded is None else _open(tree, excluded)
        self._lost = ~(size < 1e150)
        p[self._lost] = 0.0
        self._place = p
        self._s, self._m = np.where(far[:, None], 0.0, p), np.where(far[:, None], 2.0 * p, p)
        self._far = far
        self._margin = MARGIN * np.maximum(size, FAR) + _TIES * np.square(size)
        self._reach = self._measured(slice(None), limits)

    def pairs(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs (K,) of a point and an item; after :meth:`tighten` there are fewer.

        The nearest child of each node is searched first, down to its items: most of the other
        children then need no search.
        """
        points, top = np.arange(len(self._place)), len(self._tree.levels) - 1
        for part in pieces(len(points), _POINTS):
            row = points[part]
            waiting = [(top, row, np.zeros_like(row), np.full(len(row), -np.inf))]
            while waiting:
                height, row, node, key = waiting.pop()
                near = np.flatnonzero(key <= self._reach.take(row))
                near, later = near[:_POINTS], near[_POINTS:]
                if len(later):  # else `waiting` would grow where no box can be skipped
                    waiting.append((height, row[later], node[later], key[later]))
                row, node = row.take(near), node.take(near)
                if height < 0:
                    taken, item = items_of(self._tree, node)
                    yield row.repeat(LEAF)[taken], item
                elif len(row):
                    nearest, others = self._met(height, row, node)
                    waiting += [(height - 1, *others), (height - 1, *nearest)]

    def tighten(self, row: IntArray, corner: FloatArray, move: FloatArray) -> None:
        """Limit the points `row` to the distances of places corner + move (3, K) on items."""
        center, scale = self._tree.center, self._tree.scale
        key = np.zeros(len(row))
        for axis in range(3):
            x = (corner[axis] - center[axis]) / scale + move[axis] / scale
            key += (x - self._s[:, axis].take(row)) * (x - self._m[:, axis].take(row))
        margin = self._margin.take(row)
        near = np.square(np.sqrt(np.maximum(key, 0.0)) + margin)
        reach = np.where(self._far.take(row), key + margin, near)
        reach[self._lost.take(row) | np.isnan(reach)] = np.inf
        np.minimum.at(self._reach, row, reach)

    def shorten(self, row: IntArray, limits: FloatArray) -> None:
        """Ignore what is beyond limits (K,) from the points `row` (K,)."""
        np.minimum.at(self._reach, row, self._measured(row, limits))

    def _measured(self, row: IntArray | slice, limits: FloatArray) -> FloatArray:
        """The measures (K,) of places at the distances `limits` from points (K,), rounded up."""
        limits, margin, place = limits / self._tree.scale, self._margin[row], self._place[row]
        near = np.square(limits + margin)
        squares = (place * place).sum(axis=1)
        less = limits * limits - squares
        far = less + margin + 32 * EPS * (limits * limits + squares)
        reach = np.where(self._far[row], far, near)
        return np.where(self._lost[row], np.inf, np.fmin(reach, np.inf))

    def _met(self, height: int, row: IntArray, node: IntArray) -> tuple[Nodes, Nodes]:
        """The nearest child of each node (K,), and others that may hold what is nearest."""
        nearest, others = [], []
        count = child_count(self._tree, height)
        for part in pieces(len(row), _BLOCK):
            r, n = row[part], node[part]
            key, child = self._measures(height, r, n), n[:, None] * WIDTH + _CHILDREN
            met: BoolArray = (key <= self._reach.take(r)[:, None]) & (child < count)
            if self._open is not None:
                met &= self._open[height].take(n, axis=0)
            best = np.where(met, key, np.inf).argmin(axis=1)
            pair = np.flatnonzero(met[np.arange(len(r)), best])
            place = best[pair]
            nearest.append((r[pair], child[pair, place], key[pair, place]))
            met[pair, place] = False
            pair, place = np.nonzero(met)
            others.append((r[pair], child[pair, place], key[pair, place]))
        return _joined(nearest), _joined(others)

    def _measures(self, height: int, row: IntArray, node: IntArray) -> FloatArray:
        """The measures of the nearest places in all children of nodes, (K, WIDTH)."""
        boxes = self._tree.levels[height].take(node, axis=0)
        x = np.maximum(self._place.take(row, axis=0)[:, :, None], boxes[:, :3])
        np.minimum(x, boxes[:, 3:], out=x)
        other = x - self._m.take(row, axis=0)[:, :, None]
        x -= self._s.take(row, axis=0)[:, :, None]
        x *= other
        result: FloatArray = (x[:, 0] + x[:, 1]) + x[:, 2]
        return result


def _joined(parts: list[Nodes]) -> Nodes:
    rows, nodes, keys = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(nodes), np.concatenate(keys)


def _open(tree: Tree, excluded: BoolArray) -> list[BoolArray]:
    """For each level the children of nodes (n, WIDTH) that hold an item that counts."""
    some: BoolArray = ~excluded[tree.order]
    run, masks = LEAF, []
    for nodes in tree.levels:
        padded = np.zeros(len(nodes) * WIDTH * run, dtype=np.bool_)
        padded[: len(some)] = some
        some = np.asarray(padded.reshape(-1, run).any(axis=1))
        masks.append(some.reshape(-1, WIDTH))
        run = WIDTH
    return masks
