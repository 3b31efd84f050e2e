# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions count as they are given: one, many and a mesh see the same ray."""

import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.arguments import unit_directions
from standalone_core.arrays import normalized

from .rays_and_triangles import MANY, ONE

COUNT = 1500


def aimed_at_edges(rng, unit):
    """Triangles (N, 3, 3), and rays at points of their edges, on which rounding decides."""
    corners = rng.normal(size=(COUNT, 3, 3))
    along = rng.uniform(size=(COUNT, 1))
    along[::3] = 0.5
    targets = corners[:, 0] + along * (corners[:, 1] - corners[:, 0])
    origins = 3 * rng.normal(size=(COUNT, 3))
    directions = targets - origins
    return corners, origins, normalized(directions) if unit else directions


def rows_of(hits):
    return [None if not hit else (t, u, v) for t, u, v, hit in zip(*hits, hits.hit, strict=True)]


@pytest.mark.parametrize("unit", [True, False], ids=["unit", "any length"])
@pytest.mark.parametrize("name", ONE)
def test_a_ray_at_an_edge_is_the_same_one_by_one_and_many_at_once(rng, name, unit):
    corners, origins, directions = aimed_at_edges(rng, unit)
    many = MANY[name](origins, directions, *corners.swapaxes(0, 1))
    ones = [
        ONE[name](sc.Ray(*ray), *c) for *ray, c in zip(origins, directions, corners, strict=True)
    ]
    assert rows_of(many) == ones
    for row, one in enumerate(ones):
        if one:
            assert many.point[row].tolist() == one.point.tolist()
            assert many.front[row] == one.front
    assert 0.2 < many.hit.mean() < 0.8


@pytest.mark.parametrize("unit", [True, False], ids=["unit", "any length"])
def test_watertight_disagreed_with_ray_cast_at_edges_since_it_normalized_twice(rng, unit):
    corners, origins, directions = aimed_at_edges(rng, unit)
    many = rows_of(sc.triangle.watertight_many(origins, directions, *corners.swapaxes(0, 1)))
    for row in range(COUNT):
        mesh = sc.Mesh(corners[row], [[0, 1, 2]])
        ray = sc.Ray(origins[row], directions[row])
        cast = mesh.ray_cast(origins[row], directions[row])
        batch = mesh.cast_rays(origins[row], directions[row])[0]
        of_the_ray = mesh.ray_cast(ray.origin, ray.direction)
        for hit in (cast, batch, of_the_ray):
            found = hit and (hit.distance, *hit.barycentric[1:])
            assert found == many[row]
        assert sc.triangle.watertight(ray, *corners[row]) == many[row]


@pytest.mark.parametrize("length", [1e-300, 1e-21, 1e-3, 7.0, 1e19, 1e21, 1e300])
def test_a_direction_of_any_length_is_the_same_to_all_that_decide_exactly(rng, length):
    for corners, origin, direction in zip(*aimed_at_edges(rng, True), strict=True):
        direction = direction * length
        hit = sc.Mesh(corners, [[0, 1, 2]]).ray_cast(origin, direction)
        one = sc.triangle.watertight(sc.Ray(origin, direction), *corners)
        assert one == (hit and (hit.distance, *hit.barycentric[1:]))
        if one:
            assert one.point.tolist() == hit.point.tolist()
            assert one.front == hit.front


def test_a_third_of_all_unit_directions_was_turned_by_making_them_unit_again(rng):
    once = unit_directions(rng.normal(size=(5000, 3)) * 10.0 ** rng.integers(-9, 9, (5000, 3)), "d")
    assert (normalized(once) != once).any(axis=1).mean() > 0.2
    np.testing.assert_array_equal(unit_directions(once, "d"), once)
    assert all(sc.Ray((0, 0, 0), d).direction.tolist() == d.tolist() for d in once[:500])


def test_a_ray_of_a_camera_has_the_direction_of_its_rays(rng):
    view = sc.Camera(np.eye(4), np.diag([0.7, 1.1, -0.1, 1]), 64, 64)
    x, y = rng.uniform(0, 64, (2, 200))
    _, directions = view.rays(x, y)
    for row in range(200):
        assert view.ray(x[row], y[row]).direction.tolist() == directions[row].tolist()


def test_a_ray_remembers_its_direction_and_what_is_computed_from_it_does_not():
    ray = sc.Ray((1, 2, 3), (0, 3, 4))
    assert ray.given == (0, 3, 4)
    assert sc.Ray(ray.origin, ray.direction).given == (0, 3, 4)
    assert pickle.loads(pickle.dumps(ray)).given == (0, 3, 4)
    for computed in (-ray.direction, ray.direction * 1.0, ray.direction.copy()):
        assert sc.Ray((0, 0, 0), computed).given == tuple(computed.tolist())


def test_what_is_computed_from_a_direction_is_an_array_as_any_other():
    direction = sc.Ray((1, 2, 3), (0, 3, 4)).direction
    assert isinstance(direction, np.ndarray)
    for computed in (-direction, 2 * direction, np.eye(3) @ direction, direction @ direction):
        assert type(computed) in (np.ndarray, np.float64)
    assert direction.sum() == pytest.approx(1.4)
