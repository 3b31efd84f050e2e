# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core.cast import scan
from standalone_core.engines import engine_named

from .. import meshes
from ..questions import exact_hits, lattice_rays, toward
from ..ray_batches import batch, cast_everything, geometry
from ..scales import at_every_scale


@pytest.fixture
def candidates(engine):
    def found_by_engine(vertices, triangles, ray):
        good = vertices[np.isfinite(vertices).all(axis=1)]
        shape = geometry(vertices, triangles)
        extent = float(np.abs(good).max(initial=0))
        found = engine_named(engine).scan_candidates(shape, ray, extent)
        assert len(set(found.tolist())) == len(found)
        return set(found.tolist())

    return found_by_engine


def assert_no_hit_is_lost(candidates, vertices, triangles, rays):
    """Candidates hold all hits on all triangles; return how many hits there are."""
    rows, hits = cast_everything(geometry(vertices, triangles), rays)
    for ray in range(len(rays)):
        hit = set(hits.triangle[rows == ray].tolist())
        assert hit <= candidates(vertices, triangles, rays.ray(ray))
    return len(rows)


@at_every_scale
def test_every_triangle_that_a_ray_hits_is_a_candidate(rng, candidates, scale):
    vertices, triangles = meshes.soup(rng, 30)
    vertices = vertices * scale
    origins, directions = toward(rng, vertices, triangles, 12)
    rays = batch(origins, directions)
    for i in range(12):
        sure, _, _ = exact_hits(origins[i], directions[i], vertices, triangles)
        assert set(sure) <= candidates(vertices, triangles, rays.ray(i))
        assert sure


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
@pytest.mark.parametrize("far", [1.0, 1e6, 1e12])
def test_no_hit_is_lost_at_the_ends_of_the_range_or_from_far_away(rng, candidates, scale, far):
    if scale * far > 1e306:
        far = 1e6
    vertices, triangles = meshes.soup(rng, 60)
    axis = np.eye(3)[np.arange(60) % 3] * rng.choice([-1, 1], (60, 1))
    middles = vertices[triangles].mean(axis=1)
    origins = np.where(axis != 0, -far * axis, middles)
    assert (
        assert_no_hit_is_lost(candidates, vertices * scale, triangles, batch(origins * scale, axis))
        >= 40
    )


@pytest.mark.parametrize("offset", [1e6, 1e12, 1e15])
def test_no_hit_is_lost_far_from_0(rng, candidates, offset):
    vertices, triangles = meshes.soup(rng, 60)
    vertices = vertices + offset * np.array([1, -1, 0.5])
    assert assert_no_hit_is_lost(
        candidates, vertices, triangles, batch(*toward(rng, vertices, triangles, 40))
    )


def test_borders_and_broken_vertices_lose_no_candidate(rng, candidates):
    vertices, triangles = meshes.nasty(rng)
    origins, directions = lattice_rays(rng, 25)
    rays = batch(origins, directions)
    for i in range(25):
        sure, doubtful, _ = exact_hits(origins[i], directions[i], vertices, triangles)
        found = candidates(vertices, triangles, rays.ray(i))
        assert set(sure) | doubtful <= found


def test_chunks_of_vertices_and_triangles_change_nothing_but_memory(
    rng, engine, candidates, monkeypatch
):
    vertices, triangles = meshes.soup(rng, 100)
    rays = batch(*toward(rng, vertices, triangles, 10))
    whole = [candidates(vertices, triangles, rays.ray(i)) for i in range(10)]
    for chunk in (1, 7, 100, 299, 300):
        monkeypatch.setattr(scan, "_CHUNK", chunk)
        if engine == "numba":
            monkeypatch.setattr(engine_named(engine).one_ray, "_ROOM", chunk)
        assert [candidates(vertices, triangles, rays.ray(i)) for i in range(10)] == whole


@pytest.mark.parametrize("offset", [0, 1e6])
def test_few_others_are_candidates(rng, candidates, offset):
    vertices, triangles = meshes.icosphere(4)
    vertices = vertices + offset
    rays = batch(*toward(rng, vertices, triangles, 20))
    counts = [len(candidates(vertices, triangles, rays.ray(i))) for i in range(20)]
    assert max(counts) < len(triangles) / 50


def test_what_is_behind_the_origin_is_no_candidate(candidates):
    vertices, triangles = meshes.stack(100, gap=1.0)
    ray = batch((0, 0, 49.5), (0, 0, 1.0)).ray(0)
    assert candidates(vertices, triangles, ray) == set(range(50, 100))


def test_no_triangles_have_no_candidates(candidates):
    ray = batch((0, 0, 0), (0, 0, 1.0)).ray(0)
    empty = np.empty((0, 3), dtype=np.int32)
    for vertices in (np.empty((0, 3)), np.ones((4, 3))):
        assert candidates(vertices, empty, ray) == set()


def test_more_candidates_than_are_expected_are_all_there(candidates):
    vertices = np.array([(-1.0, -1, 0), (1, -1, 0), (0, 1, 0)])
    triangles = np.zeros((5000, 3), dtype=np.int32) + np.arange(3, dtype=np.int32)
    ray = batch((0, 0, 1), (0, 0, -1.0)).ray(0)
    assert candidates(vertices, triangles, ray) == set(range(5000))


def test_a_scan_lost_a_hit_among_the_smallest_numbers(engine):
    asked = np.array((-3, -3, 2)) * 5e-324, np.array((6, 1, -3)) * 5e-324
    rows = [
        (0, 3, 0),
        (1, -2, -3),
        (0, 2, -1),
        (-2, 1, 0),
        (-1, 1, -2),
        (-2, 3, -2),
        (0, -1, 1),
        (3, -2, -1),
    ]
    triangles = [(7, 7, 5), (7, 3, 6), (1, 0, 2), (5, 1, 3), (0, 0, 2), (7, 3, 3), (4, 3, 6)]
    vertices = np.array(rows) * 5e-324
    scan = sc.Mesh(vertices, triangles, engine=engine, building="never")
    tree = sc.Mesh(vertices, triangles, engine=engine)
    tree.build()
    assert len(tree.ray_cast_all(*asked)) == len(scan.ray_cast_all(*asked)) > 0
