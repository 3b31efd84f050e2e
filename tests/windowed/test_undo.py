# SPDX-License-Identifier: GPL-3.0-or-later
"""In each mode, what is done with landmarks is a step to undo, or the report says it is none."""

import re

import pytest

from tests.windowed.hand import in_viewport, middle_of, press_hotkey, reports, start
from tests.windowed.landmarks import names, set_up_landmarks, undo

pytestmark = pytest.mark.beside

NOTE = "This cannot be undone here"

KEY = """
keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.new(
    name="3D View", space_type="VIEW_3D")
item = keymap.keymap_items.new("raypick.add_landmark", "F5", "PRESS")
hair = target.modifiers.new("Hair", "PARTICLE_SYSTEM").particle_system
hair.settings.type = "HAIR"
result = None
"""

STEPS = """
import ctypes
bpy.context.window_manager.print_undo_steps()
ctypes.CDLL(None).fflush(None)
result = None
"""

CHANGES = {
    "select_landmarks": "action='SELECT'",
    "add_measure": "kind='distance'",
    "hide_measure": "",
    "mark_landmarks": "what='hidden', every=True",
    "duplicate_landmark_set": "",
    "save_history": "",
}


def steps(blender):
    """The names of the undo steps."""
    before = len(blender.log)
    blender.py(STEPS)
    return re.findall(r"name='(.*)'", blender.log[before:])


@pytest.fixture
def strip(blender):
    """The strip with the landmarks A and B, hair, and a key that adds a landmark."""
    set_up_landmarks(blender, "AB")
    blender.py(KEY)
    yield blender
    if blender.is_running:
        in_viewport(blender, "bpy.ops.object.mode_set(mode='OBJECT')")
        blender.py("keymap.keymap_items.remove(item)\nresult = None")


def enter(blender, mode):
    """Enter a mode, keep a pick of the strip there, and return its place in the window."""
    in_viewport(blender, f"bpy.ops.object.mode_set(mode={mode!r})")
    blender.py("bpy.ops.ed.undo_push(message='mode')\nresult = None")
    x, y = blender.position_of(middle_of(1))
    press_hotkey(blender, x, y)
    reports(blender)
    return x, y


@pytest.mark.parametrize("mode", ["OBJECT", "SCULPT", "EDIT", "PARTICLE_EDIT", "TEXTURE_PAINT"])
def test_a_landmark_is_a_step_or_the_report_says_that_it_is_none(strip, mode):
    x, y = enter(strip, mode)
    before = steps(strip)
    is_undone = mode in ("OBJECT", "SCULPT") or (
        mode == "TEXTURE_PAINT" and strip.build.version_tuple >= (5, 2)
    )
    strip.key("F5", x, y)
    start(strip, x, y)
    strip.key("M", x, y)
    strip.key("ESC", x, y)
    assert names(strip) == ["A", "B", "Landmark.001", "Landmark.002"]
    said = [line for line in reports(strip) if line.startswith("Added")]
    assert [NOTE in line for line in said] == [not is_undone] * 2
    assert steps(strip) == [*before, *(["Add Landmark"] * 2 if is_undone else [])]
    if is_undone:
        undo(strip)
        assert names(strip) == ["A", "B", "Landmark.001"]


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_other_changes_are_steps_where_undo_takes_them_back(strip, mode):
    """Also a new name in the list, which nothing reports: a line of the panel says it."""
    enter(strip, mode)
    before = steps(strip)
    for name, arguments in CHANGES.items():
        in_viewport(strip, f"bpy.ops.raypick.{name}('INVOKE_DEFAULT', True, {arguments})")
    strip.py("lists.follow()\nmanager.raypick_landmarks[0].name = 'Renamed'")
    strip.py("document = storage.read(target)\nresult = None")
    assert strip.py("len(document.sets)") == 2
    assert "Renamed" in strip.py("[each.name for each in document.landmarks]")
    assert strip.py("[each.hidden for each in document.measures]") == [True]
    assert len(steps(strip)) - len(before) == (len(CHANGES) + 1 if mode == "OBJECT" else 0)
