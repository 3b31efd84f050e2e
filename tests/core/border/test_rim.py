# SPDX-License-Identifier: GPL-3.0-or-later
"""With a closed border, a ray exactly through an edge or a corner where a mesh ends hits."""

import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes, oracle
from ..questions import assert_same_bits, assert_same_hits
from .exact_rim import edges_of

SQUARE = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]
HALVES = [[0, 1, 2], [0, 2, 3]]

each_build = pytest.mark.parametrize("build", [False, True], ids=["scan", "tree"])


def closed(vertices, triangles, engine, build, border="closed"):
    mesh = sc.Mesh(vertices, triangles, engine=engine, border=border)
    if build:
        mesh.build()
    return mesh


def grid():
    """Rays down through a lattice of places, many of them exactly on the square's rim."""
    x, y = np.meshgrid(np.arange(-1, 5.5, 0.5), np.arange(-1, 5.5, 0.5))
    return np.stack([x, y, np.full_like(x, 3.0)], axis=-1)


@each_build
def test_a_square_is_hit_on_all_of_its_rim_and_once_everywhere(engine, build):
    mesh, origins = closed(SQUARE, HALVES, engine, build), grid()
    inside = ((origins[..., :2] >= 0) & (origins[..., :2] <= 4)).all(axis=-1)
    for way in ((0, 0, -1), (0, 0, -0.25)):
        hits = mesh.cast_rays(origins, way)
        np.testing.assert_array_equal(hits.hit, inside)
        assert (hits.distance[inside] == 3).all()
        np.testing.assert_array_equal(hits.point[inside][:, :2], origins[inside][:, :2])
        np.testing.assert_array_equal(mesh.count_hits(origins, way), inside)
        np.testing.assert_array_equal(mesh.any_hit(origins, way), inside)
        assert hits.front[inside].all()
    below = origins * (1, 1, -1)
    assert not mesh.cast_rays(below, (0, 0, 1)).front.any()
    np.testing.assert_array_equal(mesh.any_hit(below, (0, 0, 1)), inside)


@each_build
def test_an_open_border_is_hit_on_some_of_its_rim(engine, build):
    counts = closed(SQUARE, HALVES, engine, build, "open").count_hits(grid(), (0, 0, -1))
    inner = grid()[..., :2]
    assert (counts[((inner > 0) & (inner < 4)).all(axis=-1)] == 1).all()
    assert 0 < counts[2, 2:11].sum() + counts[10, 2:11].sum() < 18


@each_build
def test_one_ray_is_answered_as_in_a_batch(engine, build):
    mesh, origins = closed(SQUARE, HALVES, engine, build), grid().reshape(-1, 3)
    hits = mesh.cast_rays(origins, (0, 0, -1))
    for row, origin in enumerate(origins):
        alone = mesh.ray_cast(origin, (0, 0, -1))
        assert_same_hits([alone], [hits[row]])
        assert_same_hits(mesh.ray_cast_all(origin, (0, 0, -1)), [alone] if alone else [])


def touches(origin, direction, vertices, triangles):
    """Where a ray goes through triangles or their edges ahead, each place once, by fractions."""
    found = (oracle.meeting(origin, direction, vertices[each]) for each in triangles)
    return sorted({each.t for each in found if each})


def _apart(rng):
    """Triangles on a lattice of which no two share an edge: all edges are at the border."""
    while True:
        vertices = rng.integers(-2, 3, (9, 3)).astype(float)
        triangles = np.array([rng.choice(9, 3, replace=False) for _ in range(5)])
        if len(edges_of(vertices, triangles)) == 15:
            return vertices, triangles


@each_build
def test_every_ray_hits_exactly_where_fractions_say_so(rng, engine, build):
    """Rays on a lattice at a mesh on a lattice: most go through edges and corners."""
    touched = 0
    for _ in range(20):
        vertices, triangles = _apart(rng)
        mesh = closed(vertices, triangles, engine, build)
        origins = rng.integers(-4, 5, (60, 3)).astype(float)
        directions = rng.integers(-2, 3, (60, 3)).astype(float)
        directions[~directions.any(axis=1)] = (0, 0, 1)
        length = np.linalg.norm(directions, axis=1)
        hits, splits = mesh.cast_rays_all(origins, directions)
        nearest = mesh.cast_rays(origins, directions)
        openly = closed(vertices, triangles, engine, build, "open")
        counts = openly.count_hits(origins, directions)
        for row in range(60):
            places = touches(origins[row], directions[row], vertices, triangles)
            own = hits[splits[row] : splits[row + 1]]
            assert np.unique(np.round(own.distance, 9)).tolist() == pytest.approx(
                [float(t) * length[row] for t in places], abs=1e-8
            )
            assert nearest.hit[row] == bool(places)
            touched += len(own) - counts[row]
            for hit in own:
                point = hit.barycentric @ vertices[triangles[hit.triangle]]
                np.testing.assert_allclose(point, hit.point, atol=1e-12)
    assert touched > 30


@each_build
def test_closed_meshes_have_no_rim(rng, engine, build):
    origins = np.round(rng.normal(size=(80, 3)) * 2) * 2
    directions = np.round(rng.normal(size=(80, 3)) * 2) + (0, 0, 0.5)
    shape = meshes.cube()
    answers = [closed(*shape, engine, build, border) for border in ("open", "closed")]
    hits = [mesh.cast_rays_all(origins, directions) for mesh in answers]
    assert_same_bits(hits[0][0], hits[1][0])


@each_build
def test_filters_count_at_the_rim_too(engine, build):
    mesh = closed(SQUARE, HALVES, engine, build)
    for x in (0.0, 2.0, 4.0):
        ray = (x, 0, 3), (0, 0, -1)
        assert mesh.ray_cast(*ray) is not None
        assert mesh.ray_cast(*ray, cull="back") is not None
        assert mesh.ray_cast(*ray, cull="front") is None
        assert mesh.ray_cast(*ray, exclude=[0, 1]) is None
        assert mesh.ray_cast(*ray, max_distance=2.9) is None
        assert mesh.ray_cast(*ray, min_distance=3.0) is not None
        assert mesh.ray_cast(*ray, min_distance=3.1) is None
        assert mesh.ray_cast(*ray, cull=[True, True]) is not None
        assert mesh.ray_cast(*ray, cull=["front", "front"]) is None
    assert mesh.ray_cast((4, 0, 3), (0, 0, -1), only=[1]) is None


def test_a_scene_hits_the_rim_of_its_instances(engine):
    scene = sc.Scene()
    for offset in (0, 10):
        matrix = np.eye(4)
        matrix[0, 3] = offset
        scene.add(closed(SQUARE, HALVES, engine, True), matrix)
    for _ in range(3):
        hits = scene.cast_rays(grid() + (10, 0, 0), (0, 0, -1))
        assert hits.hit.sum() == 81
        assert (hits.instance[hits.hit] == 1).all()
    assert scene.ray_cast((14, 4, 3), (0, 0, -1)).instance == 1


def test_a_refit_moves_the_rim(engine):
    mesh = closed(SQUARE, HALVES, engine, True)
    mesh.refit(np.array(SQUARE) + (1.0, 0, 0))
    assert mesh.ray_cast((0, 0, 3), (0, 0, -1)) is None
    assert mesh.ray_cast((1, 0, 3), (0, 0, -1)) is not None
    assert mesh.ray_cast((5, 4, 3), (0, 0, -1)) is not None


def test_edges_along_the_ray_and_triangles_without_area_are_no_rim(engine):
    upright = closed([[0, 0, 0], [0, 4, 0], [0, 0, 4]], [[0, 1, 2]], engine, True)
    assert upright.ray_cast((0, 0, 9), (0, 0, -1)) is None
    flat = closed([[0, 0, 0], [1, 1, 0], [2, 2, 0]], [[0, 1, 2]], engine, True)
    assert flat.ray_cast((1, 1, 3), (0, 0, -1)) is None


def test_a_border_is_open_or_closed():
    with pytest.raises(errors.ArgumentError, match='border must be "open" or "closed"'):
        sc.Mesh(SQUARE, HALVES, border="half")
    assert sc.Mesh(SQUARE, HALVES).border == "open"


def _polygons_apart(rng):
    """Polygons in planes of a lattice that share no edge: vertices, corners, sizes."""
    outlines = {
        3: [(0, 0), (3, 0), (0, 3)],
        4: [(0, 0), (2, 0), (3, 2), (0, 2)],
        5: [(0, 0), (2, 0), (3, 1), (2, 3), (0, 2)],
    }
    sizes = rng.choice([3, 4, 5], 4)
    vertices = []
    for number, size in enumerate(sizes):
        flat = np.array(outlines[size])
        level = np.full((size, 1), 10 * number)
        vertices.append(np.hstack([flat, level + flat[:, :1] * rng.integers(0, 2)]))
    return np.concatenate(vertices).astype(float), np.arange(sizes.sum()), sizes


def fan(starts):
    """A split of faces around their first corners."""

    def split(faces):
        return [
            (starts[f], starts[f] + i, starts[f] + i + 1)
            for f in faces
            for i in range(1, starts[f + 1] - starts[f] - 1)
        ]

    return split


def _polygon_mesh(vertices, corners, sizes, engine, state, border="closed"):
    """A mesh of polygons in one state of its life."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    split = None if sizes.max() < 5 else fan(starts)
    mesh = sc.PolygonMesh(vertices, corners, sizes, split, engine, border=border)
    if state == "built":
        mesh.build()
    return mesh


@pytest.mark.parametrize("state", ["new", "built"])
def test_polygons_with_a_closed_border_hit_where_fractions_say_so(rng, engine, state):
    more = 0
    for _ in range(6):
        shape = _polygons_apart(rng)
        vertices = shape[0]
        mesh = _polygon_mesh(*shape, engine, state)
        openly = _polygon_mesh(*shape, engine, state, "open")
        x, y = np.meshgrid(np.arange(-1, 4.5, 0.5), np.arange(-1, 4.5, 0.5))
        origins = np.stack([x, y, np.full_like(x, 50.0)], axis=-1).reshape(-1, 3)
        hits, splits = mesh.cast_rays_all(origins, (0, 0, -1))
        triangles = [mesh.triangle_vertices(i) for i in range(mesh.triangle_count)]
        for row, origin in enumerate(origins):
            places = list(map(float, touches(origin, (0, 0, -1), vertices, triangles)))
            own = hits[splits[row] : splits[row + 1]]
            assert own.distance.tolist() == places
            np.testing.assert_array_equal(own.face, mesh.faces_of(own.triangle))
        alone = [len(mesh.ray_cast_all(origin, (0, 0, -1))) for origin in origins]
        assert alone == np.diff(splits).tolist()
        more += len(hits) - openly.count_hits(origins, (0, 0, -1)).sum()
    assert more > 30


def test_a_closed_border_of_polygons_survives_pickling_threads_and_as_mesh(engine):
    square = sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4, engine=engine, border="closed")
    waiting = sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4, engine=engine, border="closed")
    waiting.build_in_thread().wait()
    expected = ((grid()[..., :2] >= 0) & (grid()[..., :2] <= 4)).all(axis=-1)
    again = pickle.loads(pickle.dumps(square))
    scene = sc.Scene()
    scene.add(again)
    for caster in (square, again, square.as_mesh(), waiting, scene):
        np.testing.assert_array_equal(caster.any_hit(grid(), (0, 0, -1)), expected)
        np.testing.assert_array_equal(caster.count_hits(grid(), (0, 0, -1)), expected)
        assert caster.ray_cast((4, 4, 3), (0, 0, -1)).distance == 3
    assert pickle.loads(pickle.dumps(square)).border == square.as_mesh().border == "closed"
    with pytest.raises(errors.ArgumentError, match='border must be "open" or "closed"'):
        sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4, border=True)
