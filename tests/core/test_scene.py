# SPDX-License-Identifier: GPL-3.0-or-later
"""The hits of a scene, compared with exact arithmetic over all triangles moved into the world."""

from functools import cache

import numpy as np
import pytest

import standalone_core as sc

from . import meshes, oracle
from .questions import (
    FIELDS,
    assert_hit_is,
    assert_same_bits,
    assert_same_hits,
    exact_hits,
    rounding,
    toward,
)
from .scales import at_every_scale

SHEAR = np.array([[1, 0.7, -0.3], [0, 1, 0.5], [0, 0, 1]])


def linear_parts(rng):
    """One matrix (3, 3) of each kind that an object can have."""
    return {
        "rotation": meshes.rotation(rng),
        "non-uniform scale": meshes.rotation(rng) @ np.diag([3, 1, 0.2]),
        "negative scale": meshes.rotation(rng) @ np.diag([-1, 2, 1]),
        "mirrored thrice": meshes.rotation(rng) @ -np.eye(3),
        "shear": meshes.rotation(rng) @ SHEAR,
        "tiny": meshes.rotation(rng) * 1e-3,
    }


def moved_exactly(instance):
    """The instance's vertices in the world, as Fractions."""
    return _moved_exactly(oracle.exact(instance.matrix), oracle.exact(instance.mesh.vertices))


@cache
def _moved_exactly(matrix, vertices):
    return [oracle.apply(matrix, (*vertex, 1))[:3] for vertex in vertices]


def assert_scene_agrees(scene, ids, origin, direction, limit=np.inf, cull=None, care=100):
    """All hits and the nearest one are those of the moved triangles; return how many."""
    hits = scene.ray_cast_all(origin, direction, limit, cull)
    keys = [(hit.distance, hit.instance, hit.triangle) for hit in hits]
    assert keys == sorted(set(keys))
    by_place = {(hit.instance, hit.triangle): hit for hit in hits}
    total = 0
    for identifier in ids:
        instance = scene[identifier]
        vertices = moved_exactly(instance)
        margin = care * rounding(np.array(oracle.approximate(tuple(vertices))), origin)
        mirrored = np.linalg.det(instance.matrix[:3, :3]) < 0
        wanted = {"back": "front", "front": "back"}.get(cull) if mirrored else cull
        sure, doubtful, _ = exact_hits(
            origin, direction, vertices, instance.mesh.triangles, limit, wanted, margin
        )
        rows = {row for place, row in by_place if place == identifier}
        assert set(sure) <= rows <= set(sure) | doubtful
        for row, found in sure.items():
            hit = by_place[identifier, row]
            total += 1
            assert_hit_is(hit, found._replace(front=found.front != mirrored), margin)
            assert_point_and_normal(hit, vertices, instance, found, margin)
    assert_same_hits([scene.ray_cast(origin, direction, limit, cull)], hits[:1] or [None])
    return total


def assert_point_and_normal(hit, vertices, instance, found, margin):
    corners = [vertices[i] for i in instance.mesh.triangles[hit.triangle]]
    parts = [oracle.scaled(p, w) for p, w in zip(corners, found.weights, strict=True)]
    point = oracle.approximate(oracle.add(parts[0], oracle.add(parts[1], parts[2])))
    np.testing.assert_allclose(hit.point, point, rtol=0, atol=margin * found.growth + 1e-300)
    a, b, c = corners
    n = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
    if np.linalg.det(instance.matrix[:3, :3]) < 0:
        n = oracle.scaled(n, -1)
    unit = oracle.approximate(oracle.scaled(n, 1 / oracle.length(n)))
    np.testing.assert_allclose(hit.normal, unit, rtol=0, atol=1e-11)


def world_rays(rng, scene, ids, count):
    """Rays at triangles of the instances."""
    picked = [toward(rng, _moved(scene[i]), scene[i].mesh.triangles, count) for i in ids]
    return map(np.concatenate, zip(*picked, strict=True))


def _moved(instance):
    return instance.mesh.vertices @ instance.matrix[:3, :3].T + instance.matrix[:3, 3]


@pytest.mark.parametrize("kind", linear_parts(np.random.default_rng(0)))
@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_an_instance_is_hit_where_its_moved_triangles_are(rng, kind, cull):
    scene = sc.Scene()
    linear = linear_parts(rng)[kind]
    one = scene.add(sc.Mesh(*meshes.soup(rng, 20)), meshes.placement(linear, rng.normal(size=3)))
    rays = zip(*world_rays(rng, scene, [one], 12), strict=True)
    assert sum(assert_scene_agrees(scene, [one], *ray, cull=cull) for ray in rays) > 1


def test_many_instances_of_two_meshes_are_hit_where_their_moved_triangles_are(rng):
    scene = sc.Scene()
    shapes = [sc.Mesh(*meshes.soup(rng, 6)), sc.Mesh(*meshes.cube())]
    ids = [
        scene.add(shapes[i % 2], meshes.placement(linear, rng.normal(size=3)))
        for i, linear in enumerate(linear_parts(rng).values())
    ]
    rays = zip(*world_rays(rng, scene, ids, 4), strict=True)
    assert sum(assert_scene_agrees(scene, ids, *ray) for ray in rays) > 30


def test_distances_are_lengths_in_world_units(rng):
    scene = sc.Scene()
    mesh = sc.Mesh([[-1, -1, 0], [2, -1, 0], [-1, 2, 0]], [[0, 1, 2]])
    for scale in (1e-3, 1, 500):
        scene.add(mesh, meshes.placement(np.eye(3) * scale, (0, 0, -scale)))
    hits = scene.ray_cast_all((0, 0, 4), (0, 0, -9))
    np.testing.assert_allclose([hit.distance for hit in hits], [4.001, 5, 504], rtol=1e-15)
    for hit in hits:
        np.testing.assert_allclose(hit.point, (0, 0, 4 - hit.distance), atol=1e-13)


def test_max_distance_is_a_length_in_world_units_and_inclusive():
    scene = sc.Scene()
    mesh = sc.Mesh([[-1, -1, 0], [2, -1, 0], [-1, 2, 0]], [[0, 1, 2]])
    for z in (0, 2, 4):
        scene.add(mesh, meshes.placement(np.diag([4, 4, 4.0]), (0, 0, z)))
    assert [h.instance for h in scene.ray_cast_all((0, 0, 8), (0, 0, -3), 4)] == [2]
    assert [h.instance for h in scene.ray_cast_all((0, 0, 8), (0, 0, -3), 6)] == [2, 1]
    assert len(scene.ray_cast_all((0, 0, 8), (0, 0, -3), np.nextafter(6, 0))) == 1


@at_every_scale
def test_a_scene_at_another_scale_has_the_same_hits(rng, scale):
    shape = meshes.soup(rng, 20)
    linear, offset = meshes.rotation(rng) @ SHEAR, rng.normal(size=3)
    scene = sc.Scene()
    one = scene.add(sc.Mesh(*shape), meshes.placement(linear * scale, offset * scale))
    rays = zip(*world_rays(rng, scene, [one], 10), strict=True)
    assert sum(assert_scene_agrees(scene, [one], *ray) for ray in rays) >= 10


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_instances_far_from_the_origin_are_hit_where_they_are(rng, offset):
    scene = sc.Scene()
    place = meshes.placement(linear_parts(rng)["shear"], offset * np.array([1, -1, 0.5]))
    one = scene.add(sc.Mesh(*meshes.soup(rng, 20)), place)
    rays = zip(*world_rays(rng, scene, [one], 10), strict=True)
    assert sum(assert_scene_agrees(scene, [one], *ray) for ray in rays) >= 10


def test_an_instance_at_the_identity_gives_the_bits_of_its_mesh(rng):
    mesh = sc.Mesh(*meshes.torus(9, 7))
    scene = sc.Scene()
    scene.add(mesh)
    origins, directions = toward(rng, mesh.vertices, mesh.triangles, 60)
    hits, splits = scene.cast_rays_all(origins, directions)
    alone, alone_splits = mesh.cast_rays_all(origins, directions)
    np.testing.assert_array_equal(splits, alone_splits)
    assert_same_bits(hits, alone, [name for name in FIELDS if name != "normal"])
    np.testing.assert_allclose(hits.normal, alone.normal, rtol=0, atol=1e-15)


def test_a_placed_closed_mesh_does_not_leak(rng):
    vertices, triangles = meshes.icosphere(3)
    mesh = sc.Mesh(vertices, triangles)
    targets = np.concatenate([vertices, vertices[meshes.edges(triangles)].mean(axis=1)])
    for linear in linear_parts(rng).values():
        scene = sc.Scene()
        offset = rng.normal(size=3) * 10
        scene.add(mesh, meshes.placement(linear, offset))
        inner = meshes.directions(rng, len(targets)) * 0.4
        aims, origins = (p @ linear.T + offset for p in (targets, inner))
        _, splits = scene.cast_rays_all(4 * aims - 3 * origins, origins - aims)
        assert (np.diff(splits) == 2).all()


def test_touching_instances_that_share_a_border_in_the_world_are_each_hit_whole(rng):
    scene = sc.Scene()
    grid = sc.Mesh(*meshes.grid(4))
    for x, y in np.ndindex(3, 3):
        scene.add(grid, meshes.placement(offset=(x, y, 0)))
    places = np.array([(x, y, 1) for x in np.arange(1, 24) / 8 for y in np.arange(1, 24) / 8])
    _, splits = scene.cast_rays_all(places, (0, 0, -1))
    assert (np.diff(splits) == 1).all()


def test_12_a_ray_from_far_away_hits_a_small_thing_where_it_is():
    scene = sc.Scene()
    small = sc.Mesh(np.array([[-1, -1, 0], [2, -1, 0], [-1, 2, 0]]) * 1e-3, [[0, 1, 2]])
    scene.add(small, meshes.placement(offset=(1e6, 0, 0)))
    hit = scene.ray_cast((1e6, 0, 1e6), (0, 0, -1))
    assert hit.distance == 1e6
    assert hit.point.tolist() == [1e6, 0, 0]
    assert scene.ray_cast((1e6 - 0.002, 0, 1e6), (0, 0, -1)) is None
