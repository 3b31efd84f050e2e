# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .ply_files import CODES, FORMATS, ply

POINTS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 2]]
XYZ = [("float", "x"), ("float", "y"), ("float", "z")]
CORNERS = [("uchar", "int", "vertex_indices")]
FACES = [[0, 1, 2, 3], [0, 1, 4], [4, 3, 2, 1, 0]]
WANTED = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [4, 3, 2], [4, 2, 1], [4, 1, 0]]


def loaded(tmp_path, content):
    (tmp_path / "a.ply").write_bytes(content)
    return sc.load_mesh(tmp_path / "a.ply")


def check(mesh, points=POINTS):
    assert mesh.vertices.tolist() == points
    assert mesh.triangles.tolist() == WANTED
    assert mesh.faces.tolist() == [0, 0, 1, 2, 2, 2]


@pytest.fixture(params=FORMATS)
def kind(request):
    return request.param


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_files_of_every_format_are_read(tmp_path, kind, ending):
    elements = [("vertex", XYZ, POINTS), ("face", CORNERS, [[row] for row in FACES])]
    check(loaded(tmp_path, ply(kind, elements, ending)))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_blanks_may_end_the_lines_of_the_header(tmp_path, kind, ending):
    elements = [("vertex", XYZ, POINTS), ("face", CORNERS, [[row] for row in FACES])]
    content, end = ply(kind, elements, ending), ending.encode()
    for line in (b"ply", f"format {kind} 1.0".encode(), b"end_header"):
        content = content.replace(line + end, line + b" \t" + end, 2)
    check(loaded(tmp_path, content))


def test_a_line_in_the_header_of_old_files_of_blender_is_passed_over(tmp_path, kind):
    elements = [("vertex", XYZ, POINTS), ("face", CORNERS, [[row] for row in FACES])]
    line = b" 1.0\nCreated by Blender3D 246 - www.blender.org, source file: a.blend\n"
    check(loaded(tmp_path, ply(kind, elements).replace(b" 1.0\n", line)))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["\n", "\r\n", "\r"])
def test_the_last_line_of_the_header_may_end_in_another_way(tmp_path, kind, ending, last):
    """But where all others end in CR, LF is the first byte of the rows."""
    elements = [("face", CORNERS, [[row] for row in FACES]), ("vertex", XYZ, POINTS)]
    content = ply(kind, elements, ending)
    head, _, rows = content.rpartition(b"end_header" + ending.encode())
    content = head + b"end_header" + last.encode() + rows
    if kind == "ascii" or (ending, last) != ("\r", "\r\n"):
        check(loaded(tmp_path, content))


def test_rows_that_begin_with_lf_are_whole(tmp_path):
    faces = [[[0, 1, 2, 3, 4, 0, 1, 2, 3, 4]]]  # of ten corners, which is the byte of LF
    elements = [("face", CORNERS, faces), ("vertex", XYZ, POINTS)]
    for ending in ("\n", "\r\n", "\r"):
        content = ply("binary_little_endian", elements, ending)
        assert len(loaded(tmp_path, content).triangles) == 8


STRIPS = [[0, 1, 2, 3, 4], [3, 2, -1, 4, 0, 1, 1, 2, -1], [-1], [], [-1, -1, 2, 3, 4]]
OF_STRIPS = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [4, 0, 1], [0, 1, 1], [1, 1, 2], [2, 3, 4]]


def test_each_triangle_of_a_strip_is_a_face(tmp_path, kind):
    """Every other one is turned, anew in each strip; those without area count too."""
    strips = ("tristrips", [("int", "int", "vertex_indices")], [[row] for row in STRIPS])
    vertices, faces = ("vertex", XYZ, POINTS), ("face", CORNERS, [[[4, 3, 2]]])
    assert loaded(tmp_path, ply(kind, [vertices, strips])).triangles.tolist() == OF_STRIPS
    mesh = loaded(tmp_path, ply(kind, [strips, vertices, faces]))
    assert mesh.triangles.tolist() == [[4, 3, 2], *OF_STRIPS]
    assert mesh.faces.tolist() == list(range(8))


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_text_of_other_codes_is_read(tmp_path, code):
    check(loaded(tmp_path, GOOD.decode().replace("obj_info x", "obj_info Größe").encode(code)))


@pytest.mark.parametrize("number", sorted(CODES))
def test_lists_and_numbers_may_be_of_any_type(tmp_path, kind, number):
    xyz = [(number, "x"), (number, "y"), (number, "z")]
    corners = [("uint8", number, "vertex_index")]
    faces = [[row] for row in FACES]
    check(loaded(tmp_path, ply(kind, [("vertex", xyz, POINTS), ("face", corners, faces)])))
    if CODES[number] not in "fd":
        corners = [(number, "int", "vertex_indices")]
        check(loaded(tmp_path, ply(kind, [("vertex", xyz, POINTS), ("face", corners, faces)])))


def test_all_else_is_passed_over(tmp_path, kind):
    corner = ("ushort", "uint", "vertex_indices")
    listed = ("uchar", "float", "texcoord")
    elements = [
        ("empty", [], []),
        ("camera", [("double", "fov"), listed], [[0.5, [1, 2, 3]], [0.25, []]]),
        ("vertex", [("uchar", "red"), XYZ[2], XYZ[0], ("int", "id"), XYZ[1]],
         [[9, z, x, 7, y] for x, y, z in POINTS]),
        ("face", [("uchar", "flags"), listed, corner, ("double", "area")],
         [[1, [0.5] * i, row, 2.5] for i, row in enumerate(FACES)]),
        ("edge", [("int", "a"), ("int", "b")], [[0, 1]]),
    ]  # fmt: skip
    check(loaded(tmp_path, ply(kind, elements)))


def test_faces_may_stand_before_vertices_that_have_lists(tmp_path, kind):
    listed = [*XYZ, ("uchar", "int", "neighbours")]
    rows = [[*point, list(range(i))] for i, point in enumerate(POINTS)]
    elements = [("face", CORNERS, [[row] for row in FACES]), ("vertex", listed, rows)]
    check(loaded(tmp_path, ply(kind, elements)))


def test_what_comes_after_vertices_and_faces_is_not_looked_at(tmp_path, kind):
    elements = [("vertex", XYZ, POINTS), ("face", CORNERS, [[row] for row in FACES])]
    content = ply(kind, [*elements, ("rest", [("int", "a")], [[1]])])
    content = content.replace(b"element rest 1", b"element rest 999999999999")
    check(loaded(tmp_path, content))


def test_numbers_are_read_to_the_last_digit(tmp_path, rng, kind):
    doubles = [("double", axis) for axis in "xyz"]
    points = (rng.normal(size=(5, 3)) * 10.0 ** rng.integers(-300, 300, (5, 3))).tolist()
    elements = [("vertex", doubles, points), ("face", CORNERS, [[row] for row in FACES])]
    check(loaded(tmp_path, ply(kind, elements)), points)


def test_large_random_files_are_read(tmp_path, rng, kind):
    points = rng.normal(size=(300, 3)).astype(np.float32).astype(float).tolist()
    faces = [[rng.integers(0, 300, rng.integers(3, 9)).tolist()] for _ in range(500)]
    mesh = loaded(tmp_path, ply(kind, [("vertex", XYZ, points), ("face", CORNERS, faces)]))
    fans = [[r[0], r[i], r[i + 1]] for (r,) in faces for i in range(1, len(r) - 1)]
    assert mesh.triangles.tolist() == fans


GOOD = ply("ascii", [("vertex", XYZ, POINTS), ("face", CORNERS, [[row] for row in FACES])])
BYTES = ply("binary_little_endian", [("vertex", XYZ, POINTS), ("face", CORNERS, [[FACES[0]]])])


@pytest.mark.parametrize(
    ("content", "old", "new", "reason"),
    [
        (GOOD, b"ply\n", b"plx\n", "no PLY file"),
        (GOOD, b"\nend_header\n", b"\n", "no PLY file"),
        (GOOD, b"format ascii 1.0\n", b"", "of which format"),
        (GOOD, b"ascii", b"text", "'format text 1.0'"),
        (GOOD, b"1.0", b"2.0", "'format ascii 2.0'"),
        (GOOD, b"comment end", b"format ascii 1.0\ncomment end", "twice of which format"),
        (GOOD, b"\n4 0 1 2 3", b"\n4 0 0_1 2 3", "an underscore"),
        (GOOD, b"float x", b"quad x", "no type 'quad'"),
        (GOOD, b"float x", b"float y", "a name twice"),
        (GOOD, b"float x", b"float u", "no vertices"),
        (GOOD, b"element face", b"element vertex", "a name twice"),
        (GOOD, b"element face", b"element faces", "no faces"),
        (GOOD, b"vertex_indices", b"corners", "no list of vertex_indices is in each face"),
        (GOOD, b"list uchar", b"list float", "no whole numbers"),
        (GOOD, b"vertex 5", b"vertex -5", "'element vertex -5'"),
        (GOOD, b"vertex 5", b"vertex 999999999999999999", "too soon"),
        (GOOD, b"face 3", b"face 4", "too soon"),
        (GOOD, b"face 3", b"face 0", "no faces"),
        (GOOD, b"4 0 1 2 3", b"99 0 1 2 3", "too soon"),
        (GOOD, b"4 0 1 2 3", b"-1 0 1 2 3", "too soon"),
        (GOOD, b"4 0 1 2 3", b"4 0 1 2 9", "face 0 has the vertex 9"),
        (GOOD, b"4 0 1 2 3", b"4 0 1 2 -1", "face 0 has the vertex -1"),
        (GOOD, b"4 0 1 2 3", b"4 0 1 2 0.5", "not all whole numbers"),
        (GOOD, b"4 0 1 2 3", b"4 0 1 2 nan", "not all whole numbers"),
        (GOOD, b"4 0 1 2 3", b"4 0 1 2 x", "not all numbers"),
        (BYTES, BYTES[-1:], b"", "too soon"),
        (BYTES, b"vertex 5", b"vertex 999999999999", "too soon"),
        (BYTES, b"face 1", b"face 99999999999", "too soon"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, content, old, new, reason):
    assert old in content
    head, tail = content.rsplit(old, 1) if old == BYTES[-1:] else content.split(old, 1)
    with pytest.raises(errors.MeshFileError, match=reason):
        loaded(tmp_path, head + new + tail)
