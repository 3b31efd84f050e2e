# SPDX-License-Identifier: GPL-3.0-or-later
import struct

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from ..meshes import torus
from ..peers import peer

TRIANGLES = [[[0, 0, 0], [1, 0, 0], [0, 1, 0.5]], [[1, 0, 0], [-2.5, 1, 7], [0, 1, 0.5]]]


def loaded(tmp_path, content):
    (tmp_path / "a.stl").write_bytes(content.encode() if isinstance(content, str) else content)
    return sc.load_mesh(tmp_path / "a.stl")


def in_bytes(triangles=TRIANGLES, head=b"", count=None):
    rows = [struct.pack("<12fH", 0, 0, 1, *np.ravel(each), 7) for each in triangles]
    size = struct.pack("<I", len(rows) if count is None else count)
    return head.ljust(80, b"\0") + size + b"".join(rows)


def text(name="", normal=" normal 0 0 1", triangles=TRIANGLES):
    lines = [f"solid {name}"]
    for corners in triangles:
        places = [f"    vertex {' '.join(map(repr, corner))}" for corner in corners]
        lines += [f"facet{normal}", " outer loop", *places, " endloop", "endfacet"]
    return "\n".join([*lines, f"endsolid {name}", ""])


def check(mesh, triangles=TRIANGLES):
    assert mesh.vertices[mesh.triangles].tolist() == triangles
    assert mesh.faces is None or mesh.faces.tolist() == list(range(len(triangles)))


def test_corners_of_the_same_bits_are_one_vertex_where_it_first_is(tmp_path):
    for content in (in_bytes(), text()):
        mesh = loaded(tmp_path, content)
        assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0.5], [-2.5, 1, 7]]
        assert mesh.triangles.tolist() == [[0, 1, 2], [1, 3, 2]]
    zeros = [[[0.0, 0, 0], [-0.0, 0, 0], [1, 0, 0]]]
    assert len(loaded(tmp_path, in_bytes(zeros)).vertices) == 3


def test_vertices_are_those_that_a_dictionary_finds(tmp_path, rng):
    points = rng.choice([0.0, -0.0, 1.0, 0.5], (300, 3, 3)).astype(np.float32)
    mesh = loaded(tmp_path, in_bytes(points.tolist()))
    found = dict.fromkeys(point.tobytes() for point in points.astype(float).reshape(-1, 3))
    assert [point.tobytes() for point in mesh.vertices] == list(found)
    assert mesh.vertices[mesh.triangles].tobytes() == points.astype(float).tobytes()


@pytest.mark.parametrize(
    "head", [b"", b"solid ", b"solid a\nfacet normal 0 0 1", b"\xff\xfe", b"# x"]
)
@pytest.mark.parametrize("rest", [b"", b"\n", b"more" * 12, bytes(1000)])
def test_bytes_are_told_by_their_size(tmp_path, head, rest):
    check(loaded(tmp_path, in_bytes(head=head) + rest))


NAMES = ["", "a", "vertex 1 2 3", "my solid part", "endsolid", "facet", "Größe", "名前", "a_b"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "gb18030"])
def test_a_name_is_any_words_of_any_code(tmp_path, name, code):
    check(loaded(tmp_path, text(name).encode(code)))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", " ", "\n\n\t"])
def test_words_stand_on_any_lines(tmp_path, ending):
    check(loaded(tmp_path, text().replace("\n", ending)))


@pytest.mark.parametrize(
    "normal", ["", " normal nan nan nan", " normal -nan(ind) 0 0", " normal", " normal 0 0"]
)
def test_normals_are_passed_over(tmp_path, normal):
    check(loaded(tmp_path, text(normal=normal)))


def test_letters_may_be_capital_and_the_last_line_two_words(tmp_path):
    check(loaded(tmp_path, text("A").upper()))
    check(loaded(tmp_path, text("a").replace("endsolid", "end solid")))
    check(loaded(tmp_path, text("a").rstrip() + "\x1a"))


def test_the_facets_of_all_solids_are_read(tmp_path):
    solids = text("a", triangles=TRIANGLES[:1]) + text("b", triangles=TRIANGLES[1:]) + text("c")
    check(loaded(tmp_path, solids), TRIANGLES * 2)


def test_facets_of_more_corners_are_polygons(tmp_path):
    mesh = loaded(
        tmp_path, text(triangles=[[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], *TRIANGLES])
    )
    assert mesh.faces.tolist() == [0, 0, 1, 2]
    assert mesh.triangles.tolist()[:2] == [[0, 1, 2], [0, 2, 3]]


def test_numbers_are_read_to_the_last_digit(tmp_path, rng):
    triangles = rng.normal(size=(30, 3, 3)) * 10.0 ** rng.integers(-300, 300, (30, 3, 3))
    check(loaded(tmp_path, text(triangles=triangles.tolist())), triangles.tolist())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no STL file, or it is damaged and ends too soon"),
        (b"ply\n" * 40, "no STL file"),
        (in_bytes()[:-1], "ends too soon"),
        (in_bytes(head=b"solid")[:-1], "ends too soon"),
        (in_bytes(count=3), "ends too soon"),
        (in_bytes(count=2**32 - 1), "ends too soon"),
        (in_bytes(count=1), "says that it has 1 triangles, and goes on after"),
        (in_bytes(count=0), "says that it has 0 triangles, and goes on after"),
        (in_bytes([]), "no faces"),
        (text(triangles=[]), "no faces"),
        (text()[: text().rindex("endsolid")], "ends before its solid does"),
        (text()[:150], "ends before its solid does"),
        (text().replace("endloop", "", 1), "words that are no facet"),
        (text().replace("    vertex 1 0 0\n", "", 1), "words that are no facet"),
        (text().replace("1 0 0", "1 0", 1), "words that are no facet"),
        (text().replace("1 0 0", "1 0 x", 1), "words that are no facet"),
        (text().replace("1 0 0", "1 0 1_0", 1), "words that are no facet"),
        (text().replace(" outer loop", "", 1), "words that are no facet"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, content, reason):
    with pytest.raises(errors.MeshFileError, match=reason):
        loaded(tmp_path, content)


def test_a_file_that_is_cut_off_is_refused(tmp_path, rng):
    """Wherever, but behind the last word of its text."""
    for content in (in_bytes(head=b"solid"), text("a").encode()):
        for length in rng.integers(0, len(content.rstrip()) - len("solid a"), 60):
            with pytest.raises(errors.MeshFileError):
                loaded(tmp_path, content[:length])


def test_what_other_programs_write_is_read(tmp_path):
    trimesh, meshio = peer("trimesh"), peer("meshio")
    vertices, triangles = torus(30, 20)
    single = vertices.astype(np.float32)
    places = single.astype(float)[triangles]
    trimesh.Trimesh(vertices, triangles, process=False).export(tmp_path / "a.stl")
    trimesh.Trimesh(single, triangles, process=False).export(tmp_path / "b.stl_ascii")
    for name, binary in (("c.stl", True), ("d.stl", False)):
        meshio.Mesh(single, [("triangle", triangles)]).write(tmp_path / name, binary=binary)
    for name in ("a.stl", "b.stl_ascii", "c.stl", "d.stl"):
        mesh = sc.load_mesh(tmp_path / name)
        np.testing.assert_allclose(mesh.vertices[mesh.triangles], places, rtol=0, atol=1e-7)
        assert len(mesh.vertices) == len(vertices)
