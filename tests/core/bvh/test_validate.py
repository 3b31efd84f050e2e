# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import replace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh, errors

from .boxes import random_boxes

LOWER, UPPER = range(3), range(3, 6)


def changed(tree, depth, node, side, child, by):
    """The tree with one plane of one child of one node moved."""
    levels = list(tree.levels)
    levels[depth] = levels[depth].copy()
    levels[depth][node, side, child] += np.float32(by)
    return replace(tree, levels=tuple(levels))


def reordered(tree, order):
    return replace(tree, order=np.asarray(order, dtype=tree.order.dtype))


@pytest.fixture
def boxes(rng):
    return random_boxes(rng, 600)


@pytest.fixture
def tree(boxes):
    return bvh.over_boxes(*boxes)


def test_validate_passes_a_good_tree(tree, boxes):
    bvh.validate(tree, *boxes)


@pytest.mark.parametrize("depth", range(3))
@pytest.mark.parametrize(
    ("side", "inward"), [(s, 1e-3) for s in LOWER] + [(s, -1e-3) for s in UPPER]
)
def test_validate_finds_a_box_that_is_too_small(tree, boxes, depth, side, inward):
    node = len(tree.levels[depth]) - 1
    child = int(np.isfinite(tree.levels[depth][node, 0]).sum()) - 1
    row = node * bvh.WIDTH + child
    kind = "node" if depth else "leaf"
    with pytest.raises(errors.ArgumentError, match=f"{kind} {row} of level {depth} does not hold"):
        bvh.validate(changed(tree, depth, node, side, child, inward), *boxes)


def test_a_box_at_the_top_that_is_larger_than_need_be_is_no_fault(tree, boxes):
    bvh.validate(changed(tree, 2, 0, 0, 0, -1), *boxes)


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
    with pytest.raises(errors.ArgumentError, match=f"item {missing} is in no leaf"):
        bvh.validate(reordered(tree, tree.order[:-1]), *boxes)


@pytest.mark.parametrize("depth", range(3))
def test_validate_finds_a_missing_node(tree, boxes, depth):
    levels = list(tree.levels)
    levels[depth] = levels[depth][:-1]
    with pytest.raises(errors.ArgumentError, match=f"level {depth} has"):
        bvh.validate(replace(tree, levels=tuple(levels)), *boxes)


@pytest.mark.parametrize("kept", [1, 2])
def test_validate_finds_a_tree_without_a_top(tree, boxes, kept):
    with pytest.raises(errors.ArgumentError, match="highest level has more than one node"):
        bvh.validate(replace(tree, levels=tree.levels[:kept]), *boxes)


def test_validate_finds_a_tree_without_any_level(tree, boxes):
    with pytest.raises(errors.ArgumentError, match="0 levels cannot hold 600 items"):
        bvh.validate(replace(tree, levels=()), *boxes)


def test_validate_finds_a_tree_over_other_boxes(rng, tree):
    with pytest.raises(errors.ArgumentError, match="does not hold"):
        bvh.validate(tree, *random_boxes(rng, 600))


def test_validate_finds_a_tree_in_another_place_or_of_another_size(tree, boxes):
    for other in (replace(tree, center=tree.center + 0.1), replace(tree, scale=tree.scale / 2)):
        with pytest.raises(errors.ArgumentError, match="does not hold"):
            bvh.validate(other, *boxes)


def test_validate_finds_a_bound_that_is_not_a_number(tree, boxes):
    with pytest.raises(errors.ArgumentError, match="level 1"):
        bvh.validate(changed(tree, 1, 0, 0, 0, np.nan), *boxes)


def test_checking_a_tree_of_nothing_finite_warned():
    far = np.finfo(float).max
    mesh = sc.Mesh([(0, np.inf, -1), (1, np.nan, far), (2, 3, -far)], [(0, 1, 2)])
    mesh.build()
    mesh.validate()
