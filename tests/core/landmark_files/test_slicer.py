# SPDX-License-Identifier: GPL-3.0-or-later
"""Slicer's markups: as its schema has them, and with everything that the landmarks have."""

import json
from dataclasses import replace

import numpy as np
import pytest

from .model import HEAD, Mark, MarkFile, MarkFileError, Measurement, files, random_marks, written
from .slicer_schema import faults

KINDS = {
    "points": "Fiducial",
    "line": "Line",
    "angle": "Angle",
    "curve": "Curve",
    "closed curve": "ClosedCurve",
}
# As in Docs/developer_guide/modules/markups.md of Slicer: the least that it opens.
LEAST = {
    "@schema": "https://raw.githubusercontent.com/Slicer/Slicer/main/Modules/Loadable/Markups/"
    "Resources/Schema/markups-schema-v1.0.0.json#",
    "markups": [
        {
            "type": "Fiducial",
            "coordinateSystem": "LPS",
            "controlPoints": [
                {"label": "F-1", "position": [-53.5, -73.25, 0.0]},
                {"label": "F-2", "position": [49.75, -88.5, 0.0]},
            ],
        }
    ],
}


def read(value):
    return files.read(json.dumps(value).encode(), "slicer")


def with_point(**keys):
    """A file of one control point."""
    point = {"label": "F", "position": [1.0, 2.0, 3.0], **keys}
    return {"@schema": "x", "markups": [{"type": "Fiducial", "controlPoints": [point]}]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axes", ["LPS", "RAS", None])
@pytest.mark.parametrize("unit", ["mm", "µm", "cm", "m", "in", "ft", None])
def test_files_satisfy_the_schema(kind, axes, unit):
    marks = (*HEAD[:1], Mark("not there"))
    values = {"kind": kind, "axes": axes, "unit": unit, "color": (0.25, 0.5, 1.0), "object": "A"}
    measurements = (Measurement("length", 12.5, "mm", "along it"), Measurement("", 0.0))
    file = json.loads(written("slicer", marks, measurements=measurements, **values))
    assert faults(file) == []
    assert file["markups"][0]["type"] == KINDS[kind]


def test_the_schema_of_the_tests_finds_faults():
    file = json.loads(written("slicer", HEAD))
    assert faults(file) == []
    for path, value in [
        (("type",), "Points"),
        (("coordinateSystem",), "Z_UP"),
        (("coordinateUnits",), "m"),
        (("controlPoints", 0, "position"), [1.0, 2.0]),
        (("controlPoints", 0, "positionStatus"), "missing"),
        (("controlPoints", 0, "orientation"), [1.0] * 8),
        (("display", "color"), [0.0, 2.0, 0.0]),
    ]:
        changed = json.loads(json.dumps(file))
        *way, last = path
        part = changed["markups"][0]
        for step in way:
            part = part[step]
        part[last] = value
        assert faults(changed), path


@pytest.mark.parametrize("kind", KINDS)
def test_a_round_trip_keeps_everything(kind):
    place = (0.1, -1 / 3, 1e-300), 7, 3, (0.25, 0.5, 0.25), (0.6, 0.0, -0.8)
    marks = (
        Mark("a", *place, "described", locked=True, selected=True),
        Mark("", normal=(0.0, 0.0, 1.0), hidden=True, selected=False),
    )
    before = MarkFile(
        *("Größe", marks, "RAS", "cm", kind, "Suzanne", (0.1, 0.2, 0.3), True, True),
        (Measurement("length", 1 / 3, "mm", "along"), Measurement("angle", -2.0, "deg")),
    )
    assert files.read(files.write("slicer", [before, before]), "slicer") == [before, before]


def test_the_least_file_of_slicers_manual_is_read():
    (found,) = read(LEAST)
    assert (found.axes, found.unit, found.kind, found.name) == ("LPS", "mm", "points", "Landmarks")
    assert [mark.name for mark in found.marks] == ["F-1", "F-2"]
    assert found.marks[1].point == (49.75, -88.5, 0.0)
    assert found.marks[1].normal is None


def test_a_position_that_slicer_or_morpho_writes_as_empty_is_missing():
    (found,) = read(with_point(position="", positionStatus="undefined"))
    assert found.marks[0].point is None
    for status in ("undefined", "preview", "missing"):
        (found,) = read(with_point(positionStatus=status))
        assert found.marks[0].point is None
    (found,) = read(with_point(positionStatus="defined"))
    assert found.marks[0].point == (1, 2, 3)


def test_every_point_has_a_position_status():
    file = json.loads(written("slicer", [HEAD[0], Mark("later")]))
    points = file["markups"][0]["controlPoints"]
    assert [point["positionStatus"] for point in points] == ["defined", "undefined"]
    assert "position" not in points[1]


def test_the_orientation_is_a_rotation_whose_third_column_is_the_normal(rng):
    normals = rng.normal(size=(200, 3))
    normals[:6] = [*np.eye(3), *-np.eye(3)]
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    marks = [Mark(str(n), (0.0, 0.0, 0.0), normal=tuple(v)) for n, v in enumerate(normals.tolist())]
    points = json.loads(written("slicer", marks))["markups"][0]["controlPoints"]
    for point, normal in zip(points, normals, strict=True):
        matrix = np.array(point["orientation"]).reshape(3, 3)
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(matrix) > 0
        assert (matrix[:, 2] == normal).all()
    (found,) = files.read(written("slicer", marks), "slicer")
    np.testing.assert_allclose([mark.normal for mark in found.marks], normals, atol=1e-15)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_orientation_that_slicer_gives_every_point_is_no_normal(sign):
    (found,) = read(with_point(orientation=[sign, 0, 0, 0, sign, 0, 0, 0, 1]))
    assert found.marks[0].normal is None


def test_the_place_on_the_surface_rides_along_under_a_key_of_its_own():
    marks = [HEAD[0], Mark("a", (1.0, 2.0, 3.0))]
    points = json.loads(written("slicer", marks))["markups"][0]["controlPoints"]
    assert points[0]["raypick"] == {"face": 3, "triangle": 7, "barycentric": [0.25, 0.5, 0.25]}
    assert "raypick" not in points[1]


def test_corners_and_the_topology_that_they_are_of_ride_along_and_come_back():
    mark = replace(HEAD[0], corners=(0, 2, 3))
    data = written("slicer", [mark], topology="abc123")
    (markup,) = json.loads(data)["markups"]
    assert markup["raypick"] == {"topology": "abc123"}
    assert markup["controlPoints"][0]["raypick"]["corners"] == [0, 2, 3]
    (again,) = files.read(data, "slicer")
    assert (again.topology, again.marks[0].corners) == ("abc123", (0, 2, 3))


@pytest.mark.parametrize("corners", [[0, 1], [0, 1, -1], [0, 1, 0.5], "abc", [0, 1, None]])
def test_corners_that_are_none_are_refused(corners):
    values = json.loads(written("slicer", HEAD))
    values["markups"][0]["controlPoints"][0]["raypick"]["corners"] = corners
    with pytest.raises(MarkFileError, match="markup 1, point 1"):
        files.read(json.dumps(values).encode(), "slicer")


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        *(("mm", "mm"), ("um", "µm"), (["m", "UCUM", "meter"], "m"), ("parsec", None)),
        *((["[in_i]", "UCUM", "inch"], "in"), ([], None), (7, None)),
    ],
)
def test_units_are_those_of_ucum(value, unit):
    markup = {"type": "Fiducial", "coordinateUnits": value, "controlPoints": []}
    (found,) = read({"markups": [markup]})
    assert found.unit == unit
    assert bool(found.left_out) == (unit is None)


def test_planes_and_boxes_are_left_out_and_said_to_be():
    (found,) = read({"markups": [{"type": "Plane"}, *LEAST["markups"], {"type": "ROI"}]})
    assert found.left_out == ("markup 1 is a Plane", "markup 3 is a ROI")
    with pytest.raises(MarkFileError, match="no landmarks; markup 1 is a Plane"):
        read({"markups": [{"type": "Plane"}]})


@pytest.mark.parametrize(("kind", "most"), [("line", 2), ("angle", 3)])
def test_a_line_has_two_points_and_an_angle_three(kind, most, rng):
    marks = random_marks(rng, most + 1)
    written("slicer", marks[:most], kind=kind)
    with pytest.raises(MarkFileError, match=f"has {most} points at most"):
        written("slicer", marks, kind=kind)


def test_axes_that_slicer_does_not_know_are_refused():
    with pytest.raises(MarkFileError, match="LPS and RAS, not Y_UP"):
        written("slicer", HEAD, axes="Y_UP")


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ([], 'no list "markups"'),
        ({"markups": {}}, 'no list "markups"'),
        ({"markups": [7]}, "markup 1: int where a JSON object"),
        ({"markups": [{"type": "Line", "coordinateSystem": "SAR"}]}, "neither LPS nor RAS"),
        ({"markups": [{"type": "Line", "controlPoints": 5}]}, "int where a list"),
        (with_point(position=[1, 2]), "markup 1, point 1: list are not three numbers"),
        (with_point(position=[1, 2, "3"]), "'3' is no number"),
        (with_point(position=[1, 2, True]), "True is no number"),
        (with_point(position=[1, 2, 10**400]), "not finite"),
        (with_point(orientation=[1] * 8), "nine numbers"),
        (with_point(raypick=[]), "list where a JSON object"),
        (with_point(raypick={"triangle": -1}), "-1 is no index"),
        (with_point(raypick={"triangle": 1.5}), "1.5 is no index"),
        (with_point(raypick={"barycentric": [1, 1, 1]}), "add up to 1"),
    ],
)
def test_faults_are_named(file, fault):
    with pytest.raises(MarkFileError, match=fault):
        read(file)
