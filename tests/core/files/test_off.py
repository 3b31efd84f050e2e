# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from ..peers import peer

POINTS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.5], [-2e-3, 0, 7]]
FACES = [[0, 1, 2, 3], [0, 1, 4], [4, 3, 2, 1, 0]]
WANTED = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [4, 3, 2], [4, 2, 1], [4, 1, 0]]
EXTRA = {"ST": ["0.5", "1.5"], "C": ["255", "0", "9", "255"], "N": ["0", "0", "1"]}


def loaded(tmp_path, content):
    (tmp_path / "a.off").write_bytes(content.encode() if isinstance(content, str) else content)
    return sc.load_mesh(tmp_path / "a.off")


def check(mesh, points=POINTS):
    assert mesh.vertices.tolist() == points
    assert mesh.triangles.tolist() == WANTED
    assert mesh.faces.tolist() == [0, 0, 1, 2, 2, 2]


def lines(kind="OFF", counts="5 3 0", more=(), colors=("", "", "")):
    points = [" ".join([*map(repr, point), *more]) for point in POINTS]
    faces = [" ".join(map(str, [len(row), *row])) for row in FACES]
    colored = [f"{face} {color}" for face, color in zip(faces, colors, strict=True)]
    return [kind, counts, *points, *colored]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", " # 1 2 3\n\n# x\n\t"])
def test_lines_end_in_any_way_and_have_comments(tmp_path, ending):
    check(loaded(tmp_path, ending.join(lines())))
    check(loaded(tmp_path, ending.join(["# 5 3 0", *lines(), ""])))


@pytest.mark.parametrize("gap", ["\n", " ", "\t", "\n \n"])
def test_words_stand_on_any_lines(tmp_path, gap):
    check(loaded(tmp_path, gap.join(" ".join(lines()).split())))


def test_a_face_that_takes_its_last_corner_from_a_line_of_more_is_refused(tmp_path):
    points = "0 0 0\n1 0 0\n0 1 0"
    assert len(loaded(tmp_path, f"OFF\n3 1 0\n{points}\n3 0 1\n2\n").triangles) == 1
    with pytest.raises(errors.MeshFileError, match="damaged"):
        loaded(tmp_path, f"OFF\n3 1 0\n{points}\n3 0 1\n2 255\n")


def test_lines_may_end_at_random(tmp_path, rng):
    for kind, more in (("OFF", ()), ("STCNOFF", [*EXTRA["N"], *EXTRA["C"], *EXTRA["ST"]])):
        for _ in range(40):
            words = " ".join(lines(kind, "\n5 3 0\n", more)).split(" ")
            gaps = rng.choice([" ", "  ", "\n"], len(words))
            check(loaded(tmp_path, "".join(map("".join, zip(words, gaps, strict=True)))))


@pytest.mark.parametrize("kind", ["COFF", "NOFF", "STOFF", "CNOFF", "STCNOFF", "STNOFF", "NCOFF"])
def test_what_vertices_have_beside_their_places_is_passed_over(tmp_path, kind):
    letters = [each for each in ("N", "C", "ST") if each in kind]
    more = [number for letter in letters for number in EXTRA[letter]]
    check(loaded(tmp_path, "\n".join(lines(kind, more=more))))


@pytest.mark.parametrize("kind", ["OFF", "COFF"])
@pytest.mark.parametrize("color", [["9", "9", "9"], ["0.1", "0.2", "0.3", "1"]])
def test_colors_of_lines_may_have_an_alpha_and_need_no_letter(tmp_path, kind, color):
    check(loaded(tmp_path, "\n".join(lines(kind, more=color))))


def test_colors_stand_behind_the_corners_of_faces(tmp_path):
    check(loaded(tmp_path, "\n".join(lines(colors=("255 0 3", "0.1 0.2 0.3 1.0", "7")))))


@pytest.mark.parametrize(
    "head", ["OFF 5 3 0", "OFF5 3 0", "OFF\n5 3", "5 3 0", "off\n5 3 0", " OFF 5 3"]
)
def test_the_head_may_be_written_in_every_usual_way(tmp_path, head):
    check(loaded(tmp_path, "\n".join([head, *lines()[2:]])))


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_of_other_codes_is_read(tmp_path, code):
    check(loaded(tmp_path, "\n".join(["OFF # Größe", *lines()[1:], ""]).encode(code)))


def test_faces_without_a_triangle_keep_their_numbers(tmp_path):
    mesh = loaded(
        tmp_path, "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0\n2 0 1\n1 3 9 9 9\n3 0 1 2\n"
    )
    assert mesh.triangles.tolist() == [[0, 1, 2]]
    assert mesh.faces.tolist() == [3]


GOOD = "\n".join(lines())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no OFF file"),
        ("ply\n", "no OFF file of a kind that is read: it begins 'ply'"),
        (GOOD.replace("OFF", "4OFF"), "of a kind that is read: it begins '4OFF 5'"),
        (GOOD.replace("OFF", "nOFF\n3"), "of a kind that is read: it begins 'nOFF 3'"),
        (GOOD.replace("OFF", "OFF BINARY"), "of a kind that is read: it begins 'OFF BINARY'"),
        ("OFF\n", "does not say what it holds"),
        (GOOD.replace("5 3 0", "5 x 0"), "does not say what it holds"),
        (GOOD.replace("5 3 0", "5 4 0"), "does not hold the 5 vertices and 4 faces"),
        (GOOD.replace("5 3 0", "5 2 0"), "does not hold the 5 vertices and 2 faces"),
        (GOOD.replace("5 3 0", "6 3 0"), "does not hold the 6 vertices and 3 faces"),
        (GOOD.replace("5 3 0", "4 3 0"), "does not hold the 4 vertices and 3 faces"),
        (GOOD.replace("5 3 0", "-5 3 0"), "does not hold the -5 vertices"),
        (GOOD.replace("5 3 0", "5 -3 0"), "does not hold the 5 vertices and -3 faces"),
        (GOOD.replace("5 3 0", "999999999999999 3 0"), "does not hold"),
        (GOOD.replace("1 1 0", "1 x 0"), "does not hold"),
        (GOOD.replace("1 1 0", "1_0 1 0"), "does not hold"),
        (GOOD.replace("1 1 0", "1 1 -1.#IND"), "does not hold"),
        (GOOD.replace("3 0 1 4", "3 0 1 5"), "face 1 has the vertex 5, counted from 0"),
        (GOOD.replace("3 0 1 4", "3 0 1 -1"), "face 1 has the vertex -1"),
        (GOOD[: GOOD.rindex(" 0")], "does not hold"),
        ("OFF\n3 0 0\n0 0 0\n1 0 0\n0 1 0\n", "no faces"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, content, reason):
    with pytest.raises(errors.MeshFileError, match=reason):
        loaded(tmp_path, content)


def test_a_file_that_is_cut_off_is_refused(tmp_path, rng):
    """Wherever, but in the last number."""
    content = "\n".join(lines(colors=("1 2 3", "1 2 3", "1 2 3"), more=("9", "9", "9")))
    for length in rng.integers(0, content.rindex(" 0 1 2 3"), 60):
        with pytest.raises(errors.MeshFileError):
            loaded(tmp_path, content[:length])


def test_other_programs_read_the_same(tmp_path, rng):
    points = rng.normal(size=(40, 3))
    rows = rng.permuted(np.tile(np.arange(40), (30, 1)), axis=1)[:, :3]
    places = [" ".join(map(repr, point)) for point in points.tolist()]
    faces = [f"3 {a} {b} {c}" for a, b, c in rows]
    (tmp_path / "b.off").write_text("\n".join(["OFF", "40 30 0", *places, *faces, ""]))
    mesh = sc.load_mesh(tmp_path / "b.off")
    theirs = peer("trimesh").load_mesh(tmp_path / "b.off", process=False)
    others = peer("meshio").read(tmp_path / "b.off")
    for triangles, vertices in (
        (theirs.faces, theirs.vertices),
        (others.cells_dict["triangle"], others.points),
    ):
        assert np.array_equal(triangles, mesh.triangles)
        assert np.array_equal(vertices, mesh.vertices)
