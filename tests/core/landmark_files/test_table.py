# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables: a row for each landmark, that spreadsheets open and other tables are read like."""

import csv
import io

import pytest

from .model import (
    HEAD,
    Mark,
    MarkFile,
    MarkFileError,
    files,
    marks_of,
    random_marks,
    spreadsheet,
    written,
)

SEPARATORS = {"csv": ",", "tsv": "\t"}
ALL = files.format_named("csv").columns


def table(data, format="csv"):
    """As Python's csv module has it."""
    return list(csv.DictReader(io.StringIO(data.decode()), delimiter=SEPARATORS[format]))


@pytest.mark.parametrize("format", SEPARATORS)
def test_a_row_has_a_landmark_with_all_digits(format, rng):
    marks = random_marks(rng, 50, missing=0.2)
    rows = table(written(format, marks), format)
    assert list(rows[0]) == ["set", "name", "x", "y", "z"]
    for row, mark in zip(rows, marks, strict=True):
        cells = [row[axis] for axis in "xyz"]
        assert (tuple(map(float, cells)) if any(cells) else None) == mark.point
        assert (row["set"], row["name"]) == ("head", mark.name)


@pytest.mark.parametrize("format", SEPARATORS)
def test_a_round_trip_of_all_columns_keeps_everything(format, rng):
    marks = [
        *HEAD,
        *random_marks(rng, 20, missing=0.5),
        Mark("x", locked=True, description='say "a, b;\tc"', index=4),
        Mark("", (0.0, 0.0, 0.0), hidden=True),
    ]
    sets = [
        MarkFile("one", tuple(marks), "RAS", "mm", object="Suzanne"),
        MarkFile("two", HEAD, None, "µm"),
    ]
    after = files.read(files.write(format, sets, columns=ALL), format)
    described = [mark.description for mark in after[0].marks]
    assert described[-2] == 'say "a, b; c"'  # one line, without a tabulator
    clean = tuple(
        mark if mark.name != "x" else Mark("x", locked=True, description=described[-2], index=4)
        for mark in marks
    )
    assert after == [MarkFile("one", clean, "RAS", "mm", object="Suzanne"), sets[1]]


def test_columns_are_chosen_and_come_in_their_order():
    rows = table(written("csv", HEAD, columns=("name", "triangle", "barycentric", "face")))
    assert rows[0] == {
        "name": "nasion",
        "triangle": "7",
        "weight_a": "0.25",
        "weight_b": "0.5",
        "weight_c": "0.25",
        "face": "3",
    }
    with pytest.raises(MarkFileError, match="not 'color'"):
        written("csv", HEAD, columns=("name", "color"))


FORMULAS = ["=1+1", "+a", "-a", "@a", "'=1", "''-a"]


@pytest.mark.parametrize("name", [*FORMULAS, "plain", "'tis", "", "a=b", "''"])
def test_no_name_is_a_formula_and_each_comes_back(name):
    (row,) = table(written("csv", [Mark(name, (-1.0, 2.0, 3.0))]))
    assert not row["name"].startswith(("=", "+", "-", "@"))
    assert row["x"] == "-1.0"
    (mark,) = marks_of(written("csv", [Mark(name, (-1.0, 2.0, 3.0))]), "csv")
    assert mark.name == name


@pytest.mark.parametrize("text", [*FORMULAS, "\t=1", "\r=1", "a", "'a"])
def test_a_harmless_cell_gives_its_text_back(text):
    cell = spreadsheet.harmless(text)
    assert cell[0] not in "=+-@\t\r"
    assert spreadsheet.text_of_cell(cell) == text
    assert spreadsheet.harmless(-1.5) == -1.5


@pytest.mark.parametrize(
    "head",
    [
        *("name,x,y,z", "Landmark,X,Y,Z", "label;pos_x;pos_y;pos_z", "Z (mm)\tNAME\tY [mm]\tx"),
        "\ufeffPoint Name,Position X,Position Y,Position Z",
    ],
)
def test_columns_are_found_by_their_headings(head):
    separator = next(each for each in "\t;," if each in head)
    names = [cell.strip("\ufeff").casefold() for cell in head.split(separator)]
    cells = []
    for name in names:
        axis = name.removeprefix("position ").removeprefix("pos_")[0]
        cells.append({"x": "1", "y": "2", "z": "3"}.get(axis, "nasion"))
    data = f"{head}\r\n{separator.join(cells)}\r\n".encode()
    assert marks_of(data, "csv") == (Mark("nasion", (1.0, 2.0, 3.0)),)


def test_the_table_of_slicers_manual_is_read():
    data = (
        b"label,l,p,s,defined,selected,visible,locked,description\n"
        b"F-1,-19.9067,13.9347,29.443,1,1,1,0,\n"
        b"F-2,0,0,0,0,1,0,1,later\n"
    )
    (found,) = files.read(data, file_name="F.csv")
    assert found.axes == "LPS"
    assert found.marks == (
        Mark("F-1", (-19.9067, 13.9347, 29.443)),
        Mark("F-2", description="later", locked=True, hidden=True),
    )
    (found,) = files.read(data.replace(b"l,p,s", b"r,a,s"), "csv")
    assert found.axes == "RAS"


@pytest.mark.parametrize("row", [b"x;y;z\n1,5;2;-0,25\n", b'x,y,z\n"1,5",2,"-0,25"\n'])
def test_a_comma_within_a_cell_is_that_of_decimals(row):
    assert marks_of(row, "csv") == (Mark("", (1.5, 2.0, -0.25)),)


@pytest.mark.parametrize(
    "text",
    [
        "# made by hand\n#\nx,y,z\n1,2,3\n# later\n4,5,6\n",
        "\n# a, b\n x , y , z\n1,2,3\n#4,5,6,7\n4,5,6\n",
        "# x,y,z\n1,2,3\n4,5,6\n",
        "# notes\n#x;y;z\n1;2;3\n4;5;6\n",
    ],
)
def test_lines_of_comments_are_passed_over_and_headings_may_be_in_one(text):
    assert [mark.point for mark in marks_of(text.encode(), "csv")] == [(1, 2, 3), (4, 5, 6)]
    assert files.format_of("a.csv", text.encode()).name == "csv"


@pytest.mark.parametrize("text", ['x,y,z\n"1,234",2,3\n', "x\ty\tz\n1,234\t2\t3\n"])
def test_a_comma_that_may_part_thousands_is_refused(text):
    with pytest.raises(MarkFileError, match="line 2: 1,234 may have a decimal comma"):
        files.read(text.encode(), "csv" if "," in text[:3] else "tsv")


@pytest.mark.parametrize("text", ["x;y;z\n1,234;2;3\n", 'x,y,z\n"1,234","2","3"\n"0,5",2,3\n'])
def test_where_a_comma_is_of_decimals_it_is_so_in_the_whole_file(text):
    assert marks_of(text.encode(), "csv")[0].point == (1.234, 2, 3)


def test_a_row_of_empty_cells_is_a_missing_landmark_unless_landmarks_have_names():
    for text in ("x,y,z\n0,0,1\n,,\n1,0,0\n", "x,y,z\n0,0,1\n\n,,\n1,0,0\n\n"):
        marks = marks_of(text.encode(), "csv")
        assert [mark.point for mark in marks] == [(0, 0, 1), None, (1, 0, 0)]
    marks = marks_of(b"name,x,y,z\na,0,0,1\n\nb,,,\n,,,\n\r\n", "csv")
    assert [(mark.name, mark.point) for mark in marks] == [("a", (0, 0, 1)), ("b", None)]


@pytest.mark.parametrize("columns", [("position",), ("position", "normal"), ("face", "position")])
@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_rows_without_names_stay_in_their_order(format, columns):
    marks = [Mark("", (1.0, 2.0, 3.0)), Mark(""), Mark("", (4.0, 5.0, 6.0))]
    (found,) = files.read(written(format, marks, columns=columns), format)
    assert [mark.point for mark in found.marks] == [mark.point for mark in marks]


def test_a_name_that_begins_as_a_comment_is_a_name():
    assert [m.name for m in marks_of(b"name,x,y,z\n#1,1,2,3\n#2,4,5,6\n", "csv")] == ["#1", "#2"]


def test_a_fault_is_told_with_its_line_behind_comments():
    with pytest.raises(MarkFileError, match="line 4: 'a' is no number"):
        files.read(b"# a\n\nx,y,z\n1,2,a\n", "csv")


def test_a_set_has_the_rows_with_its_name_object_unit_and_axes():
    data = b"set,x,y,z,unit\na,1,2,3,mm\nb,1,2,3,mm\na,4,5,6,mm\n,7,8,9,\n"
    found = files.read(data, file_name="skull.csv")
    names = [(each.name, each.unit, len(each.marks)) for each in found]
    assert names == [("a", "mm", 2), ("b", "mm", 1), ("skull", None, 1)]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "no headings"),
        (b"1,2,3\n", "no headings"),
        (b"name,x,y\na,1,2\n", "no headings"),
        (b"x,y,z\n1,2\n", "line 2: only some of the three"),
        (b"x,y,z\n1,2,nan\n", "only some of the three"),
        (b"x,y,z\n1,2,infinity\n", "'infinity' is no number"),
        (b"x,y,z,face\n1,2,3,-1\n", "line 2, face: '-1' is no whole number"),
        (b"x,y,z,locked\n1,2,3,maybe\n", "locked is 'maybe', not 1 or 0"),
        (b"x,y,z,unit\n1,2,3,parsec\n", "units are m, cm"),
        (b"x,y,z,axes\n1,2,3,XYZ\n", "axes are Z_UP"),
        (b"triangle,a,b,c\n1,0.5,0.5,0.5\n", "add up to 1"),
        (b'x,y,z\n"1,2,3\n', "line 2: unexpected end of data"),
        ("x,y,z\n1,2,3\n".encode("utf-16"), "UTF-16"),
        (b"x,y,z\n" + b"1" * 200_000 + b",2,3\n", "field larger than"),
    ],
)
def test_faults_are_named(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "csv")
