# SPDX-License-Identifier: GPL-3.0-or-later
"""Scan or tree, one ray or a batch, rented or bought: the same bits."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, tree_mesh
from standalone_core.engines import numpy_engine

from . import meshes
from .questions import assert_same_bits, assert_same_hits, built, lattice_rays, toward

CULLS = [None, "back", "front"]


def shapes(rng):
    yield meshes.soup(rng, 300)
    yield meshes.nasty(rng, 60)
    yield meshes.icosphere(2)
    vertices, triangles = meshes.torus(9, 7)
    yield vertices @ meshes.rotation(rng).T + (1e6, -1e6, 1e6), triangles
    yield meshes.grid(9)


def rays(rng, vertices, triangles, count=40):
    """Rays at triangles, exactly at vertices, and through a lattice."""
    good = vertices[np.isfinite(vertices).all(axis=1)]
    origins, directions = toward(rng, vertices, triangles, count)
    aimed = good[rng.integers(0, len(good), count)] - origins
    through = lattice_rays(rng, count)
    return (
        np.concatenate([origins, origins, through[0]]),
        np.concatenate([directions, aimed, through[1]]),
    )


def limits(rng, origins, directions):
    far = np.linalg.norm(directions, axis=1) * rng.uniform(0.1, 20, len(origins))
    return np.where(rng.random(len(origins)) < 0.3, np.inf, far)


@pytest.mark.parametrize("cull", CULLS)
def test_scan_and_tree_give_identical_hits_to_the_last_bit(rng, cull):
    for vertices, triangles in shapes(rng):
        tree = built(vertices, triangles)
        scan = sc.Mesh(vertices, triangles, building="never")
        origins, directions = rays(rng, vertices, triangles)
        scanned, splits = scan.cast_rays_all(origins, directions, cull=cull)
        nearest = scan.cast_rays(origins, directions, cull=cull)
        assert scan.stats.nodes == 0 < tree.stats.nodes
        traced, tree_splits = tree.cast_rays_all(origins, directions, cull=cull)
        np.testing.assert_array_equal(splits, tree_splits)
        assert_same_bits(scanned, traced)
        assert_same_bits(nearest, tree.cast_rays(origins, directions, cull=cull))
        for mesh in (scan, tree):
            counts = mesh.count_hits(origins, directions, cull=cull)
            np.testing.assert_array_equal(counts, np.diff(splits))
            is_hit = mesh.any_hit(origins, directions, cull=cull)
            np.testing.assert_array_equal(is_hit, counts > 0)


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
def test_batches_equal_single_casts_to_the_last_bit(rng, make):
    for vertices, triangles in shapes(rng):
        mesh = make(vertices, triangles)
        origins, directions = rays(rng, vertices, triangles, 15)
        limit = limits(rng, origins, directions)
        questions = list(zip(origins, directions, limit, strict=True))
        nearest = mesh.cast_rays(origins, directions, limit, "back")
        hits, splits = mesh.cast_rays_all(origins, directions, limit, "back")
        assert len(nearest) == len(splits) - 1 == len(questions)
        for i, query in enumerate(questions):
            assert_same_hits([nearest[i]], [mesh.ray_cast(*query, "back")])
            alone = mesh.ray_cast_all(*query, "back")
            assert_same_hits([hits[row] for row in range(*splits[i : i + 2])], alone)


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
def test_the_nearest_hit_is_the_first_of_all_hits(rng, make):
    for vertices, triangles in shapes(rng):
        mesh = make(vertices, triangles)
        origins, directions = rays(rng, vertices, triangles)
        nearest = mesh.cast_rays(origins, directions)
        hits, splits = mesh.cast_rays_all(origins, directions)
        hit = np.diff(splits) > 0
        np.testing.assert_array_equal(nearest.hit, hit)
        assert_same_bits(nearest.take(hit), hits.take(splits[:-1][hit]))


def test_a_large_batch_is_cut_in_chunks_without_a_seam(rng, monkeypatch):
    vertices, triangles = meshes.icosphere(2)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    origins, directions = toward(rng, vertices, triangles, 500)
    whole = mesh.cast_rays_all(origins, directions)
    for chunk in (1, 7, 499, 500, 501):
        monkeypatch.setattr(numpy_engine, "_CHUNK", chunk)
        hits, splits = mesh.cast_rays_all(origins, directions)
        assert_same_bits(hits, whole[0])
        np.testing.assert_array_equal(splits, whole[1])


def test_more_rays_than_one_chunk(rng):
    vertices, triangles = meshes.icosphere(1)
    mesh = built(vertices, triangles)
    count = 2 * numpy_engine._CHUNK + 3
    directions = meshes.directions(rng, count)
    hits = mesh.cast_rays((0, 0, 0), directions)
    assert hits.hit.all()
    np.testing.assert_allclose(hits.point, hits.distance[:, None] * directions, atol=1e-14)


def test_rent_or_buy_builds_eventually_and_never_changes_the_answers(rng):
    vertices, triangles = meshes.torus(60, 40)
    mesh, bought = sc.Mesh(vertices, triangles), built(vertices, triangles)
    origins, directions = toward(rng, vertices, triangles, 4000)
    nodes = []
    for query in zip(origins, directions, strict=True):
        assert_same_hits([mesh.ray_cast(*query)], [bought.ray_cast(*query)])
        nodes.append(mesh.stats.nodes)
        if nodes[-1]:
            break
    assert nodes[0] == 0
    assert nodes[-1] == bought.stats.nodes
    assert mesh.stats.scans == len(nodes) - 1
    for query in zip(origins[:20], directions[:20], strict=True):
        assert_same_hits(mesh.ray_cast_all(*query), bought.ray_cast_all(*query))


def test_a_batch_worth_more_than_a_tree_builds_it_at_once(rng):
    vertices, triangles = meshes.torus(60, 40)
    mesh = sc.Mesh(vertices, triangles)
    mesh.cast_rays(*toward(rng, vertices, triangles, 4000))
    assert mesh.stats.nodes > 0
    assert mesh.stats.scans == 0


def test_a_mesh_that_is_never_to_build_by_itself_builds_when_it_is_told_to(rng):
    vertices, triangles = meshes.torus(60, 40)
    mesh = sc.Mesh(vertices, triangles, building="never")
    origins, directions = toward(rng, vertices, triangles, 200)
    scanned = mesh.cast_rays(origins, directions)
    assert (mesh.stats.nodes, mesh.stats.scans) == (0, 200)
    assert mesh.tree is None
    mesh.build()
    assert mesh.tree is not None
    assert_same_bits(mesh.cast_rays(origins, directions), scanned)
    assert mesh.stats.scans == 200


@pytest.mark.parametrize("building", ["at once", None, True])
def test_another_way_of_building_is_refused(building):
    with pytest.raises(errors.ArgumentError, match='building must be "auto", "thread" or "never"'):
        sc.Mesh(*meshes.cube(), building=building)


def test_the_first_click_on_a_mesh_builds_nothing():
    mesh = sc.Mesh(*meshes.torus(60, 40))
    mesh.ray_cast((0, 0, 9), (0, 0, -1))
    assert mesh.stats.nodes == 0
    assert mesh.stats.scans == 1


def build_while(mesh, monkeypatch, module, name):
    """Let the third scan of a mesh build its tree, as a thread might; what it is scanned by."""
    scan, scans = getattr(module, name), []

    def scanned(*arguments):
        if arguments[1] is None or name == "scan":
            scans.append(arguments)
            if len(scans) == 3:
                mesh.build()
        return scan(*arguments)

    monkeypatch.setattr(module, name, scanned)
    return scans


@pytest.mark.parametrize("method", ["cast_rays", "cast_rays_all"])
def test_a_batch_was_scanned_to_its_end_with_the_tree_already_there(rng, monkeypatch, method):
    rays = toward(rng, *meshes.icosphere(2), 40)
    expected = getattr(sc.Mesh(*meshes.icosphere(2)), method)(*rays)
    mesh = sc.Mesh(*meshes.icosphere(2), building="never", engine="numpy")
    scans = build_while(mesh, monkeypatch, numpy_engine, "scan")
    found = getattr(mesh, method)(*rays)
    assert len(scans) == mesh.stats.scans == 3
    if method == "cast_rays_all":
        np.testing.assert_array_equal(found[1], expected[1])
        found, expected = found[0], expected[0]
    assert_same_bits(found, expected)


def test_points_were_scanned_to_their_end_with_the_tree_already_there(rng, monkeypatch):
    points = rng.normal(size=(40, 3))
    expected = sc.Mesh(*meshes.icosphere(2)).closest_point(points)
    mesh = sc.Mesh(*meshes.icosphere(2), building="never", engine="numpy")
    build_while(mesh, monkeypatch, tree_mesh, "closest_points")
    found = mesh.closest_point(points)
    assert mesh.stats.scans == 3
    for name in ("distance", "point", "triangle", "face", "barycentric"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def parallel(rng, count, size, depth=1.0):
    """Triangles of a size across the z axis, in random order from 0 to `depth` along it."""
    z = rng.permutation(np.linspace(0, depth, count))
    shape = np.array([(-3.0, -3, 0), (3, -3, 0), (0, 4, 0)])
    corners = shape + np.stack([0 * z, 0 * z, z], axis=1)[:, None]
    return corners.reshape(-1, 3) * size, np.arange(3 * count).reshape(-1, 3)


@pytest.mark.parametrize(("size", "scale"), [(1e-121, 1e-200), (1e-82, 1e-239)])
def test_batches_lost_the_first_of_triangles_at_the_same_smallest_distances(
    rng, engine, size, scale
):
    for _ in range(25):
        exact = size * 10 ** rng.uniform(-3, 3)
        vertices, triangles = parallel(rng, 200, exact)
        ray = np.array([(0, 0, 3.0)]) * exact * scale, (0, 0, -1.0)
        answers = []
        for building in ("never", "auto"):
            mesh, scene = sc.Mesh(vertices, triangles, None, engine, building), sc.Scene()
            if building == "auto":
                mesh.build()
            scene.add(mesh, np.diag([scale, scale, scale, 1.0]))
            answers += [scene.cast_rays(*ray)[0], scene.ray_cast(ray[0][0], ray[1])]
        assert len({hit and (hit.distance, hit.triangle) for hit in answers}) == 1


def test_one_ray_stopped_before_triangles_at_the_same_smallest_distance(rng, engine):
    for _ in range(25):
        size = 10.0 ** rng.uniform(-323, -305)
        vertices, triangles = parallel(rng, 40, size)
        mesh = sc.Mesh(vertices, triangles, engine=engine)
        origins = np.array([(0, 0, 3.0), (0.01, 0, -3), (0, 0, 0), (0, 0, 5e3)]) * size
        directions = np.array([(0, 0, -1.0), (0, 0, 1), (0.001, 0, 1), (0, 0, -1)])
        directions *= 10.0 ** rng.uniform(-20, 20)
        for _ in ("scan", "tree"):
            hits = mesh.cast_rays(origins, directions)
            alone = [mesh.ray_cast(*ray) for ray in zip(origins, directions, strict=True)]
            assert_same_hits(alone, list(hits))
            mesh.build()
