# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of files, beside what trimesh and meshio read; whatever a file holds, it ends well."""

import struct
import sys
import tracemalloc
import zipfile
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.files import meshes

from .files.gltf_files import of_mesh
from .files.ply_files import FORMATS, ply
from .meshes import icosphere, torus
from .peers import peer
from .tables.test_hostile_tables import mutant

ROWS = [[0, 1, 2, 3], [0, 1, 4], [4, 3, 2, 1, 0]]


def test_saved_meshes_are_read_with_their_trees(tmp_path):
    mesh = sc.Mesh(*icosphere(1))
    mesh.build()
    mesh.save(tmp_path / "a.NPZ")
    assert sc.load_mesh(tmp_path / "a.NPZ").tree is not None


def test_options_are_those_of_the_mesh(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = sc.load_mesh(tmp_path / "a.obj", "numpy", "never", threads=1, border="closed")
    assert (mesh.wanted_engine, mesh.border) == ("numpy", "closed")
    with pytest.raises(errors.ArgumentError, match="threads"):
        sc.load_mesh(tmp_path / "a.obj", threads=0)


@pytest.mark.parametrize("name", ["a.obj", "a.ply", "a.npz", "a.stl", "a"])
def test_a_file_that_is_not_there_is_named(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=name):
        sc.load_mesh(tmp_path / name)


def test_a_format_that_nothing_reads_is_told(tmp_path, monkeypatch):
    (tmp_path / "a.vtk").write_text("")
    for name in ("trimesh", "meshio"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(errors.MissingPackageError, match=r"'\.vtk' need trimesh or meshio"):
        sc.load_mesh(tmp_path / "a.vtk")


def test_a_format_that_no_package_knows_is_told(tmp_path):
    peer("trimesh")
    (tmp_path / "a.xyzw").write_text("")
    with pytest.raises(errors.MissingPackageError, match=r"trimesh.*'\.xyzw'"):
        sc.load_mesh(tmp_path / "a.xyzw")


@pytest.mark.parametrize(
    ("there", "text"),
    [
        ((True, True), "neither trimesh nor meshio reads mesh files of '.txt'"),
        ((True, False), "trimesh reads no mesh files of '.txt', and meshio is not installed"),
        ((False, True), "meshio reads no mesh files of '.txt', and trimesh is not installed"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(tmp_path, monkeypatch, there, text):
    (tmp_path / "a.txt").write_text("")
    trimesh = SimpleNamespace(available_formats=lambda: {"stl"})
    meshio = SimpleNamespace(extension_to_filetypes={})
    for name, package, is_there in zip(
        ("trimesh", "meshio"), (trimesh, meshio), there, strict=True
    ):
        monkeypatch.setitem(sys.modules, name, package if is_there else None)
    with pytest.raises(errors.MissingPackageError) as raised:
        sc.load_mesh(tmp_path / "a.txt")
    assert str(raised.value) == text


def test_faces_of_a_kind_that_is_not_read_are_not_lost(tmp_path, monkeypatch):
    (tmp_path / "a.vtk").write_text("")
    cells = [("line", 1, [[0, 1]]), ("triangle", 2, [[0, 1, 2]]), ("tetra", 3, [[0, 1, 2, 3]])]
    blocks = [SimpleNamespace(type=t, dim=d, data=np.array(rows)) for t, d, rows in cells]
    read = SimpleNamespace(points=np.eye(4, 3), cells=blocks)
    meshio = SimpleNamespace(extension_to_filetypes={".vtk": ["vtk"]}, read=lambda path: read)
    monkeypatch.setitem(sys.modules, "meshio", meshio)
    assert sc.load_mesh(tmp_path / "a.vtk").triangles.tolist() == [[0, 1, 2]]
    blocks.append(SimpleNamespace(type="triangle6", dim=2, data=np.arange(6)[None]))
    with pytest.raises(errors.MeshFileError, match="'triangle6', which are not read"):
        sc.load_mesh(tmp_path / "a.vtk")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.obj", {"digits": 17}),
        ("a.ply", {"encoding": "binary"}),
        ("b.ply", {"encoding": "ascii"}),
        ("a.stl", {}),
        ("a.glb", {}),
        ("a.off", {"digits": 17}),
    ],
)
def test_what_trimesh_writes_is_read_as_trimesh_reads_it(tmp_path, rng, name, options):
    trimesh = peer("trimesh")
    vertices, triangles = torus(30, 20)
    moved = (vertices + rng.normal(size=3)).astype(np.float32)  # as such formats keep them
    trimesh.Trimesh(moved, triangles, process=False).export(tmp_path / name, **options)
    mesh, other = sc.load_mesh(tmp_path / name), trimesh.load_mesh(tmp_path / name, process=False)
    places = mesh.vertices[mesh.triangles].astype(np.float32)
    assert np.array_equal(places, other.triangles.astype(np.float32))
    assert len(mesh.vertices) == len(vertices)
    assert mesh.triangles.tolist() == triangles.tolist() or name == "a.stl"


def test_the_meshes_of_a_scene_are_one(tmp_path):
    trimesh = peer("trimesh")
    scene = trimesh.Scene()
    for place in (0.0, 5.0):
        moved = trimesh.transformations.translation_matrix([place, 0, 0])
        scene.add_geometry(trimesh.creation.box(), transform=moved)
    scene.export(tmp_path / "a.glb")
    mesh = sc.load_mesh(tmp_path / "a.glb")
    assert len(mesh.triangles) == 24
    assert [corner.tolist() for corner in mesh.bounds] == [[-0.5] * 3, [5.5, 0.5, 0.5]]


def test_a_matrix_that_is_nearly_rigid_places_a_mesh_as_it_says(tmp_path):
    trimesh = peer("trimesh")
    points = [[128.0, 0.0, 4.0], [160.0, 0.0, 0.0], [128.0, 64.0, 0.0]]
    matrix = np.diag([1, 1 - 2.0**-19, 1, 1])
    scene = trimesh.Scene()
    scene.graph.repair_rigid = None
    scene.add_geometry(trimesh.Trimesh(points, [[0, 1, 2]], process=False), transform=matrix)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:  # which is left to trimesh
        file.writestr("a.glb", scene.export(file_type="glb"))
    mesh = sc.load_mesh(tmp_path / "a.zip")
    assert np.array_equal(mesh.vertices, points @ matrix[:3, :3])


def test_meshio_reads_what_trimesh_does_not(tmp_path):
    meshio = peer("meshio")
    points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 2.0]]
    cells = [("triangle", [[0, 1, 4]]), ("quad", [[0, 1, 2, 3]]), ("line", [[0, 1]])]
    meshio.Mesh(points, cells).write(tmp_path / "a.vtk")
    mesh = sc.load_mesh(tmp_path / "a.vtk")
    assert mesh.vertices.tolist() == points
    assert mesh.triangles.tolist() == [[0, 1, 4], [0, 1, 2], [0, 2, 3]]
    assert mesh.faces.tolist() == [0, 1, 1]


def test_faces_that_another_package_does_not_find_are_not_denied(tmp_path):
    meshio = peer("meshio")
    meshio.Mesh(np.eye(4, 3), [("tetra", [[0, 1, 2, 3]])]).write(tmp_path / "a.vtk")
    with pytest.raises(errors.MeshFileError, match=r"^meshio finds no faces in the file$"):
        sc.load_mesh(tmp_path / "a.vtk")


@pytest.mark.parametrize("tag", [b"<instance_controller url='#a'>", b"<c:instance_controller/>"])
def test_a_collada_file_with_skins_which_trimesh_leaves_out_is_refused(tmp_path, tag):
    (tmp_path / "a.DAE").write_bytes(b"<COLLADA><instance_geometry url='#b'/>" + tag)
    with pytest.raises(errors.MeshFileError, match="meshes with skins, which trimesh leaves out"):
        meshes._by_trimesh(str(tmp_path / "a.DAE"))


@pytest.mark.parametrize("name", ["a.vtk", "a.vtu"])
def test_what_another_package_cannot_read_is_told(tmp_path, name):
    peer("trimesh"), peer("meshio")
    (tmp_path / name).write_bytes(b"\0nothing" * 20)
    with pytest.raises(errors.MeshFileError, match="meshio cannot read the file"):
        sc.load_mesh(tmp_path / name)


def _obj():
    points = "".join(f"v {i} {i * i % 7} {-i}.5 0.1 0.2 0.3\n" for i in range(5))
    faces = "".join(f"f {' '.join(f'{i + 1}/{i + 1}/1' for i in row)}\n" for row in ROWS)
    return f"# comment\no Thing\n{points}vn 0 0 1\n{faces}f -1 -2 \\\n -3\n".encode()


def _ply(kind):
    points = [[i, float(i * i % 7), 200 - i] for i in range(5)]
    rows = [[row, i] for i, row in enumerate(ROWS)]
    faces = [("uchar", "int", "vertex_indices"), ("short", "id")]
    xyz = [("float", "x"), ("double", "y"), ("uchar", "z")]
    return ply(kind, [("vertex", xyz, points), ("face", faces, rows)])


def _off():
    points = "".join(f"{i} {i * i % 7} {-i}.5 0.1 0.2 0.3\n" for i in range(5))
    faces = "".join(f"{len(row)} {' '.join(map(str, row))} 255 0 9\n" for row in ROWS)
    return f"COFF # comment\n5 3 0\n{points}{faces}".encode()


def _gltf():
    def primitives(document):
        points = [(i, i * i % 7, -i) for i in range(5)]
        sparse = document.sparse([1], [(5, 0, 1)])
        made = {"attributes": {"POSITION": document.array(points, sparse=sparse)}}
        return [
            {**made, "indices": document.array([0, 1, 2, 3, 4, 1], "B"), "mode": m} for m in (4, 5)
        ]

    nodes = [{"mesh": 0, "scale": [1, 2, -1]}, {"translation": [1, 2, 3]}]
    return of_mesh(primitives, nodes)


_SOLID = """solid a b
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1.5 0 0
  vertex 0 1 -2e-1
 endloop
endfacet
"""

ORIGINALS = {
    ".obj": (7, _obj()),
    **{f".{kind}.ply": (6, _ply(kind)) for kind in FORMATS},
    ".off": (6, _off()),
    ".stl": (3, struct.pack("<80sI", b"solid", 3) + bytes(range(150))),
    ".text.stl": (2, f"{_SOLID}endsolid\n{_SOLID}endsolid a b\n".encode()),
    ".gltf": (6, _gltf().text()),
    ".glb": (6, _gltf().binary()),
}
"""Files of as many triangles."""


@pytest.mark.parametrize("ending", ORIGINALS)
def test_mutants_end_in_a_mesh_or_a_named_error(tmp_path, rng, ending):
    (triangles, original), ends = ORIGINALS[ending], Counter()
    path = tmp_path / f"mutant{ending}"
    path.write_bytes(original)
    assert len(sc.load_mesh(path).triangles) == triangles
    for _ in range(200):
        path.write_bytes(mutant(rng, original))
        tracemalloc.start()
        try:
            mesh = sc.load_mesh(path, "numpy")
            mesh.ray_cast((0, 0, 9), (0, 0, -1))
            ends["read"] += 1
        except errors.MeshFileError as error:
            ends["refused" if str(error) else "refused for no reason"] += 1
        assert tracemalloc.get_traced_memory()[1] < 1e6
        tracemalloc.stop()
    assert set(ends) == {"read", "refused"}
