# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes to build trees over, and what a tree over them must be."""

from fractions import Fraction

import numpy as np

from standalone_core.bvh import LEAF, WIDTH
from standalone_core.bvh.build import unit_space


def random_boxes(rng, count, scale=1.0, offset=0.0):
    """Corners (count, 3) of boxes of many sizes."""
    middle = rng.normal(size=(count, 3))
    half = 10.0 ** rng.uniform(-6, -1, (count, 3))
    return (middle - half) * scale + offset, (middle + half) * scale + offset


def in_units(lower, upper):
    """Boxes (count, 3), all finite, as `build_tree` and `refit_tree` take them."""
    center, scale = unit_space(lower.min(axis=0), upper.max(axis=0))
    low, high = (((corner - center) / scale).astype(np.float32).T for corner in (lower, upper))
    return low, high, center, scale


def children(level):
    """Lower and upper corners (n * WIDTH, 3) of all boxes of a level, in order."""
    boxes = level.transpose(0, 2, 1).reshape(-1, 6)
    return boxes[:, :3], boxes[:, 3:]


def assert_is_a_tree(tree, lower, upper):
    """Every item once, every box around what it stands for exactly, no box more than needed."""
    usable = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
    assert sorted(tree.order.tolist()) == np.flatnonzero(usable).tolist()
    below = [_exact_units(corner[tree.order], tree) for corner in (lower, upper)]
    run = LEAF
    for level in tree.levels:
        assert level.dtype == np.float32
        boxes = [corner.tolist() for corner in children(level)]
        needed = -(-len(below[0]) // run)
        assert len(level) == -(-needed // WIDTH)
        for child, (low, high) in enumerate(zip(*below, strict=True)):
            assert all(p <= q for p, q in zip(boxes[0][child // run], low, strict=True))
            assert all(p >= q for p, q in zip(boxes[1][child // run], high, strict=True))
        assert np.isinf(boxes[0][needed:]).all()
        assert np.isinf(boxes[1][needed:]).all()
        below, run = [corner[:needed] for corner in boxes], WIDTH
    assert len(below[0]) <= WIDTH


def _exact_units(corners, tree):
    """Corners in the units of the tree, as Fractions."""
    center, scale = [Fraction(x) for x in tree.center.tolist()], Fraction(tree.scale)
    return [
        tuple((Fraction(x) - c) / scale for x, c in zip(corner, center, strict=True))
        for corner in corners.tolist()
    ]
