# SPDX-License-Identifier: MIT
"""Rays through a tree in NumPy: breadth first, as many boxes in a call as fit the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ..bvh import LEAF, WIDTH, Tree
from ..bvh.approach import Approach, LoneApproach, approach, approach_many
from ..bvh.tree import items_of
from ..cast.rays import LoneRay, Query, RayBatch, end_of
from ..numerics.arrays import FloatArray, IntArray, SingleArray
from ..numerics.columns import rank_in_runs

_CHILDREN = np.arange(WIDTH)
_SHIFT = WIDTH.bit_length() - 1

# Pairs of a ray and a node that are tested together; more of them are cut into blocks, one after
# the other, so that they stay in the processor's cache.
_BLOCK = 8192

# Pairs that are put in order together: enough for each ray to meet many nodes.
_HELD = 1 << 18

# Nodes below this height are gone through in the order in which rays meet them.
_GATE = 2

# Pairs so few are not put in order any more: another wave costs as much as so many of them.
_LAST_WAVE = 256

# A lone ray starts at a level of so many nodes: testing them all costs less than another call.
_FIRST_NODES = 64


class _Pairs(NamedTuple):
    """Rays and the nodes of one level that they meet, or leaves, of the height -1; each (N,)."""

    height: int
    row: IntArray
    node: IntArray
    entry: SingleArray

    def take(self, rows: IntArray | slice) -> _Pairs:
        """Some of the pairs."""
        return _Pairs(self.height, self.row[rows], self.node[rows], self.entry[rows])


class _Slabs(NamedTuple):
    """R rays as the slab test takes them: each number as often as a node has children.

    Rows of so many floats are what NumPy gathers fastest.
    """

    row: IntArray  # (6, R), which rows of a node are the near planes x, y, z and the far ones
    start: SingleArray  # (6, R, WIDTH), for these planes
    inverse: SingleArray  # (3, R, WIDTH)


Leaves = Callable[[IntArray, IntArray], tuple[IntArray, IntArray]]
"""Pairs (N,) of a ray and a leaf as pairs (M,) of a ray and an item."""


def approach_of(tree: Tree, rays: RayBatch) -> Approach:
    """Rays in the units of a tree."""
    with np.errstate(all="ignore"):
        ends = end_of(rays.limits, rays.lengths)
    return approach_many(tree, rays.origins, rays.directions, ends)


def candidates(
    tree: Tree, local: Approach, leaves: Leaves | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Blocks of pairs (N,) of a ray and an item in a leaf that it meets, in no order.

    `leaves` may leave out items; by default all of a leaf are taken.
    """
    leaves = leaves or partial(items_in, tree)
    for pairs in _down(tree, local, _slabs(local), _at_top(tree, local)):
        yield leaves(pairs.row, pairs.node)


def nearest_candidates(
    tree: Tree, local: Approach, leaves: Leaves | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """:func:`candidates`, in about the order in which the rays meet them.

    The rays may be made shorter from block to block (:meth:`.Approach.shorten`): what lies behind
    their ends is left out then.
    """
    leaves = leaves or partial(items_in, tree)
    slabs = _slabs(local)
    gate = min(_GATE, len(tree.levels) - 1)
    for held in _gathered(_down(tree, local, slabs, _at_top(tree, local), gate)):
        for wave in _waves(held):
            for pairs in _down(tree, local, slabs, _ahead(local, wave)):
                yield leaves(pairs.row, pairs.node)


def items_in(tree: Tree, row: IntArray, leaf: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs (N,) of a ray and a leaf as pairs (M,) of a ray and an item in it."""
    taken, item = items_of(tree, leaf)
    return row.repeat(LEAF)[taken], item


def _slabs(local: Approach) -> _Slabs:
    up = local.inverse[:3] > 0
    lower, upper = np.array([[0], [1], [2]]), np.array([[3], [4], [5]])
    row = np.concatenate([np.where(up, lower, upper), np.where(up, upper, lower)])
    start = np.take_along_axis(local.start, row, axis=0)
    return _Slabs(row, _repeated(start), _repeated(local.inverse[:3]))


def _repeated(columns: SingleArray) -> SingleArray:
    """Columns (..., R) as (..., R, WIDTH)."""
    return np.repeat(columns[..., None], WIDTH, axis=-1)


def _at_top(tree: Tree, local: Approach) -> _Pairs:
    rows = np.arange(len(local.limit) if tree.levels else 0)
    entry = np.zeros(len(rows), dtype=np.float32)
    return _Pairs(len(tree.levels) - 1, rows, np.zeros_like(rows), entry)


def _down(
    tree: Tree, local: Approach, slabs: _Slabs, pairs: _Pairs, end: int = 0
) -> Iterator[_Pairs]:
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
            waiting.append(_met_many(tree, local, slabs, pairs))


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
    """Pairs in groups: the node that each ray meets first, the second, the next two, four ...

    What is left makes one group once it is less than a call costs.
    """
    # Floats that are not negative stand in the order of their bits; -0.0 + 0.0 is not. The rows
    # come in long runs, which a stable sort merges.
    bits = (pairs.entry + np.float32(0)).view(np.int32)
    order = np.argsort((pairs.row << 32) + bits, kind="stable")
    rank = rank_in_runs(pairs.row.take(order))
    wave = np.frexp(rank)[1].astype(np.int8)
    pairs = pairs.take(order.take(np.argsort(wave, kind="stable")))
    first = 0
    for last in np.cumsum(np.bincount(wave)).tolist():
        if len(order) - first <= _LAST_WAVE:
            last = len(order)
        if last > first:
            yield pairs.take(slice(first, last))
        first = last


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
            if height == 0 or not len(node):
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
    still = LoneRay(tuple(point.tolist()), (1.0, 0.0, 0.0), 1.0, 0.0, 0.0, Query(0, True, None))
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


def _met_many(tree: Tree, local: Approach, slabs: _Slabs, pairs: _Pairs) -> _Pairs:
    """The children of nodes that the rays meet."""
    height, row, node, _ = pairs
    place = slabs.row.take(row, axis=1)
    place += node * 6
    planes = tree.levels[height].reshape(-1, WIDTH).take(place, axis=0)
    with np.errstate(all="ignore"):
        planes -= slabs.start.take(row, axis=1)
        inverse = slabs.inverse.take(row, axis=1)
        near, far = planes[:3], planes[3:]
        near *= inverse
        far *= inverse
        entry = np.maximum(near[0], near[1])
        np.maximum(entry, near[2], out=entry)
        np.maximum(entry, np.float32(0), out=entry)
        leave = np.minimum(far[0], far[1])
        np.minimum(leave, far[2], out=leave)
        # Boxes of children that there are not are empty, so these are not met.
        met = np.flatnonzero(entry <= leave)
    pair, child = met >> _SHIFT, met & (WIDTH - 1)
    row, entry = row.take(pair), entry.ravel().take(met)
    return _ahead(local, _Pairs(height - 1, row, node.take(pair) * WIDTH + child, entry))


def _ahead(local: Approach, pairs: _Pairs) -> _Pairs:
    """The pairs that the rays meet before they end."""
    ahead = pairs.entry <= local.limit.take(pairs.row)
    return pairs if ahead.all() else pairs.take(np.flatnonzero(ahead))
