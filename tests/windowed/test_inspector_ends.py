# SPDX-License-Identifier: GPL-3.0-or-later
"""The inspector ends cleanly, whatever ends it, and with it all that it shows."""

import pytest

from tests.windowed.hand import (
    choose_tool,
    in_viewport,
    is_running,
    look,
    middle_of,
    set_up_inspection,
    start,
)

ENDINGS = {
    "escape": lambda b, x, y: b.key("ESC", x, y),
    "right click": lambda b, x, y: b.click(x, y, "RIGHTMOUSE"),
    "hotkey again": start,
    "another tool": lambda b, _x, _y: choose_tool(b, "builtin.cursor"),
    "the area shows something else": lambda b, _x, _y: b.py(
        "other = next(a for a in viewport()[0].screen.areas if a.type == 'OUTLINER')\n"
        "other.type = 'VIEW_3D'\narea.type = 'CONSOLE'"
    ),
    "another file": lambda b, _x, _y: b.py("bpy.ops.wm.read_homefile(use_factory_startup=True)"),
    "another workspace": lambda b, _x, _y: b.py(
        "viewport()[0].workspace = bpy.data.workspaces['Scripting']"
    ),
}


MODAL = "[[o.bl_idname for o in w.modal_operators] for w in bpy.context.window_manager.windows]"

IN_SECOND_WINDOW = """
window = next(w for w in bpy.context.window_manager.windows if w != viewport()[0])
area = window.screen.areas[0]
area.type = "VIEW_3D"
region = next(r for r in area.regions if r.type == "WINDOW")
with bpy.context.temp_override(window=window, area=area, region=region):
    {code}
area, region = viewport()[1:3]
result = None
"""


pytestmark = [pytest.mark.wide, pytest.mark.usefixtures("ended")]


@pytest.mark.parametrize("ending", ENDINGS)
def test_it_ends_cleanly(blender, whole_at, ending):
    blender.py("bpy.ops.ed.undo_push(message='one')")
    blender.py("target.location.z = 0.0\nbpy.ops.ed.undo_push(message='two')")
    x, y = whole_at(0)
    start(blender, x, y)
    assert is_running(blender)
    ENDINGS[ending](blender, x, y)
    blender.move(x + 5, y)
    blender.move(x + 8, y)
    assert not is_running(blender)
    assert blender.py("current.hovered() is None")


def test_it_can_be_started_again_after_each_end(blender, at):
    x, y = at(0)
    for _ in range(3):
        start(blender, x, y)
        assert is_running(blender)
        blender.key("ESC", x, y)
        assert not is_running(blender)


def test_a_maximised_viewport_is_inspected_on(blender, at):
    start(blender, *at(0))
    for _ in range(2):
        in_viewport(blender, "bpy.ops.screen.screen_full_area()")
        blender.py("area, region, view = viewport()[1:]\nresult = None")
        blender.redraw(3)
        blender.move(*at(1))
        blender.move(*at(2))
        assert is_running(blender)
        assert look(blender, "hovered") == ["Target", 2, 0]


def test_in_two_windows_only_the_newer_inspector_runs(fresh_blender):
    blender = fresh_blender
    set_up_inspection(blender)
    x, y = blender.position_of(middle_of(1))
    start(blender, x, y)
    blender.py("bpy.ops.wm.window_new()\nresult = None")
    blender.redraw(2)
    invoke = IN_SECOND_WINDOW.format(code="bpy.ops.raypick.inspect('INVOKE_DEFAULT')")
    blender.py(invoke)
    assert not is_running(blender)
    blender.py(invoke)
    assert is_running(blender)
    for step in range(3):
        blender.move(x + step, y)
    assert is_running(blender)
    running = blender.py(MODAL)
    assert sum("RAYPICK_OT_inspect" in names for names in running) == 1
    blender.py(IN_SECOND_WINDOW.format(code="bpy.ops.wm.window_close()"))
    blender.redraw(2)
    assert not is_running(blender)


def test_disabled_while_it_runs(fresh_blender):
    blender = fresh_blender
    set_up_inspection(blender)
    x, y = blender.position_of(middle_of(1))
    start(blender, x, y)
    blender.py(
        "import addon_utils\naddon_utils.disable('bl_ext.user_default.raypick')\nresult = None"
    )
    blender.move(x + 4, y)
    blender.redraw(2)
    assert blender.py(MODAL) == [[]]
    assert (
        blender.py(
            "[k.name for c in (bpy.context.window_manager.keyconfigs.addon,) for k in c.keymaps"
            " for i in k.keymap_items if i.idname.startswith('raypick.')]"
        )
        == []
    )
    blender.py("addon_utils.enable('bl_ext.user_default.raypick', default_set=True)\nresult = None")
    set_up_inspection(blender)
    start(blender, *blender.position_of(middle_of(0)))
    assert look(blender, "hovered") == ["Target", 0, 0]


def test_a_fault_ends_it(fresh_blender):
    """So that no inspector is left that nothing can end."""
    blender = fresh_blender
    set_up_inspection(blender)
    x, y = blender.position_of(middle_of(0))
    start(blender, x, y)
    blender.py(
        "whole = hover.queries.pick\n"
        "def fail(*_): raise ZeroDivisionError('on purpose')\n"
        "hover.queries.pick = fail\nresult = None"
    )
    blender.move(*blender.position_of(middle_of(1)))
    blender.py("hover.queries.pick = whole\nresult = None")
    assert not is_running(blender)
    assert "on purpose" in blender.new_traceback()
    blender.key("ESC", 5, 5)  # Blender's own message
    blender.move(x, y)
    start(blender, x, y)
    assert is_running(blender)


def hints(blender):
    """The status bar's left part; reports, which fade, are beside it."""
    blender.redraw(2)
    return blender.pixels()[:20, :400].astype(int)


def test_status_bar_hints_are_taken_back(blender, whole_at):
    """Twice, as what is there before may be of an earlier place of the mouse."""
    x, y = whole_at(0)
    during, after = [], []
    for _ in range(2):
        start(blender, x, y)
        during.append(hints(blender))
        blender.key("ESC", x, y)
        blender.move(x, y)
        after.append(hints(blender))
    for shown, left in zip(during, after, strict=True):
        assert (shown != left).any(axis=2).sum() > 300
    assert (after[0] != after[1]).any(axis=2).sum() < 50
