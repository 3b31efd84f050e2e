# SPDX-License-Identifier: GPL-3.0-or-later
"""Places stay where they are on their triangles, whatever shape these take."""

import copy
import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, triangle

from .. import meshes, oracle
from ..numerics.test_point_triangle import exact_normal

EPS = 2.0**-52


def drawn(rng, vertices, triangles, count):
    """Triangles and weights of random places, some at edges, at corners and beside."""
    weights = rng.dirichlet((1, 1, 1), count)
    weights[::5, 0] = 0.0
    weights[::5, 1] = 1.0 - weights[::5, 2]
    weights[::7] = np.eye(3)[rng.integers(0, 3, len(weights[::7]))]
    weights[::11] = (1.25, -0.5, 0.25)
    return rng.integers(0, len(triangles), count), weights


def frames_of(rng, vertices, count):
    """A mesh that is turned and bent in each frame."""
    return np.array([vertices @ meshes.rotation(rng) + rng.normal(size=3) for _ in range(count)])


def test_points_are_the_weighted_sums_of_the_vertices(rng):
    vertices, triangles = meshes.icosphere(2)
    chosen, weights = drawn(rng, vertices, triangles, 100)
    points = sc.Mesh(vertices, triangles).places(chosen, weights).points(vertices)
    for point, row, shares in zip(points, chosen, weights, strict=True):
        total = Fraction(float(shares[1])), Fraction(float(shares[2]))
        exact = (1 - sum(total), *total)
        for axis in range(3):
            corners = (Fraction(float(vertices[v, axis])) for v in triangles[row])
            wanted = sum(x * share for x, share in zip(corners, exact, strict=True))
            assert abs(Fraction(float(point[axis])) - wanted) <= 8 * EPS


def test_answers_are_those_of_interpolate_to_the_last_bit(rng):
    vertices, triangles = meshes.torus(24, 12)
    chosen, weights = drawn(rng, vertices, triangles, 500)
    places = sc.Mesh(vertices, triangles).places(chosen, weights)
    frames, colors = frames_of(rng, vertices, 7), rng.normal(size=(len(vertices), 4))
    colors[3] = np.inf
    corners = triangles[chosen]
    np.testing.assert_array_equal(
        places.points(frames), triangle.interpolate(frames[:, corners], weights)
    )
    np.testing.assert_array_equal(
        places.interpolate(colors), triangle.interpolate(colors[corners], weights)
    )
    np.testing.assert_array_equal(
        places.interpolate(colors[:, 0]), triangle.interpolate(colors[corners, :1], weights)[:, 0]
    )


def test_many_frames_are_answered_as_each_by_itself(rng):
    vertices, triangles = meshes.icosphere(1)
    places = sc.Mesh(vertices, triangles).places(*drawn(rng, vertices, triangles, 2500))
    frames = frames_of(rng, vertices, 9).reshape(3, 3, -1, 3)
    for ask in (places.points, places.normals, places.interpolate):
        together = ask(frames)
        assert together.shape == (3, 3, 2500, 3)
        for i, j in np.ndindex(3, 3):
            np.testing.assert_array_equal(together[i, j], ask(frames[i, j]))


def test_normals_are_those_of_the_triangles(rng):
    vertices, triangles = meshes.torus(12, 8)
    chosen, weights = drawn(rng, vertices, triangles, 60)
    normals = sc.Mesh(vertices, triangles).places(chosen, weights).normals(vertices)
    wanted = [exact_normal(*vertices[triangles[row]]) for row in chosen]
    assert np.abs(normals - wanted).max() <= 3 * EPS


def test_a_triangle_without_area_has_points_and_no_normal():
    vertices = np.array([[0.0, 0, 0], [1, 1, 1], [2, 2, 2], [5, 0, 0]])
    places = sc.Mesh(vertices, [[0, 1, 2], [0, 1, 3]]).places([0, 1], [0.5, 0.25, 0.25])
    assert np.isfinite(places.points(vertices)).all()
    assert np.isnan(places.normals(vertices)).all(axis=1).tolist() == [True, False]


def test_hits_and_closest_points_are_places(rng):
    vertices, triangles = meshes.icosphere(2)
    mesh = sc.Mesh(vertices, triangles)
    origins, targets = 3 * meshes.directions(rng, 60), rng.uniform(-1.5, 1.5, (60, 3))
    hits = mesh.cast_rays(origins.reshape(3, 20, 3), (targets - origins).reshape(3, 20, 3))
    near = mesh.closest_point(rng.normal(size=(50, 3)))
    assert 0 < np.count_nonzero(hits.hit) < 60
    for found in (hits, near):
        places = mesh.places(found.triangle, found.barycentric)
        assert mesh.places(found) == places
        assert places.shape == found.shape
        np.testing.assert_array_equal(places.hit, found.hit)
        np.testing.assert_allclose(places.points(vertices), found.point, rtol=0, atol=8 * EPS)
    hit = hits[hits.hit][0]
    place = mesh.places(hit.triangle, hit.barycentric)
    assert mesh.places(hit) == place
    assert place.shape == ()
    np.testing.assert_allclose(place.points(vertices), hit.point, rtol=0, atol=8 * EPS)
    np.testing.assert_allclose(place.normals(vertices), hit.normal, rtol=0, atol=3 * EPS)


@pytest.mark.parametrize("empty", [False, True], ids=["with vertices", "without vertices"])
def test_a_miss_is_at_no_place(empty):
    vertices, triangles = (np.empty((0, 3)), ()) if empty else (np.eye(3), [[0, 1, 2]])
    mesh = sc.Mesh(vertices, triangles)
    hits = mesh.cast_rays([[9.0, 9, 9]], (0, 0, 1))
    places = mesh.places(hits.triangle, hits.barycentric)
    assert places.hit.tolist() == [False]
    assert places.triangle.tolist() == [-1]
    for answer in (places.points(vertices), places.normals(vertices), places.interpolate(vertices)):
        assert answer.shape == (1, 3)
        assert np.isnan(answer).all()


def test_triangles_without_weights_are_no_places():
    with pytest.raises(errors.ArgumentError, match="weights must stand beside triangles"):
        sc.Mesh(*meshes.icosphere(1)).places([0, 1])


def test_a_row_with_no_triangle_or_no_weights_is_at_no_place():
    mesh = sc.Mesh(np.eye(3), [[0, 1, 2]])
    places = mesh.places([0, -1, 0], [[0.5, 0.5, 0], [0.5, 0.5, 0], [np.nan] * 3])
    assert places.hit.tolist() == [True, False, False]
    assert np.isnan(places.points(np.eye(3))[1:]).all()
    assert np.isnan(places.normals(np.eye(3))[1:]).all()
    assert places == sc.Places([[0, 1, 2], [-1, -1, -1], [0, 1, 2]], places.weights, [0, -1, -1])


def test_an_embedding_is_used_without_a_mesh(rng):
    vertices, faces = meshes.icosphere(2)
    lmk_face_idx = rng.integers(0, len(faces), 51).astype(np.uint32)
    lmk_b_coords = rng.dirichlet((1, 1, 1), 51)
    lmk_b_coords[7] = (1.0, 9.6e-14, -9.6e-14)
    places = sc.Places(faces[lmk_face_idx].astype(np.uint32), lmk_b_coords)
    assert (places.weights == lmk_b_coords).all()
    batch = frames_of(rng, vertices, 5).astype(np.float32)
    points = places.points(batch)
    for frame, row in np.ndindex(5, 51):
        corners = batch[frame, faces[lmk_face_idx[row]]].astype(float)
        by_formula = sum(w * corner for w, corner in zip(lmk_b_coords[row], corners, strict=True))
        assert np.abs(points[frame, row] - by_formula).max() < 1e-14


def test_polygons_have_places_too(rng):
    grid = np.array([[x, y, 0.0] for x in range(4) for y in range(4)])
    corners = [[i, i + 4, i + 5, i + 1] for i in (0, 1, 2, 4, 5, 6, 8, 9, 10)]
    polygons = sc.PolygonMesh(grid, np.ravel(corners), 4)
    chosen, weights = rng.integers(0, 18, 40), rng.dirichlet((1, 1, 1), 40)
    places = polygons.places(chosen, weights)
    for row, vertices in zip(chosen.tolist(), places.vertices, strict=True):
        assert vertices.tolist() == polygons.triangle_vertices(row).tolist()
    assert places == polygons.as_mesh().places(chosen, weights)


def test_one_weighting_serves_all_triangles():
    vertices, triangles = meshes.icosphere(0)
    middles = sc.Mesh(vertices, triangles).places(range(20), [1 / 3, 1 / 3, 1 / 3])
    wanted = vertices[triangles].mean(axis=1)
    np.testing.assert_allclose(middles.points(vertices), wanted, rtol=0, atol=4 * EPS)


def test_places_are_rows_that_nobody_changes(rng):
    vertices, triangles = meshes.icosphere(1)
    chosen, weights = drawn(rng, vertices, triangles, 12)
    mesh = sc.Mesh(vertices, triangles)
    places = mesh.places(chosen, weights)
    weights[0], chosen[0] = 7.0, 1
    assert places.weights[0].sum() == pytest.approx(1.0)
    with pytest.raises(errors.FrozenError):
        places.weights = weights
    with pytest.raises(ValueError, match="read-only"):
        places.weights[0] = 1.0
    table = places.reshape(3, 4)
    assert table.points(vertices).shape == (3, 4, 3)
    assert table[1, 2] == places[6]
    np.testing.assert_array_equal(places[2:5].points(vertices), places.points(vertices)[2:5])
    for twin in (copy.deepcopy(places), pickle.loads(pickle.dumps(places))):
        assert twin == places
        assert not twin.weights.flags.writeable
    structured = places.as_structured()
    assert sc.Places(*(structured[n] for n in ("vertices", "weights", "triangle"))) == places
    assert "(12,)" in repr(places)


def test_nothing_is_at_no_places():
    mesh = sc.Mesh(np.eye(3), [[0, 1, 2]])
    places = mesh.places([], [])
    assert len(places) == 0
    assert places.points(np.eye(3)).shape == (0, 3)
    assert places.points(np.zeros((4, 3, 3))).shape == (4, 0, 3)
    assert mesh.places(0, [1, 0, 0]).points(np.zeros((0, 3, 3))).shape == (0, 3)
    assert mesh.places([0], [[1, 0, 0]]).interpolate(np.zeros((3, 0))).shape == (1, 0)


def test_memory_does_not_grow_with_the_frames(rng):
    vertices, triangles = meshes.icosphere(1)
    places = sc.Mesh(vertices, triangles).places(*drawn(rng, vertices, triangles, 100))
    frames = np.repeat(vertices[None].astype(np.float32), 5000, axis=0)
    for ask in (places.points, places.normals, places.interpolate):
        tracemalloc.start()
        answer = ask(frames)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak - answer.nbytes < 5e6


@pytest.mark.parametrize(
    ("triangle", "weights", "error", "text"),
    [
        (1, (1, 0, 0), errors.IndexRangeError, "triangle has the index 1, but there is 1 triangle"),
        (-2, (1, 0, 0), errors.IndexRangeError, "triangle has the index -2"),
        (0.0, (1, 0, 0), errors.DtypeError, "triangle must be integers"),
        (0, (1, 0, 1), errors.ArgumentError, r"weights must add up to 1, unlike \[1.0, 0.0, 1.0\]"),
        (0, (np.inf, 0, 0), errors.ArgumentError, "weights must add up to 1"),
        (0, (1, 0), errors.ShapeError, r"weights must have shape \(..., 3\)"),
        ([0, 0], np.eye(3), errors.ShapeError, "do not fit each other: .*weights .*triangle"),
        (0, "abc", errors.DtypeError, "weights must be real numbers"),
    ],
)
def test_what_is_no_place_of_a_mesh_is_refused_by_name(triangle, weights, error, text):
    with pytest.raises(error, match=text):
        sc.Mesh(np.eye(3), [[0, 1, 2]]).places(triangle, weights)


@pytest.mark.parametrize(
    ("vertices", "error", "text"),
    [
        ([0, 1], errors.ShapeError, r"vertices must have shape \(..., 3\), not \(2,\)"),
        ([0, -1, 2], errors.IndexRangeError, "vertices must be 0 or more.* not -1"),
        ([-2, -2, -2], errors.IndexRangeError, "vertices must be 0 or more.* not -2"),
        ([0.5, 1, 2], errors.DtypeError, "vertices must be integers"),
    ],
)
def test_vertices_that_are_none_are_refused_by_name(vertices, error, text):
    with pytest.raises(error, match=text):
        sc.Places(vertices, (1, 0, 0))
    with pytest.raises(errors.IndexRangeError, match="triangle must be 0 or more"):
        sc.Places([0, 1, 2], (1, 0, 0), -2)


def test_a_shape_that_does_not_fit_is_refused_by_name():
    places = sc.Places([[0, 1, 7]], [1, 0, 0])
    for ask in (places.points, places.normals):
        with pytest.raises(errors.IndexRangeError, match="vertices must reach up to vertex 7"):
            ask(np.eye(3))
        with pytest.raises(errors.ShapeError, match=r"vertices must have shape \(V, 3\) or"):
            ask(np.zeros((9, 2)))
        with pytest.raises(errors.DtypeError, match="vertices must be real numbers"):
            ask([["a", "b", "c"]])
    with pytest.raises(errors.IndexRangeError, match="values must reach up to vertex 7"):
        places.interpolate(np.zeros(7))
    with pytest.raises(errors.ShapeError, match="values must have shape"):
        places.interpolate(3.0)


def test_places_follow_a_mesh_through_a_refit(rng):
    vertices, triangles = meshes.icosphere(1)
    mesh = sc.Mesh(vertices, triangles)
    places = mesh.places(*drawn(rng, vertices, triangles, 30))
    before = places.points(mesh.vertices)
    mesh.refit(vertices * 2)
    np.testing.assert_array_equal(places.points(mesh.vertices), before * 2)


def test_points_at_vertices_that_are_not_finite_are_not_finite_there_alone():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [np.nan, 0, 0], [np.inf, 0, 0]])
    places = sc.Places(
        [[0, 1, 2], [0, 1, 2], [0, 1, 3]], [[0.5, 0.5, 0], [0.5, 0, 0.5], [0.5, 0, 0.5]]
    )
    np.testing.assert_array_equal(places.points(vertices)[:, 0], [0.5, np.nan, np.inf])
    assert oracle.exact(places.points(vertices)[0, 1]) == 0
