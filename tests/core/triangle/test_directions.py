# SPDX-License-Identifier: GPL-3.0-or-later
"""A ray is made a unit vector once: one, many and a mesh see the same ray."""

import copy
import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.arguments import unit_directions
from standalone_core.numerics.arrays import normalized

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


def row_of(hit):
    return hit and (hit.distance, *hit.barycentric[1:])


@pytest.mark.parametrize("unit", [True, False], ids=["unit", "any length"])
@pytest.mark.parametrize("name", ONE)
def test_a_ray_at_an_edge_is_the_same_one_by_one_and_many_at_once(rng, name, unit):
    corners, origins, directions = aimed_at_edges(rng, unit)
    rays = [sc.Ray(*ray) for ray in zip(origins, directions, strict=True)]
    if name == "watertight":
        directions = np.stack([ray.direction for ray in rays])
    many = MANY[name](origins, directions, *corners.swapaxes(0, 1))
    ones = [ONE[name](ray, *c) for ray, c in zip(rays, corners, strict=True)]
    assert rows_of(many) == [one and tuple(one) for one in ones]
    for row, one in enumerate(ones):
        if one:
            assert many.point[row].tolist() == one.point.tolist()
            assert many.front[row] == one.front
    assert 0.2 < many.hit.mean() < 0.8


@pytest.mark.parametrize("length", [None, 1e-300, 1e-21, 1e-3, 7.0, 1e19, 1e21, 1e300])
def test_a_ray_is_the_same_to_watertight_to_meshes_and_in_stacks(rng, length):
    corners, origins, directions = aimed_at_edges(rng, length is not None)
    directions = directions * (length or 1.0)
    rays = [sc.Ray(*ray) for ray in zip(origins, directions, strict=True)]
    stacks = np.stack([r.origin for r in rays]), np.stack([r.direction for r in rays])
    many = rows_of(sc.triangle.watertight_many(*stacks, *corners.swapaxes(0, 1)))
    for row, ray in enumerate(rays):
        mesh = sc.Mesh(corners[row], [[0, 1, 2]])
        one = sc.triangle.watertight(ray, *corners[row])
        cast = mesh.ray_cast(ray.origin, ray.direction)
        assert (one and tuple(one)) == many[row] == row_of(cast)
        if one:
            assert one.point.tolist() == cast.point.tolist()
            assert one.front == cast.front


def test_a_mesh_saw_another_ray_in_a_stack_of_directions(rng):
    corners, origins, directions = aimed_at_edges(rng, unit=False)
    mesh = sc.Mesh(corners.reshape(-1, 3), np.arange(3 * COUNT).reshape(-1, 3))
    rays = [sc.Ray(*ray) for ray in zip(origins, directions, strict=True)]
    stacks = np.stack([r.origin for r in rays]), np.stack([r.direction for r in rays])
    batch = mesh.cast_rays(*stacks)
    for row, ray in enumerate(rays):
        assert row_of(mesh.ray_cast(ray.origin, ray.direction)) == row_of(batch[row])
        again = pickle.loads(pickle.dumps(ray))
        for d in (ray.direction.copy(), again.direction, copy.copy(ray).direction):
            assert (type(d), d.tobytes()) == (np.ndarray, ray.direction.tobytes())


def test_a_unit_direction_is_the_same_given_to_a_ray_or_to_a_mesh(rng):
    for corners, origin, direction in zip(*aimed_at_edges(rng, unit=True), strict=True):
        cast = sc.Mesh(corners, [[0, 1, 2]]).ray_cast(origin, direction)
        one = sc.triangle.watertight(sc.Ray(origin, direction), *corners)
        assert (one and tuple(one)) == row_of(cast)


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


def test_a_ray_of_a_ray_is_the_same_to_the_bit(rng):
    for given in rng.normal(size=(500, 3)):
        ray = sc.Ray((1, 2, 3), given)
        unit = ray.direction.tolist()
        copies = sc.Ray(ray.origin, ray.direction), pickle.loads(pickle.dumps(ray)), copy.copy(ray)
        for other in (*copies, copy.deepcopy(ray), sc.Ray(ray.origin, ray.direction.copy())):
            assert other.direction.tolist() == unit


def test_a_direction_is_a_plain_array_that_refuses_to_be_changed():
    ray = sc.Ray((1, 2, 3), (0, 3, 4))
    assert type(ray.direction) is np.ndarray
    with pytest.raises(ValueError, match="read-only"):
        ray.direction[0] = 1
    direction = ray.direction
    with pytest.raises(ValueError, match="read-only"):
        direction += 1
    assert not hasattr(ray, "given")
