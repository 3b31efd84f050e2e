# SPDX-License-Identifier: MIT
"""The bounding volume hierarchy: packed, wide, without pointers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IndexArray

WIDTH = 8
"""Children a node."""

BoundArray = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Level:
    """All nodes of one level: corners (n, 3) relative to the tree's center, rounded outward."""

    lower: BoundArray
    upper: BoundArray


@dataclass(frozen=True, slots=True)
class Tree:
    """Items in the order of a space-filling curve, and levels of boxes around runs of them.

    Node i of the lowest level holds the items ``order[i * WIDTH : (i + 1) * WIDTH]``, node i of a
    level above it the nodes i * WIDTH ... of the level below: the children are implied, and a
    new set of bounds needs no new tree.

    Attributes
    ----------
    center : ndarray (3,) of float64
        What the corners are relative to, so that float32 has digits enough far from the origin.
    order : ndarray (N,) of int32 or int64
        Items with finite bounds; others are in no node and so never met.
    levels : tuple of Level
        From the lowest to the highest, which has at most WIDTH nodes; empty without items.
    """

    center: FloatArray
    order: IndexArray
    levels: tuple[Level, ...]

    @property
    def nbytes(self) -> int:
        """Size of all arrays in bytes."""
        return self.order.nbytes + sum(lv.lower.nbytes + lv.upper.nbytes for lv in self.levels)

    @property
    def node_count(self) -> int:
        """Number of boxes on all levels."""
        return sum(len(level.lower) for level in self.levels)


def rounded_outward(lower: FloatArray, upper: FloatArray) -> Level:
    """Float64 corners (n, 3) as float32 ones that hold at least as much."""
    return Level(_toward(lower, -np.inf), _toward(upper, np.inf))


def _toward(values: FloatArray, limit: float) -> BoundArray:
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    outside: Any = single > values if limit < 0 else single < values
    return np.where(outside, np.nextafter(single, np.float32(limit)), single)
