# SPDX-License-Identifier: MIT
"""Rays through a tree, level by level, for all rays of a batch at once."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..box import inverse_direction, slab_interval
from ..bvh import WIDTH, Tree

_CHILDREN = np.arange(WIDTH)


def candidates(
    tree: Tree,
    origins: FloatArray,
    directions: FloatArray,
    pad: FloatArray,
    max_distance: FloatArray,
) -> tuple[IntArray, IntArray]:
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

    Returns
    -------
    rays, items : ndarray (N,) of int64
        In ascending order of the rays.
    """
    inverse = inverse_direction(directions)
    rays = np.arange(len(origins))
    nodes = np.zeros(len(origins), dtype=np.int64)
    if not tree.levels:
        return rays[:0], nodes[:0]
    for level in reversed(tree.levels):
        rays, nodes = _children(rays, nodes, len(level.lower))
        entry, leave = slab_interval(
            origins[rays], inverse[rays], level.lower[nodes], level.upper[nodes], pad[rays]
        )
        met = (entry <= leave) & (leave >= 0.0) & (entry <= max_distance[rays])
        rays, nodes = rays[met], nodes[met]
    rays, places = _children(rays, nodes, len(tree.order))
    return rays, tree.order[places].astype(np.int64)


def _children(rays: IntArray, nodes: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """All children of the nodes, below `count`, each with its ray."""
    child = (nodes[:, None] * WIDTH + _CHILDREN).ravel()
    ray = np.repeat(rays, WIDTH)
    there = child < count
    return (ray, child) if there.all() else (ray[there], child[there])
