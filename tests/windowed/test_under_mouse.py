# SPDX-License-Identifier: GPL-3.0-or-later
"""A key copies what is under the mouse; Blender's context menus act on it; nothing is kept."""

import json

import pytest

from tests.windowed.hand import (
    choose_tool,
    hotkey,
    in_viewport,
    look,
    middle_of,
    open_entry,
    press_hotkey,
    reports,
    scene_state,
    start,
)

pytestmark = [pytest.mark.wide, pytest.mark.usefixtures("_left")]

COPY = "raypick.copy_under_mouse"
CLIPBOARD = "bpy.context.window_manager.clipboard"
SELECTED = "[o.name for o in bpy.context.selected_objects]"
FACES = """
import bmesh
[f.index for f in bmesh.from_edit_mesh(bpy.context.object.data).faces if f.select]
"""
MODES = ["OBJECT", "EDIT", "SCULPT", "WEIGHT_PAINT"]


def enter(blender, mode):
    in_viewport(blender, f"bpy.ops.object.mode_set(mode={mode!r})")


@pytest.fixture
def _left(blender):
    yield
    for _ in range(3):
        blender.key("ESC", 5, 5)
    enter(blender, "OBJECT")
    choose_tool(blender, "builtin.select_box")
    blender.py("settings.preferences().property_unset('copy_key')\nresult = None")
    blender.move(5, 5)


@pytest.mark.parametrize("mode", MODES)
def test_the_key_copies_the_face_index_and_changes_nothing(blender, at, mode):
    places = at(2), at(1)
    enter(blender, mode)
    before = scene_state(blender)
    for face, place in zip((2, 1), places, strict=True):
        press_hotkey(blender, *place, COPY)
        assert blender.py(CLIPBOARD) == str(face)
        assert f"Copied: {face}" in blender.log
    assert look(blender, "kept") is None
    assert scene_state(blender) == before


def test_what_it_copies_is_chosen_in_the_preferences(blender, at):
    x, y = at(1)
    for key, text in (("object", "Target"), ("original_face", "1"), ("vertices", "1, 4, 5")):
        blender.py(f"settings.preferences().copy_key = {key!r}\nresult = None")
        press_hotkey(blender, x, y, COPY)
        assert blender.py(CLIPBOARD) == text
    blender.py("settings.preferences().copy_key = 'ALL'\nresult = None")
    press_hotkey(blender, x, y, COPY)
    assert json.loads(blender.py(CLIPBOARD))["face"] == 1


def test_where_there_is_no_such_value_nothing_is_copied(blender, at):
    press_hotkey(blender, *at(2), COPY)
    blender.py("settings.preferences().copy_key = 'instance'\nresult = None")
    press_hotkey(blender, *at(1), COPY)
    press_hotkey(blender, *blender.py("[region.x + 80, region.y + 60]"), COPY)
    assert blender.py(CLIPBOARD) == "2"
    assert [line.strip() for line in reports(blender)][-2:] == [
        "Nothing to copy: Instance",
        "Nothing hit",
    ]


def test_it_copies_the_hit_that_the_wheel_has_gone_to(blender, at, ended):
    blender.py("settings.preferences().copy_key = 'object'\nresult = None")
    x, y = at(1)
    start(blender, x, y)
    blender.event("WHEELDOWNMOUSE", "PRESS", x, y)
    blender.key(x=x, y=y, **hotkey(blender, COPY))
    assert blender.py(CLIPBOARD) == "Below 1"


HIT_AFTER_A_CHANGE = """
target.location.x += 100.0
bpy.context.view_layer.update()
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    found = hover.look_at(bpy.context, hover._spot).hit_now
found.object
"""


def test_what_was_shown_under_the_mouse_before_a_change_is_not_used(blender, at, ended):
    start(blender, *at(1))
    assert look(blender, "hovered") == ["Target", 1, 0]
    assert blender.py(HIT_AFTER_A_CHANGE) == "Below 1"


def choose(blender, letter, x, y):
    """Press the underlined letter of an entry of Raypick's menu."""
    blender.key(letter, x, y)
    blender.redraw(2)


def test_the_entry_of_the_context_menu_selects_what_was_under_the_mouse(blender, at):
    press_hotkey(blender, *at(2))
    blender.py("current.kept().look_at(1)\nresult = None")
    x, y = at(1)
    open_entry(blender, x, y)
    choose(blender, "S", x, y)
    assert blender.py(SELECTED) == ["Target"]
    assert look(blender, "kept") == ["Below 1", 2, 1]


def test_it_selects_the_face_in_edit_mode_and_the_same_one_when_adjusted(blender, at):
    enter(blender, "EDIT")
    x, y = at_same(blender, 1)
    open_entry(blender, x, y)
    choose(blender, "S", x, y)
    assert blender.py(FACES) == [1]
    blender.move(*at_same(blender, 0))
    in_viewport(blender, "bpy.ops.ed.undo_redo()")
    assert blender.py(FACES) == [1]


def at_same(blender, face):
    return blender.position_of(middle_of(face))


def test_it_excludes_that_object_alone_and_puts_the_cursor_and_a_landmark_there(blender, at):
    blender.py("bpy.data.objects['Below 2'].select_set(True)\nresult = None")
    x, y = at(1)
    open_entry(blender, x, y)
    choose(blender, "E", x, y)
    assert blender.py("[name for name, _ in current.excluded_names().values()]") == ["Target"]
    assert "Excluded: Target" in blender.log
    open_entry(blender, x, y)
    choose(blender, "A", x, y)
    assert "to Landmarks of Below 1" in blender.log
    open_entry(blender, x, y)
    choose(blender, "C", x, y)
    assert blender.py("bpy.context.scene.cursor.location.length") > 0.1


def test_nothing_is_offered_where_nothing_is_hit(blender, at):
    at(1)
    before = scene_state(blender)
    x, y = blender.py("[region.x + 80, region.y + 60]")
    open_entry(blender, x, y)
    choose(blender, "S", x, y)
    assert scene_state(blender) == before
    assert blender.py(
        "from bl_ext.user_default.raypick.session import pointing\npointing.hit() is None"
    )


def test_the_menu_alone_picks_nothing(blender, at):
    blender.py(
        "from bl_ext.user_default.raypick.session import pointing\npointing.forget()\nresult = None"
    )
    x, y = at(1)
    blender.move(x, y)
    blender.key("RIGHTMOUSE", x, y)
    blender.redraw(2)
    assert blender.py("[pointing._spot is not None, pointing.hit() is None]") == [True, True]
