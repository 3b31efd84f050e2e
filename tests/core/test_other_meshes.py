# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of other libraries, corners alone, and arrays that only DLPack reads make a mesh."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes
from .peers import peer

VERTICES, TRIANGLES = meshes.icosphere(1)


class Tensor:
    """An array that is read by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnTheCard(Tensor):
    def __dlpack__(self, **options):
        raise BufferError("it is on a card: copy it first")


OTHERS = {
    "vertices and faces": SimpleNamespace(vertices=VERTICES, faces=TRIANGLES),
    "vertices and triangles": SimpleNamespace(vertices=VERTICES, triangles=TRIANGLES),
    "points and regular faces": SimpleNamespace(points=VERTICES, regular_faces=TRIANGLES),
    "columns of tensors": SimpleNamespace(
        vertex=SimpleNamespace(positions=Tensor(VERTICES)),
        triangle=SimpleNamespace(indices=Tensor(TRIANGLES)),
    ),
}


@pytest.mark.parametrize("form", OTHERS)
def test_a_mesh_is_read_by_its_attributes(form):
    mesh = sc.Mesh(OTHERS[form])
    np.testing.assert_array_equal(mesh.vertices, VERTICES)
    np.testing.assert_array_equal(mesh.triangles, TRIANGLES)


def test_options_stand_beside_it():
    other = SimpleNamespace(vertices=VERTICES, faces=TRIANGLES)
    faces = np.arange(len(TRIANGLES))[::-1]
    mesh = sc.Mesh(other, faces=faces, border="closed")
    assert (mesh.border, mesh.faces.tolist()) == ("closed", faces.tolist())


def test_a_mesh_of_trimesh_is_taken_and_a_scene_of_it_refused():
    trimesh = peer("trimesh")
    box = trimesh.creation.box()
    mesh = sc.Mesh(box)
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles], box.triangles)
    np.testing.assert_array_equal(sc.Mesh(trimesh.primitives.Box()).bounds, box.bounds)
    with pytest.raises(errors.ArgumentError, match="a mesh with vertices and faces"):
        sc.Mesh(trimesh.Scene(box))
    with pytest.raises(errors.ArgumentError, match="a mesh with vertices and faces"):
        sc.Mesh(trimesh.PointCloud(box.vertices))


def test_both_meshes_of_open3d_are_taken():
    o3d = peer("open3d")
    box = o3d.geometry.TriangleMesh.create_box()
    for each in (box, o3d.t.geometry.TriangleMesh.from_legacy(box)):
        mesh = sc.Mesh(each)
        np.testing.assert_array_equal(mesh.vertices, np.asarray(box.vertices))
        np.testing.assert_array_equal(mesh.triangles, np.asarray(box.triangles))


def test_a_mesh_that_fails_when_it_is_read_is_told():
    class Broken:
        faces = TRIANGLES

        @property
        def vertices(self):
            raise RuntimeError("the file is gone")

    with pytest.raises(errors.DtypeError, match=r"a Broken whose vertices.*the file is gone"):
        sc.Mesh(Broken())


def test_corners_alone_are_triangles():
    corners = VERTICES[TRIANGLES]
    mesh = sc.Mesh(corners)
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles], corners)
    assert mesh.is_closed
    assert len(sc.Mesh(np.zeros((0, 3, 3))).triangles) == len(sc.Mesh([]).triangles) == 0


def test_corners_that_are_not_copied_are_the_callers_own():
    corners = VERTICES[TRIANGLES]
    assert np.shares_memory(sc.Mesh(corners, copy=False).vertices, corners)
    assert not np.shares_memory(sc.Mesh(corners).vertices, corners)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (VERTICES, r"corners of shape \(T, 3, 3\), not \(42, 3\): pass triangles"),
        (np.zeros((2, 4, 3)), r"corners of shape \(T, 3, 3\)"),
        (3.0, "corners"),
        ("scan.ply", "not a path: load_mesh reads files"),
        (Path("scan.ply"), "not a path: load_mesh reads files"),
        ([["a"]], "or a mesh with vertices and faces, not text"),
        (None, "or a mesh with vertices and faces, not None"),
        (sc.Mesh(VERTICES, TRIANGLES), "a Mesh: pass its vertices, triangles and faces"),
        (SimpleNamespace(vertices=VERTICES), "not a SimpleNamespace"),
        (SimpleNamespace(vertices=VERTICES, faces=TRIANGLES[:, :2]), "faces have 2 corners: tri"),
        (SimpleNamespace(points=VERTICES, regular_faces=[[0, 1, 2, 3]]), "use PolygonMesh"),
        (SimpleNamespace(vertices=VERTICES, faces=[0, 1, 2]), r"must have shape \(T, 3\)"),
    ],
)
def test_anything_else_without_triangles_is_refused_in_words(given, words):
    with pytest.raises(errors.ArgumentError, match=words):
        sc.Mesh(given)


def test_arrays_that_dlpack_alone_reads_are_taken_everywhere():
    mesh = sc.Mesh(Tensor(VERTICES), Tensor(TRIANGLES))
    plain = sc.Mesh(VERTICES, TRIANGLES)
    origins, way = np.array([[0.1, 0.2, 5.0], [3, 3, 3]]), np.array([0.0, 0, -1])
    assert mesh.cast_rays(Tensor(origins), Tensor(way)) == plain.cast_rays(origins, way)
    assert mesh.closest_point(Tensor(origins)) == plain.closest_point(origins)


def test_an_array_that_cannot_be_read_is_told_with_its_own_words():
    with pytest.raises(errors.DtypeError, match=r"vertices is an OnTheCard.*copy it first"):
        sc.Mesh(OnTheCard(VERTICES), TRIANGLES)
    with pytest.raises(errors.DtypeError, match=r"rays is an OnTheCard.*copy it first"):
        sc.Mesh(VERTICES, TRIANGLES).cast_rays(OnTheCard(np.zeros((1, 6))))
