# SPDX-License-Identifier: GPL-3.0-or-later
"""All places that are as near as the nearest one."""

from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes, oracle
from .nearest_places import assert_same_bits, built, exactly_nearest

BOTH_WAYS = pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])


def assert_tied(mesh, points, tolerance):
    """All triangles at the least distance are there, and none whose square is more, but for this.

    How many points have several is returned.
    """
    vertices, triangles = mesh.vertices, mesh.triangles
    places, splits = mesh.closest_point_all(points)
    assert_same_bits(places.take(splits[:-1]), mesh.closest_point(points))
    corners = oracle.exact(vertices[triangles])
    for row, point in enumerate(oracle.exact(points)):
        own = places.take(slice(*splits[row : row + 2]))
        squares = [exactly_nearest(point, *triangle)[0] for triangle in corners]
        least = min(squares)
        tied = [i for i, square in enumerate(squares) if square == least]
        near = [i for i, square in enumerate(squares) if square <= least * (1 + tolerance)]
        assert set(tied) <= set(own.triangle) <= set(near)
        assert (np.diff(own.triangle) > 0).all()
        assert (own.distance == own.distance[0]).all()
        on = np.einsum("nk,nkx->nx", own.barycentric, vertices[triangles[own.triangle]])
        np.testing.assert_allclose(on, own.point, atol=1e-12)
    return (np.diff(splits) > 1).sum()


@BOTH_WAYS
def test_ties_on_a_lattice_are_exactly_the_triangles_at_the_least_distance(rng, make, engine):
    """There distances are the same, or differ by more than the digits that are compared."""
    tied = 0
    for _ in range(8):
        vertices = rng.integers(-3, 4, (9, 3)).astype(float)
        mesh = make(vertices, rng.integers(0, 9, (14, 3)), engine=engine)
        tied += assert_tied(mesh, rng.integers(-8, 9, (20, 3)) / 2.0, 0)
    assert tied > 30


@BOTH_WAYS
def test_ties_are_the_triangles_whose_distances_differ_by_less_than_2_to_the_minus_81(
    rng, make, engine
):
    for shape in (meshes.cube(), meshes.icosphere(1), meshes.soup(rng, 40)):
        some = shape[0][rng.integers(0, len(shape[0]), 8)]
        points = np.concatenate([some, some * 1.5, rng.normal(size=(8, 3)), [[0, 0, 0]]])
        assert_tied(make(*shape, engine=engine), points, Fraction(1, 2**80))


def test_what_is_further_by_less_than_float64_tells_is_no_tie(engine):
    """From (0, 0, 2**-60) the planes z = 1 and z = -1 are as far away, but for 2**-59."""
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    corners = np.array([(-9, -9), (9, -9), (0, 9)])
    vertices = np.concatenate([np.insert(corners, 2, height, axis=1) for height in (1, -1)])
    mesh = built(vertices, triangles, engine=engine)
    places, splits = mesh.closest_point_all([(0, 0, 0), (0, 0, 2.0**-60), (0, 0, -(2.0**-60))])
    assert splits.tolist() == [0, 2, 3, 4]
    assert places.triangle.tolist() == [0, 1, 0, 1]
    assert (places.distance == 1).all()


def test_corners_of_a_cube_have_all_triangles_around_them():
    vertices, triangles = meshes.cube()
    _, splits = sc.Mesh(vertices, triangles).closest_point_all(vertices * 2.0)
    around = [(triangles == vertex).any(axis=1).sum() for vertex in range(8)]
    assert np.diff(splits).tolist() == around


def test_the_middle_of_a_sphere_of_planes_is_as_near_to_all_of_them():
    vertices, triangles = meshes.cube()
    places, splits = built(vertices, triangles).closest_point_all((0, 0, 0))
    assert splits.tolist() == [0, 12]
    assert places.triangle.tolist() == list(range(12))


def test_where_float64_is_left_the_nearest_place_is_still_among_the_ties(engine):
    """Beyond 2**1022 bounds hold no longer, and no tree has the triangle."""
    vertices, triangles = [[0, 0, 0], [1.7e308] * 3, [-1.7e308, 0, 0]], [[0, 1, 2]]
    points = [(0, 0, 1), (0.5, 0, 1)]
    for mesh in (sc.Mesh(vertices, triangles, engine=engine), built(vertices, triangles)):
        nearest = mesh.closest_point(points)
        assert nearest.hit.all()
        places, splits = mesh.closest_point_all(points)
        assert splits.tolist() == [0, 1, 2]
        assert_same_bits(places, nearest)


def test_filters_points_that_are_none_and_meshes_of_nothing():
    mesh = built(*meshes.cube())
    places, splits = mesh.closest_point_all([(0, 0, 0), (np.nan, 0, 0), (5, 0, 0)], 2, exclude=[0])
    assert splits.tolist() == [0, 11, 11, 11]
    assert 0 not in places.triangle
    assert mesh.closest_point_all((0, 0, 0), only={3})[0].triangle.tolist() == [3]
    places, splits = sc.Mesh(np.empty((0, 3)), []).closest_point_all([(0, 0, 0)])
    assert (len(places), splits.tolist()) == (0, [0, 0])


def test_polygons_have_their_faces():
    square = sc.PolygonMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [0, 1, 2, 3], 4)
    places, splits = square.closest_point_all([(0.5, 0.5, 1)])
    assert (places.triangle.tolist(), places.face.tolist(), splits.tolist()) == (
        [0, 1],
        [0, 0],
        [0, 2],
    )
    near = square.closest_point([(0.5, 0.1, 1), (9, 9, 9)], [2, 1])
    assert (near.face.tolist(), near.hit.tolist()) == ([0, -1], [True, False])
