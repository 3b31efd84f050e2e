# SPDX-License-Identifier: MIT
"""Boxes of all nodes around items in a given order: the second half of a build, and a refit."""

import numpy as np

from ..concurrency.threads import on_all_cores
from ..numerics.arrays import FloatArray, IndexArray, SingleArray, power_of_two
from .tree import LEAF, WIDTH, NodeArray, Tree

_INFINITY_BITS = np.float32(np.inf).view(np.int32)


def refit_tree(
    order: IndexArray, lower: SingleArray, upper: SingleArray, center: FloatArray, scale: float
) -> Tree:
    """A tree of the given order (n,), some of N items, around their boxes.

    It stays right whatever moved, and fast as long as the items are still neighbours. An item
    whose box is not finite makes the boxes above it useless, not wrong: they hold everything.
    The boxes (3, N) are in the tree's units, rounded to nearest.
    """
    if not len(order):
        return Tree(center, scale, order, ())
    ways = [(lower, np.minimum, np.inf)] * 3 + [(upper, np.maximum, -np.inf)] * 3

    def leaves(row: int) -> SingleArray:
        corners, pick, nothing = ways[row]
        return _runs(corners[row % 3].take(order)[None], LEAF, pick, np.float32(nothing))

    rows = on_all_cores(leaves, range(6), len(order))
    return over_leaves(order, np.concatenate(rows[:3]), np.concatenate(rows[3:]), center, scale)


def over_leaves(
    order: IndexArray, lower: SingleArray, upper: SingleArray, center: FloatArray, scale: float
) -> Tree:
    """As :func:`refit_tree`, from the boxes (3, L) of the leaves, at least one.

    They are written to; a leaf that is not finite holds everything.
    """
    unknown = ~(np.isfinite(lower) & np.isfinite(upper)).all(axis=0)
    lower[:, unknown], upper[:, unknown] = -np.inf, np.inf
    lower, upper = _outward(lower, upper)
    levels = []
    while True:
        nodes = _nodes(lower, upper)
        levels.append(nodes)
        if len(nodes) == 1:
            return Tree(center, scale, order, tuple(levels))
        lower = _runs(lower, WIDTH, np.minimum, np.float32(np.inf))
        upper = _runs(upper, WIDTH, np.maximum, np.float32(-np.inf))


def unit_space(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, float]:
    """Center and scale that bring what lies between two finite corners (3,) to a size near 1."""
    center = lower / 2 + upper / 2
    return center, float(power_of_two((upper / 2 - lower / 2).max()))


def _runs(corners: SingleArray, run: int, pick: np.ufunc, nothing: np.float32) -> SingleArray:
    """The least or greatest of runs along the last axis; runs are powers of two."""
    missing = -corners.shape[1] % run
    if missing:
        tail = np.full((len(corners), missing), nothing)
        corners = np.concatenate([corners, tail], axis=1)
    while run > 1:
        corners = pick(corners[:, ::2], corners[:, 1::2])
        run //= 2
    return corners


def _outward(lower: SingleArray, upper: SingleArray) -> tuple[SingleArray, SingleArray]:
    """Undo the rounding of corners to float32: rounding keeps order, so one step is enough."""
    below, above = on_all_cores(_next_above, (-lower, upper), lower.size)
    return -below, above


def _next_above(numbers: SingleArray) -> SingleArray:
    """The next float32 above each number, infinity excepted; sooner than by ``np.nextafter``.

    Read as integers, positive numbers stand in their order, and negative ones in the reverse.
    """
    bits = (numbers + np.float32(0.0)).view(np.int32)  # the sum makes 0 of -0
    return np.minimum(bits + ((bits >> 31) | 1), _INFINITY_BITS).view(np.float32)


def _nodes(lower: SingleArray, upper: SingleArray) -> NodeArray:
    width = lower.shape[1]
    count = -(-width // WIDTH)
    boxes = np.empty((6, count * WIDTH), dtype=np.float32)
    boxes[:3, width:], boxes[3:, width:] = np.inf, -np.inf
    boxes[:3, :width], boxes[3:, :width] = lower, upper
    return np.ascontiguousarray(boxes.reshape(6, count, WIDTH).transpose(1, 0, 2))
