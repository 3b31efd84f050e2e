# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh
from standalone_core.bvh.build import build_tree, refit_tree

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
