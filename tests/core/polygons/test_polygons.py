# SPDX-License-Identifier: GPL-3.0-or-later
"""The fingerprint of what faces connect, and the corners of faces.

Normals of vertices, against a sum over all faces written out in plain loops.
"""

import hashlib
import math
import struct

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes


def mesh(faces, count=9, kind=np.float64):
    """A mesh of polygons over points on a line, which are no matter here."""
    vertices = np.zeros((count, 3), kind)
    corners = [vertex for face in faces for vertex in face]
    sizes = [len(face) for face in faces]
    return sc.PolygonMesh(vertices, corners, sizes, split=lambda _: np.empty((0, 3), np.int32))


FACES = [(0, 1, 2, 3), (3, 2, 4), (4, 5, 6, 7, 8)]


def test_positions_do_not_matter():
    moved = sc.PolygonMesh(np.arange(12.0).reshape(4, 3), [0, 1, 2, 3], 4)
    assert moved.topology == mesh([(0, 1, 2, 3)], 4).topology
    assert mesh(FACES, kind=np.float32).topology == mesh(FACES).topology


def test_one_number_for_all_sizes_is_the_same_as_a_list_of_them():
    corners = [0, 1, 2, 1, 3, 2]
    listed = sc.PolygonMesh(np.zeros((4, 3)), corners, [3, 3])
    assert sc.PolygonMesh(np.zeros((4, 3)), corners, 3).topology == listed.topology


@pytest.mark.parametrize(
    ("changed", "count"),
    [
        ([(0, 1, 2, 3), (3, 2, 4), (4, 5, 6, 8, 7)], 9),
        ([(1, 2, 3, 0), (3, 2, 4), (4, 5, 6, 7, 8)], 9),
        ([(3, 2, 1, 0), (3, 2, 4), (4, 5, 6, 7, 8)], 9),
        ([(3, 2, 4), (0, 1, 2, 3), (4, 5, 6, 7, 8)], 9),
        ([(0, 1, 2), (3, 3, 2, 4), (4, 5, 6, 7, 8)], 9),
        ([(0, 1, 2, 3), (3, 2, 4)], 9),
        (FACES, 10),
    ],
    ids=["vertex", "first corner", "flipped", "order", "sizes", "removed", "loose vertex"],
)
def test_any_other_connection_is_told(changed, count):
    assert mesh(changed, count).topology != mesh(FACES).topology


def test_files_of_other_machines_and_programs_can_have_the_same_digits():
    """The bytes are little-endian: numbers of vertices and faces, sizes, and corners."""
    sizes, corners = (4, 3, 5), (0, 1, 2, 3, 3, 2, 4, 4, 5, 6, 7, 8)
    data = struct.pack("<2q3i12i", 9, 3, *sizes, *corners)
    assert mesh(FACES).topology == hashlib.blake2b(data, digest_size=16).hexdigest()


def test_faces_know_their_first_corners_and_how_many_there_are():
    first, sizes = mesh(FACES).face_corners([2, 0, 1])
    assert (first.tolist(), sizes.tolist()) == ([7, 0, 4], [5, 4, 3])


def test_faces_that_are_not_there_are_refused():
    with pytest.raises(sc.errors.IndexRangeError, match="faces"):
        mesh(FACES).face_corners([3])


def written_out(vertices, faces, vertex):
    """Angle-weighted mean of the face normals around a vertex, corner by corner."""
    total = np.zeros(3)
    for face in faces:
        points = vertices[list(face)]
        area = sum(np.cross(points[i], points[(i + 1) % len(face)]) for i in range(len(face)))
        length = np.linalg.norm(area)
        for i, corner in enumerate(face):
            if corner != vertex or not length > 0:
                continue
            there = points[(i + 1) % len(face)] - points[i]
            back = points[i - 1] - points[i]
            cosine = there @ back / (np.linalg.norm(there) * np.linalg.norm(back))
            total += math.acos(min(max(cosine, -1.0), 1.0)) * area / length
    return total / np.linalg.norm(total)


def cube():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, faces


def as_polygons(vertices, faces, **options):
    sizes = np.array([len(face) for face in faces])
    return sc.PolygonMesh(vertices, np.concatenate(faces), sizes, **options)


def test_the_corners_of_a_cube_look_outward():
    vertices, faces = cube()
    mesh = as_polygons(vertices, faces)
    expected = (vertices - 0.5) / math.sqrt(0.75)
    np.testing.assert_allclose(mesh.vertex_normals(np.arange(8)), expected, atol=1e-15)


@pytest.mark.parametrize("built", [False, True], ids=["scan", "tree"])
def test_faces_of_all_sizes_count_by_their_angles(rng, built):
    vertices, faces = cube()
    vertices += rng.uniform(-0.2, 0.2, vertices.shape)
    faces = [*faces[1:], (0, 1, 2), (1, 3, 2)]
    mesh = as_polygons(vertices, faces)
    if built:
        mesh.build()
    normals = mesh.vertex_normals(np.arange(8))
    for vertex, normal in enumerate(normals):
        np.testing.assert_allclose(normal, written_out(vertices, faces, vertex), atol=1e-12)


def test_scan_and_tree_agree_on_a_large_mesh(rng):
    vertices, triangles = meshes.icosphere(5)
    vertices = vertices * rng.uniform(0.99, 1.01, (len(vertices), 1))
    mesh = sc.PolygonMesh(vertices.astype(np.float32), triangles.ravel(), 3)
    asked = rng.integers(len(vertices), size=50)
    scanned = mesh.vertex_normals(asked)
    mesh.build()
    np.testing.assert_allclose(mesh.vertex_normals(asked), scanned, atol=1e-15)


def test_a_vertex_without_faces_has_none():
    mesh = sc.PolygonMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]], [0, 1, 2], 3)
    normals = mesh.vertex_normals(np.array([3, 0]))
    assert np.isnan(normals[0]).all()
    np.testing.assert_array_equal(normals[1], (0, 0, 1))


def test_faces_without_area_and_vertices_that_are_not_finite_add_nothing():
    vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [np.nan, 0, 0], [2, 0, 0]]
    mesh = sc.PolygonMesh(vertices, [0, 1, 2, 0, 1, 3, 0, 1, 4], 3)
    np.testing.assert_array_equal(mesh.vertex_normals(np.array([0])), [(0, 0, 1)])
