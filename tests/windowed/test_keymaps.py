# SPDX-License-Identifier: GPL-3.0-or-later
"""Hotkeys and tool work with either selection button and in the Industry Compatible keymap."""

import pytest

from checkout import ROOT
from tests.windowed.hand import (
    choose_tool,
    is_running,
    look,
    middle_of,
    open_entry,
    press_hotkey,
    set_up_inspection,
    start,
)

pytestmark = pytest.mark.wide

CHOOSE = {
    "left": "bpy.context.window_manager.keyconfigs.active.preferences.select_mouse = 'LEFT'",
    "right": "bpy.context.window_manager.keyconfigs.active.preferences.select_mouse = 'RIGHT'",
    "industry compatible": "use('Industry_Compatible')",
}

USE = """
import os
def use(name):
    for folder in bpy.utils.preset_paths("keyconfig"):
        path = os.path.join(folder, name + ".py")
        if os.path.exists(path):
            bpy.utils.keyconfig_set(path)
            return
    raise LookupError(name)
result = None
"""


@pytest.fixture(params=CHOOSE)
def keymap(blender, request):
    """A key configuration; the default one is set again at the end."""
    set_up_inspection(blender)
    blender.py(USE)
    blender.py(CHOOSE[request.param] + "\nresult = None")
    blender.redraw(3)
    yield request.param
    blender.py("inspect.stop()\nuse('Blender')\nresult = None")
    blender.py(CHOOSE["left"] + "\nresult = None")
    blender.redraw(2)


def test_the_hotkeys_pick_and_inspect(blender, keymap):
    x, y = blender.position_of(middle_of(1))
    press_hotkey(blender, x, y)
    assert look(blender, "kept") == ["Target", 1, 0]
    start(blender, x, y)
    assert is_running(blender)
    blender.event("WHEELDOWNMOUSE", "PRESS", x, y)
    assert look(blender, "hovered") == ["Below 1", 1, 1]
    blender.click(x, y)
    assert look(blender, "kept") == ["Below 1", 1, 1]
    blender.click(x, y, "RIGHTMOUSE")
    assert not is_running(blender)
    assert blender.py("[o.name for o in bpy.context.selected_objects]") == []


def test_the_tool_looks_and_keeps(blender, keymap):
    choose_tool(blender)
    x, y = blender.position_of(middle_of(2))
    blender.move(x, y)
    assert look(blender, "hovered") == ["Target", 2, 0]
    blender.click(x, y)
    assert look(blender, "kept") == ["Target", 2, 0]
    assert blender.py("[o.name for o in bpy.context.selected_objects]") == []


TAKEN = """
from bl_ext.user_default.raypick.ui import keymap as hotkeys

def is_same(item, key):
    held = ("shift", "ctrl", "alt", "oskey")
    return item.type == key["type"] and (
        item.any or all(getattr(item, name) in (-1, key.get(name, False)) for name in held))

[
    [keymap.name, item.idname]
    for keymap in bpy.context.window_manager.keyconfigs.active.keymaps
    if keymap.space_type in ("VIEW_3D", "EMPTY") and not keymap.is_modal
    and keymap.name != "User Interface"  # over buttons
    for item in keymap.keymap_items
    if item.active and not item.idname.startswith("raypick.")
    for key in hotkeys.HOTKEYS.values() if is_same(item, key)
]
"""


def test_no_hotkey_has_a_meaning_in_any_mode_of_the_viewport(blender, keymap):
    assert blender.py(TAKEN) == []
    declared = "\nhotkeys.HOTKEYS['test'] = {'type': 'TAB'}\n"
    code, last = TAKEN.split("\n[\n")
    found = blender.py(f"{code}{declared}[\n{last}")
    blender.py("del hotkeys.HOTKEYS['test']\nresult = None")
    assert ["Object Non-modal", "object.mode_set"] in found or keymap == "industry compatible"


def test_the_context_menu_has_our_entry(blender, keymap):
    x, y = blender.position_of(middle_of(1))
    open_entry(blender, x, y, "W" if keymap == "right" else "RIGHTMOUSE")
    blender.key("E", x, y)
    assert blender.py("[name for name, _ in current.excluded_names().values()]") == ["Target"]


def test_the_panel_names_the_hotkeys_as_the_manual_does(blender, keymap):
    manual = (ROOT / "docs" / "manual.md").read_text(encoding="utf-8")
    blender.py("from bl_ext.user_default.raypick.ui import keymap as hotkeys\nresult = None")
    for operator in ("raypick.pick", "raypick.inspect"):
        name = blender.py(f"hotkeys.shown(bpy.context, {operator!r})")
        assert f"**{name}**" in manual


MODES = (
    *("3D View", "3D View Generic", "Object Mode", "Object Non-modal", "Mesh", "Curve", "Metaball"),
    *("Lattice", "Armature", "Pose", "Vertex Paint", "Weight Paint", "Image Paint", "Particle"),
)
PAGED = """
[
    [each.name for each in configuration.keymaps if any(
        item.type in ("PAGE_UP", "PAGE_DOWN") and not (item.ctrl or item.shift or item.alt)
        for item in each.keymap_items
    )]
    for configuration in (manager.active, manager.user)
]
"""


def test_the_page_keys_of_the_landmark_tool_are_free_in_its_modes(blender, keymap):
    """Sculpting and editing of texts use them, so the tool does not."""
    blender.py("manager = bpy.context.window_manager.keyconfigs\nresult = None")
    active, user = blender.py(PAGED.strip())
    assert not {*MODES} & {*active}
    tool = [name for name in user if name.endswith(", Raypick Landmarks")]
    assert "3D View Tool: Object, Raypick Landmarks" in tool
    assert not [name for name in tool if "Sculpt" in name or "Edit Text" in name]
