# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside or outside is decided exactly, and told only of meshes that have an inside."""

import json
import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes, oracle
from ..meshes import placement, rotation
from .nearest_places import built

each_way = pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])


def soup_of(vertices, triangles):
    corners = np.asarray(vertices, float)[np.asarray(triangles)].reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)


def are_in_hull(points, vertices, triangles):
    """Whether points are behind all planes of a convex mesh, 1, on one, 0, or outside, -1."""
    whole, _ = oracle.whole_numbers([*points, *vertices])
    whole = np.array(whole, dtype=object)
    p, corners = whole[: len(points)], whole[len(points) :][triangles]
    a, b, c = corners.transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    heights = p @ normals.T - (normals * a).sum(axis=1)
    return np.array([-oracle.sign(max(row)) for row in heights])


@each_way
def test_what_is_in_a_convex_mesh_is_told_as_by_its_planes(rng, make, engine):
    vertices, triangles = meshes.icosphere(1)
    mesh = make(vertices, triangles, engine=engine)
    weights = rng.dirichlet((1, 1, 1), len(triangles))[:, :, None]
    near = (vertices[triangles] * weights).sum(axis=1)
    points = np.concatenate(
        [rng.normal(size=(150, 3)), near * (1 - 1e-15), near * (1 + 1e-15), near]
    )
    exact = are_in_hull(points, vertices, triangles)
    sure = exact != 0
    np.testing.assert_array_equal(mesh.contains(points)[sure], (exact > 0)[sure])
    assert min((exact > 0).sum(), (exact < 0).sum()) > 50


def tetrahedra(rng, shape):
    """Closed meshes that fill a box of a lattice without a gap, five tetrahedra a cell."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    cells = [(0, 3, 5, 6), (1, 0, 3, 5), (2, 0, 6, 3), (4, 0, 5, 6), (7, 3, 6, 5)]
    for cell in np.ndindex(*shape):
        flip = np.array(cell) % 2
        for four in cells:
            vertices = (corners[list(four)] ^ flip) + np.array(cell)
            faces = np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)])
            yield vertices.astype(float), faces


def test_of_meshes_that_fill_space_exactly_one_contains_each_point(rng, engine):
    """Also points on the walls, the edges and the corners between them."""
    points = rng.integers(1, 12, (300, 3)) / 4.0
    points = points[((points > 0) & (points < 3)).all(axis=1)]
    inside = sum(
        built(*shape, engine=engine).contains(points).astype(int)
        for shape in tetrahedra(rng, (3, 3, 3))
    )
    assert (inside == 1).all()
    assert len(points) > 100


@each_way
def test_the_shape_of_the_points_is_kept(make):
    mesh = make(*meshes.cube())
    assert mesh.contains((0, 0, 0)) is True
    assert mesh.contains((2, 0, 0)) is False
    assert mesh.contains([]).tolist() == []
    assert mesh.contains(np.zeros((2, 3, 3))).tolist() == [[True] * 3] * 2
    assert mesh.signed_distance((0, 0, 0.75)) == -0.25
    assert mesh.signed_distance(np.full((2, 1, 3), 0.0)).tolist() == [[-1], [-1]]
    assert mesh.signed_distance([[0, 0, 3]]).tolist() == [2]


@each_way
def test_a_point_that_is_none_is_not_inside_and_has_no_distance(make):
    mesh = make(*meshes.cube())
    points = [(0, 0, 0), (np.nan, 0, 0), (0, np.inf, 0)]
    assert mesh.contains(points).tolist() == [True, False, False]
    assert mesh.signed_distance(points)[0] == -1
    assert np.isnan(mesh.signed_distance(points)[1:]).all()


@each_way
def test_signed_distances_are_those_of_the_closest_points_with_the_sign_of_inside(
    rng, make, engine
):
    for vertices, triangles in (meshes.torus(16, 12), soup_of(*meshes.torus(16, 12))):
        mesh = make(vertices, triangles, engine=engine)
        points = np.concatenate([rng.normal(size=(200, 3)), vertices[::9], vertices[::9] * 0.99])
        signed = mesh.signed_distance(points)
        np.testing.assert_array_equal(np.abs(signed), mesh.closest_point(points).distance)
        inside = mesh.contains(points)
        assert (signed[inside] <= 0).all()
        assert (signed[~inside] >= 0).all()
        ring = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1, points[:, 2])
        clear = (np.abs(ring - 0.4) > 0.05) | (ring < 0.3)
        np.testing.assert_array_equal(inside[clear], (ring < 0.4)[clear])


def test_nothing_is_inside_an_open_mesh_and_it_says_so():
    vertices, triangles = meshes.cube()
    for mesh in (sc.Mesh(vertices, triangles[1:]), built(vertices, triangles[1:])):
        for ask in (mesh.contains, mesh.signed_distance):
            with pytest.raises(errors.OpenMeshError, match=r"open.* 3 edges of its triangles"):
                ask((0, 0, 0))
    scene, whole = sc.Scene(), sc.Mesh(vertices, triangles)
    scene.add_many([whole, sc.Mesh(vertices, triangles[1:]), whole], [np.eye(4)] * 3)
    with pytest.raises(errors.OpenMeshError, match=r"^instance 1: the mesh is open.* 3 edges"):
        scene.contains((0, 0, 0))
    scene.replace(1, name="lid")
    with pytest.raises(errors.OpenMeshError, match=r"^instance 1 \('lid'\): the mesh is open"):
        scene.signed_distance((0, 0, 0))
    scene.remove(1)
    assert scene.contains((0, 0, 0))


def test_polygons_contain_what_their_triangles_do(rng):
    vertices = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    box = sc.PolygonMesh(vertices, faces, 4)
    points = rng.uniform(-0.5, 1.5, (200, 3))
    inside = ((points > 0) & (points < 1)).all(axis=1)
    np.testing.assert_array_equal(box.contains(points), inside)
    assert (box.signed_distance(points) < 0).tolist() == inside.tolist()


def test_a_scene_contains_what_one_of_its_instances_does(rng, engine):
    """Overlapping instances do not cancel each other."""
    scene = sc.Scene()
    mesh = built(*meshes.cube(), engine=engine)
    matrices = [placement(rotation(rng) * 0.7, rng.normal(size=3) * 0.5) for _ in range(6)]
    scene.add_many(mesh, matrices)
    points = rng.normal(size=(400, 3))
    local = [
        np.linalg.inv(m) @ np.concatenate([points, np.ones((400, 1))], axis=1).T for m in matrices
    ]
    depth = np.array([np.abs(own[:3]).max(axis=0) for own in local])
    clear = (np.abs(depth - 1) > 1e-9).all(axis=0)
    inside = (depth < 1).any(axis=0)
    np.testing.assert_array_equal(scene.contains(points)[clear], inside[clear])
    assert (depth < 1).sum(axis=0).max() > 1
    signed = scene.signed_distance(points)
    assert (np.sign(signed) == np.where(inside, -1, 1))[clear].all()


@each_way
def test_up_to_half_of_float64s_range_answers_are_those_of_a_smaller_mesh(rng, make, engine):
    vertices, triangles = meshes.icosphere(2)
    points = np.concatenate([rng.uniform(-1, 1, (200, 3)), vertices])
    most = 2.0**1022
    small, large = (make(vertices * size, triangles, engine=engine) for size in (1.0, most))
    one, other = small.closest_point(points), large.closest_point(points * most)
    np.testing.assert_array_equal(one.triangle, other.triangle)
    np.testing.assert_array_equal(one.distance * most, other.distance)
    np.testing.assert_array_equal(one.point * most, other.point)
    inside = small.contains(points)
    assert 30 < inside.sum() < len(points)
    np.testing.assert_array_equal(inside, large.contains(points * most))
    (some, _), (others, _) = (
        mesh.closest_point_all(vertices * size) for mesh, size in ((small, 1.0), (large, most))
    )
    np.testing.assert_array_equal(some.triangle, others.triangle)


def test_a_point_by_itself_is_a_record_and_where_there_is_none_it_is_said_why():
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], [7])
    points = [(0.25, 0.25, 2), (0, 0, 9), (np.nan, 0, 0), (0, 0, 0)]
    near = mesh.closest_point(points, max_distance=[5, 5, 5, -1])
    assert (near[0].triangle, near[0].face, near[0].distance) == (0, 7, 2.0)
    assert json.loads(json.dumps(near[0].as_dict()))["barycentric"] == [0.5, 0.25, 0.25]
    assert near[0] == mesh.closest_point(points[0])[()] != near[1:2]
    assert near[1] is near[2] is near[3] is None
    assert near.invalid.tolist() == [False, False, True, True]
    assert [near.reason(row) for row in range(4)] == [
        None,
        "nothing is near enough",
        "the point is not finite",
        "the point's max_distance is not 0 or more",
    ]
    assert pickle.loads(pickle.dumps(near)) == near != near.take([0, 1, 1, 3])
    with pytest.raises(TypeError, match="unhashable"):
        hash(near[0])
