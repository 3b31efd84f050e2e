# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees, and what a query of one is expected to cost."""

import numpy as np
import pytest

from standalone_core import bvh
from standalone_core.bvh import LEAF, WIDTH, Tree
from standalone_core.bvh.build import refit_tree

from .. import meshes
from .boxes import children, in_units, random_boxes


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


ONE_BOX = np.zeros((1, 3)), np.array([(1.0, 2.0, 3.0)])


def lines_through(rng, low, high, count):
    """Random lines, alike in all directions and places, of which some meet a box."""
    directions = meshes.directions(rng, count)
    across = np.cross(directions, meshes.directions(rng, count))
    across /= np.linalg.norm(across, axis=1)[:, None]
    radius = np.linalg.norm(high - low) / 2
    offset = radius * np.sqrt(rng.random((count, 1)))
    return (low + high) / 2 + offset * across, directions


def meet(low, high, origins, directions):
    """Which lines (R,) meet which boxes (N,), as (R, N)."""
    first = (low - origins[:, None]) / directions[:, None]
    second = (high - origins[:, None]) / directions[:, None]
    entry, leave = np.minimum(first, second).max(axis=2), np.maximum(first, second).min(axis=2)
    return entry <= leave


def test_a_tree_of_one_leaf_costs_one_node_and_one_leaf():
    assert bvh.sah_cost(bvh.over_boxes(*ONE_BOX)) == WIDTH + LEAF


def test_a_tree_of_nothing_costs_nothing():
    assert bvh.sah_cost(bvh.over_boxes(np.empty((0, 3)), np.empty((0, 3)))) == 0


def test_the_cost_is_what_random_lines_that_meet_the_tree_are_tested_with(rng):
    tree = bvh.over_boxes(*random_boxes(rng, 150))
    corners = [children(level) for level in tree.levels]
    corners = [[part[np.isfinite(part[:, 0])] for part in level] for level in corners]
    root = corners[-1][0].min(axis=0).astype(float), corners[-1][1].max(axis=0).astype(float)
    lines = lines_through(rng, *root, 20_000)
    inside = meet(*(corner[None] for corner in root), *lines)[:, 0]
    tests = np.full(inside.sum(), WIDTH)
    for height, (low, high) in enumerate(corners):
        met = meet(low, high, *(part[inside] for part in lines))
        tests = tests + met.sum(axis=1) * (WIDTH if height else LEAF)
    assert bvh.sah_cost(tree) == pytest.approx(tests.mean(), rel=0.03)


def test_the_cost_does_not_depend_on_size_or_place(rng):
    boxes = random_boxes(rng, 300)
    cost = bvh.sah_cost(bvh.over_boxes(*boxes))
    placed = random_boxes(np.random.default_rng(1), 300)
    again = random_boxes(np.random.default_rng(1), 300, scale=1e6, offset=1e9)
    assert bvh.sah_cost(bvh.over_boxes(*again)) == pytest.approx(
        bvh.sah_cost(bvh.over_boxes(*placed)), rel=1e-2
    )
    assert bvh.sah_cost(bvh.over_boxes(*(x * 2.0**40 for x in boxes))) == cost


def test_neighbours_that_stand_apart_make_a_tree_dear(rng):
    boxes = random_boxes(rng, 2000)
    tree = bvh.over_boxes(*boxes)
    shuffled = refit_tree(rng.permutation(2000), *in_units(*boxes))
    assert bvh.sah_cost(tree) < bvh.sah_cost(shuffled) / 5


def test_boxes_without_surface_have_a_cost_all_the_same():
    point = np.ones((100, 3))
    line = np.outer(np.arange(100.0), (0, 1, 0))
    for corners in (point, line):
        assert WIDTH < bvh.sah_cost(bvh.over_boxes(corners, corners)) < np.inf


@pytest.mark.parametrize("broken", [1, 100])
def test_boxes_that_hold_everything_have_a_cost_that_is_a_number(rng, broken):
    boxes = random_boxes(rng, 100)
    order = bvh.over_boxes(*boxes).order
    lower, upper, *space = in_units(*boxes)
    lower[:, :broken] = np.nan
    assert bvh.sah_cost(refit_tree(order, lower, upper, *space)) > WIDTH
