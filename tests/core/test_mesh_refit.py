# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving the vertices of a mesh, and what a mesh says of itself."""

import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh, errors

from . import meshes
from .questions import assert_same_bits, built, toward

DOWN = (0, 0, 5), (0, 0, -1)


def assert_answers_alike(rng, mesh, fresh):
    origins, directions = toward(rng, fresh.vertices, fresh.triangles, 100)
    hits, splits = mesh.cast_rays_all(origins, directions)
    expected, expected_splits = fresh.cast_rays_all(origins, directions)
    np.testing.assert_array_equal(splits, expected_splits)
    assert_same_bits(hits, expected)
    mesh.validate()


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
def test_a_refitted_mesh_equals_a_fresh_one(rng, make):
    vertices, triangles = meshes.torus(20, 12)
    mesh = make(vertices, triangles)
    for moved in (
        vertices + rng.normal(size=vertices.shape) * 0.05,
        vertices * (3, 0.1, 1) + (100, 0, 0),
        rng.normal(size=vertices.shape),
        vertices * 1e-6,
        vertices * 1e6 + 1e9,
    ):
        mesh.refit(moved)
        assert_answers_alike(rng, mesh, sc.Mesh(moved, triangles))


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
def test_a_refit_may_break_vertices_and_mend_them_again(rng, make):
    vertices, triangles = meshes.torus(20, 12)
    broken = vertices.copy()
    broken[::17] = np.nan
    broken[5] = (0, np.inf, 0)
    mesh = make(vertices, triangles)
    for positions in (broken, vertices, broken * 2, vertices + 1):
        mesh.refit(positions)
        assert_answers_alike(rng, mesh, sc.Mesh(positions, triangles))


def test_a_mesh_built_with_holes_finds_what_a_refit_fills(rng):
    vertices, triangles = meshes.torus(20, 12)
    broken = vertices.copy()
    broken[::5] = np.nan
    mesh = built(broken, triangles)
    assert_answers_alike(rng, mesh, sc.Mesh(broken, triangles))
    mesh.refit(vertices)
    mesh.build()
    assert_answers_alike(rng, mesh, sc.Mesh(vertices, triangles))


def test_a_refit_keeps_the_tree():
    mesh = built(*meshes.torus(20, 12))
    nodes = mesh.stats.nodes
    mesh.refit(mesh.vertices + 1)
    assert mesh.stats.nodes == nodes > 0


def test_a_refit_needs_as_many_vertices_and_leaves_the_mesh_as_it_was_otherwise():
    mesh = sc.Mesh(*meshes.cube())
    with pytest.raises(errors.ShapeError, match="8 vertices are needed, not 7"):
        mesh.refit(mesh.vertices[:7])
    with pytest.raises(errors.ShapeError, match="vertices must have shape"):
        mesh.refit(mesh.vertices[:, :2])
    assert mesh.ray_cast(*DOWN).distance == 4


def test_bounds_go_around_all_finite_vertices():
    vertices = [(0, 1, 2), (np.nan, 9, 9), (-1, 5, 0), (9, 9, np.inf)]
    mesh = sc.Mesh(vertices, [])
    assert [corner.tolist() for corner in mesh.bounds] == [[-1, 1, 0], [0, 5, 2]]
    mesh.refit(np.ones((4, 3)))
    assert [corner.tolist() for corner in mesh.bounds] == [[1, 1, 1], [1, 1, 1]]


def test_bounds_of_nothing_are_nan():
    assert np.isnan(sc.Mesh(np.empty((0, 3)), []).bounds).all()


def test_stats_count_triangles_vertices_scans_and_nodes():
    mesh = sc.Mesh(*meshes.icosphere(2), engine="numpy")
    before = mesh.stats
    assert (before.triangles, before.vertices) == (320, 162)
    assert (before.scans, before.nodes, before.depth, before.nbytes) == (0, 0, 0, 0)
    assert before.sah_cost == 0
    mesh.ray_cast(*DOWN)
    assert mesh.stats.scans == 1
    assert mesh.stats.scan_seconds > 0
    mesh.build()
    after = mesh.stats
    assert (after.nodes, after.depth) == (10 + 2 + 1, 3)
    assert after.sah_cost == bvh.sah_cost(mesh.tree) > 8
    assert after.nbytes == mesh.tree.nbytes > 0
    assert after.build_seconds > 0


def test_stats_are_those_of_their_time():
    mesh = sc.Mesh(*meshes.icosphere(1))
    before = mesh.stats
    mesh.build()
    assert before.nodes == 0


@pytest.mark.parametrize("broken", [1, 162])
def test_the_cost_of_a_tree_is_a_number_whatever_a_refit_breaks(broken):
    mesh = built(*meshes.icosphere(2))
    vertices = mesh.vertices.copy()
    vertices[:broken] = np.nan
    mesh.refit(vertices)
    assert mesh.stats.sah_cost > 0


def test_a_revision_counts_the_refits():
    mesh = sc.Mesh(*meshes.cube())
    assert mesh.revision == 0
    mesh.refit(mesh.vertices + 1)
    mesh.refit(mesh.vertices + 1)
    assert mesh.revision == 2


def test_nbytes_is_the_memory_of_all_arrays():
    vertices, triangles = meshes.icosphere(2)
    mesh = sc.Mesh(vertices, triangles.astype(np.int32))
    arrays = 162 * 3 * 8 + 320 * 3 * 4
    assert mesh.nbytes == arrays
    mesh.build()
    assert mesh.nbytes == arrays + mesh.stats.nbytes
    with_faces = sc.Mesh(vertices, triangles.astype(np.int32), np.zeros(320, np.int64))
    assert with_faces.nbytes == arrays + 320 * 8


def test_building_twice_changes_nothing(rng):
    mesh = built(*meshes.icosphere(2))
    stats = mesh.stats
    mesh.build()
    assert mesh.stats == stats


def test_validate_passes_without_a_tree_and_with_a_good_one():
    mesh = sc.Mesh(*meshes.icosphere(1))
    mesh.validate()
    mesh.build()
    mesh.validate()


def test_validate_finds_shared_vertices_that_moved_without_a_refit():
    vertices, triangles = meshes.icosphere(1)
    mesh = built(vertices, triangles, copy=False)
    vertices[3] *= 2
    with pytest.raises(errors.ArgumentError, match="does not hold"):
        mesh.validate()
    mesh.refit(vertices)
    mesh.validate()


def test_repr_says_how_large_a_mesh_is():
    assert repr(sc.Mesh(*meshes.cube())) == "<Mesh 8 vertices, 12 triangles>"


def test_a_build_that_ends_after_a_refit_does_not_undo_it(engine):
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]], [[0, 1, 2]], engine=engine)
    moved = np.array([[0, 0, -5], [1, 0, -5], [0, 1, -5.0]])

    def refit_meanwhile(_done):
        if mesh.revision == 0:
            mesh.refit(moved)

    mesh.build(refit_meanwhile)
    for _ in range(2):
        assert mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1)).distance == 6.0
        assert mesh.bounds[0].tolist() == [0, 0, -5]
        mesh.build()
        mesh.validate()


def test_a_cast_beside_a_refit_missed_what_is_hit_before_and_after(rng):
    vertices, triangles = meshes.icosphere(3)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    stop = threading.Event()

    def refit():
        while not stop.is_set():
            mesh.refit(vertices * (1, 1, -1))
            mesh.refit(vertices)

    thread = threading.Thread(target=refit)
    thread.start()
    origins = rng.uniform(-0.3, 0.3, (300, 3))
    try:
        missed = sum(mesh.ray_cast(origin, (0.1, 0.2, 1)) is None for origin in origins)
    finally:
        stop.set()
        thread.join()
    assert missed == 0
