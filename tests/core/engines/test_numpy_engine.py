# SPDX-License-Identifier: GPL-3.0-or-later
"""NumPy's engine answers as if it asked all triangles; the tree and the blocks only save time."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.engines import numpy_engine, traversal

from .. import meshes
from ..questions import assert_same_bits, assert_same_hits, lattice_rays, toward
from ..ray_batches import batch, cast_everything, geometry

each_question = pytest.mark.parametrize(
    ("every", "cull_sign"), list(itertools.product([True, False], [0, 1, -1]))
)


def shapes(rng):
    yield meshes.soup(rng, 150)
    yield meshes.nasty(rng, 60)
    yield meshes.torus(9, 7)
    yield meshes.UNIT_TRIANGLE


def questions(rng, **query):
    """Shapes with their trees, and rays at them."""
    for vertices, triangles in shapes(rng):
        mesh = sc.Mesh(vertices, triangles, engine="numpy")
        mesh.build()
        rays = (toward(rng, vertices, triangles, 25), lattice_rays(rng, 25))
        origins, directions = map(np.concatenate, zip(*rays, strict=True))
        limits = np.where(rng.random(50) < 0.5, np.inf, rng.uniform(0, 20, 50))
        excluded = rng.random(len(triangles)) < 0.1
        shape = geometry(vertices, triangles)
        yield shape, mesh.tree, batch(origins, directions, limits, excluded=excluded, **query)


@each_question
def test_the_hits_of_a_batch_are_those_of_all_triangles(rng, every, cull_sign):
    found = 0
    for shape, tree, rays in questions(rng, every=every, cull_sign=cull_sign):
        rows, hits = numpy_engine.cast_many(shape, tree, rays)
        expected_rows, expected = cast_everything(shape, rays)
        np.testing.assert_array_equal(rows, expected_rows)
        assert_same_bits(hits, expected)
        found += len(hits)
    assert found > 30


@pytest.mark.parametrize("gate", [0, 1, 9])
@pytest.mark.parametrize("block", [1, 5, 64])
def test_the_nearest_hits_are_the_same_however_the_work_is_cut(rng, monkeypatch, gate, block):
    monkeypatch.setattr(traversal, "_GATE", gate)
    monkeypatch.setattr(traversal, "_BLOCK", block)
    monkeypatch.setattr(traversal, "_HELD", 3 * block)
    for shape, tree, rays in questions(rng, every=False):
        rows, hits = numpy_engine.cast_many(shape, tree, rays)
        expected_rows, expected = cast_everything(shape, rays)
        np.testing.assert_array_equal(rows, expected_rows)
        assert_same_bits(hits, expected)


@each_question
def test_the_hits_of_one_ray_are_those_of_the_batch(rng, every, cull_sign):
    for shape, tree, rays in questions(rng, every=every, cull_sign=cull_sign):
        rows, hits = numpy_engine.cast_many(shape, tree, rays)
        for ray in range(len(rays)):
            alone = numpy_engine.cast(shape, tree, rays.ray(ray))
            assert_same_hits(alone, list(hits.take(rows == ray)))


def test_the_nearest_hits_are_the_first_of_all_with_misses_between(rng):
    for shape, tree, rays in questions(rng, every=False):
        nearest = numpy_engine.cast_nearest(shape, tree, rays)
        rows, hits = numpy_engine.cast_many(shape, tree, rays)
        np.testing.assert_array_equal(np.flatnonzero(nearest.hit), rows)
        assert_same_bits(nearest.take(nearest.hit), hits)


@pytest.mark.parametrize("chunk", [1, 7, 49, 50, 51])
def test_a_batch_is_cut_in_chunks_without_a_seam(rng, monkeypatch, chunk):
    for shape, tree, rays in questions(rng):
        rows, hits = numpy_engine.cast_many(shape, tree, rays)
        with monkeypatch.context() as patch:
            patch.setattr(numpy_engine, "_CHUNK", chunk)
            other_rows, others = numpy_engine.cast_many(shape, tree, rays)
        np.testing.assert_array_equal(rows, other_rows)
        assert_same_bits(hits, others)


def test_faces_are_those_of_the_triangles(rng):
    vertices, triangles = meshes.icosphere(1)
    faces = rng.integers(0, 9, len(triangles))
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    shape = geometry(vertices, triangles, faces)
    rays = batch(np.zeros((30, 3)), meshes.directions(rng, 30))
    _, hits = numpy_engine.cast_many(shape, mesh.tree, rays)
    np.testing.assert_array_equal(hits.face, faces[hits.triangle])
    for ray in range(30):
        (hit,) = numpy_engine.cast(shape, mesh.tree, rays.ray(ray))
        assert hit.face == faces[hit.triangle]


@each_question
@pytest.mark.parametrize("blocks", [0, 10**9])
def test_hit_or_not_and_how_often_is_what_the_hits_say(rng, monkeypatch, every, cull_sign, blocks):
    monkeypatch.setattr(traversal, "_TRIANGLES_A_RAY", blocks)
    for shape, tree, rays in questions(rng, every=every, cull_sign=cull_sign):
        rows, _ = cast_everything(shape, replace(rays, query=rays.query._replace(every=True)))
        counts = np.bincount(rows, minlength=len(rays))
        np.testing.assert_array_equal(numpy_engine.count_hits(shape, tree, rays), counts)
        np.testing.assert_array_equal(numpy_engine.any_hit(shape, tree, rays), counts > 0)
        for first in range(0, 50, 5):
            few = slice(first, first + 5)
            counted = numpy_engine.count_hits(shape, tree, rays.take(few))
            np.testing.assert_array_equal(counted, counts[few])
            hit = numpy_engine.any_hit(shape, tree, rays.take(few))
            np.testing.assert_array_equal(hit, counts[few] > 0)


@pytest.mark.parametrize("blocks", [0, 10**9])
def test_limits_at_the_very_hits_are_inclusive_in_every_way(rng, monkeypatch, blocks):
    monkeypatch.setattr(traversal, "_TRIANGLES_A_RAY", blocks)
    for shape, tree, rays in questions(rng, every=True):
        rows, hits = cast_everything(shape, rays)
        chosen = rays.take(rows)
        for limits in (hits.distance, np.nextafter(hits.distance, 0)):
            asked = replace(chosen, limits=limits)
            found, every = cast_everything(shape, asked)
            assert_same_bits(numpy_engine.cast_many(shape, tree, asked)[1], every)
            counts = np.bincount(found, minlength=len(rows))
            np.testing.assert_array_equal(numpy_engine.count_hits(shape, tree, asked), counts)
            np.testing.assert_array_equal(numpy_engine.any_hit(shape, tree, asked), counts > 0)
            nearest = replace(asked, query=asked.query._replace(every=False))
            _, first = numpy_engine.cast_many(shape, tree, nearest)
            assert_same_bits(first, cast_everything(shape, nearest)[1])


@pytest.mark.parametrize("count", [1, 6, 7, 40])
@pytest.mark.parametrize("gap", [0.0, 2.0**-52, 2.0**-46, 1e-9])
def test_of_triangles_that_lie_close_the_nearest_is_the_right_one(rng, count, gap):
    vertices, triangles = meshes.stack(60, gap=gap, start=1.0)
    vertices += rng.normal(size=vertices.shape) * rng.choice([0, 1e-16], (len(vertices), 1))
    turn = meshes.rotation(rng)
    triangles = rng.permutation(triangles)
    shape = geometry(vertices @ turn.T, triangles)
    mesh = sc.Mesh(shape.vertices, triangles, engine="numpy")
    mesh.build()
    targets = np.column_stack([rng.uniform(-0.4, 0.4, (count, 2)), np.ones(count)])
    origins = targets + rng.choice([-1.0, 1.0], (count, 1)) * (
        rng.normal(size=(count, 3)) + (0, 0, 3)
    )
    rays = batch(origins @ turn.T, (targets - origins) @ turn.T, every=False)
    rows, hits = numpy_engine.cast_many(shape, mesh.tree, rays)
    expected_rows, expected = cast_everything(shape, rays)
    assert len(rows) > 0
    np.testing.assert_array_equal(rows, expected_rows)
    assert_same_bits(hits, expected)


@pytest.mark.parametrize("few", [0, 10**6])
def test_rays_cast_one_by_one_and_together_have_the_same_hits(rng, monkeypatch, few):
    monkeypatch.setattr(numpy_engine, "_FEW", few)
    for every in (True, False):
        for shape, tree, rays in questions(rng, every=every):
            rows, hits = numpy_engine.cast_many(shape, tree, rays)
            expected_rows, expected = cast_everything(shape, rays)
            np.testing.assert_array_equal(rows, expected_rows)
            assert_same_bits(hits, expected)


def test_no_rays_and_no_triangles_have_no_hits():
    vertices, triangles = meshes.cube()
    nothing = batch(np.empty((0, 3)), np.empty((0, 3)))
    for rows in (slice(None), slice(0)):
        mesh = sc.Mesh(vertices, triangles[rows], engine="numpy")
        mesh.build()
        shape = geometry(vertices, triangles[rows])
        assert len(numpy_engine.cast_many(shape, mesh.tree, nothing)[1]) == 0
        assert len(numpy_engine.cast_nearest(shape, mesh.tree, nothing)) == 0
        assert len(numpy_engine.any_hit(shape, mesh.tree, nothing)) == 0
        assert len(numpy_engine.count_hits(shape, mesh.tree, nothing)) == 0
    rays = batch(np.zeros((3, 3)), (0, 0, 1))
    assert not numpy_engine.cast_nearest(shape, mesh.tree, rays).hit.any()
    assert numpy_engine.any_hit(shape, mesh.tree, rays).tolist() == [False] * 3
    assert numpy_engine.count_hits(shape, mesh.tree, rays).tolist() == [0] * 3
    assert numpy_engine.cast(shape, mesh.tree, rays.ray(0)) == []
