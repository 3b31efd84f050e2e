# SPDX-License-Identifier: GPL-3.0-or-later
"""Each surface along a ray is one hit, however near the next one is, by scan, tree and scene."""

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes, oracle
from ..questions import built

# More than twice as many as are tested together (1 << 16): there are three parts.
MANY = 140_000
TRIANGLE = ([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])


def in_a_scene(vertices, triangles):
    scene = sc.Scene()
    scene.add(sc.Mesh(vertices, triangles))
    return scene


each_caster = pytest.mark.parametrize(
    "make", [sc.Mesh, built, in_a_scene], ids=["scan", "tree", "scene"]
)


@each_caster
@pytest.mark.parametrize("height", [0, 100, -100, 1e4])
def test_10_100_stacked_planes_at_1_mm_gaps_are_hit_once_each(make, height):
    vertices, triangles = meshes.stack(100, gap=1e-3, start=height)
    caster = make(vertices, triangles)
    hits = caster.ray_cast_all((0, 0, height + 5), (0, 0, -1))
    assert [hit.triangle for hit in hits] == list(range(99, -1, -1))
    np.testing.assert_allclose([hit.point[2] for hit in hits], vertices[::-3, 2], rtol=1e-15)
    assert [hit.triangle for hit in caster.ray_cast_all((0, 0, height - 5), (0, 0, 1))] == list(
        range(100)
    )


@each_caster
def test_10_planes_at_the_last_digit_of_float64_are_told_apart(make):
    heights = [100.0]
    for _ in range(20):
        heights.append(float(np.nextafter(heights[-1], np.inf)))
    flat = np.array([[-1.0, -1, 0], [2, -1, 0], [-1, 2, 0]])
    vertices = np.concatenate([flat + (0, 0, z) for z in heights])
    hits = make(vertices, np.arange(63).reshape(-1, 3)).ray_cast_all((0, 0, 128), (0, 0, -1))
    assert [hit.triangle for hit in hits] == list(range(20, -1, -1))


@each_caster
def test_10_coincident_faces_are_all_reported(make):
    vertices = meshes.stack(1)[0]
    triangles = np.tile([[0, 1, 2], [2, 1, 0]], (5, 1))
    hits = make(vertices, triangles).ray_cast_all((0, 0, 100), (0, 0, -1))
    assert [hit.triangle for hit in hits] == list(range(10))
    assert {hit.distance for hit in hits} == {100.0}
    assert [hit.front for hit in hits] == [True, False] * 5


@each_caster
def test_11_a_hit_on_a_shared_edge_counts_once_and_never_leaks(make):
    vertices = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]]
    caster = make(vertices, [[0, 1, 2], [0, 2, 3]])
    for i in range(1, 64):
        x = i / 32
        assert len(caster.ray_cast_all((x, x, 3), (0, 0, -1))) == 1
        assert len(caster.ray_cast_all((x + 3, x - 3, 3), (-1, 1, -1))) == 1


@each_caster
@pytest.mark.parametrize("offset", [1e5, 1e6])
def test_12_coordinates_at_1e6_are_hit_to_a_billionth(rng, make, offset):
    vertices, triangles = meshes.soup(rng, 40)
    vertices = vertices + offset * np.array([1, -1, 1])
    caster = make(vertices, triangles)
    origins = vertices[:40] + rng.normal(size=(40, 3)) * 5
    targets = vertices[triangles].mean(axis=1)
    checked = 0
    for origin, target in zip(origins, targets, strict=True):
        for hit in caster.ray_cast_all(origin, target - origin):
            exact = oracle.crossing(
                *oracle.exact((origin, target - origin, vertices[triangles[hit.triangle]]))
            )
            if exact.growth < 10:
                checked += 1
                way = oracle.exact(target - origin)
                along = oracle.scaled(way, oracle.exact(exact.distance) / oracle.length(way))
                point = oracle.approximate(oracle.add(oracle.exact(origin), along))
                np.testing.assert_allclose(hit.point, point, rtol=0, atol=4e-9)
                assert hit.distance == pytest.approx(exact.distance, abs=4e-9)
    assert checked > 15


def test_11_all_9801_inner_vertices_of_a_turned_grid_are_hit_exactly_once(rng):
    vertices, triangles = meshes.grid(100)
    vertices = (vertices - 0.5) @ meshes.rotation(rng).T
    inner = vertices.reshape(101, 101, 3)[1:-1, 1:-1].reshape(-1, 3)
    across = np.cross(vertices[101] - vertices[0], vertices[1] - vertices[0])
    origins = inner + 5 * across / np.linalg.norm(across) + rng.normal(size=(9801, 3))
    _, splits = built(vertices, triangles).cast_rays_all(origins, inner - origins)
    assert (np.diff(splits) == 1).all()


def copies_of_one_triangle(count, **options):
    return sc.Mesh(TRIANGLE[0], np.tile(TRIANGLE[1], (count, 1)), **options)


def test_140_000_copies_of_a_triangle_are_all_hit_in_order():
    hits = copies_of_one_triangle(MANY).ray_cast_all((1, 1, 5), (0, 0, -1))
    rows, distances = zip(*((hit.triangle, hit.distance) for hit in hits), strict=True)
    assert rows == tuple(range(MANY))
    assert set(distances) == {5.0}


def test_140_000_copies_of_a_triangle_are_all_hit_in_order_through_a_tree(engine):
    mesh = copies_of_one_triangle(MANY, engine=engine)
    mesh.build()
    hits, splits = mesh.cast_rays_all([(9, 9, 5), (1, 1, 5)], (0, 0, -1))
    assert splits.tolist() == [0, 0, MANY]
    np.testing.assert_array_equal(hits.triangle, np.arange(MANY))


def test_the_nearest_of_many_copies_of_a_triangle_is_the_first(engine):
    mesh = copies_of_one_triangle(10_000, engine=engine)
    for _ in ("scan", "tree"):
        assert mesh.ray_cast((1, 1, 5), (0, 0, -1)).triangle == 0
        assert mesh.ray_cast((1, 1, 5), (0, 0, -1), cull="front") is None
        mesh.build()
