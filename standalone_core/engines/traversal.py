# SPDX-License-Identifier: MIT
"""Rays through a tree in NumPy: breadth first, as many boxes in a call as fit the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..bvh import LEAF, WIDTH, Tree
from ..bvh.approach import Approach, LoneApproach, approach, approach_many
from ..bvh.tree import child_count, items_of
from ..cast.rays import LoneRay, Query, RayBatch, end_of
from ..numerics.arrays import BoolArray, FloatArray, IntArray, SingleArray
from ..numerics.columns import run_starts

_CHILDREN = np.arange(WIDTH)

# Pairs of a ray and a node that are tested together; more of them are cut into blocks, one after
# the other, so that they stay in the processor's cache.
_BLOCK = 8192

# Pairs that are put in order together: enough for each ray to meet many nodes.
_HELD = 1 << 18

# Nodes below this height are gone through in the order in which rays meet them.
_GATE = 2

# A lone ray starts at a level of so many nodes: testing them all costs less than another call.
_FIRST_NODES = 64


class _Pairs(NamedTuple):
    """Rays and the nodes of one level that they meet, or leaves, of the height -1; each (N,)."""

    height: int
    row: IntArray
    node: IntArray
    entry: SingleArray

    def take(self, rows: BoolArray | IntArray | slice) -> _Pairs:
        """Some of the pairs."""
        return _Pairs(self.height, self.row[rows], self.node[rows], self.entry[rows])


def approach_of(tree: Tree, rays: RayBatch) -> Approach:
    """Rays in the units of a tree."""
    with np.errstate(all="ignore"):
        ends = end_of(rays.limits, rays.lengths)
    return approach_many(tree, rays.origins, rays.directions, ends)


def candidates(tree: Tree, local: Approach) -> Iterator[tuple[IntArray, IntArray]]:
    """Blocks of pairs (N,) of a ray and an item in a leaf that it meets, in no order."""
    for pairs in _down(tree, local, _at_top(tree, local)):
        yield _items(tree, pairs)


def nearest_candidates(tree: Tree, local: Approach) -> Iterator[tuple[IntArray, IntArray]]:
    """:func:`candidates`, in about the order in which the rays meet them.

    The rays may be made shorter from block to block (:meth:`.Approach.shorten`): what lies behind
    their ends is left out then.
    """
    gate = min(_GATE, len(tree.levels) - 1)
    for held in _gathered(_down(tree, local, _at_top(tree, local), gate)):
        for wave in _waves(held):
            ahead = wave.entry <= local.limit.take(wave.row)
            for pairs in _down(tree, local, wave.take(ahead)):
                yield _items(tree, pairs)


def _at_top(tree: Tree, local: Approach) -> _Pairs:
    rows = np.arange(len(local.limit) if tree.levels else 0)
    entry = np.zeros(len(rows), dtype=np.float32)
    return _Pairs(len(tree.levels) - 1, rows, np.zeros_like(rows), entry)


def _down(tree: Tree, local: Approach, pairs: _Pairs, end: int = 0) -> Iterator[_Pairs]:
    """Blocks of pairs with the children, of nodes at the height `end`, that the rays meet."""
    waiting = [pairs]
    while waiting:
        pairs = waiting.pop()
        if len(pairs.row) > _BLOCK:
            starts = range(0, len(pairs.row), _BLOCK)
            waiting += [pairs.take(slice(first, first + _BLOCK)) for first in starts]
        elif pairs.height < end:
            yield pairs
        elif len(pairs.row):
            waiting.append(_met_many(tree, local, pairs))


def _gathered(blocks: Iterator[_Pairs]) -> Iterator[_Pairs]:
    """All pairs together, or in parts where there are many."""
    while parts := list(_some(blocks)):
        yield _Pairs(
            parts[0].height,
            np.concatenate([part.row for part in parts]),
            np.concatenate([part.node for part in parts]),
            np.concatenate([part.entry for part in parts]),
        )


def _some(blocks: Iterator[_Pairs]) -> Iterator[_Pairs]:
    """The next blocks, until they hold enough pairs."""
    count = 0
    while count < _HELD and (pairs := next(blocks, None)) is not None:
        count += len(pairs.row)
        yield pairs


def _waves(pairs: _Pairs) -> Iterator[_Pairs]:
    """Pairs in groups: the node that each ray meets first, the second, the next two, four ..."""
    # Floats that are not negative stand in the order of their bits.
    bits = (np.maximum(pairs.entry, 0) + np.float32(0)).view(np.int32)
    pairs = pairs.take(np.argsort((pairs.row << 32) + bits))
    starts = run_starts(pairs.row)
    rank = np.arange(len(pairs.row)) - np.repeat(starts, np.diff(starts, append=len(pairs.row)))
    last = 1
    while len(rank):
        now = rank < last
        yield pairs.take(now)
        pairs, rank = pairs.take(~now), rank[~now]
        last *= 2


def _items(tree: Tree, leaves: _Pairs) -> tuple[IntArray, IntArray]:
    """Pairs of rays and leaves as rays and items."""
    taken, item = items_of(tree, leaves.node)
    return leaves.row.repeat(LEAF)[taken], item


def candidates_of_one(tree: Tree, ray: LoneRay) -> IntArray:
    """The items in leaves that one ray meets, (N,), in no order.

    Two levels are gone down at a time, as for one ray calls cost more than boxes: the descent for
    batches takes five times as long.
    """
    if not tree.levels:
        return np.empty(0, dtype=np.int64)
    local = approach(tree, ray)
    if local is None:
        return tree.order.astype(np.int64)
    height = next(h for h, nodes in enumerate(tree.levels) if len(nodes) <= _FIRST_NODES)
    node: IntArray = np.arange(len(tree.levels[height]))
    boxes = tree.levels[height]
    with np.errstate(all="ignore"):
        while True:
            pair, child = _met(boxes, local)
            node = node.take(pair) * WIDTH + child
            if height == 0:
                break
            step = min(height, 2)
            height -= step
            if step == 2:
                node = (node[:, None] * WIDTH + _CHILDREN).ravel()
            node = node[node < len(tree.levels[height])]
            boxes = tree.levels[height].take(node, axis=0)
    return items_of(tree, node)[1]


def near(tree: Tree, point: FloatArray) -> IntArray:
    """Items (N,) whose boxes a point (3,) is in, or nearly."""
    still = LoneRay(tuple(point.tolist()), (1.0, 0.0, 0.0), 1.0, 0.0, Query(0, True, None))
    return candidates_of_one(tree, still)


def _met(boxes: SingleArray, local: LoneApproach) -> tuple[IntArray, IntArray]:
    """Which children (column) of nodes (P, 6, WIDTH) one ray meets, as two (N,)."""
    planes = boxes.transpose(1, 0, 2).copy().reshape(6, -1)
    planes -= local.start
    planes *= local.inverse
    x, y, z = local.near
    entry = np.maximum(planes[x], planes[y])
    np.maximum(entry, planes[z], out=entry)
    np.maximum(entry, 0.0, out=entry)
    x, y, z = local.far
    leave = np.minimum(planes[x], planes[y])
    np.minimum(leave, planes[z], out=leave)
    np.minimum(leave, local.limit, out=leave)
    pair, child = (entry <= leave).reshape(-1, WIDTH).nonzero()
    return pair, child


def _met_many(tree: Tree, local: Approach, pairs: _Pairs) -> _Pairs:
    """The children of nodes that the rays meet."""
    height, row, node, _ = pairs
    # Components first and rows last: NumPy is fastest with long rows.
    boxes = tree.levels[height].take(node, axis=0).reshape(-1, 6 * WIDTH)
    planes = np.ascontiguousarray(boxes.T).reshape(6, WIDTH, -1)
    with np.errstate(all="ignore"):
        planes -= local.start.take(row, axis=1)[:, None]
        planes *= local.inverse.take(row, axis=1)[:, None]
        near = np.minimum(planes[:3], planes[3:])
        far = np.maximum(planes[:3], planes[3:])
        entry = np.maximum(np.maximum(near[0], near[1]), near[2])
        leave = np.minimum(np.minimum(far[0], far[1]), far[2])
        met: BoolArray = entry <= np.minimum(leave, local.limit.take(row))
        met &= leave >= 0.0
    place = np.flatnonzero(met)
    child, pair = np.divmod(place, len(row))
    node = node.take(pair) * WIDTH + child
    there = node < child_count(tree, height)
    found = _Pairs(height - 1, row.take(pair), node, entry.ravel().take(place))
    return found if there.all() else found.take(there)
