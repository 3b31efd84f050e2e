# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats are found by name, ending and content, and hold what they say."""

from dataclasses import replace

import numpy as np
import pytest

from .model import HEAD, Mark, MarkFile, MarkFileError, Measurement, files, random_marks, written


def named(value):
    """What a test is called by: the same in every run, and so its random numbers."""
    return str(getattr(value, "name", value))


def of_all():
    """Each format with each of its layouts."""
    return [(each, layout) for each in files.formats() for layout in each.layouts or (None,)]


@pytest.mark.parametrize(("format", "layout"), of_all(), ids=named)
def test_a_file_is_known_by_any_of_its_endings(format, layout):
    data = written(format.name, HEAD, layout, format.columns or None)
    for ending in format.endings:
        for name in (f"head{ending}", f"HEAD.{ending.upper()}"):
            assert files.format_of(name, data).reader is format.reader, name


@pytest.mark.parametrize(("format", "layout"), of_all(), ids=named)
def test_a_file_is_read_from_its_path_and_named_after_it(format, layout, tmp_path):
    columns = ("name", "position", "triangle", "barycentric") if format.columns else None
    path = tmp_path / f"my.head{format.endings[0]}"
    path.write_bytes(files.write(format.name, [MarkFile("", HEAD)], layout, columns))
    (found,) = files.read(path)
    assert found.name == "my.head"
    if "positions" in format.holds:
        assert [mark.point for mark in found.marks] == [mark.point for mark in HEAD]
    if "triangles" in format.holds:
        assert [mark.triangle for mark in found.marks] == [mark.triangle for mark in HEAD]


def test_formats_say_what_they_hold():
    every = {"positions", "triangles", "faces", "names", "normals", "missing", "axes", "units"}
    every |= {"lines", "sets", "measurements"}
    for format in files.formats():
        assert format.holds <= every
        assert {"positions", "triangles"} & format.holds
        assert files.format_named(format.name) is format
    assert len({each.name for each in files.formats()}) == len(files.formats()) == 11


@pytest.mark.parametrize(("format", "layout"), of_all(), ids=named)
def test_what_a_format_holds_comes_back_and_the_rest_is_refused_or_lost(format, layout):
    marks = [Mark("here", (1.0, 2.0, 3.0), 4, 5, (0.25, 0.25, 0.5)), Mark("gone")]
    if "missing" in format.holds:
        (found,) = files.read(written(format.name, marks, layout), format.name)
        assert [mark.point for mark in found.marks] == [(1, 2, 3), None]
    else:
        with pytest.raises(MarkFileError, match="missing, as 'gone'"):
            written(format.name, marks, layout)
    two = [MarkFile("static", HEAD), MarkFile("full", HEAD[:1])]
    if "sets" in format.holds or layout == "deca":
        assert len(files.read(files.write(format.name, two, layout), format.name)) == 2
    else:
        with pytest.raises(MarkFileError, match="one set"):
            files.write(format.name, two, layout)


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("a.obj", b"v 1 2 3", r"a.obj ends in none of .asc, .csv"),
        ("a.txt", b"hello", "a.txt is none of these: Landmark and Viewbox Points, TPS, CSV"),
        ("a.json", b"{", "a.json is none of these: Slicer Markups, Wrap"),
        ("", b"1,2,3", "the name of a file"),
        ("head.pts", b"x", r"head.pts: it begins with 'x'"),
    ],
)
def test_a_file_of_no_format_is_refused(name, data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, file_name=name)


@pytest.mark.parametrize(("format", "layout"), of_all(), ids=named)
@pytest.mark.parametrize("name", ["left\tupper", "left\nupper"])
def test_a_tab_or_new_line_in_a_name_comes_back_or_is_refused(format, layout, name):
    marks = [replace(HEAD[0], name=name), HEAD[1]]
    columns = ("name", "position") if format.columns else None
    if "names" not in format.holds or layout in ("list", "index", "xyz", "numbered"):
        return
    if "lines" in format.holds:
        (found,) = files.read(written(format.name, marks, layout, columns), format.name)
        assert [mark.name for mark in found.marks] == [name, HEAD[1].name]
    else:
        with pytest.raises(MarkFileError, match="cannot hold the tab or new line of 'left"):
            written(format.name, marks, layout, columns)


@pytest.mark.parametrize("name", ["a\rb", "a\0b", "a\x1bb"])
def test_a_control_character_in_a_name_is_refused(name):
    for format in ("csv", "fcsv", "pts", "slicer"):
        with pytest.raises(MarkFileError, match="cannot hold the control character of 'a"):
            written(format, [replace(HEAD[0], name=name)])


@pytest.mark.parametrize(("format", "layout"), of_all(), ids=named)
def test_row_i_is_landmark_i_where_some_are_missing(format, layout, rng):
    marks = random_marks(rng, 30, missing=0.4)
    marks = [replace(m, triangle=None, barycentric=None) if m.point is None else m for m in marks]
    if "missing" not in format.holds:
        with pytest.raises(MarkFileError) as refused:
            written(format.name, marks, layout)
        names = [repr(mark.name) for mark in marks if mark.point is None]
        rest = " ..." if len(names) > 8 else ""
        assert str(refused.value).endswith(f"is missing, as {', '.join(names[:8])}{rest}")
        return
    (found,) = files.read(written(format.name, marks, layout), format.name)
    assert [mark.point for mark in found.marks] == [mark.point for mark in marks]


def test_a_new_file_has_the_format_whose_new_files_end_so():
    endings = {each.endings[0]: each.name for each in files.formats()}
    assert {ending: files.format_of(f"face{ending}").name for ending in endings} == endings
    assert endings[".json"] == "wrap"
    assert files.format_of("face.MRK.JSON").name == "slicer"


def test_what_is_no_file_is_refused(tmp_path):
    for path in (tmp_path / "none.pts", tmp_path):
        with pytest.raises(MarkFileError):
            files.read(path, "pts")


def test_a_file_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(1 << 26)
    with pytest.raises(MarkFileError, match="more than 33554432 bytes"):
        files.read(path)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: files.write("obj", [MarkFile("a", HEAD)]), "not 'obj'"),
        (lambda: files.write("csv", []), "no set"),
        (lambda: files.write("pts", [MarkFile("a", HEAD)], "list"), "as named, numbered, not as"),
        (lambda: files.write("tps", [MarkFile("a", HEAD)], "list"), "in one way"),
        (lambda: files.write("tps", [MarkFile("a", HEAD)], None, ["name"]), "no columns"),
        (lambda: written("tps", [Mark("a", (np.nan, 0.0, 0.0))]), "'a' is not finite"),
        (lambda: written("slicer", [Mark("a", normal=(np.inf, 0.0, 0.0))]), "'a' is not finite"),
        (lambda: written("slicer", HEAD, measurements=(Measurement("l", np.inf),)), "not finite"),
    ],
)
def test_what_cannot_be_written_is_refused(call, fault):
    with pytest.raises(MarkFileError, match=fault):
        call()
