# SPDX-License-Identifier: MIT
"""A check that a tree is one: every bound holds what it stands for, every item is there once."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..errors import ArgumentError
from .build import order_is_permutation
from .tree import WIDTH, Tree


def validate(tree: Tree, lower: FloatArray, upper: FloatArray) -> None:
    """Raise ArgumentError with what is wrong, where a tree does not fit its boxes (N, 3)."""
    if not order_is_permutation(tree.order, len(lower)):
        raise ArgumentError("the tree's order names an item twice, or one that does not exist")
    usable = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
    missing = np.setdiff1d(np.flatnonzero(usable), tree.order)
    if len(missing):
        raise ArgumentError(f"item {missing[0]} is in no node of the tree")
    below, above = lower[tree.order] - tree.center, upper[tree.order] - tree.center
    for depth, level in enumerate(tree.levels):
        if len(level.lower) != -(-len(below) // WIDTH):
            raise ArgumentError(f"level {depth} has {len(level.lower)} nodes over {len(below)}")
        parent = np.arange(len(below)) // WIDTH
        outside = (level.lower[parent] > below) | (level.upper[parent] < above)
        if outside.any():
            child = int(np.flatnonzero(outside.any(axis=1))[0])
            raise ArgumentError(f"node {child // WIDTH} of level {depth} does not hold {child}")
        below, above = level.lower.astype(np.float64), level.upper.astype(np.float64)
    if tree.levels and len(tree.levels[-1].lower) > WIDTH:
        raise ArgumentError("the highest level has more nodes than one node may have children")
