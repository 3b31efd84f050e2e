# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding, moving and removing instances; normals, order, batches; what is refused."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes
from .questions import assert_same_bits, assert_same_hits, toward

TILE = sc.Mesh([[-1, -1, 0], [2, -1, 0], [-1, 2, 0]], [[0, 1, 2]], faces=[9])
DOWN = (0, 0, 5), (0, 0, -1)


def at(z):
    return meshes.placement(offset=(0, 0, z))


def random_scene(rng, count=30):
    scene = sc.Scene()
    shapes = [sc.Mesh(*meshes.icosphere(1)), sc.Mesh(*meshes.soup(rng, 12))]
    for i in range(count):
        linear = meshes.rotation(rng) @ np.diag(rng.uniform(0.2, 2, 3) * rng.choice([-1, 1], 3))
        scene.add(shapes[i % 2], meshes.placement(linear, rng.normal(size=3) * 2))
    return scene


def random_rays(rng, count):
    origins = rng.normal(size=(count, 3)) * 8
    return origins, rng.normal(size=(count, 3)) - origins


def test_a_hit_names_instance_triangle_and_face():
    scene = sc.Scene()
    ids = [scene.add(TILE, at(z)) for z in (0, 2, 1)]
    hits = scene.ray_cast_all(*DOWN)
    assert [hit.instance for hit in hits] == [ids[1], ids[2], ids[0]]
    assert [hit.triangle for hit in hits] == [0, 0, 0]
    assert [hit.face for hit in hits] == [9, 9, 9]


def test_normal_at_scale_3_1_1_is_moved_by_the_inverse_transpose():
    mesh = sc.Mesh([[0, 0, 0], [1, 0, -1], [0, 1, 0]], [[0, 1, 2]])
    scene = sc.Scene()
    scene.add(mesh, np.diag([3, 1, 1, 1]))
    hit = scene.ray_cast((0.9, 0.2, 5), (0, 0, -1))
    np.testing.assert_allclose(hit.normal, np.array((1, 0, 3)) / 10**0.5, rtol=1e-14)
    by_the_matrix_itself = np.array((3, 0, 1)) / 10**0.5
    wrong_by = np.degrees(np.arccos(hit.normal @ by_the_matrix_itself))
    assert wrong_by == pytest.approx(53.13, abs=0.01)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -2, 1), (1, 1, -3), (-1, -1, -1)])
def test_negative_scale_keeps_the_outside_outside(scale):
    scene = sc.Scene()
    scene.add(sc.Mesh(*meshes.cube()), np.diag([*scale, 1]))
    first, second = scene.ray_cast_all((0.1, 0.2, 9), (0, 0, -1))
    assert (first.front, second.front) == (True, False)
    np.testing.assert_allclose(first.normal, (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(second.normal, (0, 0, -1), atol=1e-15)
    assert scene.ray_cast((0.1, 0.2, 9), (0, 0, -1), cull="back").distance == first.distance
    assert scene.ray_cast((0.1, 0.2, 9), (0, 0, -1), cull="front").distance == second.distance


def test_ids_are_never_used_again():
    scene = sc.Scene()
    first, second = scene.add(TILE), scene.add(TILE, at(1))
    scene.remove(second)
    third = scene.add(TILE, at(2))
    assert len({first, second, third}) == 3
    assert [hit.instance for hit in scene.ray_cast_all(*DOWN)] == [third, first]


def test_remove_takes_an_instance_out():
    scene = sc.Scene()
    low, high = scene.add(TILE), scene.add(TILE, at(1))
    assert scene.ray_cast(*DOWN).instance == high
    scene.remove(high)
    assert len(scene) == 1
    assert scene.ray_cast(*DOWN).instance == low
    scene.remove(low)
    assert scene.ray_cast(*DOWN) is None


def test_set_matrix_moves_an_instance_and_keeps_its_id():
    scene = sc.Scene()
    one = scene.add(TILE, at(1), name="tile")
    assert scene.ray_cast(*DOWN).distance == 4
    scene.set_matrix(one, at(-3))
    hit = scene.ray_cast(*DOWN)
    assert (hit.distance, hit.instance) == (8, one)
    assert scene[one].name == "tile"
    np.testing.assert_array_equal(scene[one].matrix, at(-3))


def test_a_scene_keeps_its_matrices_when_the_callers_change():
    scene, matrix = sc.Scene(), at(1)
    one = scene.add(TILE, matrix)
    matrix[2, 3] = 100
    assert scene.ray_cast(*DOWN).distance == 4
    scene.set_matrix(one, matrix)
    matrix[2, 3] = 3
    assert scene.ray_cast(*DOWN) is None


def test_a_refitted_mesh_is_seen_at_once():
    mesh = sc.Mesh(TILE.vertices.copy(), TILE.triangles)
    scene = sc.Scene()
    scene.add(mesh)
    assert scene.ray_cast(*DOWN).distance == 5
    mesh.refit(TILE.vertices + (0, 0, 3))
    assert scene.ray_cast(*DOWN).distance == 2


def test_hits_at_the_same_distance_are_ordered_by_instance_then_by_triangle():
    twice = sc.Mesh(TILE.vertices, [[0, 1, 2], [1, 2, 0]])
    scene = sc.Scene()
    ids = [scene.add(mesh, at(z)) for mesh, z in ((twice, 0), (TILE, 1), (twice, 0), (TILE, 0))]
    hits = scene.ray_cast_all(*DOWN)
    expected = [(ids[1], 0), *((ids[i], t) for i, t in ((0, 0), (0, 1), (2, 0), (2, 1), (3, 0)))]
    assert [(hit.instance, hit.triangle) for hit in hits] == expected
    scene.remove(ids[1])
    nearest = scene.ray_cast(*DOWN)
    assert (nearest.instance, nearest.triangle) == (ids[0], 0)


def test_batches_equal_single_casts_to_the_last_bit(rng):
    scene = random_scene(rng)
    origins, directions = random_rays(rng, 60)
    limit = np.where(rng.random(60) < 0.5, np.inf, rng.uniform(0, 20, 60))
    nearest = scene.cast_rays(origins, directions, limit)
    hits, splits = scene.cast_rays_all(origins, directions, limit)
    assert splits.shape == (61,)
    assert splits[0] == 0
    assert splits[-1] == len(hits) > 60
    for i, query in enumerate(zip(origins, directions, limit, strict=True)):
        assert_same_hits([nearest[i]], [scene.ray_cast(*query)])
        alone = scene.ray_cast_all(*query)
        assert_same_hits([hits[row] for row in range(*splits[i : i + 2])], alone)


@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_the_nearest_hit_is_the_first_of_all_hits(rng, cull):
    scene = random_scene(rng)
    origins, directions = random_rays(rng, 300)
    nearest = scene.cast_rays(origins, directions, cull=cull)
    hits, splits = scene.cast_rays_all(origins, directions, cull=cull)
    hit = np.diff(splits) > 0
    np.testing.assert_array_equal(nearest.hit, hit)
    assert_same_bits(nearest.take(hit), hits.take(splits[:-1][hit]))


def test_a_scene_finds_what_its_instances_find_one_by_one(rng):
    scene = random_scene(rng)
    origins, directions = random_rays(rng, 200)
    hits, splits = scene.cast_rays_all(origins, directions)
    rays = np.repeat(np.arange(200), np.diff(splits))
    for i in range(len(scene)):
        alone = sc.Scene()
        alone.add(scene[i].mesh, scene[i].matrix)
        found, _ = alone.cast_rays_all(origins, directions)
        mine = hits.take(hits.instance == i)
        assert_same_bits(mine, found, ["distance", "point", "triangle", "front", "normal"])
    assert len(rays) > 150


def test_moving_many_instances_equals_a_new_scene(rng):
    scene, fresh = random_scene(rng), sc.Scene()
    scene.ray_cast(*DOWN)
    for i in range(len(scene)):
        matrix = meshes.placement(meshes.rotation(rng), rng.normal(size=3) * 4)
        scene.set_matrix(i, matrix)
        fresh.add(scene[i].mesh, matrix)
    origins, directions = random_rays(rng, 200)
    assert_same_bits(scene.cast_rays(origins, directions), fresh.cast_rays(origins, directions))


def test_an_empty_scene_is_never_hit():
    scene = sc.Scene()
    assert scene.ray_cast(*DOWN) is None
    assert scene.ray_cast_all(*DOWN) == []
    assert not scene.cast_rays(np.zeros((3, 3)), (0, 0, 1)).hit.any()
    assert scene.cast_rays_all(np.zeros((3, 3)), (0, 0, 1))[1].tolist() == [0, 0, 0, 0]


def test_empty_and_broken_meshes_harm_no_other(rng):
    scene = sc.Scene()
    scene.add(sc.Mesh(np.empty((0, 3)), []))
    scene.add(sc.Mesh(np.full((3, 3), np.nan), [[0, 1, 2]]))
    scene.add(sc.Mesh(np.ones((4, 3)), [[0, 1, 2]]))
    one = scene.add(TILE)
    assert [hit.instance for hit in scene.ray_cast_all(*DOWN)] == [one]


def test_two_meshes_with_trees_and_without_answer_together(rng):
    scene, other = sc.Scene(), sc.Scene()
    vertices, triangles = meshes.torus(12, 8)
    for z in (0, 1):
        mesh = sc.Mesh(vertices, triangles)
        mesh.build()
        scene.add(mesh, at(z))
        other.add(sc.Mesh(vertices, triangles), at(z))
    for query in zip(*toward(rng, vertices, triangles, 20), strict=True):
        assert_same_hits(scene.ray_cast_all(*query), other.ray_cast_all(*query))


PROJECTIVE = np.eye(4) + np.diag([1.0], -3)
BAD_MATRICES = [
    (np.diag([1, 1, 0, 1]), errors.SingularMatrixError, "matrix .* column of zeros"),
    (meshes.placement([[1, 2, 3], [2, 4, 6], [0, 0, 1]]), errors.SingularMatrixError, "dependent"),
    (np.zeros((4, 4)), errors.ArgumentError, "matrix"),
    (PROJECTIVE, errors.ArgumentError, "matrix"),
    (np.eye(3), errors.ShapeError, r"matrix must have shape \(4, 4\), not \(3, 3\)"),
    (np.full((4, 4), np.nan), errors.NonFiniteError, r"matrix is not finite at index \(0, 0\)"),
    ("identity", errors.ArgumentError, "matrix"),
]


@pytest.mark.parametrize(("matrix", "error", "words"), BAD_MATRICES)
def test_a_bad_matrix_is_refused_and_leaves_the_scene_as_it_was(matrix, error, words):
    scene = sc.Scene()
    one = scene.add(TILE, at(1))
    with pytest.raises(error, match=words):
        scene.add(TILE, matrix)
    with pytest.raises(error, match=words):
        scene.set_matrix(one, matrix)
    assert len(scene) == 1
    assert scene.ray_cast(*DOWN).distance == 4


@pytest.mark.parametrize("scale", [1e-30, 1e-9, 1e9, 1e30])
def test_a_tiny_or_huge_scale_is_not_singular(scale):
    scene = sc.Scene()
    scene.add(TILE, np.diag([scale, scale, scale, 1]))
    assert scene.ray_cast((0, 0, 2 * scale), (0, 0, -1)).distance == pytest.approx(2 * scale)


@pytest.mark.parametrize("ask", ["remove", "__getitem__"])
def test_an_unknown_instance_is_refused_by_its_id(ask):
    scene = sc.Scene()
    scene.remove(scene.add(TILE))
    with pytest.raises(errors.UnknownInstanceError, match="the scene has no instance 0"):
        getattr(scene, ask)(0)
    with pytest.raises(errors.UnknownInstanceError, match="the scene has no instance 7"):
        scene.set_matrix(7, np.eye(4))


def test_what_is_not_a_mesh_cannot_be_added():
    with pytest.raises(errors.ArgumentError, match=r"mesh must be a Mesh, .*, not a list"):
        sc.Scene().add([[0, 0, 0]])


def test_10_coincident_instances_are_all_reported():
    scene = sc.Scene()
    mesh = sc.Mesh(*meshes.stack(1))
    ids = [scene.add(mesh) for _ in range(7)]
    assert [hit.instance for hit in scene.ray_cast_all((0, 0, 100), (0, 0, -1))] == ids


@pytest.mark.parametrize("scale", [(3, 1, 1), (1, 0.1, 10), (3, -1, 1), (-2, -3, -4)])
def test_13_normals_under_non_uniform_scale_stand_on_the_moved_surface(rng, scale):
    vertices, triangles = meshes.icosphere(1)
    matrix = np.diag([*scale, 1.0])
    scene = sc.Scene()
    scene.add(sc.Mesh(vertices, triangles), matrix)
    moved = vertices * scale
    directions = meshes.directions(rng, 100)
    hits = scene.cast_rays((0, 0, 0), directions)
    corners = moved[triangles[hits.triangle]]
    for edge in (corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]):
        along = edge / np.linalg.norm(edge, axis=1)[:, None]
        np.testing.assert_allclose(np.einsum("ni,ni->n", along, hits.normal), 0, atol=1e-14)
    outward = np.einsum("ni,ni->n", corners.mean(axis=1), hits.normal)
    assert (outward > 0).all()
    assert not hits.front.any()
