# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of the history: every name survives, none is computed, and no old file is lost."""

import csv
import json
import os
from dataclasses import replace
from importlib import import_module

import bpy
import pytest

from ..scenes import square


@pytest.fixture
def history(raypick):
    """The module, with one pick remembered."""
    module = import_module(f"{raypick.__name__}.session.history")
    module.clear()
    square()
    assert bpy.ops.raypick.cast(origin=(0.25, 0.5, 3)) == {"FINISHED"}
    yield module
    module.clear()


def rename(history, **names):
    """Have the hit that is remembered, or its record, another name."""
    (record,) = history.records()
    own = {name: value for name, value in names.items() if name in ("file", "scene")}
    hit = replace(record.hit, **{name: names[name] for name in names.keys() - own.keys()})
    history.clear()
    history.add(replace(record, hits=(hit,), **own))


def exported(tmp_path, kind):
    path = tmp_path / f"picks.{kind}"
    assert bpy.ops.raypick.export_history(filepath=str(path)) == {"FINISHED"}
    with open(path, encoding="utf-8", newline="") as file:
        return next(csv.DictReader(file)) if kind == "csv" else json.load(file)[0]


@pytest.mark.skipif(os.name == "nt", reason="all paths are Unicode there")
def test_a_path_that_is_no_utf8_is_exported_and_listed(history, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert bpy.ops.raypick.cast(origin=(0.25, 0.5, 3)) == {"FINISHED"}
    history.remove(history.records()[-1])
    assert history.records()[0].file == path
    assert exported(tmp_path, "csv")["file"] == f"{tmp_path}/caf\\udce9.blend"
    assert exported(tmp_path, "json")["file"] == path
    tooltip = bpy.context.window_manager.raypick_history[0].tooltip
    assert tooltip.endswith("caf\\udce9.blend")


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_name_is_no_formula_in_csv_and_itself_in_json(history, tmp_path, name):
    columns = ("object", "library", "instancer", "material", "file", "scene")
    rename(history, **dict.fromkeys(columns, name))
    row = exported(tmp_path, "csv")
    assert {row[column] for column in columns} == {f"'{name}"}
    values = exported(tmp_path, "json")
    assert {values["file"], values["scene"], values["hits"][0]["object"]} == {name}


def test_other_names_and_negative_numbers_are_as_they_are(history, tmp_path):
    rename(history, object="a=1", material="'x", point=(-1.5, -2.0, 3.0), instance=(-7, 1))
    row = exported(tmp_path, "csv")
    assert (row["object"], row["material"]) == ("a=1", "'x")
    assert (row["x"], row["y"], row["z"], row["instance"]) == ("-1.5", "-2.0", "3.0", "'-7 1")


def test_an_export_that_fails_leaves_the_old_file(history, tmp_path, monkeypatch):
    path = tmp_path / "picks.csv"
    exported(tmp_path, "csv")
    old = path.read_bytes()

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RuntimeError, match=r"No space left on device.*picks\.csv"):
        bpy.ops.raypick.export_history(filepath=str(path))
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["picks.csv"]


@pytest.mark.parametrize(("path", "message"), [("", "is empty"), ("{}/nowhere/a.csv", "No such")])
def test_a_path_that_cannot_be_written_is_said(history, tmp_path, path, message):
    with pytest.raises(RuntimeError, match=message) as raised:
        bpy.ops.raypick.export_history(filepath=path.format(tmp_path))
    assert "Traceback" not in str(raised.value)
