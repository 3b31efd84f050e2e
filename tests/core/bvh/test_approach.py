# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays as a tree sees them: nothing that they meet may be lost on the way to float32."""

from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh
from standalone_core.bvh.approach import approach, approach_many

from .. import meshes
from ..meshes import HALVES, SQUARE
from ..ray_batches import batch, lone
from .boxes import random_boxes

FAR = [0.0, 1.0, 1e3, 1e6, 1e9, 1e15, 1e30, 1e100, 1e300]
each_distance = pytest.mark.parametrize("far", FAR, ids="{:g}".format)


@pytest.fixture
def tree(rng):
    return bvh.over_boxes(*random_boxes(rng, 50, scale=3.0, offset=7.0))


def toward(rng, tree, far, count=60):
    """Rays at places in the tree's box, from so many of its sizes away, some along axes."""
    directions = meshes.directions(rng, count)
    directions[::3] = np.eye(3)[rng.integers(0, 3, len(directions[::3]))]
    directions[1::6, 0] = 0.0
    directions[2::6, 1] *= 1e-35
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    targets = tree.center + tree.scale * rng.uniform(-1, 1, (count, 3))
    return targets - far * tree.scale * directions, directions * rng.uniform(0.1, 9, (count, 1))


def endless(count):
    return np.full(count, np.inf)


def exact_place(tree, origin, direction, skipped):
    """Where a ray is in the tree's units, `skipped` along its largest component."""
    largest = Fraction(float(np.abs(direction).max()))
    return [
        (Fraction(o) - Fraction(c)) / Fraction(tree.scale)
        + Fraction(skipped) * Fraction(d) / largest
        for o, c, d in zip(origin.tolist(), tree.center.tolist(), direction.tolist(), strict=True)
    ]


@each_distance
def test_the_start_is_between_its_two_roundings(rng, tree, far):
    origins, directions = toward(rng, tree, far)
    seen = approach_many(tree, origins, directions, endless(60))
    for ray in range(60):
        place = exact_place(tree, origins[ray], directions[ray], float(seen.skipped[ray]))
        low, high = seen.start[3:, ray].tolist(), seen.start[:3, ray].tolist()
        for axis in range(3):
            assert low[axis] == -np.inf or Fraction(low[axis]) < place[axis]
            assert high[axis] == np.inf or place[axis] < Fraction(high[axis])


@pytest.mark.parametrize("far", [5.0, 1e3, 1e9, 1e13], ids="{:g}".format)
def test_a_ray_from_far_away_starts_near_the_boxes_and_before_them(rng, tree, far):
    origins, directions = toward(rng, tree, far)
    seen = approach_many(tree, origins, directions, endless(60))
    assert np.abs(seen.start).max() < 6
    assert (seen.skipped > far / 2 - 4).all()
    start = (seen.start[:3] + seen.start[3:]).T / 2
    before = -np.einsum("ni,ni->n", start, directions) / np.linalg.norm(directions, axis=1)
    assert (before > 3**0.5).all()


def test_a_ray_that_starts_among_the_boxes_or_looks_away_skips_nothing(rng, tree):
    origins, directions = toward(rng, tree, 0.0)
    assert not approach_many(tree, origins, directions, endless(60)).skipped.any()
    origins, directions = toward(rng, tree, 1e6)
    assert not approach_many(tree, origins, -directions, endless(60)).skipped.any()


@each_distance
def test_a_ray_ends_no_nearer_than_it_should(rng, tree, far):
    origins, directions = toward(rng, tree, far)
    ends = (far + rng.uniform(0, 2, 60)) * tree.scale / np.abs(directions).max(axis=1)
    seen = approach_many(tree, origins, directions, ends)
    margin = (seen.start[:3].astype(float) - seen.start[3:]).min(axis=0) / 2
    for ray, limit in enumerate(seen.limit.tolist()):
        if np.isinf(margin[ray]) or limit == np.inf:
            assert far > 1e30
            continue
        unit = Fraction(float(np.abs(directions[ray]).max())) / Fraction(tree.scale)
        end = Fraction(float(ends[ray])) * unit - Fraction(float(seen.skipped[ray]))
        assert end - Fraction(float(margin[ray])) <= Fraction(limit)


def test_a_ray_ends_hardly_farther_than_it_should(rng, tree):
    origins, directions = toward(rng, tree, 1e3)
    ends = 1e3 * tree.scale / np.abs(directions).max(axis=1)
    seen = approach_many(tree, origins, directions, ends)
    np.testing.assert_allclose(seen.limit, 1e3 - seen.skipped, rtol=0, atol=1e-2)


def test_a_ray_without_end_has_none_here(rng, tree):
    assert (approach_many(tree, *toward(rng, tree, 3.0), endless(60)).limit == np.inf).all()


def test_t_times_unit_is_a_length_here(rng, tree):
    origins, directions = toward(rng, tree, 4.0)
    seen = approach_many(tree, origins, directions, endless(60))
    np.testing.assert_allclose(seen.unit, np.abs(directions).max(axis=1) / tree.scale, rtol=1e-15)


@each_distance
def test_a_shortened_ray_ends_where_one_does_that_was_no_longer(rng, tree, far):
    origins, directions = toward(rng, tree, far)
    ends = (far + rng.uniform(0, 2, 60)) * tree.scale / np.abs(directions).max(axis=1)
    seen = approach_many(tree, origins, directions, endless(60))
    seen.shorten(np.arange(60), ends)
    limits = approach_many(tree, origins, directions, ends).limit
    assert (seen.limit == limits)[np.isfinite(limits)].all()


def test_the_nearest_of_a_rays_ends_counts_and_none_that_is_no_number(rng, tree):
    origins, directions = toward(rng, tree, 3.0)
    lengths = np.abs(directions).max(axis=1) / tree.scale
    seen = approach_many(tree, origins, directions, endless(60))
    seen.shorten(np.array([7, 3, 7, 7, 9]), np.array([4.0, 2.0, 1.0, 3.0, np.nan]) / lengths[7])
    assert seen.limit[7] + seen.skipped[7] == pytest.approx(1.0, abs=1e-5)
    assert np.flatnonzero(seen.limit < np.inf).tolist() == [3, 7]


@pytest.mark.parametrize("zero", [0.0, -0.0, 1e-40, 5e-324, -1e-300])
def test_a_component_of_almost_0_has_a_finite_inverse_large_enough_for_any_box(tree, zero):
    directions = np.array([(1.0, zero, zero), (zero, -2.0, zero)])
    seen = approach_many(tree, np.zeros((2, 3)), directions, endless(2))
    assert np.isfinite(seen.inverse).all()
    np.testing.assert_array_equal(np.sign(seen.inverse[1:3, 0]), np.copysign(1, zero))
    assert (np.abs(seen.inverse[1:3, 0]) >= 1e20).all()
    assert seen.inverse[0, 0] == 1
    assert seen.inverse[1, 1] == -1


def test_a_ray_whose_way_is_beyond_float64_meets_everything():
    corners = np.array([(0.0, 0, 0), (1e-300, 1e-300, 1e-300)])
    tree = bvh.over_boxes(corners, corners)
    seen = approach_many(
        tree, np.array([(1e300, 0, 0)]), np.array([(-1.0, 0, 0)]), np.array([1e300])
    )
    assert (seen.start[:3, 0] == np.inf).all()
    assert (seen.start[3:, 0] == -np.inf).all()
    assert seen.limit[0] == np.inf
    assert seen.skipped[0] == 0


@pytest.mark.parametrize("far", FAR[:-2], ids="{:g}".format)
@pytest.mark.parametrize("limited", [False, True])
def test_one_ray_is_brought_as_many_are(rng, tree, far, limited):
    origins, directions = toward(rng, tree, far)
    limits = (far + 1) * tree.scale if limited else np.inf
    rays = batch(origins, directions, limits)
    seen = approach_many(tree, origins, directions, rays.limits / rays.lengths)
    for row in range(60):
        one = approach(tree, rays.ray(row))
        np.testing.assert_allclose(one.start[:, 0], seen.start[:, row], rtol=1e-6, atol=1e-15 * far)
        np.testing.assert_allclose(one.inverse[:, 0], seen.inverse[:, row], rtol=1e-6)
        assert one.limit == pytest.approx(min(seen.limit[row], 1e30), rel=1e-6, abs=1e-15 * far)


@pytest.mark.parametrize(
    "direction", [(1, 2, 3), (-1, 2, -3), (1, 0, 0), (-1, -0.0, 0), (0, 0, -1)]
)
def test_the_near_planes_of_one_ray_are_those_that_it_meets_first(tree, direction):
    one = approach(tree, lone((0, 0, 0), direction))
    for axis in range(3):
        lower_first = np.copysign(1, float(direction[axis])) > 0
        assert one.near[axis] == (axis if lower_first else axis + 3)
        assert one.far[axis] == (axis + 3 if lower_first else axis)


@pytest.mark.parametrize("origin", [(1e300, 0, 0), (0, -1e200, 1e200), (1e40, 1, 1)])
def test_one_ray_that_needs_more_than_float32_is_not_brought(tree, origin):
    assert approach(tree, lone(origin, (0, 1, 0))) is None
    assert approach(tree, lone(origin, (0, 1, 0), 1e-300)) is None


def test_a_short_direction_at_a_huge_mesh_made_a_limit_that_is_no_number(engine):
    mesh = sc.Mesh(SQUARE * 2e307, HALVES, engine=engine)
    mesh.build()
    hit = mesh.ray_cast((1e306, 2e306, 0), (0, 0, 1e-19))
    assert hit.distance == 0
    assert mesh.cast_rays([(1e306, 2e306, 0)], [(0, 0, 1e-19)]).distance.tolist() == [0]


@pytest.mark.parametrize(
    ("size", "origin", "direction", "limit"),
    [
        (2e307, (1e306, 2e306, 0), (0, 0, 1e-19), 1e300),
        (1e-308, (1e-309, 2e-309, 0), (0, 0, 1e10), 0.0),
        (1e-308, (1e-309, 2e-309, 0), (0, 0, 1e19), 1e-310),
    ],
)
def test_a_limit_that_is_no_number_in_a_tree_s_units_lost_hits(
    engine, size, origin, direction, limit
):
    mesh = sc.Mesh(SQUARE * size, HALVES, engine=engine)
    for _ in range(2):
        assert mesh.ray_cast(origin, direction, limit).distance == 0
        assert mesh.cast_rays([origin], [direction], limit).distance.tolist() == [0]
        mesh.build()


@pytest.mark.parametrize("far", [1e30, 1e39, 1e100, 1e300])
def test_a_ray_from_far_beyond_float32_read_leaves_that_there_are_not(rng, engine, far):
    vertices, triangles = rng.normal(size=(15, 3)), np.arange(15).reshape(5, 3)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    mesh.build()
    origins = rng.normal(size=(500, 3)) * far
    found = mesh.cast_rays(origins, rng.normal(size=(500, 3)))
    assert set(found.triangle.tolist()) <= set(range(-1, 5))
    aimed = mesh.cast_rays(origins, -origins)
    assert set(aimed.triangle.tolist()) <= set(range(-1, 5))
