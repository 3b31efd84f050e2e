# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core import bvh
from standalone_core.bvh import LEAF, WIDTH, Tree

from .boxes import random_boxes


def test_a_leaf_holds_4_items_and_a_node_8_children():
    assert (LEAF, WIDTH) == (4, 8)


@pytest.mark.parametrize(
    ("count", "leaves", "levels"),
    [(1, 1, [1]), (4, 1, [1]), (5, 2, [1]), (32, 8, [1]), (33, 9, [2, 1]), (600, 150, [19, 3, 1])],
)
def test_a_tree_counts_its_leaves_and_nodes(rng, count, leaves, levels):
    tree = bvh.over_boxes(*random_boxes(rng, count))
    assert tree.leaf_count == leaves
    assert [len(level) for level in tree.levels] == levels
    assert tree.node_count == sum(levels)


def test_a_tree_counts_its_bytes(rng):
    tree = bvh.over_boxes(*random_boxes(rng, 600))
    assert tree.nbytes == 600 * 4 + 23 * 6 * 8 * 4


def test_a_tree_of_nothing_has_no_levels_nodes_or_bytes():
    tree = Tree(np.zeros(3), 1.0, np.empty(0, np.int32), ())
    assert tree.levels == ()
    assert tree.leaf_count == tree.node_count == tree.nbytes == 0


def test_the_boxes_of_a_tree_are_in_units_of_a_power_of_two_around_their_middle(rng):
    lower, upper = random_boxes(rng, 100, scale=1e4, offset=1e6)
    tree = bvh.over_boxes(lower, upper)
    middle = (lower.min(axis=0) + upper.max(axis=0)) / 2
    np.testing.assert_allclose(tree.center, middle, rtol=1e-15)
    assert np.frexp(tree.scale)[0] == 0.5
    root = tree.levels[-1][0, :, :4]
    assert 0.25 <= np.abs(root).max() <= 1 + 1e-6


def test_the_levels_are_parts_of_one_array_the_highest_first(rng):
    tree = bvh.over_boxes(*random_boxes(rng, 600))
    np.testing.assert_array_equal(tree.nodes, np.concatenate(tree.levels[::-1]))
    assert all(np.shares_memory(level, tree.nodes) for level in tree.levels)
