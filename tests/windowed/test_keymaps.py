# SPDX-License-Identifier: GPL-3.0-or-later
"""Hotkeys and tool work with either selection button and in the Industry Compatible keymap."""

import pytest

from checkout import ROOT
from tests.windowed.hand import (
    choose_tool,
    is_running,
    look,
    middle_of,
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
