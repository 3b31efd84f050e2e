# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons of the panels under a robot's hand: each does its work, and undo takes it back."""

import json

import numpy as np
import pytest

from tests.windowed.hand import (
    choose_tool,
    in_viewport,
    is_running,
    look,
    middle_of,
    press_hotkey,
    set_up_inspection,
    start,
)

pytestmark = pytest.mark.wide


@pytest.fixture
def kept(blender):
    """A kept pick of the middle face, the panel open, and an undo step to go back to."""
    set_up_inspection(blender)
    blender.py("sidebar.active_panel_category = 'Raypick'\nresult = None")
    blender.redraw(2)
    x, y = blender.position_of(middle_of(1))
    press_hotkey(blender, x, y)
    blender.py("bpy.ops.ed.undo_push(message='set up')\nresult = None")
    blender.redraw(2)
    yield blender.py("current.kept().hit.as_dict()")
    blender.py("inspect.stop()\nresult = None")


def undo(blender):
    x, y = blender.position_of(middle_of(1))
    blender.move(x, y)
    blender.key("Z", x, y, ctrl=True)


def click_in_the_sidebar(blender, from_right, downs, done):
    """Click at distances from the top until something is so; return whether it is."""
    x, y, width, height = blender.py("[sidebar.x, sidebar.y, sidebar.width, sidebar.height]")
    for down in downs:
        blender.click(x + width - from_right, y + height - down)
        if blender.py(done):
            return True
    return False


def test_inspect(blender, kept):
    assert click_in_the_sidebar(blender, 110, range(8, 24, 4), "inspect.is_running()")
    assert is_running(blender)


def test_a_copy_button(blender, kept):
    blender.py("bpy.context.window_manager.clipboard = ''\nresult = None")
    copied = "bpy.context.window_manager.clipboard == '1'"
    down = range(57, 75, 4)
    assert any(click_in_the_sidebar(blender, right, down, copied) for right in range(160, 190, 6))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("TEXT", ["0.25, 0.5", "Target", "None"]),
        ("PYTHON", ["(0.25, 0.5)", "'Target'", "None"]),
        ("JSON", ["[0.25, 0.5]", '"Target"', "null"]),
    ],
)
def test_values_are_copied_as_the_preferences_have_it(blender, kept, how, expected):
    got = blender.py(
        "from bl_ext.user_default.raypick import formatting\n"
        f"settings.preferences().copy_as = {how!r}\n"
        "got = [formatting.copied(value) for value in ((0.25, 0.5), 'Target', None)]\n"
        "settings.preferences().copy_as = 'TEXT'\ngot"
    )
    assert got == expected


def test_all_is_copied_as_json(blender, kept):
    in_viewport(blender, "bpy.ops.raypick.copy_report()")
    assert json.loads(blender.py("bpy.context.window_manager.clipboard"))[0] == kept


def test_select_object_and_undo(blender, kept):
    in_viewport(blender, "bpy.ops.raypick.select_object('INVOKE_DEFAULT', True)")
    assert blender.py("[o.name for o in bpy.context.selected_objects]") == ["Target"]
    undo(blender)
    assert blender.py("[o.name for o in bpy.context.selected_objects]") == []
    assert look(blender, "kept") == ["Target", 1, 0]


def test_the_cursor_is_no_step_as_undo_leaves_it_where_it_is(blender, kept):
    blender.py("target.location.z = 0.125\nbpy.ops.ed.undo_push(message='lift')\nresult = None")
    in_viewport(blender, "bpy.ops.raypick.cursor_to_hit('INVOKE_DEFAULT', True)")
    cursor = blender.py("list(bpy.context.scene.cursor.location)")
    lifted = np.add(kept["point"], (0.0, 0.0, 0.125))
    assert cursor == pytest.approx(lifted, abs=1e-6), "it is put where the place is by now"
    up = blender.py("list(bpy.context.scene.cursor.matrix.to_3x3() @ Vector((0, 0, 1)))")
    assert up == pytest.approx(kept["normal"], abs=1e-6)
    undo(blender)
    assert blender.py("bpy.data.objects['Target'].location.z") == 0.0, "the step before"
    assert blender.py("list(bpy.context.scene.cursor.location)") == cursor


def test_empty_and_undo(blender, kept):
    in_viewport(blender, "bpy.ops.raypick.add_empty('INVOKE_DEFAULT', True)")
    assert blender.py("bpy.context.object.type") == "EMPTY"
    place = blender.py("list(bpy.context.object.matrix_world.translation)")
    assert place == pytest.approx(kept["point"], abs=1e-6)
    undo(blender)
    assert blender.py("[o.name for o in bpy.data.objects if o.type == 'EMPTY']") == []
    assert len(blender.py("history.records()")) == 1


def test_elements_in_edit_mode_and_undo(blender, kept):
    x, y = blender.position_of(middle_of(1))
    blender.key("TAB", x, y)
    blender.key("A", x, y, alt=True)
    in_viewport(blender, "bpy.ops.raypick.select_element('INVOKE_DEFAULT', True, element='FACE')")
    counts = "[sum(e.select for e in elements) for elements in (mesh.vertices, mesh.polygons)]"
    blender.py("target.update_from_editmode()")
    assert blender.py(counts) == [4, 1]
    undo(blender)
    blender.py("target = bpy.data.objects['Target']\nmesh = target.data\nresult = None")
    blender.py("target.update_from_editmode()")
    assert blender.py(counts) == [0, 0]
    blender.key("TAB", x, y)


def test_frame_in_view(blender, kept):
    in_viewport(blender, "bpy.ops.raypick.frame_hit()")
    blender.redraw()
    assert blender.py("list(view.view_location)") == pytest.approx(kept["point"], abs=1e-6)
    x, y = blender.position_of(kept["point"])
    middle = blender.py("[region.x + region.width / 2, region.y + region.height / 2]")
    assert [x, y] == pytest.approx(middle, abs=2)
    press_hotkey(blender, x, y)
    assert look(blender, "kept")[:2] == ["Target", 1]


def test_show_place_asks_shows_and_frames(blender, kept):
    """The dialog begins with the last pick; return accepts it."""
    in_viewport(blender, "bpy.ops.raypick.clear()")
    in_viewport(
        blender, "bpy.ops.raypick.place('EXEC_DEFAULT', object='Below 2', count='FACE', face=2)"
    )
    assert look(blender, "kept") == ["Below 2", 2, 0]
    point = blender.py("current.kept().hit.point")
    assert blender.py("list(view.view_location)") == pytest.approx(point, abs=1e-6)
    x, y = blender.py("[region.x + region.width // 2, region.y + region.height // 2]")
    blender.move(x, y)
    in_viewport(blender, "bpy.ops.raypick.place('INVOKE_DEFAULT')")
    blender.redraw(2)
    blender.key("RET", x, y)
    blender.redraw()
    assert blender.py("len(history.records())") == 3
    assert look(blender, "kept") == ["Below 2", 2, 0]


def test_the_list_of_hits(blender, kept):
    in_viewport(blender, "bpy.ops.raypick.look_at(rank=2)")
    assert look(blender, "shown") == ["Below 2", 1, 2]
    in_viewport(blender, "bpy.ops.raypick.walk(step=1)")
    assert look(blender, "shown") == ["Target", 1, 0]
    in_viewport(blender, "bpy.ops.raypick.walk(step=-1)")
    assert look(blender, "shown") == ["Below 2", 1, 2]


def test_objects_are_left_out_and_taken_in(blender, kept):
    x, y = blender.position_of(middle_of(1))
    in_viewport(blender, "bpy.ops.raypick.leave_out()")
    uids = blender.py("[*current.excluded_names()]")
    assert uids == [blender.py("target.session_uid")]
    press_hotkey(blender, x, y)
    assert look(blender, "kept") == ["Below 1", 1, 0]
    in_viewport(blender, f"bpy.ops.raypick.take_in(uid={uids[0]})")
    press_hotkey(blender, x, y)
    assert look(blender, "kept") == ["Target", 1, 0]


@pytest.mark.parametrize(
    ("option", "value", "hits"),
    [("all_hits", False, 1), ("cull", "FRONT", 0), ("solid_only", True, 2), ("snap", "VERTEX", 3)],
)
def test_options_count_for_hotkey_tool_and_inspector(blender, kept, option, value, hits):
    blender.py("target.display_type = 'WIRE'\nresult = None")
    x, y = blender.position_of(middle_of(1))
    options = "settings.preferences().options"
    before = blender.py(f"{options}.{option}")
    blender.py(f"{options}.{option} = {value!r}\n{options}.snap_radius = 500\nresult = None")
    try:
        press_hotkey(blender, x, y)
        assert blender.py("len(current.kept().hits)") == hits
        start(blender, x, y)
        assert blender.py("len(current.hovered().hits)") == hits
        if option == "snap":
            assert sorted(blender.py("current.hovered().hit.barycentric")) == [0, 0, 1]
        blender.key("ESC", x, y)
        choose_tool(blender)
        blender.move(x + 1, y)
        assert blender.py("len(current.hovered().hits)") == hits
    finally:
        blender.py(f"{options}.{option} = {before!r}\n{options}.snap_radius = 15\nresult = None")


def test_history_survives_undo_and_shows_again(blender, kept):
    blender.click(*blender.position_of(middle_of(0)))
    undo(blender)
    assert blender.py("len(history.records())") == 1
    in_viewport(blender, "bpy.ops.raypick.clear()")
    assert look(blender, "kept") is None
    in_viewport(blender, "bpy.ops.raypick.show_record(number=0)")
    assert look(blender, "kept") == ["Target", 1, 0]


def test_the_history_is_a_list_to_click_in(blender, kept):
    x, y = blender.position_of(middle_of(2))
    press_hotkey(blender, x, y)
    left, top = blender.py("[sidebar.x + 60, sidebar.y + sidebar.height]")
    headers, history = (15, 43, 71), 99  # so far down they are, each once those above are folded
    for down in (*headers, history):
        blender.move(left, top - down)
        blender.key("A", left, top - down)
        blender.come_to_rest()
    before = blender.py("bpy.data.is_dirty")
    assert look(blender, "kept") == ["Target", 2, 0]
    rows = range(history + 20, history + 80, 8)
    # The newest pick is the first row, the oldest, of face 1, the last one.
    assert click_in_the_sidebar(blender, 150, rows, "current.kept().hit.face == 1")
    removed = "len(history.records()) < 2"
    assert any(click_in_the_sidebar(blender, right, rows, removed) for right in range(60, 90, 6))
    assert blender.py("[r.hit.face for r in history.records()]") == [1]
    assert blender.py("bpy.data.is_dirty") == before


def test_all_panels_are_drawn_without_fault(blender, kept):
    blender.py(
        "area.regions.update() if hasattr(area.regions, 'update') else None\n"
        "nobody = bpy.data.objects.new('Nobody', None)\ncurrent.exclude(nobody)\n"
        "bpy.data.objects.remove(nobody)\nresult = None"
    )
    blender.redraw(3)
    blender.py("current.include_all()\nresult = None")


def test_the_preferences_are_shown(blender, kept):
    blender.py(
        "bpy.ops.screen.userpref_show('INVOKE_DEFAULT')\n"
        "bpy.context.preferences.active_section = 'EXTENSIONS'\n"
        "bpy.context.window_manager.extension_search = 'Raypick'\n"
        "bpy.ops.preferences.addon_show(module='bl_ext.user_default.raypick')\nresult = None"
    )
    blender.redraw(3)
    blender.shot(f"preferences-{blender.build.label}.png")
