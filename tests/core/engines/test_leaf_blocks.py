# SPDX-License-Identifier: GPL-3.0-or-later
"""No triangle that a ray's line goes through is left out in float32, and most others are."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.bvh import LEAF
from standalone_core.cast.many_rays import cross_many
from standalone_core.engines import traversal
from standalone_core.numerics.ray_triangle import axes_across_many

from .. import meshes
from ..borders import at_borders, each_scale, each_shape
from ..questions import lattice_rays, toward
from ..ray_batches import all_pairs, batch, geometry


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
    """Pairs of which the exact tests say that the line goes through the triangle."""
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
