# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of MeshLab, Landmark, Viewbox, tps programs and CloudCompare.

What they write is read, and what is written is read as they do, by code that shares none with ours.
"""

import re
from xml.dom import minidom

import pytest

from .model import HEAD, Mark, MarkFile, MarkFileError, files, marks_of, random_marks, written

# As MeshLab writes it with QDomDocument, which puts attributes in any order.
MESHLAB = b"""<!DOCTYPE PickedPoints>
<PickedPoints>
 <DocumentData>
  <DateTime date="2009-08-25" time="11:22:41"/>
  <User name="someone"/>
  <DataFileName name="skull.ply"/>
  <templateName name="head"/>
 </DocumentData>
 <point x="12.5" y="-0.25" z="3.75" active="1" name="nasion"/>
 <point active="0" name="gnathion" x="0" y="0" z="0"/>
 <point name="left &amp; &quot;right&quot;" z="1e-05" y="2" x="-7" active="1"/>
</PickedPoints>
"""
LANDMARK = b"""Version 1.0\r
3\r
S0000 142.828718185425    98.0757427215576    10.7738571166992   \r
S0001 9999 9999 9999\r
S0002                136.66855430603     107.287687301636    -19.8492431640625  \r
"""
VIEWBOX = b"Version 1.0\n2\nS.1 1 2 3\nC.1.01 -4.5 5 6e-3\n"
GEOMORPH = b"""LM3=2
0.124508 -2.5 3
NA NA NA
ID=specimen one

LM3=1
1 2 3
IMAGE=skull.jpg
SCALE=0.5
"""


def test_meshlabs_picked_points_are_read_whatever_the_order_of_attributes():
    (found,) = files.read(MESHLAB, file_name="skull_picked_points.pp")
    assert (found.object, found.name) == ("skull.ply", "skull_picked_points")
    assert found.marks == (
        Mark("nasion", (12.5, -0.25, 3.75)),
        Mark("gnathion"),
        Mark('left & "right"', (-7.0, 2.0, 1e-5)),
    )


def test_meshlab_reads_what_is_written(rng):
    # As PickedPoints::open does it, by another parser of XML.
    marks = [*random_marks(rng, 40, missing=0.2), Mark("<&>\"'", (1.0, 2.0, 3.0))]
    document = minidom.parseString(written("meshlab", marks, object='a "mesh"'))
    root = document.documentElement
    assert (document.doctype.name, root.nodeName) == ("PickedPoints", "PickedPoints")
    assert document.getElementsByTagName("DataFileName")[0].getAttribute("name") == 'a "mesh"'
    points = [node for node in root.childNodes if node.nodeName == "point"]
    for node, mark in zip(points, marks, strict=True):
        is_there = node.getAttribute("active") != "0"
        point = tuple(float(node.getAttribute(axis)) for axis in "xyz")
        assert node.getAttribute("name") == mark.name
        assert (point if is_there else None) == mark.point


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "no XML"),
        (b"<PickedPoints>", "no XML"),
        (b"<project/>", "<project>, not <PickedPoints>"),
        (b'<PickedPoints><point x="1" y="2"/></PickedPoints>', "point 1, z: '' is no number"),
        (b'<PickedPoints><point x="1" y="2" z="nan"/></PickedPoints>', "'nan' is no number"),
        (b'<PickedPoints><point x="1,5" y="2" z="3"/></PickedPoints>', "decimal comma"),
        (b'<!DOCTYPE PickedPoints [<!ENTITY a "b">]><PickedPoints/>', "entities of its own"),
        (b'<!DOCTYPE P [<!ENTITY a SYSTEM "file:///etc/hosts">]><P>&a;</P>', "entities of its own"),
        (b"<PickedPoints>&unknown;</PickedPoints>", "no XML"),
        ("<PickedPoints/>".encode("utf-16"), "UTF-16"),
    ],
)
def test_faults_of_picked_points_are_named(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "meshlab")


def test_entities_are_refused_before_they_grow():
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 20}">' for n in range(1, 20))
    bomb = f'<!DOCTYPE P [<!ENTITY e1 "lol">{levels}]><PickedPoints>&e20;</PickedPoints>'
    with pytest.raises(MarkFileError, match="entities of its own"):
        files.read(bomb.encode(), "meshlab")


def test_points_of_landmark_and_viewbox_are_read():
    marks = marks_of(LANDMARK, "pts")
    assert [mark.name for mark in marks] == ["S0000", "S0001", "S0002"]
    assert marks[0].point == (142.828718185425, 98.0757427215576, 10.7738571166992)
    assert marks[1].point is None
    marks = marks_of(VIEWBOX, "pts")
    assert marks == (Mark("S.1", (1.0, 2.0, 3.0)), Mark("C.1.01", (-4.5, 5.0, 0.006)))


def read_as_morpho(data):
    """As read.pts of Morpho: a table of four columns from the third line on, with 9999 as NA."""
    rows = [line.split() for line in data.decode().splitlines()[2:]]
    assert all(len(row) == 4 for row in rows)
    points = [tuple(map(float, row[1:])) for row in rows]
    return [row[0] for row in rows], [None if 9999 in point else point for point in points]


def test_morpho_reads_what_is_written(rng):
    marks = random_marks(rng, 60, missing=0.2)
    data = written("pts", marks)
    assert data.decode().splitlines()[:2] == ["Version 1.0", "60"]
    names, points = read_as_morpho(data)
    assert names == [mark.name for mark in marks]
    assert points == [mark.point for mark in marks]
    assert [mark.point for mark in marks_of(data, "pts")] == points


def test_names_in_pts_have_no_spaces_or_are_numbers():
    data = written("pts", [*HEAD, Mark("")])
    assert read_as_morpho(data)[0] == ["nasion", "gnathion,_left", "Ångström_ü", "S0003"]
    names = ["S0000", "S0001", "S0002"]
    assert read_as_morpho(written("pts", HEAD, "numbered"))[0] == names
    with pytest.raises(MarkFileError, match="means missing here"):
        written("pts", [Mark("far", (9999.0, 9999.0, 9999.0))])


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "begins with '', not with \"Version 1.0\""),
        (b"version: 1\nn_points: 1\n{\n1 2\n}", "begins with 'version: 1'"),
        (b"Version 1.0\n", "ends before the number"),
        (b"Version 1.0\nmany\n", "'many' is no whole number"),
        (b"Version 1.0\n2\nS0000 1 2 3\n", "has 1 points and says 2"),
        (b"Version 1.0\n1\nS0000 1 2\n", "line 3: a name and three"),
        (b"Version 1.0\n1\nS0000 1,5 2 3\n", "line 3: 1,5 has a decimal comma"),
        (b"Version 1.0\n1\nS0000 1 2 inf\n", "'inf' is no number"),
        (b"Version 1.0\n1\nS0000 1 NA 3\n", "only some of the three"),
        (b"Version 1.0\n1\nS0000 1 2 1e999\n", "not finite"),
        (b"Version 1.0\n1\nM\xfcller 1 2 3\n", "not in UTF-8 from byte 15 on"),
    ],
)
def test_faults_of_points_are_named(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "pts")


def test_specimens_of_tps_are_sets():
    one, two = files.read(GEOMORPH, file_name="skulls.tps")
    assert (one.name, two.name) == ("specimen one", "skull.jpg")
    assert [mark.point for mark in one.marks] == [(0.124508, -2.5, 3.0), None]
    assert two.marks == (Mark("", (0.5, 1.0, 1.5)),)


def read_as_geomorph(data):
    """As scanTPS of geomorph: rows below LM3= without an equals sign, and what follows ID=."""
    found = []
    for part in re.split(r"(?=LM3=)", data.decode())[1:]:
        lines = [line for line in part.split("\n") if line]
        rows = [line.split() for line in lines if "=" not in line]
        points = [None if row == ["NA"] * 3 else tuple(map(float, row)) for row in rows]
        assert len(points) == int(lines[0].removeprefix("LM3="))
        (name,) = (line.removeprefix("ID=") for line in lines if line.startswith("ID="))
        found.append((name, points))
    return found


def test_geomorph_reads_what_is_written(rng):
    sets = [MarkFile(f"skull {n}", tuple(random_marks(rng, 12, missing=0.3))) for n in range(5)]
    data = files.write("tps", sets)
    expected = [(each.name, [mark.point for mark in each.marks]) for each in sets]
    assert read_as_geomorph(data) == expected
    after = files.read(data, "tps")
    assert [(each.name, [mark.point for mark in each.marks]) for each in after] == expected


def test_a_landmark_of_three_minus_ones_is_missing_in_tps_and_that_is_said():
    data = b"LM3=3\n-1 -1 -1\n-1 -1 2\n-1.0 -1.0 -1.0\nSCALE=2\nID=a\n"
    (found,) = files.read(data, "tps")
    assert [mark.point for mark in found.marks] == [None, (-2.0, -2.0, 4.0), None]
    assert found.left_out == tuple(
        f"landmark {n} is at -1, -1, -1, which means missing" for n in (1, 3)
    )


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (b"ID=wolf\nIMAGE=a.jpg\n", "wolf"),
        (b"IMAGE=a.jpg\nID=wolf\n", "wolf"),
        (b"IMAGE=a.jpg\n", "a.jpg"),
        (b"IMAGE=a.jpg\nID=\n", "a.jpg"),
        (b"", "skulls"),
    ],
)
def test_a_specimen_of_tps_is_called_by_its_id_or_else_by_its_picture(lines, name):
    (found,) = files.read(b"LM3=1\n1 2 3\n" + lines, file_name="skulls.tps")
    assert found.name == name


def test_curves_of_tps_are_left_out_and_said_to_be():
    data = b"LM3=1\n1 2 3\nCURVES=1\nPOINTS=2\n4 5 6\n7 8 9\nID=a\nCOMMENT=b\n"
    (found,) = files.read(data, "tps")
    assert (found.name, len(found.marks), found.left_out) == ("a", 1, ("line 3: CURVES=1",))


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "empty"),
        (b"1 2 3\n", "begins without LM3="),
        (b"ID=a\n", "begins without LM3="),
        (b"LM3=x\n", "'x' is no whole number"),
        (b"LM3=2\n1 2 3\nID=a", "line 1 has 1 landmarks, and says 2"),
        (b"LM=1\n1 2\n", "landmarks in a picture"),
        (b"LM3=1\n1 2 3 4\n", "three coordinates belong here"),
        (b"LM3=1\n1,5 2,5 3,5\n", "1,5 has a decimal comma; write a point"),
        (b"LM3=1\n1 2 NA\n", "only some of the three"),
        (b"LM3=1\n1 2 3\nSCALE=0,5\n", "decimal comma"),
    ],
)
def test_faults_of_tps_are_named(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "tps")


def test_the_three_lists_of_cloudcompare_are_read():
    assert marks_of(b"1.5,2,3\n-4,5,6e-07\n", "cloudcompare") == (
        Mark("", (1.5, 2.0, 3.0)),
        Mark("", (-4.0, 5.0, 6e-7)),
    )
    assert [m.index for m in marks_of(b"7,1,2,3\n9,4,5,6\n", "cloudcompare")] == [7, 9]
    marks = marks_of(b"Point #0,1,2,3\nleft, upper,4,5,6\n", "cloudcompare")
    assert [mark.name for mark in marks] == ["Point #0", "left, upper"]


@pytest.mark.parametrize("layout", ["label", "index", "xyz"])
def test_lists_for_cloudcompare_have_a_row_a_landmark(layout, rng):
    marks = random_marks(rng, 30)
    data = written("cloudcompare", marks, layout)
    rows = [line.split(",") for line in data.decode().splitlines()]
    assert [tuple(map(float, row[-3:])) for row in rows] == [mark.point for mark in marks]
    firsts = {"label": [[mark.name] for mark in marks], "index": [[str(n)] for n in range(30)]}
    assert [row[:-3] for row in rows] == firsts.get(layout, [[]] * 30)
    assert [mark.point for mark in marks_of(data, "cloudcompare")] == [m.point for m in marks]


def test_a_missing_landmark_has_no_row_in_a_list_of_cloudcompare():
    with pytest.raises(MarkFileError, match="missing, as 'a'"):
        written("cloudcompare", [Mark("a")])


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "empty"),
        (b"1,2\n", "line 1: x,y,z belong here"),
        (b"a,1,2,b\n", "'b' is no number"),
        (b"1,2,3\n1;2;3\n", "line 2: x,y,z"),
    ],
)
def test_faults_of_lists_are_named(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "cloudcompare")
