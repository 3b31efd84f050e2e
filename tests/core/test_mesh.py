# SPDX-License-Identifier: GPL-3.0-or-later
"""The hits of a mesh, compared with exact arithmetic over all triangles."""

import numpy as np
import pytest

import standalone_core as sc

from . import meshes, oracle
from .questions import (
    assert_hits_are,
    assert_same_bits,
    assert_same_hits,
    built,
    exact_hits,
    lattice_rays,
    toward,
)
from .scales import at_every_exact_scale, at_every_scale

each_path = pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
HALVES = [[0, 1, 2], [2, 1, 3]]
CULLS = [None, "back", "front"]


def assert_agrees(mesh, origin, direction, **options):
    """All hits and the nearest one are the oracle's; return how many there must be."""
    hits = mesh.ray_cast_all(origin, direction, *options.values())
    limit, cull = options.get("limit", np.inf), options.get("cull")
    sure, doubtful, margin = exact_hits(
        origin, direction, mesh.vertices, mesh.triangles, limit, cull
    )
    assert_hits_are(hits, sure, doubtful, margin)
    nearest = mesh.ray_cast(origin, direction, *options.values())
    assert_same_hits([nearest], hits[:1] or [None])
    return len(sure)


@each_path
def test_the_hits_are_those_of_exact_arithmetic_on_a_random_soup(rng, make):
    vertices, triangles = meshes.soup(rng, 40)
    mesh = make(vertices, triangles)
    found = [
        assert_agrees(mesh, *ray) for ray in zip(*toward(rng, vertices, triangles, 40), strict=True)
    ]
    assert max(found) > 2


@each_path
def test_the_hits_are_those_of_exact_arithmetic_on_a_closed_mesh(rng, make):
    vertices, triangles = meshes.torus(8, 5)
    mesh = make(vertices @ meshes.rotation(rng).T, triangles)
    rays = zip(*toward(rng, mesh.vertices, triangles, 40), strict=True)
    assert max(assert_agrees(mesh, *ray) for ray in rays) >= 2


@each_path
def test_the_hits_are_those_of_exact_arithmetic_on_a_nasty_mesh(rng, make):
    for _ in range(3):
        vertices, triangles = meshes.nasty(rng)
        mesh = make(vertices, triangles)
        for rays in (toward(rng, vertices, triangles, 15), lattice_rays(rng, 30)):
            assert sum(assert_agrees(mesh, *ray) for ray in zip(*rays, strict=True)) > 10


@each_path
@at_every_scale
def test_the_hits_are_those_of_exact_arithmetic_at_every_scale(rng, make, scale):
    vertices, triangles = meshes.soup(rng, 25)
    mesh = make(vertices * scale, triangles)
    rays = zip(*toward(rng, mesh.vertices, triangles, 10), strict=True)
    assert sum(assert_agrees(mesh, *ray) for ray in rays) >= 10


@each_path
@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
def test_the_hits_are_those_of_exact_arithmetic_far_from_the_origin(rng, make, offset):
    vertices, triangles = meshes.soup(rng, 25)
    mesh = make(vertices + offset * np.array([1, -1, 0.5]), triangles)
    rays = zip(*toward(rng, mesh.vertices, triangles, 10), strict=True)
    assert sum(assert_agrees(mesh, *ray) for ray in rays) >= 9


@each_path
@pytest.mark.parametrize("cull", CULLS)
def test_culling_and_a_limit_leave_the_hits_of_exact_arithmetic(rng, make, cull):
    vertices, triangles = meshes.soup(rng, 30)
    mesh = make(vertices, triangles)
    for origin, direction in zip(*toward(rng, vertices, triangles, 20), strict=True):
        limit = np.linalg.norm(direction) * rng.uniform(0.1, 10)
        assert_agrees(mesh, origin, direction, limit=limit, cull=cull)


@at_every_exact_scale
def test_a_mesh_scaled_by_a_power_of_two_has_the_same_hits_to_the_last_bit(rng, scale):
    vertices, triangles = meshes.nasty(rng)
    mesh, scaled = built(vertices, triangles), built(vertices * scale, triangles)
    rays = toward(rng, vertices, triangles, 50), lattice_rays(rng, 100)
    origins, directions = map(np.concatenate, zip(*rays, strict=True))
    hits, splits = mesh.cast_rays_all(origins, directions)
    others, other_splits = scaled.cast_rays_all(origins * scale, directions)
    np.testing.assert_array_equal(splits, other_splits)
    assert_same_bits(hits, others, ["triangle", "barycentric", "normal", "front"])
    np.testing.assert_array_equal(hits.distance * scale, others.distance)
    np.testing.assert_array_equal(hits.point * scale, others.point)


@each_path
def test_point_distance_and_normal_fit_together(rng, make):
    vertices, triangles = meshes.soup(rng, 60)
    origins, directions = toward(rng, vertices, triangles, 60)
    hits, splits = make(vertices, triangles).cast_rays_all(origins, directions)
    rays = np.repeat(np.arange(60), np.diff(splits))
    units = directions / np.linalg.norm(directions, axis=1)[:, None]
    corners = vertices[triangles[hits.triangle]]
    along = origins[rays] + hits.distance[:, None] * units[rays]
    by_weights = np.einsum("ni,nij->nj", hits.barycentric, corners)
    np.testing.assert_allclose(hits.point, by_weights, atol=1e-14)
    np.testing.assert_allclose(hits.point, along, atol=1e-9)
    np.testing.assert_allclose(hits.barycentric.sum(axis=1), 1, atol=1e-15)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    np.testing.assert_allclose(hits.normal, normals, atol=1e-12)
    facing = np.einsum("nj,nj->n", normals, units[rays]) < 0
    np.testing.assert_array_equal(hits.front, facing)


def test_normals_of_slivers_are_those_of_exact_arithmetic(rng):
    for thinness in (1e-3, 1e-6, 1e-9):
        corners = np.array([[0, 0, 0], [1, 0, 0], [0.5, thinness, thinness]])
        a, b, c = oracle.exact(corners)
        n = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
        expected = oracle.approximate(oracle.scaled(n, 1 / oracle.length(n)))
        hit = sc.Mesh(corners, [[0, 1, 2]]).ray_cast((0.5, thinness / 2, 5), (0, 0, -1))
        np.testing.assert_allclose(hit.normal, expected, atol=1e-13)


@each_path
def test_near_objects_hide_far_ones(make):
    mesh = make(*meshes.stack(20, gap=0.5))
    hit = mesh.ray_cast((0, 0, 12), (0, 0, -3))
    assert (hit.triangle, hit.distance) == (19, 2.5)
    assert [h.triangle for h in mesh.ray_cast_all((0, 0, 12), (0, 0, -3))] == [*range(19, -1, -1)]


@each_path
def test_the_mesh_query_returns_face_u_v_distance_and_the_number_of_hits(make):
    vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, -1], [4, 0, -1], [0, 4, -1]]
    mesh = make(vertices, [[0, 1, 2], [3, 4, 5]], [70, 90])
    hits = mesh.ray_cast_all((1, 2, 5), (0, 0, -1))
    assert len(hits) == 2
    assert [hit.face for hit in hits] == [70, 90]
    assert [hit.distance for hit in hits] == [5, 6]
    assert hits[0].barycentric.tolist() == [0.25, 0.25, 0.5]
    assert hits[0].normal.tolist() == [0, 0, 1]
    assert hits[0].instance == 0
    assert mesh.ray_cast((5, 5, 5), (0, 0, -1)) is None
    assert mesh.ray_cast_all((5, 5, 5), (0, 0, -1)) == []


@each_path
def test_hits_at_the_same_distance_are_ordered_by_triangle(rng, make):
    triangle = meshes.stack(1)[0]
    order = rng.permutation(12)
    vertices = np.concatenate([triangle + (0, 0, z) for z in order % 3])
    mesh = make(vertices, np.arange(36).reshape(-1, 3))
    hits = mesh.ray_cast_all((0, 0, 9), (0, 0, -1))
    heights = {row: 9.0 - order[row] % 3 for row in range(12)}
    expected = sorted(range(12), key=lambda row: (heights[row], row))
    assert [hit.triangle for hit in hits] == expected
    assert mesh.ray_cast((0, 0, 9), (0, 0, -1)).triangle == expected[0]


@each_path
@at_every_exact_scale
def test_max_distance_is_inclusive(make, scale):
    mesh = make(meshes.stack(5, gap=1.0)[0] * scale, meshes.stack(5)[1])
    down = (0, 0, 10 * scale), (0, 0, -7)
    for last, limit in enumerate((6, 7, 8, 9, 10)):
        distances = [hit.distance for hit in mesh.ray_cast_all(*down, limit * scale)]
        assert distances == [z * scale for z in range(6, 7 + last)]
        just_below = np.nextafter(limit * scale, 0)
        assert len(mesh.ray_cast_all(*down, just_below)) == last
    assert mesh.ray_cast(*down, np.nextafter(6 * scale, 0)) is None


@each_path
def test_a_max_distance_of_0_leaves_what_is_at_the_origin(make):
    mesh = make(*meshes.stack(2, gap=1.0))
    assert mesh.ray_cast((0, 0, 0), (0, 0, 1), 0).triangle == 0
    assert len(mesh.ray_cast_all((0, 0, 0), (0, 0, 1), 0)) == 1


@each_path
def test_a_ray_that_starts_on_a_triangle_hits_it_at_distance_0(make):
    mesh = make(*meshes.stack(3, gap=1.0))
    for direction in ((0, 0, 1), (0, 0, -1)):
        assert mesh.ray_cast((0, 0, 1), direction).distance == 0


@each_path
def test_16_culling_all_hits_triangle_and_barycentrics_are_there(make):
    mesh = make(*meshes.cube())
    ray = (0.25, 0.5, 9), (0, 0, -1)
    assert [hit.distance for hit in mesh.ray_cast_all(*ray)] == [8, 10]
    assert mesh.ray_cast(*ray, cull="front").distance == 10
    hit = mesh.ray_cast(*ray)
    corners = mesh.vertices[mesh.triangles[hit.triangle]]
    np.testing.assert_allclose(hit.barycentric @ corners, hit.point, atol=1e-15)


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("scale", [1e-300, 1e-250, 1e-150, 1e-90, 1e90, 1e150, 1e200])
def test_a_mesh_of_extreme_scale_was_missed_or_hit_at_distance_0(scale, built):
    mesh = sc.Mesh(SQUARE * scale, HALVES)
    if built:
        mesh.build()
    hit = mesh.ray_cast(np.array((0.25, 0.25, 1)) * scale, (0, 0, -1))
    assert hit.triangle == 0
    assert hit.distance == pytest.approx(scale, rel=1e-14)
    assert hit.barycentric == pytest.approx([0.5, 0.25, 0.25], rel=1e-14)
    assert hit.normal.tolist() == [0, 0, 1]


@pytest.mark.parametrize("height", [1e-150, 1e-170, 1e-200, 1e-230])
@pytest.mark.parametrize("turn", [0, 1])
def test_a_needle_had_no_normal_or_raised(height, turn):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, height, 0]])
    mesh = sc.Mesh(np.roll(corners, turn, axis=1), [[0, 1, 2]])
    ray = np.roll((0.25, height / 4, 1), turn), np.roll((0, 0, -1), turn)
    hit = mesh.ray_cast(*ray)
    assert hit.distance == 1
    assert hit.barycentric == pytest.approx([0.5, 0.25, 0.25], rel=1e-14)
    assert hit.normal.tolist() == np.roll((0, 0, 1), turn).tolist()
    assert mesh.cast_rays([ray[0]], ray[1]).normal.tolist() == [hit.normal.tolist()]


@pytest.mark.parametrize(
    ("corners", "origin", "direction"),
    [
        ([(-3, 8, -3), (-27, 40, 25), (17, 16, -35)], (-4, 18, -4), (-2, -2, -3)),
        ([(3, -3, 6), (11, 9, 30), (11, 17, 30)], (7, 5, 18), (-3, 0, 2)),
    ],
)
def test_a_ray_that_starts_exactly_on_a_triangle_was_said_to_start_behind_it(
    corners, origin, direction
):
    mesh = sc.Mesh(np.array(corners) * 0.1, [[0, 1, 2]])
    for turned in (direction, np.negative(direction)):
        assert mesh.ray_cast(np.array(origin) * 0.1, turned).distance == 0
