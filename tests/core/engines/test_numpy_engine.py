# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core import bvh
from standalone_core.engines import numpy_engine

from .. import meshes
from ..bvh.boxes import random_boxes


def pairs(tree, origins, directions, pad=0.0, limit=np.inf):
    """All candidate pairs, sorted."""
    count = len(origins)
    blocks = numpy_engine.candidates(
        tree, origins, directions, np.full(count, pad), np.full(count, limit)
    )
    return sorted(
        (ray, item)
        for rays, items in blocks
        for ray, item in zip(rays.tolist(), items.tolist(), strict=True)
    )


def met(lower, upper, origins, directions, limit=np.inf):
    """Pairs of rays and boxes that surely meet, box by box."""
    found = set()
    with np.errstate(divide="ignore"):
        for ray, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
            t = np.sort([(corner - origin) / direction for corner in (lower, upper)], axis=0)
            entry, leave = t[0].max(axis=1), t[1].min(axis=1)
            ok = (entry < leave) & (leave > 0) & (entry < limit)
            found |= {(ray, int(item)) for item in np.flatnonzero(ok)}
    return found


@pytest.mark.parametrize("count", [1, 8, 9, 64, 65, 700])
def test_no_box_that_a_ray_meets_is_left_out(rng, count):
    lower, upper = random_boxes(rng, count)
    origins = rng.normal(size=(50, 3)) * 3
    directions = rng.normal(size=(50, 3)) - origins
    found = pairs(bvh.build(lower, upper), origins, directions)
    assert len(found) == len(set(found))
    assert met(lower, upper, origins, directions) <= set(found)


def test_most_boxes_that_no_ray_meets_are_left_out(rng):
    lower, upper = random_boxes(rng, 2000)
    origins = rng.normal(size=(20, 3)) * 3
    found = pairs(bvh.build(lower, upper), origins, -origins)
    assert len(found) < 20 * 2000 / 4


def test_boxes_beyond_the_limit_and_behind_the_origin_are_left_out(rng):
    corners = np.outer(np.arange(1000.0), (1, 0, 0))
    tree = bvh.build(corners - 0.1, corners + 0.1)
    found = pairs(tree, np.array([(500.5, 0, 0)]), np.array([(2.0, 0, 0)]), limit=50.0)
    items = [item for _, item in found]
    assert set(range(501, 600)) <= set(items)
    assert min(items) > 480
    assert max(items) < 620


def test_the_pad_keeps_boxes_that_a_ray_just_misses():
    box = np.array([[0.0, 0, 0]]), np.array([[1.0, 1, 1]])
    tree = bvh.build(*box)
    beside = np.array([(1.001, 0.5, -1)]), np.array([(0, 0, 1.0)])
    assert pairs(tree, *beside) == []
    assert pairs(tree, *beside, pad=0.01) == [(0, 0)]


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_rays_along_an_axis_lose_no_box(rng, zero):
    lower, upper = random_boxes(rng, 300)
    for axis in range(3):
        direction = np.full(3, zero)
        direction[axis] = 1.0
        origins = (lower + upper) / 2 - 10 * direction
        found = set(pairs(bvh.build(lower, upper), origins, np.tile(direction, (300, 1))))
        assert {(i, i) for i in range(300)} <= found


def test_blocks_of_pairs_change_nothing_but_memory(rng, monkeypatch):
    lower, upper = random_boxes(rng, 700)
    origins = rng.normal(size=(60, 3)) * 3
    question = bvh.build(lower, upper), origins, meshes.directions(rng, 60) - origins
    whole = pairs(*question)
    assert len(whole) > 100
    for block in (1, 7, 64):
        monkeypatch.setattr(numpy_engine, "_BLOCK", block)
        assert pairs(*question) == whole


def test_an_empty_tree_has_no_candidates():
    tree = bvh.build(np.empty((0, 3)), np.empty((0, 3)))
    assert pairs(tree, np.zeros((3, 3)), np.ones((3, 3))) == []


def test_no_rays_have_no_candidates(rng):
    tree = bvh.build(*random_boxes(rng, 20))
    assert pairs(tree, np.empty((0, 3)), np.empty((0, 3))) == []
