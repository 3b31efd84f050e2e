# SPDX-License-Identifier: GPL-3.0-or-later
"""Files as each version wrote them: later versions read them with all that they hold.

A field that is new since then has a default, or these files can no longer be read. At a release, a
folder of that version is added to ``frozen``; what is there never changes.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import standalone_core as sc
from tests.core.landmark_files.model import model_module

VERSIONS = sorted((Path(__file__).parent / "frozen").iterdir())

CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0.5), (0, 2, 1 / 3), (1, 1, 3)]


@pytest.fixture(params=VERSIONS, ids=lambda folder: folder.name)
def frozen(request):
    return request.param


def test_every_pick_of_a_saved_history_is_read(frozen):
    saved = json.loads((frozen / "history.json").read_text(encoding="utf-8"))
    records = [*map(model_module("record").PickRecord.from_dict, saved["picks"])]
    for record, values in zip(records, saved["picks"], strict=True):
        written = json.loads(json.dumps(record.as_dict()))
        for hit, then in zip(written["hits"], values["hits"], strict=True):
            assert {**hit, **then} == hit
        assert {**written, **values, "hits": None} == {**written, "hits": None}
    assert records[0].hits[0].object == "Grid ü"


def test_landmarks_and_measures_are_read_and_written_as_they_were(frozen):
    text = (frozen / "landmarks.json").read_text(encoding="utf-8")
    document = model_module("landmarks.document").Document.from_text(text)
    assert [each.name for each in document.landmarks] == ["nasion", "left"]
    assert [each.name for each in document.measures] == ["Width"]
    assert json.loads(document.to_text()) == json.loads(text)


def test_a_mesh_is_read_with_its_faces(frozen):
    mesh = sc.load_mesh(frozen / "mesh.npz")
    assert np.array_equal(mesh.vertices, CORNERS)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]]
    assert mesh.ray_cast((0.2, 1, 9), (0, 0, -1)).face == 0


def test_a_scene_is_read_with_its_instances(frozen):
    scene = sc.load_scene(frozen / "scene.npz")
    assert [each.name for each in map(scene.__getitem__, scene)] == ["left", "polygons"]
    assert scene[0].matrix[:3, 3].tolist() == [1, -2, 1 / 3]
    assert len(scene[1].mesh.triangles) == 3
    assert np.array_equal(scene[1].mesh.vertices, CORNERS)


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_a_table_of_hits_is_read(frozen, ending):
    table = sc.tables.read_table(frozen / f"hits.{ending}")
    assert table.columns["face"].tolist() == [1, -1]
    assert table.columns["distance"].tolist() == [7.8, np.inf]
    assert table.columns["point"][0].tolist() == [0.5, 0.4, 1.2000000000000002]
    assert table.names["object"] == ("left",)
