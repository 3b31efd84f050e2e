# SPDX-License-Identifier: MIT
"""Bounds of all nodes from the bounds of the items: the second half of a build, and a refit."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from ..arrays import FloatArray, IndexArray
from .tree import WIDTH, BoundArray, Level, Tree, rounded_outward

Corners = TypeVar("Corners", FloatArray, BoundArray)


def refit(tree: Tree, lower: FloatArray, upper: FloatArray) -> Tree:
    """The same order with the bounds of new boxes (N, 3).

    The tree stays right whatever moved, and as fast as the items are still neighbours. An item
    in the tree whose new box is not finite makes the boxes above it useless, not wrong: they
    hold everything.
    """
    return Tree(tree.order, bounded_levels(tree.order, lower, upper))


def bounded_levels(order: IndexArray, lower: FloatArray, upper: FloatArray) -> tuple[Level, ...]:
    """Boxes around runs of WIDTH, level by level, until at most WIDTH are left."""
    if not len(order):
        return ()
    low, high = lower[order], upper[order]
    low = np.where(np.isfinite(low), low, -np.inf)
    high = np.where(np.isfinite(high), high, np.inf)
    level = rounded_outward(_runs(low, np.minimum), _runs(high, np.maximum))
    levels = [level]
    while len(level.lower) > WIDTH:
        level = Level(_runs(level.lower, np.minimum), _runs(level.upper, np.maximum))
        levels.append(level)
    return tuple(levels)


def _runs(corners: Corners, pick: np.ufunc) -> Corners:
    starts = np.arange(0, len(corners), WIDTH)
    result: Corners = pick.reduceat(corners, starts, axis=0)
    return result
