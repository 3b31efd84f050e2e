# SPDX-License-Identifier: GPL-3.0-or-later
"""A new user with the manual in hand: each of its steps leads where it says."""

import csv
import io
import json

import numpy as np
import pytest

from checkout import ARTEFACTS
from tests.windowed.hand import choose_tool, look
from tests.windowed.landmark_manual import LATER, MEASURES, PLACES, SIZE, LandmarkManual
from tests.windowed.landmarks import undo
from tests.windowed.manual import Manual
from tests.windowed.render_manual import SIZE as RENDER_SIZE
from tests.windowed.render_manual import RenderManual
from tests.windowed.session import Session

SELECTED = "bpy.context.object.data.count_selected_items()[2] > 0"  # faces


def read_inside(blender, path):
    return blender.py(f"from pathlib import Path\nPath({path!r}).read_text(encoding='utf-8')")


def sidebar_of(blender):
    """The pixels of the sidebar."""
    x, y, width, height = blender.py("[sidebar.x, sidebar.y, sidebar.width, sidebar.height]")
    return blender.pixels()[y : y + height, x : x + width].astype(int)


def test_from_the_zip_to_the_exported_history(tall_blender):
    blender = tall_blender
    manual = Manual(blender, ARTEFACTS / f"manual-{blender.build.label}")
    assert blender.py("current.kept() is None")

    manual.take_the_tool()
    assert look(blender, "hovered")[0] == "Suzanne"
    assert look(blender, "kept") is None

    manual.read_a_face()
    name, face, rank = look(blender, "kept")
    assert (name, rank) == ("Suzanne", 0)
    assert face == blender.py("current.shown().hit.face")

    manual.look_from_aside()
    manual.inspect()
    assert blender.py("inspect.is_running()")
    assert look(blender, "shown") == look(blender, "hovered")
    assert look(blender, "shown")[0] == "Suzanne"

    manual.walk_the_stack()
    assert look(blender, "kept")[2] == 1
    assert not blender.py("inspect.is_running()")

    folded = sidebar_of(blender)
    manual.open_the_history()
    assert (np.abs(sidebar_of(blender) - folded).max(axis=2) > 40).sum() > 500

    folder = blender.py("bpy.app.tempdir")
    manual.export(f"{folder}/picks.csv", "CSV")
    manual.export(f"{folder}/picks.json", "JSON")
    rows = list(csv.DictReader(io.StringIO(read_inside(blender, f"{folder}/picks.csv"))))
    records = json.loads(read_inside(blender, f"{folder}/picks.json"))
    assert [len(record["hits"]) for record in records] == [
        sum(row["pick"] == str(number) for row in rows) for number in (1, 2)
    ]
    assert [int(row["rank"]) for row in rows if row["looked_at"] == "True"] == [0, 1]
    assert [record["rank"] for record in records] == [0, 1]
    assert rows[0]["object"] == "Suzanne"
    assert int(rows[0]["face"]) == face
    assert float(rows[0]["weight_a"]) == records[0]["hits"][0]["barycentric"][0]

    manual.open_the_preferences()

    manual.survey_the_view()
    image = "bpy.data.images['Raypick Survey: Face']"
    assert blender.py(f"{image}.size[:]") != [0, 0]
    assert 0.3 < np.mean(blender.py(f"{image}.pixels[:][3::400]")) < 1.0


@pytest.fixture
def small_blender(blender_build, extension_zip):
    """A session whose window has the size of the pictures of landmarks."""
    with Session(blender_build, extension_zip, size=SIZE, whole=True) as session:
        yield session


def test_from_a_template_to_measures_that_outlive_an_edit(small_blender):
    blender = small_blender
    manual = LandmarkManual(blender, ARTEFACTS / f"manual-{blender.build.label}")
    names = "[each.name for each in api.landmarks.of(head)]"
    reasons = "[each.reason for each in api.landmarks.where(bpy.context, head)]"
    values = "[each.value for each in api.measures.values(bpy.context, head)]"

    manual.place()
    assert blender.py(names) == [*PLACES]
    missing = ["The landmark is missing"] * LATER
    assert blender.py(reasons) == [None] * (len(PLACES) - LATER) + missing

    manual.measure()
    assert blender.py(names) == [*PLACES]
    made = blender.py(
        "ids = {each.id: each.name for each in api.landmarks.of(head)}\n"
        "[[each.kind, [ids[place.landmark] for place in each.places]]"
        " for each in api.measures.of(head)]"
    )
    assert made == [[kind, [*of]] for kind, of in MEASURES]
    before = blender.py(values)
    assert None not in before

    manual.edit_the_mesh()
    assert blender.py(reasons) == ["The topology has changed"] * len(PLACES)
    assert blender.py(values) == [None] * len(MEASURES)

    manual.carry_over()
    assert blender.py(reasons) == [None] * len(PLACES)
    assert 0.0 < blender.py("max(each.moved for each in api.landmarks.of(head))") < 0.1
    after = blender.py(values)
    assert after[:3] == pytest.approx(before[:3], rel=0.05)  # the thickness is another by half
    assert after[3] > 0.0


def test_in_edit_mode_undo_covers_the_mesh_alone(small_blender):
    blender = small_blender
    manual = LandmarkManual(blender, ARTEFACTS / f"manual-{blender.build.label}")
    names = "[each.name for each in api.landmarks.of('Head')]"
    choose_tool(blender, "raypick.landmark_tool")
    manual.click("glabella")
    middle = blender.position_of((0.0, 0.0, 0.0))
    blender.key("TAB", *middle)
    choose_tool(blender, "raypick.landmark_tool")
    blender.move(*middle)
    for are_all in (True, False):
        blender.key("A", *middle, alt=not are_all)
        assert blender.py(SELECTED) is are_all
    manual.click("nasion")
    assert blender.py("bpy.context.mode") == "EDIT_MESH"
    assert len(blender.py(names)) == 2
    undo(blender)
    assert blender.py(SELECTED), "the step before the click is taken back"
    assert blender.py("bpy.context.mode") == "EDIT_MESH"
    assert len(blender.py(names)) == 2


def test_the_picture_of_a_render_has_its_faces_beside_the_passes(blender_build, extension_zip):
    with Session(blender_build, extension_zip, size=RENDER_SIZE) as blender:
        manual = RenderManual(blender, ARTEFACTS / f"manual-{blender.build.label}")
        assert manual.render().is_file()
        x, y, width, height = blender.py("[canvas.x, canvas.y, canvas.width, canvas.height]")
        picture = blender.pixels()[y : y + height, x : x + width].reshape(-1, 3)
    assert len(np.unique(picture, axis=0)) > 200
