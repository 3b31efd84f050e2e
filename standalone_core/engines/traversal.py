# SPDX-License-Identifier: MIT
"""Rays through a tree in NumPy: breadth first, as many boxes in a call as fit the cache."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import BoolArray, IntArray, SingleArray
from ..bvh import LEAF, WIDTH, Tree
from ..bvh.approach import Approach, LoneApproach, approach, approach_of_one
from ..ray_batch import LoneRay, RayBatch

_CHILDREN = np.arange(WIDTH)
_ITEMS = np.arange(LEAF)

# Pairs of a ray and a node that are tested together; more of them are cut into blocks, one after
# the other, so that they stay in the processor's cache whatever is asked.
_BLOCK = 2048

# A lone ray starts at a level of so many nodes: testing them all costs less than another call.
_FIRST_NODES = 64


def candidates(tree: Tree, rays: RayBatch) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a ray and an item in a leaf that the ray meets.

    Yields
    ------
    rays, items : ndarray (N,) of int64
        Blocks of pairs, in no order; none where nothing is met.
    """
    if not tree.levels or not len(rays):
        return
    with np.errstate(all="ignore"):
        ends = rays.limits / rays.lengths
    seen = approach(tree, rays.origins, rays.directions, ends)
    every = np.arange(len(rays))
    waiting = [(len(tree.levels) - 1, every, np.zeros(len(rays), dtype=np.int64))]
    while waiting:
        height, row, node = waiting.pop()
        if len(row) > _BLOCK:
            for first in range(0, len(row), _BLOCK):
                part = slice(first, first + _BLOCK)
                waiting.append((height, row[part], node[part]))
            continue
        boxes = tree.levels[height].take(node, axis=0)
        pair, child = _met(boxes, seen, row)
        row, node = row.take(pair), node.take(pair) * WIDTH + child
        if height:
            there = node < len(tree.levels[height - 1])
            waiting.append((height - 1, row[there], node[there]))
        else:
            place = (node[:, None] * LEAF + _ITEMS).ravel()
            there = place < len(tree.order)
            yield np.repeat(row, LEAF)[there], tree.order.take(place[there]).astype(np.int64)


def candidates_of_one(tree: Tree, ray: LoneRay) -> IntArray:
    """The items in leaves that one ray meets, (N,), in no order.

    Two levels are gone down at a time: for one ray calls cost more than boxes.
    """
    if not tree.levels:
        return np.empty(0, dtype=np.int64)
    seen = approach_of_one(tree, ray)
    if seen is None:
        return tree.order
    height = next(h for h, nodes in enumerate(tree.levels) if len(nodes) <= _FIRST_NODES)
    node: IntArray = np.arange(len(tree.levels[height]))
    boxes = tree.levels[height]
    while True:
        with np.errstate(all="ignore"):
            met = np.flatnonzero(_met_by_one(boxes, seen))
        # The nodes are in rows of WIDTH children, so a place among them names the child.
        node = node.take(met // WIDTH) * WIDTH + met % WIDTH
        if height == 0:
            break
        step = min(height, 2)
        height -= step
        if step == 2:
            node = (node[:, None] * WIDTH + _CHILDREN).ravel()
        node = node[node < len(tree.levels[height])]
        boxes = tree.levels[height].take(node, axis=0)
    place = (node[:, None] * LEAF + _ITEMS).ravel()
    return tree.order.take(place[place < len(tree.order)])


def _met_by_one(boxes: SingleArray, seen: LoneApproach) -> BoolArray:
    """Which children of nodes (P, 6, WIDTH) one ray meets, (P, WIDTH)."""
    planes = boxes - seen.start
    planes *= seen.inverse
    x, y, z = seen.near
    entry = np.maximum(np.maximum(planes[:, x], planes[:, y]), planes[:, z])
    x, y, z = seen.far
    leave = np.minimum(np.minimum(planes[:, x], planes[:, y]), planes[:, z])
    met: BoolArray = np.maximum(entry, 0.0, out=entry) <= np.minimum(leave, seen.limit, out=leave)
    return met


def _met(boxes: SingleArray, seen: Approach, row: IntArray) -> tuple[IntArray, IntArray]:
    """Which children (column) of nodes (P, 6, WIDTH) their rays meet, as two (N,) of int64."""
    start, inverse = seen.start.take(row, axis=0), seen.inverse.take(row, axis=0)
    limit = seen.limit.take(row)
    with np.errstate(all="ignore"):
        planes = boxes - start[:, :, None]
        planes *= inverse[:, :, None]
        near = np.minimum(planes[:, :3], planes[:, 3:])
        far = np.maximum(planes[:, :3], planes[:, 3:])
        entry = np.maximum(np.maximum(near[:, 0], near[:, 1]), near[:, 2])
        leave = np.minimum(np.minimum(far[:, 0], far[:, 1]), far[:, 2])
        met: BoolArray = entry <= np.minimum(leave, limit[:, None])
        met &= leave >= 0.0
    pair, child = np.nonzero(met)
    return pair.astype(np.int64, copy=False), child.astype(np.int64, copy=False)
