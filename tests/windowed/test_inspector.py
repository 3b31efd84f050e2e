# SPDX-License-Identifier: GPL-3.0-or-later
"""The live inspector under a robot's hand: it follows, walks, keeps, and ends cleanly."""

import numpy as np
import pytest

from tests.windowed.hand import (
    choose_tool,
    in_viewport,
    is_running,
    look,
    middle_of,
    scene_state,
    set_up_inspection,
    start,
)

pytestmark = [pytest.mark.wide, pytest.mark.usefixtures("ended")]


def test_what_is_under_the_moving_mouse_is_shown(blender, at):
    start(blender, *at(0))
    assert is_running(blender)
    for face in (0, 1, 2, 1):
        x, y = at(face)
        blender.move(x, y)
        assert look(blender, "hovered") == ["Target", face, 0]
        assert blender.py("len(current.hovered().hits)") == 3
        shown, direct = blender.py(
            "[[h.as_dict() for h in hits] for hits in (current.shown().hits,"
            f" api.pick(bpy.context, region, view, ({x} + 0.5 - region.x, {y} + 0.5 - region.y),"
            " all_hits=True))]"
        )
        assert shown == direct
    assert look(blender, "kept") is None


def test_beside_everything_it_says_so(blender, at):
    start(blender, *at(0))
    blender.move(*blender.position_of((-2.6, 0.0, 0.0)))
    assert look(blender, "hovered") == [None, None, 0]


def test_over_the_sidebar_what_was_kept_is_shown(blender, at):
    start(blender, *at(0))
    blender.click(*at(0))
    blender.move(*at(1))
    assert look(blender, "shown") == ["Target", 1, 0]
    x, y = blender.py("[sidebar.x + sidebar.width // 2, sidebar.y + sidebar.height // 2]")
    blender.move(x, y)
    assert look(blender, "hovered") is None
    assert look(blender, "shown") == ["Target", 0, 0]


def test_the_wheel_walks_through_the_stack(blender, at):
    x, y = at(0)
    start(blender, x, y)
    distance = blender.py("view.view_distance")
    walked = []
    for kind in ("WHEELDOWNMOUSE",) * 3 + ("WHEELUPMOUSE",):
        blender.event(kind, "PRESS", x, y)
        walked.append(look(blender, "hovered"))
    names = ["Below 1", "Below 2", "Target", "Below 2"]
    assert walked == [[name, 0, rank] for name, rank in zip(names, (1, 2, 0, 2), strict=True)]
    assert blender.py("view.view_distance") == distance


def test_clicks_keep_and_walk(blender, at):
    x, y = at(1)
    start(blender, x, y)
    kept = []
    for dx in (0, 1, 0, 1):  # a hand is not quite still
        blender.click(x + dx, y)
        kept.append(look(blender, "kept"))
    names = ["Target", "Below 1", "Below 2", "Target"]
    assert kept == [[name, 1, rank] for name, rank in zip(names, (0, 1, 2, 0), strict=True)]
    assert blender.py("len(history.records())") == 1
    blender.click(*at(2))
    assert look(blender, "kept") == ["Target", 2, 0]
    assert blender.py("len(history.records())") == 2


def test_what_the_wheel_found_is_kept(blender, at):
    x, y = at(1)
    start(blender, x, y)
    blender.event("WHEELDOWNMOUSE", "PRESS", x, y)
    blender.click(x, y)
    assert look(blender, "kept") == ["Below 1", 1, 1]


def test_return_keeps_too(blender, at):
    x, y = at(1)
    start(blender, x, y)
    blender.key("RET", x, y)
    assert look(blender, "kept") == ["Target", 1, 0]


def test_navigation_is_passed_through(blender, at):
    x, y = at(0)
    start(blender, x, y)
    before = blender.py("list(view.view_rotation)")
    blender.event("MIDDLEMOUSE", "PRESS", x, y)
    for step in range(1, 6):
        blender.move(x + 20 * step, y + 10 * step)
    blender.event("MIDDLEMOUSE", "RELEASE", x + 100, y + 50)
    assert np.abs(np.subtract(blender.py("list(view.view_rotation)"), before)).max() > 0.01
    distance = blender.py("view.view_distance")
    blender.key("NUMPAD_PLUS", x, y)
    assert blender.py("view.view_distance") < distance
    assert is_running(blender)


def test_alt_and_the_left_button_are_left_to_navigation(blender, at):
    """Where the middle button is emulated."""
    x, y = at(0)
    start(blender, x, y)
    blender.click(x, y, alt=True)
    assert look(blender, "kept") is None


def test_edit_mode_is_entered_and_left_while_it_runs(blender, at):
    x, y = at(0)
    start(blender, x, y)
    blender.key("TAB", x, y)
    assert blender.py("bpy.context.mode") == "EDIT_MESH"
    blender.move(x + 1, y)
    assert look(blender, "hovered") == ["Target", 0, 0]
    assert is_running(blender)
    blender.key("TAB", x, y)
    assert is_running(blender)


def test_local_view_is_respected(blender, at):
    blender.py("target.select_set(True)")
    in_viewport(blender, "bpy.ops.view3d.localview(frame_selected=False)")
    blender.redraw(2)
    start(blender, *at(0))
    assert blender.py("len(current.hovered().hits)") == 1
    in_viewport(blender, "bpy.ops.view3d.localview(frame_selected=False)")


def test_each_of_four_views_is_inspected(blender, at):
    blender.py("space.show_region_ui = False")
    in_viewport(blender, "bpy.ops.screen.region_quadview()")
    blender.redraw(2)
    start(blender, *at(0))
    seen = set()
    for index in range(4):
        place = blender.py(
            "from bpy_extras.view3d_utils import location_3d_to_region_2d as seen\n"
            "windows = [r for r in area.regions if r.type == 'WINDOW']\n"
            f"region = windows[{index}]\n"
            f"place = seen(region, region.data, {middle_of(1)})\n"
            "[region.x + place.x, region.y + place.y]"
        )
        blender.move(*place)
        if look(blender, "hovered")[0]:
            seen.add(index)
    assert len(seen) >= 3
    blender.py("region = viewport()[2]\nresult = None")
    in_viewport(blender, "bpy.ops.screen.region_quadview()")


def test_inspecting_changes_nothing(blender, at):
    blender.py("bpy.ops.ed.undo_push(message='set up')")
    before = scene_state(blender)
    x, y = at(0)
    start(blender, x, y)
    for face in (0, 1, 2):
        blender.click(*at(face))
        blender.event("WHEELDOWNMOUSE", "PRESS", *at(face))
    blender.key("ESC", x, y)
    choose_tool(blender)
    blender.click(*at(1))
    assert scene_state(blender) == before


def test_an_object_deleted_while_it_is_under_the_mouse(blender, at):
    x, y = at(0)
    start(blender, x, y)
    blender.click(x, y)
    blender.py("bpy.data.objects.remove(target)\nbpy.context.view_layer.update()")
    blender.redraw(2)
    blender.move(x + 1, y)
    assert look(blender, "hovered") == ["Below 1", 0, 0]
    assert look(blender, "kept") == ["Target", 0, 0]


@pytest.mark.parametrize("how", ["inspector", "tool"])
def test_real_input_inspects_too(blender_real_input, how):
    blender = blender_real_input
    set_up_inspection(blender)
    x, y = blender.position_of(middle_of(1))
    place = blender.screen_position(x, y)
    blender.xdo("mousemove", *place)
    if how == "tool":
        choose_tool(blender)
    else:
        blender.xdo("key", "shift+alt+i")
        blender.wait("inspect.is_running()")
    blender.xdo("mousemove", place[0] + 3, place[1])
    blender.xdo("mousemove", *place)
    blender.wait("current.hovered() is not None and current.hovered().hit is not None")
    wheel = ["click", 5]
    blender.xdo(*(["keydown", "ctrl", *wheel, "keyup", "ctrl"] if how == "tool" else wheel))
    blender.wait("current.hovered().rank == 1")
    blender.xdo("click", 1)
    blender.wait("current.kept() is not None and current.kept().rank == 1")
    assert look(blender, "kept") == ["Below 1", 1, 1]
    if how == "inspector":
        blender.xdo("key", "Escape")
        blender.wait("not inspect.is_running()")
