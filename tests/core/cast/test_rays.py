# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core.cast.rays import Geometry, Query, ordinary_many

from .. import meshes
from ..ray_batches import batch, lone

LENGTHS = [5e-324, 1e-310, 1e-200, 1e-30, 1e-15, 1.0, 1e15, 1e30, 1e200, 1.7e308]


@pytest.mark.parametrize("length", LENGTHS)
def test_a_direction_of_any_length_becomes_ordinary_without_rounding(rng, length):
    directions = meshes.directions(rng, 50) * length
    directions = directions[directions.any(axis=1)]
    scaled, _, size = ordinary_many(directions)
    squares = (scaled**2).sum(axis=1)
    assert ((squares > 1e-40) & (squares < 1e40)).all()
    assert (np.frexp(size)[0] == 0.5).all()
    if length > 1e-300:
        np.testing.assert_array_equal(scaled * size[:, None], directions)


def test_an_ordinary_direction_stays_as_it_is_beside_one_that_is_not():
    directions = np.array([(1e-30, 0, 0), (3, 4, 5), (0, 1e200, 1e200)])
    scaled, _, size = ordinary_many(directions)
    assert scaled[1].tolist() == [3, 4, 5]
    assert size[1] == 1
    assert size[0] < 1e-29
    assert size[2] > 1e200


def test_one_direction_is_taken_as_well_as_many():
    scaled, _, size = ordinary_many(np.array((0, 0, -(2.0**-200))))
    assert scaled.tolist() == [0, 0, -0.5]
    assert size == 2.0**-199


def test_a_zero_or_broken_direction_raises_nothing():
    scaled, _, size = ordinary_many(np.array([(0, 0, 0), (np.nan, 1, 1), (np.inf, 0, 1)]))
    assert scaled[0].tolist() == [0, 0, 0]
    assert size.tolist() == [1, 1, 1]


def test_rows_of_a_batch_are_rays_of_their_own():
    rays = batch(np.eye(3), [(0, 3, 4), (1, 0, 0), (0, 0, 2)], [1, 2, np.inf])
    assert len(rays) == 3
    some = rays.take([2, 0])
    assert some.origins.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert some.lengths.tolist() == [2, 5]
    assert some.limits.tolist() == [np.inf, 1]
    assert some.query is rays.query
    ray = rays.ray(0)
    assert (ray.origin, ray.direction, ray.length, ray.limit) == ((1, 0, 0), (0, 3, 4), 5, 1)
    assert ray.query is rays.query


def test_a_lone_ray_is_a_batch_of_one():
    ray = lone((1, 2, 3), (0, 0, -2), 7.0, cull_sign=1)
    rays = ray.batch()
    assert len(rays) == 1
    again = rays.ray(0)
    assert again.origin == ray.origin
    assert again.direction == ray.direction
    assert (again.length, again.limit, again.query) == (2, 7, ray.query)


def test_rays_that_are_moved_keep_their_distances():
    query = Query(every=True)
    rays = batch((0, 0, 0), [(0, 0, 3.0)], 5.0)
    near = rays.moved(np.array([(1.0, 1, 1)]), np.array([(0, 0, 6.0)]), query)
    assert (near.lengths.tolist(), near.limits.tolist()) == ([3], [5])
    tiny = rays.moved(np.zeros((1, 3)), np.array([(0, 0, 3 * 2.0**-100)]), query)
    t_there = 3 * 2.0**-100 / tiny.directions[0, 2]
    assert t_there * tiny.lengths[0] == 3
    assert tiny.query is query


def test_a_triangle_is_a_face_where_none_are_given():
    vertices, triangles = meshes.cube()
    assert Geometry(vertices, triangles, None).face(7) == 7
    assert Geometry(vertices, triangles, np.arange(12) // 2).face(7) == 3
