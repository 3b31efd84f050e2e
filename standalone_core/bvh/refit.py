# SPDX-License-Identifier: MIT
"""Bounds of all nodes from the bounds of the items: the second half of a build, and a refit.

Boxes are put around runs of WIDTH, level by level, until at most WIDTH are left.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from ..arrays import FloatArray, IndexArray
from .tree import WIDTH, BoundArray, Level, Tree, rounded_outward

Corners = TypeVar("Corners", FloatArray, BoundArray)


def refit(order: IndexArray, lower: FloatArray, upper: FloatArray) -> Tree:
    """A tree of the given order around boxes with the corners `lower`, `upper` (N, 3).

    The tree stays right whatever moved, and as fast as the items are still neighbours. An item
    in the tree whose new box is not finite makes the boxes above it useless, not wrong: they
    hold everything.
    """
    if not len(order):
        return Tree(np.zeros(3), order, ())
    low, high = lower[order], upper[order]
    finite = np.asarray((np.isfinite(low) & np.isfinite(high)).all(axis=1))
    center = np.zeros(3)
    if finite.any():
        center = low[finite].min(axis=0) / 2 + high[finite].max(axis=0) / 2
    low = _runs(np.where(finite[:, None], low, -np.inf), np.minimum)
    high = _runs(np.where(finite[:, None], high, np.inf), np.maximum)
    level = rounded_outward(low - center, high - center)
    levels = [level]
    while len(level.lower) > WIDTH:
        level = Level(_runs(level.lower, np.minimum), _runs(level.upper, np.maximum))
        levels.append(level)
    return Tree(center, order, tuple(levels))


def _runs(corners: Corners, pick: np.ufunc) -> Corners:
    starts = np.arange(0, len(corners), WIDTH)
    result: Corners = pick.reduceat(corners, starts, axis=0)
    return result
