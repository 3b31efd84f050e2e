# SPDX-License-Identifier: MIT
"""A check that a tree is one: every bound holds what it stands for, every item is there once."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..errors import ArgumentError
from .tree import WIDTH, Tree


def validate(tree: Tree, lower: FloatArray, upper: FloatArray) -> None:
    """Raise ArgumentError with what is wrong, where a tree does not fit its boxes (N, 3)."""
    if not _is_permutation(tree.order, len(lower)):
        raise ArgumentError("the tree's order names an item twice, or one that does not exist")
    usable = np.asarray((np.isfinite(lower) & np.isfinite(upper)).all(axis=1))
    missing = np.setdiff1d(np.flatnonzero(usable), tree.order)
    if len(missing):
        raise ArgumentError(f"item {missing[0]} is in no node of the tree")
    if bool(tree.levels) != bool(len(tree.order)):
        raise ArgumentError(f"{len(tree.levels)} levels cannot hold {len(tree.order)} items")
    # A refit may leave an item in the tree whose box is not finite any more: it needs no holding.
    below = np.where(usable[:, None], lower - tree.center, np.inf)[tree.order]
    above = np.where(usable[:, None], upper - tree.center, -np.inf)[tree.order]
    for depth, level in enumerate(tree.levels):
        if len(level.lower) != -(-len(below) // WIDTH):
            raise ArgumentError(f"level {depth} has {len(level.lower)} nodes over {len(below)}")
        parent = np.arange(len(below)) // WIDTH
        held = (level.lower[parent] <= below) & (level.upper[parent] >= above)
        if not held.all():
            child = int(np.flatnonzero(~held.all(axis=1))[0])
            raise ArgumentError(f"node {child // WIDTH} of level {depth} does not hold {child}")
        below, above = level.lower.astype(np.float64), level.upper.astype(np.float64)
    if len(below) > WIDTH:
        raise ArgumentError("the highest level has more nodes than one node may have children")


def _is_permutation(order: IndexArray, count: int) -> bool:
    """Whether `order` names some items below `count`, each at most once."""
    inside = bool(((order >= 0) & (order < count)).all())
    return inside and len(np.unique(order)) == len(order)
