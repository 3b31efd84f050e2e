# SPDX-License-Identifier: GPL-3.0-or-later
"""The fingerprint of what faces connect, and the corners of faces."""

import hashlib
import struct

import numpy as np
import pytest

import standalone_core as sc


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
