# SPDX-License-Identifier: GPL-3.0-or-later
"""The watertight test: no ray slips through between triangles, and none hits two of them."""

import itertools

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes
from ..scales import at_every_scale

watertight_many = sc.triangle.watertight_many


def hits_of(mesh, origins, directions):
    """How many triangles each ray hits."""
    vertices, triangles = mesh
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    t, _, _ = watertight_many(
        np.asarray(origins)[:, None], np.asarray(directions)[:, None], a, b, c
    )
    return np.isfinite(t).sum(axis=1)


@at_every_scale
@pytest.mark.parametrize("down", [1, -1])
def test_a_ray_through_a_shared_edge_or_vertex_hits_exactly_one_triangle(scale, down):
    vertices, triangles = meshes.grid(4)
    places = [(x / 8, y / 8) for x, y in itertools.product(range(1, 8), repeat=2)]
    origins = np.array([(x, y, down) for x, y in places])
    directions = np.tile((0, 0, -down), (len(places), 1))
    counts = hits_of((vertices * scale, triangles), origins * scale, directions)
    assert counts.tolist() == [1] * len(places)


@at_every_scale
def test_a_ray_through_a_vertex_of_a_turned_grid_hits_exactly_one_triangle(rng, scale):
    vertices, triangles = meshes.grid(6)
    vertices = (vertices @ meshes.rotation(rng).T + rng.normal(size=3)) * scale
    inner = vertices.reshape(7, 7, 3)[1:-1, 1:-1].reshape(-1, 3)
    normal = np.cross(vertices[7] - vertices[0], vertices[1] - vertices[0]) / scale**2
    for _ in range(5):
        origins = inner + scale * (3 * normal * np.sign(rng.normal()) + rng.normal(size=3) / 30)
        counts = hits_of((vertices, triangles), origins, inner - origins)
        assert counts.tolist() == [1] * len(inner)


def test_winding_does_not_decide_who_owns_an_edge():
    a, b, c, d = (0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)
    ray = sc.Ray((1, 1, 1), (0, 0, -1))
    for first in itertools.permutations((a, b, c)):
        for second in itertools.permutations((a, c, d)):
            hits = [sc.triangle.watertight(ray, *t) for t in (first, second)]
            assert sum(hit is not None for hit in hits) == 1


def test_a_border_of_a_lone_triangle_belongs_to_it_in_parts_only():
    corners = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
    mirrored = -corners
    for x, y in ((2, 0), (0, 2)):
        above = sc.Ray((x, y, 1), (0, 0, -1))
        opposite = sc.Ray((-x, -y, 1), (0, 0, -1))
        owned = sc.triangle.watertight(above, *corners) is not None
        assert owned != (sc.triangle.watertight(opposite, *mirrored) is not None)


def test_the_weights_sum_to_1_and_are_never_negative(rng):
    corners = rng.normal(size=(500, 3, 3))
    weights = rng.dirichlet((0.2, 0.2, 0.2), 500)
    targets = np.einsum("ni,nij->nj", weights, corners)
    origins = rng.normal(size=(500, 3))
    t, u, v = watertight_many(origins, targets - origins, *np.moveaxis(corners, 1, 0))
    hit = np.isfinite(t)
    assert hit.sum() > 450
    assert (u[hit] >= 0).all()
    assert (v[hit] >= 0).all()
    assert (u[hit] + v[hit] <= 1 + 1e-15).all()


ICOSPHERE, TORUS = meshes.icosphere(3), meshes.torus(24, 12)
CLOSED = {"icosphere": ICOSPHERE, "torus": TORUS, "cube": meshes.cube()}

each_closed = pytest.mark.parametrize("shape", CLOSED.values(), ids=CLOSED)
each_place = pytest.mark.parametrize(
    ("scale", "offset"),
    [(1e-6, 0), (1, 0), (1e6, 0), (1, 1e6), (1e-3, 1e6)],
    ids=["1e-6", "1", "1e6", "1 at 1e6", "1e-3 at 1e6"],
)


def placed(rng, shape, scale, offset, turned=True):
    """The shape, turned and moved, with its middle and its size."""
    vertices, triangles = shape
    turn = meshes.rotation(rng) if turned else np.eye(3)
    middle = offset * np.array([1, -0.7, 0.3])
    return vertices @ turn.T * scale + middle, triangles, middle


def built(vertices, triangles):
    mesh = sc.Mesh(vertices, triangles)
    mesh.build()
    return mesh


def targets(vertices, triangles):
    """All vertices, and the middles of all edges."""
    return np.concatenate([vertices, vertices[meshes.edges(triangles)].mean(axis=1)])


def count_and_balance(mesh, origins, directions):
    """How often each ray crosses the surface, and how much oftener inward than outward."""
    hits, splits = mesh.cast_rays_all(origins, directions)
    rays = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    balance = np.zeros(len(splits) - 1, dtype=int)
    np.add.at(balance, rays, np.where(hits.front, 1, -1))
    return np.diff(splits), balance


def outside(rng, middle, scale, count, distance=4.0):
    return middle + distance * scale * meshes.directions(rng, count)


@each_closed
@each_place
def test_rays_at_vertices_and_edges_from_outside_cross_an_even_number_of_times(
    rng, shape, scale, offset
):
    vertices, triangles, middle = placed(rng, shape, scale, offset)
    aims = np.tile(targets(vertices, triangles), (2, 1))
    origins = outside(rng, middle, scale, len(aims))
    counts, balance = count_and_balance(built(vertices, triangles), origins, aims - origins)
    assert not (counts % 2).any()
    assert not balance.any()
    assert (counts > 0).any()


@each_place
def test_rays_at_vertices_and_edges_into_a_sphere_never_leak(rng, scale, offset):
    vertices, triangles, middle = placed(rng, ICOSPHERE, scale, offset)
    aims = np.tile(targets(vertices, triangles), (2, 1))
    inward = outside(rng, middle, scale * 0.5, len(aims), 1.0)
    counts, _ = count_and_balance(built(vertices, triangles), 4 * aims - 3 * inward, inward - aims)
    assert (counts == 2).all()


@each_place
def test_rays_from_inside_a_sphere_at_vertices_and_edges_leave_exactly_once(rng, scale, offset):
    vertices, triangles, middle = placed(rng, ICOSPHERE, scale, offset)
    aims = np.tile(targets(vertices, triangles), (2, 1))
    origins = outside(rng, middle, scale, len(aims), 0.5)
    counts, balance = count_and_balance(built(vertices, triangles), origins, aims - origins)
    assert (counts == 1).all()
    assert (balance == -1).all()


@each_closed
@each_place
def test_rays_along_edges_cross_an_even_number_of_times(rng, shape, scale, offset):
    vertices, triangles, _ = placed(rng, shape, scale, offset)
    start, end = np.moveaxis(vertices[meshes.edges(triangles)], 1, 0)
    along = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    origins = start - 5 * scale * along
    counts, balance = count_and_balance(built(vertices, triangles), origins, end - start)
    assert not (counts % 2).any()
    assert not balance.any()


@each_closed
@pytest.mark.parametrize("scale", [2.0**-20, 1.0, 2.0**20])
@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("side", [1, -1])
def test_rays_along_an_axis_exactly_through_every_vertex_cross_an_even_number_of_times(
    rng, shape, scale, axis, side
):
    vertices, triangles, _ = placed(rng, shape, scale, 0, turned=False)
    origins, direction = targets(vertices, triangles), np.zeros(3)
    origins[:, axis], direction[axis] = -8 * scale * side, side
    counts, balance = count_and_balance(built(vertices, triangles), origins, direction)
    assert not (counts % 2).any()
    assert not balance.any()


@each_closed
def test_rays_at_random_cross_an_even_number_of_times(rng, shape):
    vertices, triangles, middle = placed(rng, shape, 1, 0)
    origins = outside(rng, middle, 1, 5000)
    counts, balance = count_and_balance(
        built(vertices, triangles), origins, rng.normal(size=(5000, 3)) * 0.3 - origins
    )
    assert not (counts % 2).any()
    assert not balance.any()


@each_closed
def test_crossings_in_order_go_in_and_out_by_turns(rng, shape):
    vertices, triangles, middle = placed(rng, shape, 1, 0)
    mesh = built(vertices, triangles)
    origins = outside(rng, middle, 1, 500)
    hits, splits = mesh.cast_rays_all(origins, rng.normal(size=(500, 3)) * 0.3 - origins)
    for first, last in itertools.pairwise(splits):
        assert hits.front[first:last].tolist() == [True, False] * ((last - first) // 2)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0, 1e6])
def test_a_ray_through_an_inner_edge_or_vertex_of_a_grid_hits_exactly_one_triangle(
    rng, scale, offset
):
    cells = 16
    vertices, triangles, _ = placed(rng, meshes.grid(cells), scale, offset)
    ends = meshes.edges(triangles)
    row, column = np.divmod(np.arange(len(vertices)), cells + 1)
    border = np.isin(row, [0, cells]) | np.isin(column, [0, cells])
    inner = ends[~border[ends].all(axis=1)]
    aims = np.concatenate([vertices[~border], vertices[inner].mean(axis=1)])
    across = np.cross(vertices[cells + 1] - vertices[0], vertices[1] - vertices[0])
    away = 2 * across / np.linalg.norm(across) * rng.choice([-1, 1], (len(aims), 1))
    origins = aims + scale * (away + rng.normal(size=(len(aims), 3)) / 4)
    hits, splits = built(vertices, triangles).cast_rays_all(origins, aims - origins)
    assert (np.diff(splits) == 1).all()
    np.testing.assert_allclose(hits.point / scale, aims / scale, atol=1e-14 * (1 + offset / scale))


def test_a_fan_around_a_vertex_is_hit_once_however_many_triangles_share_it(rng):
    for spokes in (3, 4, 7, 64):
        turns = np.sort(rng.uniform(0, 2 * np.pi, spokes))
        turns[: min(3, spokes)] = [0, 2, 4][: min(3, spokes)]
        turns.sort()
        rim = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns])
        vertices = np.concatenate([[[0, 0, 0]], rim])
        i = np.arange(spokes)
        triangles = np.column_stack([0 * i, 1 + i, 1 + (i + 1) % spokes])
        mesh = sc.Mesh(vertices, triangles)
        for direction in ((0, 0, -1), (0, 0, 1), (0.5, 0.25, -1), (-0.25, 0.5, 1)):
            origin = -4 * np.array(direction)
            assert len(mesh.ray_cast_all(origin, direction)) == 1


def test_scans_are_as_watertight_as_trees(rng):
    vertices, triangles, middle = placed(rng, meshes.icosphere(1), 1, 1e6)
    aims = targets(vertices, triangles)
    for aim, origin in zip(aims, outside(rng, middle, 1, len(aims), 0.4), strict=True):
        assert len(sc.Mesh(vertices, triangles).ray_cast_all(origin, aim - origin)) == 1
