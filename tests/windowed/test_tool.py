# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool under a robot's hand: it shows what is under the mouse, and leaves the rest alone."""

import pytest

from tests.windowed.hand import choose_tool, in_viewport, look, set_up_inspection
from tests.windowed.views import EMPTY

pytestmark = pytest.mark.wide

SLOW = """
hover._all_hits_seconds = {seconds}
result = None
"""

IN_SIDEBAR = """
with bpy.context.temp_override(window=viewport()[0], area=area, region=sidebar):
    {code}
result = None
"""


@pytest.fixture(autouse=True)
def _left(blender):
    yield
    choose_tool(blender, "builtin.select_box")
    blender.move(5, 5)


def test_the_tool_shows_what_is_under_the_mouse_without_a_click(blender, at):
    choose_tool(blender)
    for face in (0, 1):
        blender.move(*at(face))
        assert look(blender, "hovered") == ["Target", face, 0]
    x, y = at(1)
    blender.event("WHEELDOWNMOUSE", "PRESS", x, y, ctrl=True)
    assert look(blender, "hovered") == ["Below 1", 1, 1]
    for rank in (1, 2):
        blender.click(x, y)
        assert look(blender, "kept")[2] == rank
    distance = blender.py("view.view_distance")
    blender.event("WHEELDOWNMOUSE", "PRESS", x, y)
    assert blender.py("view.view_distance") != distance
    blender.move(*at(0))
    assert look(blender, "shown") == ["Below 2", 1, 2]


def test_leaving_the_tool_ends_the_look_under_the_mouse(blender, at):
    choose_tool(blender)
    blender.move(*at(0))
    assert look(blender, "hovered")
    choose_tool(blender, "builtin.select_box")
    blender.wait("current.hovered() is None")


def test_nothing_is_under_the_mouse_in_a_file_that_was_just_loaded(blender, at):
    """Its viewports may be where those of the last file were in memory."""
    choose_tool(blender)
    blender.move(*at(0))
    assert look(blender, "hovered")
    blender.py(EMPTY)
    assert not blender.py("hover.is_looking()")
    set_up_inspection(blender)
    assert look(blender, "hovered") is None


def test_another_region_where_a_viewport_was_in_memory_is_not_taken_for_it(blender, at):
    choose_tool(blender)
    blender.move(*at(0))
    assert look(blender, "hovered")
    other = "next(r for r in area.regions if r.type == 'HEADER')"
    blender.py(f"hover._spot = hover._spot._replace(region={other})\nresult = None")
    assert not blender.py("hover.is_outdated()")
    blender.move(*at(1))
    assert look(blender, "hovered") == ["Target", 1, 0]


def test_away_from_the_viewports_nothing_is_under_the_mouse(blender, whole_at):
    choose_tool(blender)
    places = blender.py(
        "sidebar.active_panel_category = 'Raypick'\n"
        "other = next(a for a in viewport()[0].screen.areas if a.type == 'OUTLINER')\n"
        "[[r.x + r.width // 2, r.y + r.height // 2] for r in (sidebar, other)]"
    )
    for x, y in places:
        blender.move(*whole_at(0))
        assert look(blender, "hovered") == ["Target", 0, 0]
        blender.move(x, y)
        assert look(blender, "hovered") is None


def test_the_list_and_its_arrows_walk_through_what_was_clicked(blender, at):
    choose_tool(blender)
    blender.move(*at(1))
    blender.click(*at(1))
    blender.move(*at(0))
    assert look(blender, "hovered") == ["Target", 0, 0]
    blender.py(IN_SIDEBAR.format(code="bpy.ops.raypick.look_at(rank=2)"))
    assert look(blender, "shown") == look(blender, "kept") == ["Below 2", 1, 2]
    blender.py(IN_SIDEBAR.format(code="bpy.ops.raypick.walk(step=-1)"))
    assert look(blender, "shown") == look(blender, "kept") == ["Below 1", 1, 1]


def test_where_all_hits_take_long_the_mouse_has_to_rest_for_them(blender, at):
    choose_tool(blender)
    blender.py(SLOW.format(seconds=9.0))
    blender.move(*at(0))
    assert look(blender, "hovered") == ["Target", 0, 0]
    blender.wait("len(current.hovered().hits) == 3")
    blender.py(SLOW.format(seconds=9.0))
    blender.move(*at(1))
    x, y = at(1)
    blender.event("WHEELDOWNMOUSE", "PRESS", x, y, ctrl=True)
    assert look(blender, "hovered") == ["Below 1", 1, 1]
    blender.py(SLOW.format(seconds=9.0))
    blender.move(*at(2))
    blender.move(5, 5)
    assert not blender.py("bpy.app.timers.is_registered(hover._find_all)")


def test_a_button_that_is_adjusted_acts_on_the_same_hit_again(blender, at):
    choose_tool(blender)
    blender.move(*at(1))
    blender.click(*at(1))
    in_viewport(blender, "bpy.ops.object.mode_set(mode='EDIT')")
    in_viewport(blender, "bpy.ops.raypick.select_element('INVOKE_DEFAULT', True, element='FACE')")
    blender.click(*at(0))
    in_viewport(blender, "bpy.ops.ed.undo_redo()")
    selected = blender.py(
        "import bmesh\n"
        "[f.index for f in bmesh.from_edit_mesh(bpy.context.object.data).faces if f.select]"
    )
    in_viewport(blender, "bpy.ops.object.mode_set(mode='OBJECT')")
    assert selected == [1]
