# SPDX-License-Identifier: GPL-3.0-or-later
from fractions import Fraction

import numpy as np
import pytest

from standalone_core import bvh
from standalone_core.bvh import WIDTH

from ..scales import at_every_scale
from .boxes import random_boxes


def assert_is_a_tree(tree, lower, upper):
    """Every item once, every box around its children exactly, every level full."""
    usable = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
    assert sorted(tree.order.tolist()) == np.flatnonzero(usable).tolist()
    center = [Fraction(x) for x in tree.center.tolist()]
    below = [
        [tuple(Fraction(x) - c for x, c in zip(corner[i], center, strict=True)) for i in tree.order]
        for corner in (lower.tolist(), upper.tolist())
    ]
    for level in tree.levels:
        nodes = [[tuple(map(Fraction, row)) for row in c.tolist()] for c in _corners(level)]
        assert len(nodes[0]) == -(-len(below[0]) // WIDTH)
        for child, (low, high) in enumerate(zip(*below, strict=True)):
            parent = child // WIDTH
            assert all(p <= q for p, q in zip(nodes[0][parent], low, strict=True))
            assert all(p >= q for p, q in zip(nodes[1][parent], high, strict=True))
        below = nodes
    assert len(below[0]) <= WIDTH


def _corners(level):
    return level.lower.astype(float), level.upper.astype(float)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 63, 64, 65, 300, 600])
def test_every_item_is_in_the_tree_once_and_every_box_holds_its_children(rng, count):
    boxes = random_boxes(rng, count)
    assert_is_a_tree(bvh.build(*boxes), *boxes)


@at_every_scale
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_boxes_hold_at_every_scale_and_far_from_the_origin(rng, scale, offset):
    boxes = random_boxes(rng, 100, scale, offset * scale)
    assert_is_a_tree(bvh.build(*boxes), *boxes)


@pytest.mark.parametrize("size", [1e-310, 1e-45, 1e39, 1e300])
def test_sizes_beyond_float32_are_rounded_outward_not_lost(rng, size):
    corners = np.sort(rng.uniform(-1, 1, (2, 50, 3)), axis=0) * size
    tree = bvh.build(*corners)
    bvh.validate(tree, *corners)
    for level in tree.levels:
        assert not np.isnan(level.lower).any()
        assert not np.isnan(level.upper).any()


def test_boxes_that_are_not_finite_are_left_out(rng):
    lower, upper = random_boxes(rng, 60)
    lower[3, 1], upper[17, 2], lower[40] = np.nan, np.inf, -np.inf
    tree = bvh.build(lower, upper)
    assert not {3, 17, 40} & set(tree.order.tolist())
    assert_is_a_tree(tree, lower, upper)


@pytest.mark.parametrize("count", [0, 5])
def test_a_tree_of_nothing_is_empty(count):
    boxes = np.full((2, count, 3), np.nan)
    tree = bvh.build(*boxes)
    assert len(tree.order) == 0
    assert tree.levels == ()
    assert tree.node_count == 0
    bvh.validate(tree, *boxes)


def test_equal_boxes_and_flat_boxes_make_a_tree():
    same = np.ones((100, 3))
    assert_is_a_tree(bvh.build(same, same), same, same)
    line = np.outer(np.arange(100.0), (0, 1, 0))
    assert_is_a_tree(bvh.build(line, line), line, line)


def test_neighbours_in_space_are_neighbours_in_the_tree(rng):
    corners = rng.permutation(np.stack(np.meshgrid(*[np.arange(8.0)] * 3), axis=-1).reshape(-1, 3))
    tree = bvh.build(corners, corners)
    sizes = (tree.levels[0].upper - tree.levels[0].lower).max(axis=1)
    as_given = bvh.refit(np.arange(512), corners, corners).levels[0]
    assert sizes.mean() < (as_given.upper - as_given.lower).max(axis=1).mean() / 2


def test_a_tree_counts_its_nodes_and_bytes(rng):
    tree = bvh.build(*random_boxes(rng, 600))
    sizes = [len(level.lower) for level in tree.levels]
    assert sizes == [75, 10, 2]
    assert tree.node_count == 87
    assert tree.nbytes >= 600 * 4 + 87 * 2 * 3 * 4
