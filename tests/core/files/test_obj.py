# SPDX-License-Identifier: GPL-3.0-or-later

import io
import time

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.files import obj


def loaded(tmp_path, content):
    (tmp_path / "a.obj").write_bytes(content.encode() if isinstance(content, str) else content)
    return sc.load_mesh(tmp_path / "a.obj")


SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


@pytest.mark.parametrize(
    "face",
    [
        "f 1 2 3 4",
        "f -4 -3 -2 -1",
        "f 1/1 2/2 3/3 4/4",
        "f 1//1 2//1 3//1 4//1",
        "f 1/1/1 2/1/1 3/1/1 -1/1/1 # a quad",
        "f 1 2 \\\n 3 \\\n4",
        "\tf   1\t2 3 4  ",
        "f 1 2 3 4\r\n",
    ],
)
def test_faces_of_every_writing_are_read(tmp_path, face):
    mesh = loaded(tmp_path, SQUARE + face)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.faces.tolist() == [0, 0]


def test_an_index_from_the_end_counts_the_vertices_before_it(tmp_path):
    mesh = loaded(tmp_path, SQUARE + "f -4 -3 -2\n" + "v 9 9 9\nv 8 8 8\n" + "f -1 -2 1\n")
    assert mesh.triangles.tolist() == [[0, 1, 2], [5, 4, 0]]


def test_weights_and_colors_of_vertices_are_passed_over(tmp_path):
    text = "v 1 2 3 1.0\nv 4 5 6 0.1 0.2 0.3\nv 7e-1 -8 .9 1 0.1 0.2 0.3\nf 1 2 3\n"
    assert loaded(tmp_path, text).vertices.tolist() == [[1, 2, 3], [4, 5, 6], [0.7, -8, 0.9]]


def test_all_else_is_passed_over(tmp_path):
    text = (
        "# v 9 9 9\n\n   \nmtllib a.mtl\no Cube f\ng x\ns off\nvt 0 0\nvn 0 0 1\nvp 1\nl 1 2\np 1\n"
        "usemtl f\nfoo 1 2\nvertex 1 2 3\ncstype bezier\n"
    )
    mesh = loaded(tmp_path, text + SQUARE + "f 1 2 3 # f 1 1 1\n")
    assert mesh.triangles.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(tmp_path, ending):
    mesh = loaded(tmp_path, (SQUARE + "f 1 2 3").replace("\n", ending))
    assert len(mesh.vertices) == 4


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_of_other_codes_hides_no_vertex(tmp_path, code):
    mesh = loaded(tmp_path, (SQUARE + "# Größe\nf 1 2 3\n").encode(code))
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert mesh.triangles.tolist() == [[0, 1, 2]]


def test_half_a_letter_does_not_go_on_to_the_next_line(tmp_path):
    group = "g 表\n".encode("shift-jis")  # whose last byte is that of a backslash
    assert group.endswith(b"\\\n")
    mesh = loaded(tmp_path, SQUARE.encode() + group + b"f 1 2 3\n" + group + b"f 1 2 4\n")
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 1, 3]]


@pytest.mark.parametrize("end", ["\\", "\\\n", " \\\n\\", "usemtl a\\", "# \\\n\\"])
def test_a_line_that_never_ends_is_passed_over_where_it_is_no_face(tmp_path, end):
    assert loaded(tmp_path, SQUARE + "f 1 2 3\n" + end).triangles.tolist() == [[0, 1, 2]]


def test_a_line_of_many_parts_takes_no_longer_for_it(tmp_path):
    parts = 300_000  # which took a minute when each was glued to all before
    start = time.process_time()
    mesh = loaded(tmp_path, SQUARE + "f 1 2 3" + " 4\\\n" * parts + "\n")
    assert len(mesh.triangles) == parts + 1
    assert time.process_time() - start < 20


def test_a_face_that_goes_on_to_the_end_is_read(tmp_path):
    assert loaded(tmp_path, SQUARE + "f 1 2 \\\n3 \\").triangles.tolist() == [[0, 1, 2]]


def test_faces_before_their_vertices_are_read(tmp_path):
    assert loaded(tmp_path, "f 1 2 3\n" + SQUARE).triangles.tolist() == [[0, 1, 2]]


def test_points_and_lines_among_faces_keep_their_numbers(tmp_path):
    mesh = loaded(tmp_path, SQUARE + "f 1 2\nf 1\nf 1 2 3 4\n")
    assert mesh.faces.tolist() == [2, 2]


def test_polygons_are_fans(tmp_path, rng):
    counts = rng.integers(3, 9, 50)
    rows = [rng.permutation(20)[:count] for count in counts]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in rng.normal(size=(20, 3)).tolist())
    text += "".join(f"f {' '.join(map(str, row + 1))}\n" for row in rows)
    mesh = loaded(tmp_path, text)
    wanted = [(f, r[0], r[i], r[i + 1]) for f, r in enumerate(rows) for i in range(1, len(r) - 1)]
    assert np.array_equal(np.column_stack([mesh.faces, mesh.triangles]), wanted)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no faces"),
        (SQUARE, "no faces"),
        (SQUARE + "f 1 2\n", "no faces"),
        (SQUARE + "f 1 2 5\n", "face 0 has the vertex 4, counted from 0, but the file has 4"),
        (SQUARE + "f 1 2 0\n", "line 5 is no face: 'f 1 2 0'"),
        (SQUARE + "f 1 2 -5\n", "line 5 is no face"),
        (SQUARE + "f 1 2 x\n", "line 5 is no face"),
        (SQUARE + "f 1 2 /3\n", "line 5 is no face"),
        (SQUARE + "f 1 2 99999999999999999999999\n", "line 5 is no face"),
        (SQUARE + "f 1 2 0_3\n", "line 5 is no face"),
        ("v 1_0 2 3\nf 1 1 1\n", "line 1 is no vertex"),
        ("v 1 2\nf 1 1 1\n", "line 1 is no vertex"),
        ("v 1 2 x\nf 1 1 1\n", "line 1 is no vertex"),
        ("v 1 2 1.#INF\nf 1 1 1\n", "line 1 is no vertex: 'v 1 2 1.#INF'"),
        ("v 1 2 -1.#IND00\nf 1 1 1\n", "line 1 is no vertex"),
        (b"v 1 2 \xff\nf 1 1 1\n", "line 1 is no vertex"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, text, reason):
    with pytest.raises(errors.MeshFileError, match=reason):
        loaded(tmp_path, text)


def lines(rng, count):
    """Lines of an OBJ file in the ways of several exporters, a few of them wrong."""
    corner = rng.choice(["{}", "{}/1", "{}//2", "{}/1/2", "-{}", "-{}//-1"])
    usual = [
        lambda: "v " + " ".join(f"{x:.3f}" for x in rng.normal(size=3)),
        lambda: "v " + " ".join(f"{x:.{rng.integers(0, 19)}f}" for x in rng.normal(size=3)),
        lambda: "f " + " ".join(corner.format(i) for i in rng.integers(1, 9, rng.integers(0, 6))),
        lambda: "vn 0 0 1",
        lambda: "",
    ]
    unusual = [
        *("v 1 2", "v 1 2 3 4", "v 1 2 3 .1 .2 .3 x", "v", "f", "f 0", "f 1/ 2/x 3", "f /1 2 3"),
        *("  f 1 2 3", "\tv 1 2 3", "f 1 2 \\", "g a\\b", "v 1 2 3 \\ ", "f 1_0", "f 1 f 2", "   "),
        *("# v 1 2 3", "o v 1", "vf", "v\t1\t2\t3", "f 99999999999999999999", "f 1.5", "f 1 -1 2"),
    ]
    share = rng.choice([0.0, 0.02, 0.3])
    return [
        str(rng.choice(unusual)) if rng.random() < share else usual[rng.integers(len(usual))]()
        for _ in range(count)
    ]


def outcome(text):
    try:
        return [column.tobytes() for column in obj.read(io.BytesIO(text))]
    except errors.MeshFileError as error:
        return str(error)


def test_lines_read_together_are_those_read_one_by_one(rng, monkeypatch):
    one_by_one, together = 0, obj._read_together

    def counted(text, before):
        nonlocal one_by_one
        part = together(text, before)
        one_by_one += part is None
        return part

    for _ in range(300):
        start = ["v 1 2 3"] * rng.integers(0, 9)
        end = rng.choice(["\n", "\r\n", "\r"], p=[0.7, 0.2, 0.1])
        text = end.join([*start, *lines(rng, rng.integers(1, 40))]).encode()
        monkeypatch.setattr(obj, "_PART", int(rng.choice([1, 10, 100, 1 << 22])))
        monkeypatch.setattr(obj, "_read_together", counted)
        found = outcome(text)
        monkeypatch.setattr(obj, "_read_together", lambda text, before: None)
        monkeypatch.setattr(obj, "_PART", 1 << 22)
        assert found == outcome(text), text
    assert one_by_one > 80
