# SPDX-License-Identifier: GPL-3.0-or-later
"""All places that are as near as the nearest one."""

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes
from .nearest_places import assert_same_bits, built


def alone(vertices, triangles, points):
    """Distances (N, T) from each of the triangles by itself."""
    each = [sc.Mesh(vertices, [triangle]).closest_point(points).distance for triangle in triangles]
    return np.stack(each, axis=1)


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
def test_ties_are_the_triangles_that_are_as_near_by_themselves(rng, make, engine):
    tied = 0
    for vertices, triangles in (meshes.cube(), meshes.icosphere(1), meshes.soup(rng, 40)):
        points = np.concatenate([vertices, vertices * 1.5, rng.normal(size=(30, 3)), [[0, 0, 0]]])
        mesh = make(vertices, triangles, engine=engine)
        places, splits = mesh.closest_point_all(points)
        nearest, each = mesh.closest_point(points), alone(vertices, triangles, points)
        assert_same_bits(places.take(splits[:-1]), nearest)
        for row in range(len(points)):
            own = places.take(slice(*splits[row : row + 2]))
            assert (own.distance == nearest.distance[row]).all()
            assert set(own.triangle) <= set(np.flatnonzero(each[row] == each[row].min()))
            assert (np.diff(own.triangle) > 0).all()
            corners = vertices[triangles[own.triangle]]
            on = np.einsum("nk,nkx->nx", own.barycentric, corners)
            np.testing.assert_allclose(on, own.point, atol=1e-12)
        tied += (np.diff(splits) > 1).sum()
    assert tied > 30


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
