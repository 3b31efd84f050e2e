# SPDX-License-Identifier: MIT
"""Rays through a tree, level by level, for all rays of a batch at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import FloatArray, IntArray
from ..box import inverse_direction, is_met, slab_interval
from ..bvh import WIDTH, Tree

_CHILDREN = np.arange(WIDTH)

# Pairs that go down a level together; more of them are cut into blocks, one after the other, so
# that no scene, however it overlaps, asks for more memory.
_BLOCK = 1 << 19


def candidates(
    tree: Tree,
    origins: FloatArray,
    directions: FloatArray,
    pad: FloatArray,
    max_distance: FloatArray,
) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a ray and an item in a lowest box that the ray meets.

    Breadth first: the pairs of one level are tested in one call, and those that meet go down to
    all children of the node.

    Parameters
    ----------
    tree : Tree
    origins, directions : ndarray (R, 3)
        Directions of any length above 0.
    pad : ndarray (R,)
        What is added to the boxes for each ray, to cover the rounding of the exact test.
    max_distance : ndarray (R,)
        In lengths of each ray's direction.

    Yields
    ------
    rays, items : ndarray (N,) of int64
        Blocks of pairs; there is at least one block, maybe empty.
    """
    start = origins - tree.center
    inverse = inverse_direction(directions)
    rays = np.arange(len(origins)) if tree.levels else np.empty(0, dtype=np.int64)
    waiting = [(len(tree.levels), rays, np.zeros(len(rays), dtype=np.int64))]
    while waiting:
        height, rays, nodes = waiting.pop()
        if height == 0:
            rays, places = _children(rays, nodes, len(tree.order))
            yield rays, tree.order[places].astype(np.int64)
            continue
        level = tree.levels[height - 1]
        rays, nodes = _children(rays, nodes, len(level.lower))
        entry, leave = slab_interval(
            start[rays], inverse[rays], level.lower[nodes], level.upper[nodes], pad[rays]
        )
        met = is_met(entry, leave, max_distance[rays])
        rays, nodes = rays[met], nodes[met]
        for first in range(0, max(len(rays), 1), _BLOCK):
            block = slice(first, first + _BLOCK)
            waiting.append((height - 1, rays[block], nodes[block]))


def _children(rays: IntArray, nodes: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """All children of the nodes, below `count`, each with its ray."""
    child = (nodes[:, None] * WIDTH + _CHILDREN).ravel()
    ray = np.repeat(rays, WIDTH)
    there = child < count
    return (ray, child) if there.all() else (ray[there], child[there])
