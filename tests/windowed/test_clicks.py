# SPDX-License-Identifier: GPL-3.0-or-later
"""How many clicks and keys people need for what they do most often; each task has a limit.

A task begins with the tab *Raypick* shown and, where its user would have chosen one, with a tool.
From there on there is simulated input alone, and what came of it is read by Python.
"""

import json
from pathlib import PurePosixPath

import numpy as np
import pytest

from tests.windowed.counted import Hand
from tests.windowed.hand import choose_tool, hotkey, in_viewport, look, middle_of, set_up_inspection
from tests.windowed.landmarks import MEASURE, TYPE, names, set_up_landmarks, unfold
from tests.windowed.session import Session
from tests.windowed.surveys import FACE

PICK_TOOL, LANDMARK_TOOL = "raypick.pick_tool", "raypick.landmark_tool"

# Buttons: so far from the left of the sidebar, and down from its top.
COPY_FACE = 121, 68
PICKS = 230, 16  # the menu beside Inspect
# These where the panel of picks is folded:
LOAD_TEMPLATE, TYPE_TEMPLATE = (150, TYPE - 20), (150, TYPE)
SPECIALS = 243, 154
DISTANCE = 80, MEASURE

# Entries of menus, counted from the first, without the lines between them.
SURVEY, FACE_SURVEY = 3, 3
FILES, EXPORT = 4, 1
SELECT, EXCLUDE = 1, 2  # below the name of what was hit

TWELVE = [f"point {number}" for number in range(12)]

CLIPBOARD = "bpy.context.window_manager.clipboard"
SAVED = """
import os, tempfile
folder = tempfile.mkdtemp(dir=bpy.app.tempdir)
bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "scan.blend"))
result = folder
"""
WRITTEN = """
with open(os.path.join(folder, "face.json"), "w") as file:
    file.write({text!r})
result = None
"""
IN_FILES = "[area.type for area in bpy.context.window_manager.windows[0].screen.areas]"
PROPOSED = "bpy.context.window_manager.windows[0].screen.areas[0].spaces.active.params.filename"
OTHER = """
other = target.copy()
other.name = "Other"
bpy.context.scene.collection.objects.link(other)
bpy.context.view_layer.objects.active = other
result = None
"""
SHOWN = """[
    area.spaces.active.image.name
    for window in bpy.context.window_manager.windows
    for area in window.screen.areas
    if area.type == "IMAGE_EDITOR" and area.spaces.active.image
]"""
FACES = """
import bmesh
[each.index for each in bmesh.from_edit_mesh(target.data).faces if each.select]
"""
MEASURED = "[each.value for each in api.measures.values(bpy.context, target)]"
EXCLUDED = "[name for name, _ in current.excluded_names().values()]"
"""What results are read from."""


@pytest.fixture(scope="module")
def tall_viewport(blender_build, extension_zip):
    """A viewport in a window in which all menus have room; the dialog for files comes in it too."""
    with Session(blender_build, extension_zip, size=(1000, 760)) as session:
        view = "bpy.context.preferences.view"
        session.py(f"{view}.filebrowser_display_type = 'SCREEN'\nresult = None")
        yield session


class Task:
    """What a task needs: the window, a hand that counts, and where things are."""

    def __init__(self, blender):
        self.blender = blender
        self.hand = Hand(blender)

    def begin(self, tool=None, marks=None, mode="OBJECT"):
        """Show the strip, with landmarks or to place them, and the tab; take a tool."""
        if marks is None:
            set_up_inspection(self.blender)
            self.blender.py("sidebar.active_panel_category = 'Raypick'\nresult = None")
        else:
            set_up_landmarks(self.blender, marks)
            unfold(self.blender)
        in_viewport(self.blender, f"bpy.ops.object.mode_set(mode={mode!r})")
        choose_tool(self.blender, tool or "builtin.select_box")
        self.blender.py(f"{CLIPBOARD} = ''\nresult = None")
        self.blender.redraw(2)

    def at(self, face):
        """Where the middle of a face is seen."""
        return self.blender.position_of(middle_of(face))

    def button(self, place):
        """Where a button of the sidebar is."""
        left, top = self.blender.py("[sidebar.x, sidebar.y + sidebar.height]")
        return left + place[0], top - place[1]

    def open_entry(self, face):
        """Open Raypick's entry in Blender's menu for a face; return where its entries are."""
        entries = self.hand.menu(self.hand.click, *self.at(face), "RIGHTMOUSE")
        return self.hand.menu(self.hand.move, *entries[-1])

    def save_beside_template(self):
        """Save the scene in a folder that has a template."""
        self.blender.py(SAVED)
        self.blender.py(WRITTEN.format(text=json.dumps(TWELVE)))

    def end_dialog(self, key="RET"):
        """Accept the file that the dialog proposes, or leave it with Esc; return its name."""
        self.blender.wait(f"{IN_FILES} == ['FILE_BROWSER']")
        name = self.blender.py(PROPOSED)
        self.hand.move(500, 300)
        self.hand.key(key)
        self.blender.wait(f"{IN_FILES} == ['VIEW_3D']")
        return name

    def load_template(self, key="RET"):
        """Ask for a template by the button, and end the dialog; return the name it proposes."""
        self.hand.click(*self.button(LOAD_TEMPLATE))
        return self.end_dialog(key)

    def export(self, key="RET"):
        """Export landmarks by the menu, likewise."""
        specials = self.hand.menu(self.hand.click, *self.button(SPECIALS))
        files = self.hand.menu(self.hand.move, *specials[FILES])
        self.hand.click(*files[EXPORT])
        return self.end_dialog(key)


def read_a_face_index(task):
    task.begin(PICK_TOOL)
    task.hand.click(*task.at(1))
    assert look(task.blender, "kept") == ["Target", 1, 0]


def copy_it(task):
    task.begin(PICK_TOOL)
    task.hand.click(*task.at(1))
    task.blender.redraw(2)
    task.hand.click(*task.button(COPY_FACE))
    assert task.blender.py(CLIPBOARD) == "1"


def copy_what_is_under_the_mouse(task):
    task.begin()
    task.hand.move(*task.at(1))
    task.hand.key(**hotkey(task.blender, "raypick.copy_under_mouse"))
    assert task.blender.py(CLIPBOARD) == "1"


def select_the_picked_face(task):
    task.begin(PICK_TOOL, mode="EDIT")
    task.hand.click(*task.open_entry(1)[SELECT])
    task.blender.wait("target.data.total_face_sel")
    assert task.blender.py(FACES) == [1]


def place_a_template(task):
    task.begin(marks="")
    task.save_beside_template()
    task.load_template()
    left, right = (np.array(task.at(face)) for face in (0, 1))
    for share in np.linspace(0.0, 1.0, len(TWELVE)):
        task.hand.click(*(left + share * (right - left)))
    assert names(task.blender) == TWELVE


def type_a_template(task):
    task.begin(marks="")
    task.hand.click(*task.button(TYPE_TEMPLATE))
    task.blender.redraw(2)
    task.hand.type("left, right")
    task.hand.key("RET")
    task.blender.redraw(2)
    assert task.blender.py("[each.name for each in storage.read(target).set.missing]") == [
        "left",
        "right",
    ]


def measure_a_distance(task):
    task.begin(LANDMARK_TOOL, marks="ABC")
    task.hand.click(*task.at(0))
    task.hand.click(*task.at(2), shift=True)
    task.blender.redraw(2)
    task.hand.click(*task.button(DISTANCE))
    (value,) = task.blender.py(MEASURED)
    assert value == pytest.approx(np.linalg.norm(np.subtract(middle_of(0), middle_of(2))))


def see_a_survey(task):
    task.begin()
    task.blender.py("bpy.context.preferences.view.render_display_type = 'WINDOW'\nresult = None")
    picks = task.hand.menu(task.hand.click, *task.button(PICKS))
    kinds = task.hand.menu(task.hand.move, *picks[SURVEY])
    task.hand.click(*kinds[FACE_SURVEY])
    task.blender.wait(SHOWN)
    assert task.blender.py(SHOWN) == [FACE]


def export_landmarks(task):
    task.begin(LANDMARK_TOOL, marks="ABC")
    folder = PurePosixPath(task.blender.py(SAVED))
    task.export()
    path = str(folder / "Target.mrk.json")
    written = json.loads(task.blender.py(f"open({path!r}).read()"))
    points = written["markups"][0]["controlPoints"]
    assert [each["label"] for each in points] == ["A", "B", "C"]


def exclude_an_object(task):
    task.begin(PICK_TOOL)
    task.hand.click(*task.open_entry(1)[EXCLUDE])
    task.blender.redraw(2)
    assert task.blender.py(EXCLUDED) == ["Target"]


MOST = {
    read_a_face_index: 1,
    copy_it: 2,
    copy_what_is_under_the_mouse: 1,
    select_the_picked_face: 2,
    place_a_template: 14,
    type_a_template: 2,
    measure_a_distance: 3,
    see_a_survey: 3,
    export_landmarks: 3,
    exclude_an_object: 2,
}
"""The tasks, and how many clicks and keys each may take."""


@pytest.mark.parametrize("do", [pytest.param(do, id=do.__name__) for do in MOST])
def test_no_task_takes_more_clicks_and_keys_than_it_may(tall_viewport, do):
    task = Task(tall_viewport)
    do(task)
    assert 0 < task.hand.count <= MOST[do]


def test_the_template_that_was_loaded_last_is_proposed_for_the_next_scan(tall_viewport):
    task = Task(tall_viewport)
    task.begin(marks="")
    task.save_beside_template()
    task.load_template()
    task.begin(marks="")
    assert task.load_template("ESC") == "face.json"


def test_an_export_is_named_after_its_object_though_another_was_exported_before(tall_viewport):
    task = Task(tall_viewport)
    task.begin(marks="A")
    task.blender.py(SAVED)
    assert task.export() == "Target.mrk.json"
    task.blender.draw_after(OTHER)
    assert task.export("ESC") == "Other.mrk.json"
