# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual and the API tell of every format, layout, column, unit and axes that there are."""

import ast
import re

import pytest

from checkout import ROOT

from .model import files, model_module

COLUMNS = model_module("landmark_files.table").COLUMNS


@pytest.fixture(scope="module")
def parameters():
    """What the docstring of ``api.landmarks.export`` says of each of its parameters."""
    source = (ROOT / "blender_addon" / "api" / "landmark_files.py").read_text(encoding="utf-8")
    functions = (each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef))
    told = next(ast.get_docstring(each) for each in functions if each.name == "export")
    found = re.findall(r"^(\w+) : .*\n((?: {4}.*\n)+)", told, re.MULTILINE)
    return {name: re.findall('"(.+?)"', text) for name, text in found}


def test_the_api_tells_all_that_it_takes(parameters):
    formats = {each.name for each in files.formats()}
    layouts = {name for each in files.formats() if each.layouts_tell for name in each.layouts}
    assert {*parameters["format"]} == formats
    assert {*parameters["layout"]} == layouts
    assert parameters["columns"] == [*COLUMNS]
    assert {*parameters["unit"]} == {*files.METERS, files.SCENE}
    assert {*parameters["axes"]} == {*files.AXES}


def test_the_manual_has_a_row_for_each_format():
    manual = (ROOT / "docs" / "manual.md").read_text(encoding="utf-8")
    table = manual.partition("| format | ending | holds |\n|---|---|---|\n")[2].partition("\n\n")[0]
    found = []
    for row in table.splitlines():
        labels, endings = (cell.strip().split(", ") for cell in row.strip("|").split("|")[:2])
        found += zip(labels, endings, strict=True)
    assert sorted(found) == sorted((each.label, f"`{each.endings[0]}`") for each in files.formats())


def test_where_a_format_is_not_as_usual_its_texts_say_so():
    """Of units, axes and triangles the API, the manual and a tooltip name these formats alone."""
    by_name = {each.name: each for each in files.formats()}
    usual = {name: (each.unit, each.axes, each.triangles) for name, each in by_name.items()}
    assert {name for name, each in usual.items() if each[0] != files.SCENE} == {"slicer", "fcsv"}
    assert {each[:2] for each in usual.values()} == {("mm", "LPS"), (files.SCENE, "Z_UP")}
    assert {name for name, each in usual.items() if each[2] != "BLENDER"} == {"wrap"}
