# SPDX-License-Identifier: GPL-3.0-or-later
"""Fiducials of Slicer: its versions, their axes, their missing points; read by another reader."""

import csv

import pytest

from .model import HEAD, Mark, MarkFile, MarkFileError, files, random_marks, written

COLUMNS = "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n"
ROW = "vtkMRMLMarkupsFiducialNode_0,1.5,-2,3,0,0,0,1,1,1,0,F-1,,\n"


def file(system="# CoordinateSystem = LPS\n", rows=ROW, version="4.11", columns=COLUMNS):
    return f"# Markups fiducial file version = {version}\n{system}{columns}{rows}".encode()


def read_as_slicer(data):
    """By what the storage node of Slicer 5 does, line by line: (system, rows)."""
    lines = data.decode().splitlines()
    assert lines[0].startswith("# Markups fiducial file version = 5")
    (system,) = (line.split(" = ")[1] for line in lines if "CoordinateSystem" in line)
    rows = []
    for line in lines:
        if line.startswith("#"):
            continue
        (cells,) = csv.reader([line])
        assert len(cells) == 16
        _, x, y, z, *_, vis, _sel, lock, label, description, _node, status, _ = cells
        place = (float(x), float(y), float(z)) if status == "2" else None
        rows.append((label, place, description, lock == "1", vis == "0"))
    return system, rows


@pytest.mark.parametrize(
    ("system", "axes"),
    [
        ("# CoordinateSystem = LPS\n", "LPS"),
        ("# CoordinateSystem = 1\n", "LPS"),
        ("# CoordinateSystem = RAS\n", "RAS"),
        ("# CoordinateSystem = 0\n", "RAS"),
        ("#CoordinateSystem=ras\n", "RAS"),
        ("", "RAS"),
    ],
)
def test_axes_are_said_by_name_or_number_and_were_ras_of_old(system, axes):
    (found,) = files.read(file(system), file_name="head.fcsv")
    assert (found.name, found.axes, found.unit) == ("head", axes, "mm")
    assert found.marks == (Mark("F-1", (1.5, -2.0, 3.0), selected=True),)


def test_columns_are_found_by_their_names():
    columns = "# columns = label,x,y,z,sel,vis\n"
    (found,) = files.read(file(rows="a,1,2,3,0,0\n", columns=columns), "fcsv")
    assert found.marks == (Mark("a", (1.0, 2.0, 3.0), hidden=True, selected=False),)


@pytest.mark.parametrize("columns", ["# columns = label,x,y,z,sel,vis\n", ""])
def test_a_list_of_slicer_3_is_read_in_ras(columns):
    head = "# Fiducial List file /data/head.fcsv\n# version = 2\n# name = L\n# numPoints = 2\n"
    data = f"{head}{columns}AC,1.5,-2,3,1,1\nPC,0,-27,1,0,1\n".encode()
    (found,) = files.read(data, file_name="head.fcsv")
    assert found.axes == "RAS"
    assert [(mark.name, mark.point) for mark in found.marks] == [
        ("AC", (1.5, -2.0, 3.0)),
        ("PC", (0.0, -27.0, 1.0)),
    ]


def test_a_carriage_return_that_slicer_kept_inside_a_row_ends_no_row():
    kept = ROW.replace("\n", "\r,2,0\n")
    for rows in (kept + kept, (ROW + ROW).replace("\n", "\r\n")):
        (found,) = files.read(file(rows=rows), "fcsv")
        assert [mark.point for mark in found.marks] == [(1.5, -2.0, 3.0)] * 2
    (old,) = files.read(file(rows=ROW).replace(b"\n", b"\r"), "fcsv")
    assert [mark.point for mark in old.marks] == [(1.5, -2.0, 3.0)]


@pytest.mark.parametrize(("status", "is_there"), [(0, False), (1, False), (2, True), (3, False)])
def test_a_status_behind_the_columns_says_whether_there_is_a_position(status, is_there):
    rows = ROW.replace("\n", f",{status},0\n") + ROW
    (found,) = files.read(file(rows=rows), "fcsv")
    assert [mark.point is not None for mark in found.marks] == [is_there, True]


def test_labels_and_descriptions_may_be_quoted():
    rows = '1,1,2,3,0,0,0,1,1,1,1,"left, ""upper""","a, b",\n'
    (found,) = files.read(file(rows=rows), "fcsv")
    assert [(m.name, m.description, m.locked) for m in found.marks] == [
        ('left, "upper"', "a, b", True)
    ]


def test_slicer_reads_what_is_written(rng):
    marks = [*random_marks(rng, 40, missing=0.2), *HEAD, Mark('"a", b', (1.0, 2.0, 3.0))]
    marks += [Mark("flags", (0.0, 0.0, 0.0), locked=True, hidden=True)]
    system, rows = read_as_slicer(written("fcsv", marks))
    assert system == "LPS"
    assert rows == [(m.name, m.point, m.description, m.locked, m.hidden) for m in marks]
    (found,) = files.read(written("fcsv", marks, axes="RAS"), "fcsv")
    assert found.axes == "RAS"
    assert [(m.name, m.point) for m in found.marks] == [(m.name, m.point) for m in marks]


def test_a_description_of_two_lines_is_one_line_there():
    _, rows = read_as_slicer(written("fcsv", [Mark("a", (1.0, 2.0, 3.0), description="b\nc")]))
    assert rows == [("a", (1.0, 2.0, 3.0), "b c", False, False)]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "does not begin as"),
        (b"1,2,3\n", "does not begin as"),
        (file("# CoordinateSystem = IJK\n"), "'IJK', neither LPS nor RAS"),
        (file("# CoordinateSystem = 2\n"), "'2', neither LPS nor RAS"),
        (file(columns="# columns = id,l,p,s\n"), "not named x, y and z"),
        (file(rows="1,2\n"), "line 4: only some of the three"),
        (file(rows="1,a,2,3\n"), "line 4: 'a' is no number"),
        (file(rows='1,"2,3,4\n'), "unexpected end of data"),
    ],
)
def test_faults_are_named(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "fcsv")


def test_what_slicer_would_read_otherwise_is_refused():
    for of_set in ({"axes": "Y_UP"}, {"unit": "m"}):
        with pytest.raises(MarkFileError, match=r"Slicer knows|are in mm"):
            files.write("fcsv", [MarkFile("a", HEAD, **of_set)])
