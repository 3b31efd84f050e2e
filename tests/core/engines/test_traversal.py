# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree gives all items that a ray can meet to the exact tests, and few others.

Its leaves leave out most triangles in float32, and none that a ray's line goes through.
"""

from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh
from standalone_core.bvh import LEAF
from standalone_core.cast.many_rays import cross_many
from standalone_core.engines import traversal
from standalone_core.numerics.ray_triangle import axes_across_many

from .. import meshes
from ..borders import at_borders, each_scale, each_shape
from ..bvh.boxes import random_boxes
from ..questions import lattice_rays, toward
from ..ray_batches import all_pairs, batch, cast_everything, geometry

COUNTS = [1, 4, 5, 32, 33, 257, 700]


def together(tree, rays, candidates=traversal.candidates):
    """All candidate pairs of a batch."""
    found = [
        (ray, item)
        for rows, items in candidates(tree, traversal.approach_of(tree, rays))
        for ray, item in zip(rows.tolist(), items.tolist(), strict=True)
    ]
    assert len(found) == len(set(found))
    return set(found)


def nearest_first(tree, rays):
    """All candidate pairs of a batch of which no ray is made shorter."""
    return together(tree, rays, traversal.nearest_candidates)


def one_by_one(tree, rays):
    """All candidate pairs of rays that are each asked for alone."""
    found = [
        (ray, item)
        for ray in range(len(rays))
        for item in traversal.candidates_of_one(tree, rays.ray(ray)).tolist()
    ]
    assert len(found) == len(set(found))
    return set(found)


each_way = pytest.mark.parametrize("pairs", [together, nearest_first, one_by_one])


def met_exactly(lower, upper, rays):
    """Pairs of rays and closed boxes that meet, by rational arithmetic."""
    boxes = [[tuple(map(Fraction, row)) for row in part.tolist()] for part in (lower, upper)]
    found = set()
    for ray in range(len(rays)):
        o, d = (
            [Fraction(x) for x in part[ray].tolist()] for part in (rays.origins, rays.directions)
        )
        limit = rays.limits[ray] / rays.lengths[ray]
        for item, (low, high) in enumerate(zip(*boxes, strict=True)):
            entry, leave = Fraction(0), limit if limit == np.inf else Fraction(float(limit))
            for axis in range(3):
                near, far = low[axis] - o[axis], high[axis] - o[axis]
                if d[axis] == 0:
                    entry = entry if near <= 0 <= far else np.inf
                    continue
                near, far = sorted((near / d[axis], far / d[axis]))
                entry, leave = max(entry, near), min(leave, far)
            if entry <= leave:
                found.add((ray, item))
    return found


def assert_no_hit_is_lost(pairs, vertices, triangles, rays):
    """Candidates in a tree hold all hits on all triangles; return how many hits there are."""
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    rows, hits = cast_everything(geometry(vertices, triangles), rays)
    hit = set(zip(rows.tolist(), hits.triangle.tolist(), strict=True))
    assert hit <= pairs(mesh.tree, rays)
    return len(hit)


@each_way
@pytest.mark.parametrize("count", COUNTS)
def test_no_box_that_a_ray_meets_is_left_out(rng, count, pairs):
    lower, upper = random_boxes(rng, count)
    origins = rng.normal(size=(20, 3)) * 3
    rays = batch(origins, (lower + upper)[rng.integers(0, count, 20)] / 2 - origins)
    met = met_exactly(lower, upper, rays)
    assert len(met) >= 20
    assert met <= pairs(bvh.over_boxes(lower, upper), rays)


@each_way
def test_most_boxes_that_no_ray_meets_are_left_out(rng, pairs):
    lower, upper = random_boxes(rng, 2000)
    origins = rng.normal(size=(20, 3)) * 3
    found = pairs(bvh.over_boxes(lower, upper), batch(origins, -origins))
    assert len(found) < 20 * 2000 / 8


@each_way
@pytest.mark.parametrize("far", [1e3, 1e5])
def test_a_far_origin_makes_no_more_candidates(rng, far, pairs):
    vertices, triangles = meshes.icosphere(4)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    directions = meshes.directions(rng, 30)
    near, away = (pairs(mesh.tree, batch(-f * directions, directions)) for f in (2, far))
    assert len(away) < 2 * len(near) < 30 * 100


@each_way
def test_boxes_beyond_the_limit_and_behind_the_origin_are_left_out(rng, pairs):
    corners = np.outer(np.arange(1000.0), (1, 0, 0))
    tree = bvh.over_boxes(corners - 0.1, corners + 0.1)
    items = [item for _, item in pairs(tree, batch((500.5, 0, 0), (2.0, 0, 0), 50.0))]
    assert set(range(501, 551)) <= set(items)
    assert min(items) > 490
    assert max(items) < 560


@each_way
@pytest.mark.parametrize("far", [0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e30, 1e100, 1e300])
def test_no_hit_is_lost_however_far_the_origin_is(rng, far, pairs):
    vertices, triangles = meshes.soup(rng, 60)
    origins, directions = toward(rng, vertices, triangles, 20)
    directions[::4] = np.eye(3)[rng.integers(0, 3, 5)]
    origins = origins - far * directions
    assert_no_hit_is_lost(pairs, vertices, triangles, batch(origins, directions))
    axis = np.eye(3)[rng.integers(0, 3, 20)]
    middles = vertices[triangles[:20]].mean(axis=1)
    ahead = batch(np.where(axis == 1, -far, middles), axis)
    assert assert_no_hit_is_lost(pairs, vertices, triangles, ahead) >= 20 * (far > 1)


@each_way
@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e-30, 1e-6, 1e6, 1e30, 1e100, 1e300])
@pytest.mark.parametrize("far", [1.0, 1e4])
def test_no_hit_is_lost_on_tiny_and_huge_meshes(rng, scale, far, pairs):
    vertices, triangles = meshes.soup(rng, 60)
    origins, directions = toward(rng, vertices, triangles, 20)
    rays = batch(scale * (origins - (far - 1) * directions), directions)
    assert assert_no_hit_is_lost(pairs, vertices * scale, triangles, rays) >= 18


@each_way
@pytest.mark.parametrize("scale", [1e-30, 1e-6])
def test_no_hit_on_a_tiny_mesh_is_lost_from_an_ordinary_distance(rng, scale, pairs):
    vertices, triangles = meshes.soup(rng, 60)
    middles = vertices[triangles].mean(axis=1) * scale
    axis = np.eye(3)[np.arange(60) % 3]
    rays = batch(np.where(axis == 1, 1.0, middles), -axis)
    assert assert_no_hit_is_lost(pairs, vertices * scale, triangles, rays) >= 60


@each_way
@pytest.mark.parametrize("offset", [1e3, 1e6, 1e12])
def test_no_hit_is_lost_far_from_0(rng, offset, pairs):
    vertices, triangles = meshes.soup(rng, 60)
    vertices = vertices + offset * np.array([1, -1, 0.5])
    assert assert_no_hit_is_lost(
        pairs, vertices, triangles, batch(*toward(rng, vertices, triangles, 20))
    )


@each_way
def test_no_hit_at_a_border_is_lost(rng, pairs):
    vertices, triangles = meshes.nasty(rng, 60)
    assert assert_no_hit_is_lost(pairs, vertices, triangles, batch(*lattice_rays(rng, 80))) > 80


@each_way
@pytest.mark.parametrize("zero", [0.0, -0.0, 1e-300, -1e-30, 1e-17])
@pytest.mark.parametrize("sign", [1, -1])
def test_rays_along_an_axis_lose_no_box(rng, zero, sign, pairs):
    lower, upper = random_boxes(rng, 100)
    for axis in range(3):
        direction = np.full(3, zero)
        direction[axis] = sign
        rays = batch((lower + upper) / 2 - 10 * direction, direction)
        assert {(i, i) for i in range(100)} <= pairs(bvh.over_boxes(lower, upper), rays)


@each_way
def test_rays_in_the_planes_of_boxes_and_along_their_edges_meet_them(rng, pairs):
    lower = rng.integers(-4, 4, (80, 3)).astype(float)
    upper = lower + rng.integers(0, 3, (80, 3))
    tree = bvh.over_boxes(lower, upper)
    axes = np.concatenate([np.eye(3), -np.eye(3), [(1, 1, 0), (0, -1, 1), (-1, 0, 1), (1, 1, 1)]])
    directions = axes[rng.integers(0, len(axes), 120)]
    rays = batch(rng.integers(-4, 6, (120, 3)) - 16 * directions, directions)
    met = met_exactly(lower, upper, rays)
    assert len(met) > 150
    assert met <= pairs(tree, rays)


@each_way
@pytest.mark.parametrize("far", [0, 16, 1e6, 1e12])
def test_a_limit_that_ends_on_a_box_still_meets_it(rng, far, pairs):
    lower = rng.integers(-4, 4, (80, 3)).astype(float)
    upper = lower + rng.integers(0, 3, (80, 3))
    directions = np.eye(3)[rng.integers(0, 3, 40)] * rng.choice([-2.0, 1.0, 4.0], (40, 1))
    origins = lower[:40] - far * directions
    limits = np.abs((lower[:40] - origins) * np.sign(directions)).max(axis=1)
    met = met_exactly(lower, upper, batch(origins, directions, limits))
    assert {(i, i) for i in range(40)} <= met
    assert met <= pairs(bvh.over_boxes(lower, upper), batch(origins, directions, limits))


@each_way
@pytest.mark.parametrize("far", [1.0, 1e6, 1e12, 1e100])
def test_the_distance_of_a_hit_is_a_limit_that_lets_it_through(rng, far, pairs):
    vertices, triangles = meshes.soup(rng, 60)
    axis = np.eye(3)[np.arange(60) % 3]
    origins = np.where(axis == 1, -far, vertices[triangles].mean(axis=1))
    shape = geometry(vertices, triangles)
    rows, hits = cast_everything(shape, batch(origins, axis, every=False))
    limited = batch(origins[rows], axis[rows], hits.distance)
    assert assert_no_hit_is_lost(pairs, vertices, triangles, limited) >= len(rows) > 20


def test_blocks_of_pairs_change_nothing_but_memory(rng, monkeypatch):
    tree = bvh.over_boxes(*random_boxes(rng, 700))
    origins = rng.normal(size=(60, 3)) * 3
    rays = batch(origins, meshes.directions(rng, 60) - origins)
    whole = together(tree, rays)
    assert len(whole) > 100
    for block in (1, 7, 64):
        monkeypatch.setattr(traversal, "_BLOCK", block)
        monkeypatch.setattr(traversal, "_HELD", 2 * block)
        assert together(tree, rays) == nearest_first(tree, rays) == whole


@pytest.mark.parametrize("gate", [0, 1, 2, 3])
def test_what_a_ray_meets_first_comes_first(monkeypatch, gate):
    monkeypatch.setattr(traversal, "_GATE", gate)
    monkeypatch.setattr(traversal, "_LAST_WAVE", 0)
    corners = np.outer(np.arange(3000.0), (1, 0, 0))
    tree = bvh.over_boxes(corners - 0.1, corners + 0.1)
    assert len(tree.levels) == 4
    rays = batch([(-9, 0, 0), (3009, 0, 0)], [(2, 0, 0), (-1, 0, 0)])
    seen = traversal.approach_of(tree, rays)
    rows, items = next(traversal.nearest_candidates(tree, seen))
    size = bvh.LEAF * bvh.WIDTH**gate
    assert set(items[rows == 0].tolist()) == set(range(size))
    last = items[rows == 1]
    assert last.max() == 2999
    assert last.min() >= 3000 - size


@pytest.mark.parametrize("gate", [0, 1, 2, 9])
def test_what_is_behind_the_end_of_a_shortened_ray_is_left_out(rng, monkeypatch, gate):
    monkeypatch.setattr(traversal, "_GATE", gate)
    monkeypatch.setattr(traversal, "_LAST_WAVE", 0)
    vertices, triangles = meshes.icosphere(4)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    directions = meshes.directions(rng, 50)
    rays = batch(-3 * directions, directions)
    seen = traversal.approach_of(mesh.tree, rays)
    found = 0
    for rows, _ in traversal.nearest_candidates(mesh.tree, seen):
        found += len(rows)
        seen.shorten(np.arange(50), np.full(50, 2.5))
    everything = len(together(mesh.tree, rays))
    assert found <= everything * (0.6 if gate < 9 else 1.0)


def test_a_lone_ray_may_start_at_any_level(rng, monkeypatch):
    tree = bvh.over_boxes(*random_boxes(rng, 3000))
    assert len(tree.levels) == 4
    origins = rng.normal(size=(10, 3)) * 3
    rays = batch(origins, -origins)
    whole = one_by_one(tree, rays)
    for first in (1, 2, 12, 10**6):
        monkeypatch.setattr(traversal, "_FIRST_NODES", first)
        assert one_by_one(tree, rays) == whole


@each_way
def test_a_box_that_holds_everything_is_met_by_every_ray(rng, pairs):
    vertices, triangles = meshes.icosphere(2)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    broken = vertices.copy()
    broken[7] = np.nan
    mesh.refit(broken)
    rays = batch(*toward(rng, vertices, triangles, 20))
    touched = {(ray, t) for ray in range(20) for t in np.flatnonzero((triangles == 7).any(axis=1))}
    found = pairs(mesh.tree, rays)
    assert touched <= found
    assert len(found) < 20 * len(triangles)


@each_way
def test_an_empty_tree_has_no_candidates(pairs):
    tree = bvh.over_boxes(np.empty((0, 3)), np.empty((0, 3)))
    assert pairs(tree, batch(np.zeros((3, 3)), np.ones((3, 3)))) == set()


@each_way
def test_no_rays_have_no_candidates(rng, pairs):
    tree = bvh.over_boxes(*random_boxes(rng, 20))
    assert pairs(tree, batch(np.empty((0, 3)), np.empty((0, 3)))) == set()


def left(vertices, triangles, rays):
    """Pairs of a ray and a triangle that pass the test, of all rays with all leaves."""
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    shape, tree = geometry(vertices, triangles), mesh.tree
    traversal.make_blocks_if_due(shape, tree, len(triangles))
    blocks, across = traversal.corners_in_leaves(tree), traversal.RaysAcross.of(tree, rays)
    pairs = all_pairs(len(rays), tree.leaf_count)
    row, item = traversal.items_near(tree, blocks, across, *pairs)
    found = list(zip(row.tolist(), item.tolist(), strict=True))
    assert len(found) == len(set(found))
    return set(found)


def crossed(vertices, triangles, rays):
    """The pairs whose line goes through the triangle, as the exact tests decide."""
    pairs = all_pairs(len(rays), len(triangles))
    axes = axes_across_many(rays.directions)
    found = cross_many(geometry(vertices, triangles), rays, axes, *pairs)
    return set(zip(found.row.tolist(), found.item.tolist(), strict=True))


def assert_none_is_lost(vertices, triangles, origins, directions):
    rays = batch(origins, directions)
    exact = crossed(vertices, triangles, rays)
    assert exact <= left(vertices, triangles, rays)
    return len(exact)


@each_shape
@each_scale
def test_no_triangle_is_lost_at_borders(rng, shape, scale, offset):
    vertices, triangles = shape(rng)
    vertices = vertices * scale + offset * scale * np.array([1.0, -0.7, 0.3])
    origins, directions = at_borders(rng, vertices, triangles, 400)
    assert assert_none_is_lost(vertices, triangles, origins, directions) > 50


@each_shape
def test_no_triangle_of_single_precision_is_lost_at_borders(rng, shape):
    vertices, triangles = shape(rng)
    vertices = vertices.astype(np.float32).astype(np.float64)
    rays = (x.astype(np.float32).astype(float) for x in at_borders(rng, vertices, triangles, 400))
    assert assert_none_is_lost(vertices, triangles, *rays) > 50


def test_no_triangle_is_lost_on_a_lattice(rng):
    vertices, triangles = meshes.nasty(rng, 80)
    assert assert_none_is_lost(vertices, triangles, *lattice_rays(rng, 300)) > 100


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12, 1e15, 1e30, 1e100, 1e300])
def test_no_triangle_is_lost_however_far_the_origin_is(rng, far):
    vertices, triangles = meshes.soup(rng, 60)
    origins, directions = toward(rng, vertices, triangles, 40)
    origins = origins - far * directions / np.linalg.norm(directions, axis=1)[:, None]
    assert_none_is_lost(vertices, triangles, origins, directions)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_of_a_corner_that_a_refit_broke_nothing_is_sure(rng, bad):
    vertices, triangles = meshes.icosphere(2)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    moved = vertices.copy()
    moved[7, 1] = bad
    tree = mesh.tree
    shape = geometry(moved, triangles)
    traversal.make_blocks_if_due(shape, tree, len(triangles))
    rays = batch(*toward(rng, vertices, triangles, 20))
    pairs = all_pairs(20, tree.leaf_count)
    found = traversal.items_near(
        tree, traversal.corners_in_leaves(tree), traversal.RaysAcross.of(tree, rays), *pairs
    )
    touched = np.flatnonzero((triangles == 7).any(axis=1))
    expected = {(ray, item) for ray in range(20) for item in touched.tolist()}
    assert expected <= set(zip(*(x.tolist() for x in found), strict=True))


def test_few_triangles_are_left_that_a_ray_misses(rng):
    vertices, triangles = meshes.icosphere(4)
    rays = batch(*toward(rng, vertices, triangles, 100))
    exact = crossed(vertices, triangles, rays)
    assert len(exact) >= 100
    assert len(left(vertices, triangles, rays)) < 1.05 * len(exact)


@pytest.mark.parametrize("count", [1, LEAF - 1, LEAF, LEAF + 1, 33])
def test_places_of_a_last_leaf_that_are_not_taken_are_no_triangles(rng, count):
    vertices, triangles = meshes.soup(rng, count)
    rays = batch(*toward(rng, vertices, triangles, 20))
    assert {item for _, item in left(vertices, triangles, rays)} <= set(range(count))
    assert crossed(vertices, triangles, rays) <= left(vertices, triangles, rays)


def test_blocks_are_made_once_rays_pay_for_them():
    vertices, triangles = meshes.icosphere(3)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    shape, tree = geometry(vertices, triangles), mesh.tree
    before = mesh.nbytes
    traversal.make_blocks_if_due(shape, tree, 1)
    assert traversal.corners_in_leaves(tree) is None
    assert mesh.nbytes == before
    traversal.make_blocks_if_due(shape, tree, len(triangles))
    blocks = traversal.corners_in_leaves(tree)
    assert blocks is not None
    assert mesh.nbytes == before + blocks.nbytes
    traversal.make_blocks_if_due(shape, tree, len(triangles))
    assert traversal.corners_in_leaves(tree) is blocks


def test_a_tree_of_nothing_gets_no_blocks():
    mesh = sc.Mesh(np.empty((0, 3)), np.empty((0, 3), np.int32), engine="numpy")
    mesh.build()
    traversal.make_blocks_if_due(geometry(np.empty((0, 3)), np.empty((0, 3))), mesh.tree, 10**9)
    assert traversal.corners_in_leaves(mesh.tree) is None
