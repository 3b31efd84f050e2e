# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core import bvh
from standalone_core.bvh import LEAF, WIDTH
from standalone_core.bvh.build import refit_tree

from .. import meshes
from .boxes import children, in_units, random_boxes

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
