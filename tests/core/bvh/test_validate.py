# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import replace

import numpy as np
import pytest

from standalone_core import bvh, errors

from .boxes import random_boxes


def changed(tree, depth, corner, row, by):
    """The tree with one corner of one node moved."""
    levels = list(tree.levels)
    bounds = getattr(levels[depth], corner).copy()
    bounds[row] += by
    levels[depth] = replace(levels[depth], **{corner: bounds})
    return replace(tree, levels=tuple(levels))


def reordered(tree, order):
    return replace(tree, order=np.asarray(order, dtype=tree.order.dtype))


@pytest.fixture
def boxes(rng):
    return random_boxes(rng, 600)


@pytest.fixture
def tree(boxes):
    return bvh.build(*boxes)


def test_validate_passes_a_good_tree(tree, boxes):
    bvh.validate(tree, *boxes)


@pytest.mark.parametrize("depth", range(3))
@pytest.mark.parametrize(("corner", "inward"), [("lower", 1e-3), ("upper", -1e-3)])
@pytest.mark.parametrize("axis", range(3))
def test_validate_finds_a_box_that_is_too_small(tree, boxes, depth, corner, inward, axis):
    row = len(tree.levels[depth].lower) - 1
    by = np.zeros(3, dtype=np.float32)
    by[axis] = inward
    with pytest.raises(errors.ArgumentError, match=f"node {row} of level {depth} does not hold"):
        bvh.validate(changed(tree, depth, corner, row, by), *boxes)


def test_a_box_at_the_top_that_is_larger_than_need_be_is_no_fault(tree, boxes):
    bvh.validate(changed(tree, 2, "lower", 0, np.float32(-1)), *boxes)


def test_validate_finds_an_item_that_is_there_twice(tree, boxes):
    order = tree.order.tolist()
    with pytest.raises(errors.ArgumentError, match="twice"):
        bvh.validate(reordered(tree, [order[1], *order[1:]]), *boxes)


@pytest.mark.parametrize("alien", [-1, 600])
def test_validate_finds_an_item_that_does_not_exist(tree, boxes, alien):
    order = tree.order.tolist()
    with pytest.raises(errors.ArgumentError, match="does not exist"):
        bvh.validate(reordered(tree, [alien, *order[1:]]), *boxes)


def test_validate_finds_a_missing_item(tree, boxes):
    missing = int(tree.order[-1])
    with pytest.raises(errors.ArgumentError, match=f"item {missing} is in no node"):
        bvh.validate(reordered(tree, tree.order[:-1]), *boxes)


@pytest.mark.parametrize("depth", range(3))
def test_validate_finds_a_missing_node(tree, boxes, depth):
    levels = list(tree.levels)
    level = levels[depth]
    levels[depth] = replace(level, lower=level.lower[:-1], upper=level.upper[:-1])
    with pytest.raises(errors.ArgumentError, match=f"level {depth} has"):
        bvh.validate(replace(tree, levels=tuple(levels)), *boxes)


@pytest.mark.parametrize("kept", [1, 2])
def test_validate_finds_a_tree_without_a_top(tree, boxes, kept):
    with pytest.raises(errors.ArgumentError, match="highest level has more nodes"):
        bvh.validate(replace(tree, levels=tree.levels[:kept]), *boxes)


def test_validate_finds_a_tree_without_any_level(tree, boxes):
    with pytest.raises(errors.ArgumentError):
        bvh.validate(replace(tree, levels=()), *boxes)


def test_validate_finds_a_tree_over_other_boxes(rng, tree):
    with pytest.raises(errors.ArgumentError, match="does not hold"):
        bvh.validate(tree, *random_boxes(rng, 600))


def test_validate_finds_a_bound_that_is_not_a_number(tree, boxes):
    with pytest.raises(errors.ArgumentError, match="level 1"):
        bvh.validate(changed(tree, 1, "lower", 0, np.float32(np.nan)), *boxes)
