# SPDX-License-Identifier: GPL-3.0-or-later
"""Building, refitting and checking trees: which items come where, and the boxes around them."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh, errors
from standalone_core.bvh import LEAF, build
from standalone_core.bvh.build import (
    _next_above,
    boxes_of,
    build_tree,
    leaf_boxes_of,
    refit_tree,
    unit_space,
)
from standalone_core.concurrency import threads as core_threads
from standalone_core.concurrency.threads import ThreadLimit

from .. import meshes
from ..scales import at_every_scale
from .boxes import assert_is_a_tree, children, in_units, random_boxes

COUNTS = [1, 3, 4, 5, 31, 32, 33, 255, 256, 257, 600]


@pytest.mark.parametrize("count", COUNTS)
def test_every_item_is_in_the_tree_once_and_every_box_holds_its_children(rng, count):
    boxes = random_boxes(rng, count)
    assert_is_a_tree(bvh.over_boxes(*boxes), *boxes)


@at_every_scale
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_boxes_hold_at_every_scale_and_far_from_the_origin(rng, scale, offset):
    boxes = random_boxes(rng, 100, scale, offset * scale)
    assert_is_a_tree(bvh.over_boxes(*boxes), *boxes)


@pytest.mark.parametrize("size", [1e-320, 1e-310, 1e-45, 1e39, 1e300, 1.7e308])
def test_sizes_beyond_float32_are_rounded_outward_not_lost(rng, size):
    corners = np.sort(rng.uniform(-1, 1, (2, 50, 3)), axis=0) * size
    tree = bvh.over_boxes(*corners)
    assert_is_a_tree(tree, *corners)
    bvh.validate(tree, *corners)


def test_boxes_that_are_not_finite_are_left_out(rng):
    lower, upper = random_boxes(rng, 60)
    lower[3, 1], upper[17, 2], lower[40] = np.nan, np.inf, -np.inf
    tree = bvh.over_boxes(lower, upper)
    assert not {3, 17, 40} & set(tree.order.tolist())
    assert_is_a_tree(tree, lower, upper)


def test_a_finite_corner_of_a_box_that_is_not_may_be_beyond_float32(rng):
    lower, upper = random_boxes(rng, 60)
    lower[3], upper[3] = (1e300, -1e300, np.nan), (1e301, 1e300, np.inf)
    tree = bvh.over_boxes(lower, upper)
    assert_is_a_tree(tree, lower, upper)
    assert tree.scale < 16


@pytest.mark.parametrize("count", [0, 5])
def test_a_tree_of_nothing_is_empty(count):
    boxes = np.full((2, count, 3), np.nan)
    tree = bvh.over_boxes(*boxes)
    assert len(tree.order) == 0
    assert tree.levels == ()
    assert tree.node_count == tree.leaf_count == 0
    bvh.validate(tree, *boxes)


def test_equal_boxes_and_flat_boxes_make_a_tree():
    same = np.ones((100, 3))
    assert_is_a_tree(bvh.over_boxes(same, same), same, same)
    line = np.outer(np.arange(100.0), (0, 1, 0))
    assert_is_a_tree(bvh.over_boxes(line, line), line, line)


def test_neighbours_in_space_are_neighbours_in_the_tree(rng):
    corners = rng.permutation(np.stack(np.meshgrid(*[np.arange(8.0)] * 3), axis=-1).reshape(-1, 3))

    def mean_size(order):
        low, high = children(refit_tree(order, *in_units(corners, corners)).levels[0])
        return (high - low).max(axis=1).mean()

    assert mean_size(bvh.over_boxes(corners, corners).order) < mean_size(np.arange(512)) / 4


@pytest.mark.parametrize("broken", [0, 1, 1000])
def test_the_progress_goes_up_from_0_to_1(rng, monkeypatch, broken):
    monkeypatch.setattr(bvh.build, "_BLOCK", 1024)
    lower, upper, *space = in_units(*random_boxes(rng, 5000))
    upper[0, :broken] = np.inf
    told = []
    build_tree(lower, upper, *space, told.append)
    assert told[0] == 0
    assert told[-1] == 1
    assert len(told) > 5
    assert all(a <= b for a, b in itertools.pairwise(told))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_what_the_progress_raises_ends_the_build(rng, monkeypatch, share):
    monkeypatch.setattr(bvh.build, "_BLOCK", 1024)

    def stop(done):
        if done >= share:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_tree(*in_units(*random_boxes(rng, 5000)), stop)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_each_engine_s_tree_leaves_out_what_is_not_finite(rng, engine, bad):
    vertices, triangles = meshes.soup(rng, 200)
    vertices[rng.integers(0, len(vertices), 20), rng.integers(0, 3, 20)] = bad
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    mesh.build()
    mesh.validate()
    sound = np.isfinite(vertices[triangles]).all(axis=(1, 2))
    assert set(np.flatnonzero(sound)) >= set(mesh.tree.order.tolist())
    if bad != 1e300:
        assert sorted(mesh.tree.order.tolist()) == np.flatnonzero(sound).tolist()
    whole = sc.Mesh(*meshes.soup(rng, 200), engine=engine)
    whole.build()
    moved = whole.vertices.copy()
    moved[7] = bad
    whole.refit(moved)
    whole.validate()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("late", [False, True], ids=["built so", "refitted to"])
def test_one_vertex_that_is_not_finite_keeps_a_far_tree_precise(rng, bad, late):
    far = rng.uniform(-1, 1, (300, 3)) + 1e7
    broken = far.copy()
    broken[17, 1] = bad
    mesh = sc.Mesh(far if late else broken, np.arange(300).reshape(-1, 3))
    mesh.build()
    mesh.refit(broken)
    mesh.build()
    assert np.abs(mesh.tree.center - 1e7).max() < 2
    assert mesh.tree.scale <= 2
    mesh.validate()


ORDERED_COUNTS = [0, 1, 4, 5, 8, 9, 63, 64, 65, 1000, 1024, 1025, 3000]


def ordered(middles, report=lambda done: None):
    return build.order_items(np.asarray(middles, np.float32), report)


def assert_is_cut_at_medians(middles, items):
    """Each run of LEAF * 2**k items parts from the next along one axis, at most touching it."""
    middles = middles[:, items]
    size = LEAF
    while size < len(items):
        for first in range(0, len(items) - size, 2 * size):
            left = middles[:, first : first + size].max(axis=1)
            right = middles[:, first + size : first + 2 * size].min(axis=1)
            assert (left <= right).any()
        size *= 2


def clouds(rng, count):
    yield rng.uniform(-1, 1, (3, count))
    yield rng.normal(size=(3, count)) * ((1,), (1e-3,), (1e-20,))
    yield rng.integers(-1, 2, (3, count))
    yield np.zeros((3, count))
    yield np.linspace(-1, 1, count) * ((0,), (1,), (1,))


@pytest.mark.parametrize("count", ORDERED_COUNTS)
def test_every_item_comes_once_and_runs_are_cells_of_a_tree_of_medians(rng, count):
    for cloud in clouds(rng, count):
        middles = cloud.astype(np.float32)
        items = ordered(middles)
        assert sorted(items.tolist()) == list(range(count))
        assert_is_cut_at_medians(middles, items)


@pytest.mark.parametrize("count", [1025, 2048, 2049, 5000])
def test_blocks_that_are_halved_apart_join_without_a_seam(rng, monkeypatch, count):
    monkeypatch.setattr(build, "_BLOCK", 1024)
    for cloud in clouds(rng, count):
        middles = cloud.astype(np.float32)
        items = ordered(middles)
        assert sorted(items.tolist()) == list(range(count))
        assert_is_cut_at_medians(middles, items)


def test_the_order_is_the_same_every_time(rng, monkeypatch):
    monkeypatch.setattr(build, "_BLOCK", 1024)
    monkeypatch.setattr(core_threads, "_WORTH_IT", 0)
    middles = rng.uniform(-1, 1, (3, 5000)).astype(np.float32)
    first = ordered(middles)
    for count in (1, 2, 7):
        with ThreadLimit(count):
            np.testing.assert_array_equal(ordered(middles), first)


def test_a_run_is_cut_along_its_widest_axis(rng):
    middles = rng.uniform(-1, 1, (3, 64)) * ((1,), (100,), (10,))
    items = ordered(middles)
    assert middles[1, items[:32]].max() <= middles[1, items[32:]].min()


def test_the_given_middles_stay_as_they_are(rng):
    middles = rng.uniform(-1, 1, (3, 100)).astype(np.float32)
    before = middles.copy()
    ordered(middles)
    np.testing.assert_array_equal(middles, before)


def test_the_progress_goes_up_to_1(rng, monkeypatch):
    monkeypatch.setattr(build, "_BLOCK", 1024)
    told = []
    ordered(rng.uniform(-1, 1, (3, 5000)), told.append)
    assert len(told) > 4
    assert told[-1] == 1
    assert all(0 < a <= b for a, b in itertools.pairwise(told))


def test_what_the_progress_raises_comes_out(rng, monkeypatch):
    monkeypatch.setattr(build, "_BLOCK", 1024)

    def stop(done):
        raise ArithmeticError(done)

    with pytest.raises(ArithmeticError):
        ordered(rng.uniform(-1, 1, (3, 5000)), stop)


ORIGIN = np.zeros(3)


def boxes_around(vertices, triangles, center=ORIGIN, scale=1.0):
    return boxes_of(np.asarray(vertices, float), np.asarray(triangles), center, scale)


def test_a_box_goes_from_the_least_to_the_greatest_of_a_triangle_s_corners():
    lower, upper = boxes_around([(0, 5, 2), (1, 3, 2), (-1, 4, 8)], [(0, 1, 2)])
    assert lower.T.tolist() == [[-1, 3, 2]]
    assert upper.T.tolist() == [[1, 5, 8]]


def test_boxes_are_in_units_of_the_scale_around_the_center():
    lower, upper = boxes_around(
        [(10, 20, 30), (14, 20, 30), (10, 28, 34)], [(0, 1, 2)], (10, 20, 30), 4.0
    )
    assert lower.T.tolist() == [[0, 0, 0]]
    assert upper.T.tolist() == [[1, 2, 1]]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_corners_are_rounded_to_the_nearest_float32(rng, kind):
    vertices, triangles = meshes.soup(rng, 200)
    center, scale = np.array([0.1, -7, 1e3]), 0.25
    lower, upper = boxes_around(vertices, triangles.astype(kind), center, scale)
    corners = ((vertices - center) / scale)[triangles]
    assert lower.dtype == upper.dtype == np.float32
    np.testing.assert_array_equal(lower.T, corners.min(axis=1).astype(np.float32))
    np.testing.assert_array_equal(upper.T, corners.max(axis=1).astype(np.float32))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("corner", range(3))
def test_a_corner_that_float32_cannot_hold_leaves_a_box_that_is_not_finite(bad, corner):
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)])
    vertices[corner, 1] = bad
    triangles = [(0, 1, 2), (3, 3, 3)]
    finite = np.isfinite(boxes_around(vertices, triangles)).all(axis=(0, 1))
    assert finite.tolist() == [False, True]


def test_no_triangles_have_no_boxes():
    lower, upper = boxes_around(np.zeros((4, 3)), np.empty((0, 3), np.int32))
    assert lower.shape == upper.shape == (3, 0)


@pytest.mark.parametrize("count", [1, LEAF - 1, LEAF, LEAF + 1, 50])
@pytest.mark.parametrize("bad", [None, np.nan, np.inf, -np.inf])
def test_a_leaf_reaches_as_far_as_its_triangles(rng, count, bad):
    vertices, triangles = meshes.soup(rng, 60)
    if bad is not None:
        vertices[triangles[7, 1], 2] = bad
    order = rng.permutation(60)[:count].astype(np.int32)
    units = np.array([0.1, -7, 1e3]), 0.25
    lower, upper = leaf_boxes_of(vertices, triangles, order, *units)
    low, high = boxes_of(vertices, triangles, *units)
    starts = np.arange(0, count, LEAF)
    np.testing.assert_array_equal(lower, np.minimum.reduceat(low[:, order], starts, axis=1))
    np.testing.assert_array_equal(upper, np.maximum.reduceat(high[:, order], starts, axis=1))


def test_no_leaves_have_no_boxes():
    no_order = np.empty(0, np.int32)
    lower, upper = leaf_boxes_of(np.zeros((3, 3)), np.array([(0, 1, 2)]), no_order, ORIGIN, 1.0)
    assert lower.shape == upper.shape == (3, 0)


REFITTED_COUNTS = [1, 4, 5, 32, 33, 65, 300]


def over_points(corners):
    """Corners (n, 3) around 0, each the lower and upper of four boxes, and their leaves' boxes."""
    low = np.repeat(corners, bvh.LEAF, axis=0).astype(np.float32).T
    fitted = refit_tree(np.arange(low.shape[1]), low, low, np.zeros(3), 1.0)
    return [corner[: len(corners)] for corner in children(fitted.levels[0])]


@pytest.mark.parametrize("count", REFITTED_COUNTS)
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
    lower, upper = -_next_above(-numbers), _next_above(numbers)
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
