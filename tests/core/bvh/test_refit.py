# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core import bvh

from .boxes import random_boxes
from .test_build import assert_is_a_tree


@pytest.mark.parametrize("count", [1, 8, 9, 65, 300])
def test_a_refit_bounds_the_new_boxes_in_the_old_order(rng, count):
    tree = bvh.build(*random_boxes(rng, count))
    moved = random_boxes(rng, count, scale=5.0, offset=100.0)
    fitted = bvh.refit(tree.order, *moved)
    np.testing.assert_array_equal(fitted.order, tree.order)
    assert_is_a_tree(fitted, *moved)


def test_a_refit_to_the_same_boxes_changes_nothing(rng):
    boxes = random_boxes(rng, 200)
    tree = bvh.build(*boxes)
    again = bvh.refit(tree.order, *boxes)
    for one, other in zip(tree.levels, again.levels, strict=True):
        np.testing.assert_array_equal(one.lower, other.lower)
        np.testing.assert_array_equal(one.upper, other.upper)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_box_that_is_no_longer_finite_makes_its_nodes_hold_everything(rng, bad):
    lower, upper = random_boxes(rng, 100)
    tree = bvh.build(lower, upper)
    lower[7] = upper[7] = bad
    fitted = bvh.refit(tree.order, lower, upper)
    bvh.validate(fitted, lower, upper)
    node = tree.order.tolist().index(7) // bvh.WIDTH
    assert (fitted.levels[0].lower[node] == -np.inf).all()
    assert (fitted.levels[0].upper[node] == np.inf).all()
