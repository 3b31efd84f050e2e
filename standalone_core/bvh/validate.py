# SPDX-License-Identifier: MIT
"""A check that a tree is one: every box holds what it stands for, every item is there once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..errors import ArgumentError
from ..numerics.arrays import IndexArray
from .boxes import read_boxes
from .tree import LEAF, WIDTH, Tree


def validate(tree: Tree, lower: ArrayLike, upper: ArrayLike) -> None:
    """Raise ArgumentError with what is wrong, where a tree does not fit its boxes (N, 3).

    Examples
    --------
    >>> import numpy as np
    >>> from standalone_core import bvh
    >>> lower = np.array([(0.0, 0, 0), (2, 0, 0)])
    >>> tree = bvh.over_boxes(lower, lower + 1)
    >>> bvh.validate(tree, lower, lower + 1)
    >>> bvh.validate(tree, lower, lower + 5)
    Traceback (most recent call last):
        ...
    standalone_core.errors.ArgumentError: leaf 0 of level 0 does not hold 0
    """
    arguments.instance_of(tree, Tree, "tree")
    low, high = read_boxes(lower, upper)
    if not _is_permutation(tree.order, len(low)):
        raise ArgumentError("the tree's order names an item twice, or one that does not exist")
    usable = np.asarray((np.isfinite(low) & np.isfinite(high)).all(axis=1))
    missing = np.setdiff1d(np.flatnonzero(usable), tree.order)
    if len(missing):
        raise ArgumentError(f"item {missing[0]} is in no leaf of the tree")
    if bool(tree.levels) != bool(len(tree.order)):
        raise ArgumentError(f"{len(tree.levels)} levels cannot hold {len(tree.order)} items")
    # A refit may leave an item in the tree whose box is not finite any more: it needs no holding.
    with np.errstate(over="ignore"):
        below = np.where(usable[:, None], (low - tree.center) / tree.scale, np.inf)[tree.order]
        above = np.where(usable[:, None], (high - tree.center) / tree.scale, -np.inf)[tree.order]
    run = LEAF
    for depth, nodes in enumerate(tree.levels):
        leaf_or_node = "leaf" if run == LEAF else "node"
        boxes = np.asarray(nodes, dtype=np.float64).transpose(0, 2, 1).reshape(-1, 6)
        needed = -(-len(below) // run)
        if len(nodes) != -(-needed // WIDTH):
            raise ArgumentError(f"level {depth} has {len(nodes)} nodes over {needed} boxes")
        parent = np.arange(len(below)) // run
        held = (boxes[parent, :3] <= below) & (boxes[parent, 3:] >= above)
        if not held.all():
            child = int(np.flatnonzero(~held.all(axis=1))[0])
            raise ArgumentError(
                f"{leaf_or_node} {child // run} of level {depth} does not hold {child}"
            )
        below, above, run = boxes[:needed, :3], boxes[:needed, 3:], WIDTH
    if tree.levels and len(tree.levels[-1]) != 1:
        raise ArgumentError("the highest level has more than one node")


def _is_permutation(order: IndexArray, count: int) -> bool:
    """Whether `order` names some items below `count`, each at most once."""
    inside = bool(((order >= 0) & (order < count)).all())
    return inside and len(np.unique(order)) == len(order)
