# SPDX-License-Identifier: GPL-3.0-or-later
"""What compiled code decides in float32 is what all triangles, tested exactly, decide."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.engines import numpy_engine
from standalone_core.engines.numba import compiling

from ... import meshes
from ...borders import at_borders, each_scale, each_shape, small_triangles
from ...new_engine import module_of_kernels
from ...questions import assert_same_bits, lattice_rays, toward
from ...ray_batches import batch, cast_everything, geometry

numba_engine = module_of_kernels("numba_engine")


@pytest.fixture(params=["quick", "better"])
def engine_for(request):
    """Gives the compiled engine and a tree of it for triangles."""
    engine = compiling.engine(wait=True)
    assert engine is not None, compiling.reason()

    def prepared(vertices, triangles):
        mesh = sc.Mesh(vertices, triangles, engine="numpy")
        mesh.build()
        shape = geometry(vertices, triangles)
        if request.param == "better":
            engine.improve(shape, mesh.tree, lambda done: None)
        return engine, shape, mesh.tree

    return prepared


def assert_right(prepared, origins, directions, limits=np.inf, cull_sign=0, excluded=None):
    """The four questions, and rays alone, against tests of all triangles; how many hits."""
    engine, shape, tree = prepared
    every = batch(origins, directions, limits, True, cull_sign, excluded)
    rows, hits = cast_everything(shape, every)
    if excluded is not None:
        kept = ~excluded[hits.triangle]
        rows, hits = rows[kept], hits.take(kept)
    counts = np.bincount(rows, minlength=len(every))
    found, compiled_hits = engine.cast_many(shape, tree, every)
    np.testing.assert_array_equal(found, rows)
    assert_same_bits(compiled_hits, hits)
    nearest = batch(origins, directions, limits, False, cull_sign, excluded)
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    hit = engine.cast_nearest(shape, tree, nearest)
    np.testing.assert_array_equal(np.flatnonzero(hit.hit), rows[first])
    assert_same_bits(hit.take(hit.hit), hits.take(first))
    np.testing.assert_array_equal(engine.count_hits(shape, tree, every), counts)
    np.testing.assert_array_equal(engine.any_hit(shape, tree, nearest), counts > 0)
    for row in range(0, len(nearest), 29):
        alone = [found.triangle for found in engine.cast(shape, tree, every.ray(row))]
        assert alone == hits.triangle[rows == row].tolist()
    return len(rows)


@each_shape
@each_scale
def test_hits_at_borders_are_those_of_exact_tests(rng, engine_for, shape, scale, offset):
    vertices, triangles = shape(rng)
    vertices = vertices * scale + offset * scale * np.array([1.0, -0.7, 0.3])
    origins, directions = at_borders(rng, vertices, triangles, 300)
    assert assert_right(engine_for(vertices, triangles), origins, directions) > 30


@each_shape
def test_hits_of_single_precision_are_those_of_exact_tests(rng, engine_for, shape):
    vertices, triangles = shape(rng)
    vertices = vertices.astype(np.float32).astype(np.float64)
    rays = (x.astype(np.float32).astype(float) for x in at_borders(rng, vertices, triangles, 300))
    assert assert_right(engine_for(vertices, triangles), *rays) > 30


def test_hits_on_a_lattice_are_those_of_exact_tests(rng, engine_for):
    vertices, triangles = meshes.nasty(rng, 80)
    assert assert_right(engine_for(vertices, triangles), *lattice_rays(rng, 300)) > 50


@pytest.mark.parametrize("cull_sign", [0, 1, -1])
def test_hits_end_exactly_at_their_limits(rng, engine_for, cull_sign):
    vertices, triangles = meshes.soup(rng, 200)
    prepared = engine_for(vertices, triangles)
    origins, directions = toward(rng, vertices, triangles, 200)
    rows, hits = cast_everything(prepared[1], batch(origins, directions))
    chosen = rng.permutation(len(rows))[:200]
    origins, directions = origins[rows[chosen]], directions[rows[chosen]]
    for steps in (np.zeros(200), np.where(np.arange(200) % 2, np.inf, -np.inf)):
        limits = hits.distance[chosen]
        limits = np.where(steps == 0, limits, np.nextafter(limits, steps))
        assert assert_right(prepared, origins, directions, limits, cull_sign) > 50


def test_rays_that_begin_on_triangles_are_those_of_exact_tests(rng, engine_for):
    vertices, triangles = meshes.torus(20, 12)
    prepared = engine_for(vertices, triangles)
    weights = rng.dirichlet((1, 1, 1), 300)
    origins = np.einsum("ni,nij->nj", weights, vertices[triangles[rng.integers(0, 480, 300)]])
    origins += rng.choice([0, 1e-16, 1e-9, 1e-6], (300, 1)) * rng.normal(size=(300, 3))
    assert assert_right(prepared, origins, rng.normal(size=(300, 3))) > 100


def test_coincident_triangles_are_hit_in_their_order(rng, engine_for):
    vertices, triangles = small_triangles(rng, 30, 0.5)
    triangles = np.concatenate([triangles, triangles[:, [1, 2, 0]], triangles[:, [2, 1, 0]]])
    prepared = engine_for(vertices, rng.permutation(triangles))
    assert assert_right(prepared, *toward(rng, vertices, triangles, 200)) > 200


def test_excluded_triangles_are_not_hit(rng, engine_for):
    vertices, triangles = meshes.soup(rng, 200)
    prepared = engine_for(vertices, triangles)
    rays = toward(rng, vertices, triangles, 200)
    assert assert_right(prepared, *rays, excluded=rng.random(200) < 0.5) > 100


def test_one_origin_may_be_for_all_rays(rng, engine_for):
    vertices, triangles = meshes.torus(20, 12)
    engine, shape, tree = engine_for(vertices, triangles)
    rays = batch((5.0, 1.0, 2.0), rng.normal(size=(500, 3)) - (5.0, 1.0, 2.0))
    assert rays.origins.strides[0] == 0 or len({*map(tuple, rays.origins)}) == 1
    rows, hits = engine.cast_many(shape, tree, rays)
    expected_rows, expected = cast_everything(shape, rays)
    np.testing.assert_array_equal(rows, expected_rows)
    assert_same_bits(hits, expected)


def test_rays_with_very_many_hits_are_left_to_numpy(engine_for, monkeypatch):
    monkeypatch.setattr(numba_engine, "_MOST_HITS", 64)
    vertices, triangles = meshes.stack(100)
    origins = np.array([[0.25, 0.25, 1.0], [0.25, 0.25, -1.0], [9.0, 9.0, 1.0]] * 100)
    directions = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] * 100)
    assert assert_right(engine_for(vertices, triangles), origins, directions) > 0


def test_many_hits_of_a_ray_are_in_order_however_the_tree_found_them(rng, engine_for, monkeypatch):
    """Long triangles through each other: near boxes hold far hits."""
    monkeypatch.setattr(numpy_engine, "cast_many", pytest.fail)
    turn = rng.uniform(0, 2 * np.pi, (1, 900)) + np.array([[0.0], [2.1], [4.2]])
    height = rng.uniform(-3, 3, (3, 900))
    corners = np.stack([3 * np.cos(turn), 3 * np.sin(turn), height], axis=2)
    twice = np.concatenate([corners, corners[:, ::3]], axis=1)
    triangles = np.arange(twice.shape[1] * 3).reshape(3, -1).T.copy()
    origins = np.column_stack([rng.uniform(-0.5, 0.5, (60, 2)), np.full(60, 9.0)])
    directions = rng.uniform(-0.5, 0.5, (60, 3)) - origins
    hits = assert_right(engine_for(twice.reshape(-1, 3), triangles), origins, directions)
    assert hits > 60 * 500


def test_what_is_too_far_for_the_tree_is_left_to_numpy(rng, engine_for):
    vertices, triangles = meshes.torus(8, 6)
    origins, directions = toward(rng, vertices, triangles, 50)
    far = 1e17 * np.array([1.0, 2.0, 3.0])
    assert_right(engine_for(vertices, triangles), origins + far, directions)
    tiny = 1e-100 * vertices
    assert assert_right(engine_for(tiny, triangles), 1e-100 * origins, directions) > 50
