# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures in files, read back by parsers that share nothing with the writer."""

import csv
import json
import math

import bpy
import pytest

from tests.core.landmark_files.slicer_schema import faults

from ...scenes import down, square


@pytest.fixture
def measured(raypick):
    """Return a square of 10 units with measures of each kind that has a line."""
    obj = square("Plate", size=10.0)
    for name, place in {"a": (1, 1), "b": (4, 5), "=c": (1, 5)}.items():
        raypick.api.landmarks.add(bpy.context, down(raypick, *place)[0], name)
    for kind, names in {
        "distance": "ab",
        "angle": ("b", "=c", "a"),
        "outline": ("a", "b", "=c"),
        "surface_distance": "ab",
        "thickness": "a",
    }.items():
        raypick.api.measures.add(kind, [(obj, name) for name in names])
    bpy.context.scene.unit_settings.scale_length = 0.01
    return obj


def test_a_table_has_a_row_for_each_measure(raypick, measured, tmp_path):
    path = tmp_path / "measures.csv"
    raypick.api.measures.export(bpy.context, measured, path, unit="mm")
    rows = [*csv.DictReader(path.open(encoding="utf-8"))]
    found = {row["kind"]: row for row in rows}
    assert float(found["distance"]["value"]) == pytest.approx(50.0)
    assert float(found["distance"]["along_x"]) == pytest.approx(30.0)
    assert found["distance"]["landmarks"] == "a; b"
    assert float(found["outline"]["value"]) == pytest.approx(120.0)
    assert float(found["angle"]["value"]) == pytest.approx(90.0)
    assert (found["distance"]["unit"], found["angle"]["unit"]) == ("mm", "deg")
    assert (found["thickness"]["value"], found["thickness"]["reason"]) == (
        "",
        "Nothing is opposite",
    )
    assert not any(cell.startswith("=") for row in rows for cell in row.values())


def test_json_has_the_lines_too_in_units_of_the_scene(raypick, measured, tmp_path):
    path = tmp_path / "measures.json"
    raypick.api.measures.export(bpy.context, measured, path, ["Distance"])
    (found,) = json.loads(path.read_text())
    assert found["value"] == pytest.approx(5.0)
    assert found["unit"] is None
    assert math.dist(*found["points"]) == pytest.approx(5.0)


def test_markups_are_lines_angles_and_curves_that_slicer_reads(raypick, measured, tmp_path):
    path = tmp_path / "measures.mrk.json"
    raypick.api.measures.export(bpy.context, measured, path)
    written = json.loads(path.read_text())
    assert faults(written) == []
    found = {each["name"]: each for each in written["markups"]}
    assert {name: each["type"] for name, each in found.items()} == {
        "Distance": "Line",
        "Angle": "Angle",
        "Outline": "ClosedCurve",
        "Surface Distance": "Curve",
    }
    start, end = (point["position"] for point in found["Distance"]["controlPoints"])
    assert math.dist(start, end) == pytest.approx(50.0)  # mm
    assert len(found["Outline"]["controlPoints"]) == 3
    (angle,) = found["Angle"]["measurements"]
    assert angle["value"] == pytest.approx(90.0)


def test_the_operator_writes_the_measures_of_all_objects(raypick, measured, tmp_path):
    other = square("Other", z=2.0)
    raypick.api.landmarks.add(bpy.context, down(raypick, 0.5, 0.5)[0], "a")
    raypick.api.measures.add("thickness", [(other, "a")], "Thin")
    path = tmp_path / "all.csv"
    assert bpy.ops.raypick.export_measures(filepath=str(path), format="csv") == {"FINISHED"}
    names = {row["name"] for row in csv.DictReader(path.open(encoding="utf-8"))}
    assert {"Thin", "Distance"} <= names


def test_what_cannot_be_written_is_refused_in_words(raypick, measured, tmp_path):
    measures = raypick.api.measures
    with pytest.raises(raypick.api.RaypickError, match="measures are written as"):
        measures.export(bpy.context, measured, tmp_path / "measures.xls")
    with pytest.raises(raypick.api.RaypickError, match="No measure has a value"):
        measures.export(bpy.context, measured, tmp_path / "a.mrk.json", ["Thickness"])
    with pytest.raises(raypick.api.RaypickError):
        measures.export(bpy.context, measured, tmp_path / "missing" / "a.csv")
    assert [*tmp_path.iterdir()] == []
