# SPDX-License-Identifier: GPL-3.0-or-later
"""A double click with the tool selects what the first click kept; slow clicks walk."""

import pytest

from tests.windowed.hand import (
    choose_tool,
    in_viewport,
    look,
    middle_of,
    reports,
    set_up_inspection,
)

SELECTED = "[o.name for o in bpy.context.selected_objects]"
FACES = """
import bmesh
[f.index for f in bmesh.from_edit_mesh(target.data).faces if f.select]
"""


@pytest.fixture
def with_tool(blender_real_input, request):
    """A Blender that takes real input, in a mode, with the tool."""
    blender = blender_real_input
    set_up_inspection(blender)
    in_viewport(blender, f"bpy.ops.object.mode_set(mode={request.param!r})")
    blender.py("bpy.ops.ed.undo_push(message='begin')\nresult = None")
    choose_tool(blender)
    yield blender
    choose_tool(blender, "builtin.select_box")
    in_viewport(blender, "bpy.ops.object.mode_set(mode='OBJECT')")


def click_twice(blender, pause):
    """Click face 1 twice, after so many milliseconds."""
    x, y = blender.screen_position(*blender.position_of(middle_of(1)))
    blender.xdo("mousemove", x + 2, y, "mousemove", x, y)
    blender.wait("current.hovered() is not None and current.hovered().hit is not None")
    blender.xdo("click", "--repeat", 2, "--delay", pause, 1)


@pytest.mark.parametrize("with_tool", ["OBJECT"], indirect=True)
def test_it_selects_the_object_in_one_undo_step(with_tool):
    blender = with_tool
    click_twice(blender, 60)
    blender.wait(SELECTED)
    assert blender.py(SELECTED) == ["Target"]
    assert look(blender, "kept") == ["Target", 1, 0]
    in_viewport(blender, "bpy.ops.ed.undo()")
    assert blender.py(SELECTED) == []


@pytest.mark.parametrize("with_tool", ["EDIT"], indirect=True)
def test_it_selects_the_face_in_edit_mode(with_tool):
    blender = with_tool
    click_twice(blender, 60)
    blender.wait("current.kept() is not None and target.data.total_face_sel == 1")
    assert blender.py(FACES) == [1]


@pytest.mark.parametrize("with_tool", ["WEIGHT_PAINT"], indirect=True)
def test_elsewhere_it_says_that_it_cannot_and_stays_at_the_hit(with_tool):
    blender = with_tool
    click_twice(blender, 60)
    blender.wait("current.kept() is not None")
    blender.redraw(3)
    assert look(blender, "kept") == ["Target", 1, 0]
    assert "Only in object mode" in reports(blender)[-1]


@pytest.mark.parametrize("with_tool", ["OBJECT"], indirect=True)
def test_a_slow_second_click_goes_to_the_next_hit(with_tool):
    blender = with_tool
    click_twice(blender, 700)
    blender.wait("current.kept() is not None and current.kept().rank == 1")
    assert blender.py(SELECTED) == []
