# SPDX-License-Identifier: GPL-3.0-or-later
from fractions import Fraction

import numpy as np
import pytest

from standalone_core import bvh
from standalone_core.bvh.build import _outward, refit_tree, unit_space

from .boxes import assert_is_a_tree, children, in_units, random_boxes

COUNTS = [1, 4, 5, 32, 33, 65, 300]


def over_points(corners):
    """Corners (n, 3) around 0, each the lower and upper of four boxes, and their leaves' boxes."""
    low = np.repeat(corners, bvh.LEAF, axis=0).astype(np.float32).T
    fitted = refit_tree(np.arange(low.shape[1]), low, low, np.zeros(3), 1.0)
    return [corner[: len(corners)] for corner in children(fitted.levels[0])]


@pytest.mark.parametrize("count", COUNTS)
def test_a_refit_bounds_the_new_boxes_in_the_old_order(rng, count):
    tree = bvh.over_boxes(*random_boxes(rng, count))
    moved = random_boxes(rng, count, scale=5.0, offset=100.0)
    fitted = refit_tree(tree.order, *in_units(*moved))
    np.testing.assert_array_equal(fitted.order, tree.order)
    assert_is_a_tree(fitted, *moved)


def test_a_refit_to_the_same_boxes_changes_nothing(rng):
    boxes = random_boxes(rng, 200)
    tree = bvh.over_boxes(*boxes)
    again = refit_tree(tree.order, *in_units(*boxes))
    assert again.scale == tree.scale
    for one, other in zip(tree.levels, again.levels, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_refit_takes_only_the_items_of_the_order(rng):
    lower, upper, *space = in_units(*random_boxes(rng, 100))
    lower[:, 50], upper[:, 50] = np.nan, np.inf
    order = rng.permutation(50)
    fitted = refit_tree(order, lower, upper, *space)
    np.testing.assert_array_equal(fitted.order, order)
    low, high = children(fitted.levels[0])
    assert np.isfinite(low[:13]).all()
    assert np.isfinite(high[:13]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("axis", range(3))
def test_a_box_that_is_not_finite_makes_the_boxes_above_it_hold_everything(rng, bad, axis):
    boxes = random_boxes(rng, 100)
    order = bvh.over_boxes(*boxes).order
    lower, upper, *space = in_units(*boxes)
    lower[axis, 7] = upper[axis, 7] = bad
    fitted = refit_tree(order, lower, upper, *space)
    boxes[0][7], boxes[1][7] = bad, bad
    bvh.validate(fitted, *boxes)
    leaf = order.tolist().index(7) // bvh.LEAF
    for level in fitted.levels:
        low, high = children(level)
        assert (low[leaf] == -np.inf).all()
        assert (high[leaf] == np.inf).all()
        leaf //= bvh.WIDTH


@pytest.mark.parametrize("exponent", [-44, -38, -20, 0])
def test_float32_bounds_are_rounded_outward(rng, exponent):
    values = rng.uniform(-1, 1, (300, 1)).astype(np.float32).astype(float) * 10.0**exponent
    corners = np.concatenate([values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)])
    corners = corners * np.ones(3)
    lower, upper = over_points(corners)
    assert (lower.astype(float) <= corners).all()
    assert (upper.astype(float) >= corners).all()


def test_float32_bounds_are_as_tight_as_a_corner_of_unknown_rounding_lets_them_be(rng):
    corners = rng.normal(size=(300, 3)).astype(np.float32)
    lower, upper = over_points(corners)
    np.testing.assert_array_equal(np.nextafter(lower, np.float32(np.inf)), corners)
    np.testing.assert_array_equal(np.nextafter(upper, np.float32(-np.inf)), corners)


def test_one_step_outward_is_that_of_numpy(rng):
    some = rng.integers(0, 2**32, 10_000).astype(np.uint32).view(np.float32)
    ends = np.array([0.0, 1e-45, 1.1754944e-38, 1.0, 3.4028235e38, np.inf], np.float32)
    numbers = np.concatenate([some[~np.isnan(some)], ends, -ends])
    lower, upper = _outward(numbers, numbers)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(lower, np.nextafter(numbers, np.float32(-np.inf)))
        np.testing.assert_array_equal(upper, np.nextafter(numbers, np.float32(np.inf)))


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1.0, 1e300, 8e307])
def test_the_unit_space_brings_all_boxes_to_a_size_near_1(rng, size):
    corners = rng.uniform(-1, 1, (20, 3)) * size
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    center, scale = unit_space(lower, upper)
    assert np.frexp(scale)[0] == 0.5
    for corner in (lower, upper):
        for x, c in zip(corner.tolist(), center.tolist(), strict=True):
            assert abs(Fraction(x) - Fraction(c)) <= Fraction(scale)


def test_the_unit_space_of_a_point_is_of_size_1_around_it():
    center, scale = unit_space(np.full(3, 7.0), np.full(3, 7.0))
    assert center.tolist() == [7, 7, 7]
    assert scale == 1
