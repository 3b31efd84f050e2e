# SPDX-License-Identifier: GPL-3.0-or-later
"""The four steps of a pick, from a pixel to the thing seen there."""

import numpy as np
import pytest

import standalone_core as sc

from . import meshes
from .cameras import HEIGHT, PROJECTIONS, WIDTH, camera


@pytest.mark.parametrize("kind", PROJECTIONS, ids=" ".join)
def test_four_steps_screen_point_ray_one_space_nearest(rng, kind):
    scene = sc.Scene()
    mesh = sc.Mesh(*meshes.icosphere(2))
    for _ in range(12):
        linear = meshes.rotation(rng) * rng.uniform(0.5, 1.5)
        scene.add(mesh, meshes.placement(linear, rng.normal(size=3) * 2))
    ahead = -12 if kind[0] == "opengl" else 12
    view = camera(kind, meshes.placement(meshes.rotation(rng), (0, 0, ahead)))
    picked = set()
    for x, y in rng.uniform(0, 1, (150, 2)) * (WIDTH, HEIGHT):
        ray = view.ray(x, y)
        hits = scene.ray_cast_all(ray.origin, ray.direction)
        if hits:
            picked.add(hits[0].instance)
            assert hits[0].front
            depths = [view.project(hit.point)[2] for hit in hits]
            assert depths == sorted(depths)
            for hit in hits:
                np.testing.assert_allclose(view.project(hit.point)[:2], (x, y), atol=1e-8)
    assert len(picked) >= 2


def test_a_pixel_beside_an_object_picks_nothing_and_one_inside_picks_it():
    scene = sc.Scene()
    one = scene.add(sc.Mesh(*meshes.cube()), meshes.placement(offset=(0, 0, -10)))
    view = camera(("opengl", "perspective"), np.eye(4))
    right, top, _ = view.project((1, 1, -9))
    for x, y, expected in (
        (right - 0.01, top - 0.01, one),
        (right + 0.01, top - 0.01, None),
        (right - 0.01, top + 0.01, None),
        (WIDTH - right + 0.01, HEIGHT - top + 0.01, one),
        (WIDTH - right - 0.01, HEIGHT - top + 0.01, None),
    ):
        ray = view.ray(x, y)
        hit = scene.ray_cast(ray.origin, ray.direction)
        assert (hit and hit.instance) == expected


def test_a_ray_moved_into_the_objects_space_meets_what_the_world_ray_meets(rng):
    mesh = sc.Mesh(*meshes.icosphere(1))
    matrix = meshes.placement(meshes.rotation(rng) @ np.diag([3, 1, 0.5]), rng.normal(size=3))
    scene = sc.Scene()
    scene.add(mesh, matrix)
    for _ in range(30):
        ray = sc.Ray(rng.normal(size=3) * 9, rng.normal(size=3))
        ray = sc.Ray(ray.origin, matrix[:3, 3] - ray.origin)
        local = ray.transformed(np.linalg.inv(matrix))
        in_the_world = scene.ray_cast(ray.origin, ray.direction)
        in_the_object = mesh.ray_cast(local.origin, local.direction)
        moved = matrix[:3, :3] @ in_the_object.point + matrix[:3, 3]
        assert in_the_world.triangle == in_the_object.triangle
        np.testing.assert_allclose(in_the_world.point, moved, atol=1e-12)
        np.testing.assert_allclose(ray.at(in_the_world.distance), moved, atol=1e-12)
