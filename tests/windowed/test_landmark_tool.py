# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmark tool under a robot's hand: a click adds, a drag moves, each a step to undo."""

import numpy as np
import pytest

from tests.windowed.hand import choose_tool, in_viewport, is_running, look, middle_of, start
from tests.windowed.landmarks import names, selected, set_up_landmarks, undo, where
from tests.windowed.views import VERTICES, expected_hit, ray_of_pixel

pytestmark = pytest.mark.wide

TOOL = "raypick.landmark_tool"
OBJECTS = "sorted(each.name for each in bpy.data.objects)"
TEXT = "bpy.data.objects['Target'].get('raypick_landmarks')"


@pytest.fixture
def strip(blender):
    """The strip with a landmark in the middle of each face, two strips behind it, and the tool."""
    set_up_landmarks(blender)
    choose_tool(blender, TOOL)
    places = [blender.position_of(where(blender, name)) for name in "ABC"]
    yield lambda face: places[face]
    if blender.is_running:
        blender.py("inspect.stop()\nresult = None")
        choose_tool(blender, "builtin.select_box")
        blender.move(5, 5)


@pytest.fixture
def plain(blender, strip):
    """The same without landmarks."""
    blender.py("api.landmarks.remove(target)\nbpy.ops.ed.undo_push(message='plain')")
    return strip


def drag(blender, start, *stops, release=True, **keys):
    """Press at a place, move over others, and release at the last one."""
    blender.move(*start)
    blender.event("LEFTMOUSE", "PRESS", *start, **keys)
    for stop in stops:
        blender.move(*stop)
    if release:
        blender.event("LEFTMOUSE", "RELEASE", *(stops or [start])[-1])


def under_ray(blender, x, y, obj="Target"):
    """Where the ray of a pixel of the window meets the strip first, by its triangles alone."""
    triangles = blender.py(
        f"obj = bpy.data.objects[{obj!r}]\n"
        "shape = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data\n"
        "corners = [[obj.matrix_world @ shape.vertices[i].co for i in each.vertices]"
        " for each in shape.loop_triangles]\n"
        "[[list(corner) for corner in each] for each in corners]"
    )
    origin, _ = ray_of_pixel(blender, x, y)
    met = [expected_hit(blender, x, y, triangle) for triangle in triangles]
    points = [point for point, weights in met if (weights >= -1e-9).all()]
    return min(points, key=lambda point: np.linalg.norm(point - origin)).tolist()


def test_a_click_adds_to_the_object_under_the_mouse_and_makes_it_the_target(blender, plain):
    blender.py(
        "bpy.context.view_layer.objects.active = bpy.data.objects['Below 1']\n"
        "bpy.ops.ed.undo_push(message='other')\nresult = None"
    )
    x, y = plain(1)
    blender.click(x, y)
    assert names(blender) == ["Landmark.001"]
    assert blender.py("bpy.context.object.name") == "Target"
    assert selected(blender) == ["Landmark.001"]
    assert where(blender, "Landmark.001") == pytest.approx(under_ray(blender, x, y), abs=1e-6)
    assert blender.py("[each.name for each in bpy.context.selected_objects]") == []
    undo(blender)
    assert names(blender) == []
    assert blender.py("bpy.context.object.name") == "Below 1"


def test_what_is_under_the_mouse_is_shown_as_with_the_pick_tool(blender, plain):
    blender.move(*plain(0))
    assert look(blender, "hovered") == ["Target", 0, 0]
    choose_tool(blender, "builtin.select_box")
    blender.wait("current.hovered() is None")


def test_a_click_with_ctrl_adds_at_the_nearest_vertex(blender, plain):
    corner = np.array(VERTICES[0], dtype=float)
    x, y = blender.position_of(tuple((0.97 * corner + 0.03 * np.array(middle_of(0))).tolist()))
    blender.click(x, y, ctrl=True)
    assert where(blender, "Landmark.001") == pytest.approx(VERTICES[0], abs=1e-6)


def test_a_press_on_a_landmark_selects_it_and_shift_selects_more(blender, strip):
    blender.click(*strip(0))
    assert (names(blender), selected(blender)) == (["A", "B", "C"], ["A"])
    blender.click(*strip(2), shift=True)
    assert selected(blender) == ["A", "C"]
    blender.click(*strip(0), shift=True)
    assert selected(blender) == ["C"]
    blender.click(*strip(1))
    assert selected(blender) == ["B"]
    for then in (["C"], ["A", "C"], ["A"], []):
        undo(blender)
        assert (names(blender), selected(blender)) == (["A", "B", "C"], then)


def test_a_click_on_one_of_several_that_are_selected_leaves_it_alone_selected(blender, strip):
    blender.click(*strip(0))
    blender.click(*strip(2), shift=True)
    x, y = strip(0)
    drag(blender, (x, y), (x + 8, y), (x + 12, y))
    assert selected(blender) == ["A", "C"], "a drag leaves both"
    undo(blender)
    blender.click(*strip(2))
    assert selected(blender) == ["C"]
    undo(blender)
    assert selected(blender) == ["A", "C"]


def test_a_drag_moves_it_over_the_surface_as_one_step(blender, strip):
    before = where(blender, "B")
    (x, y), end = strip(1), strip(2)
    stops = [(x + 8, y), ((x + end[0]) // 2, (y + end[1]) // 2), (end[0] - 20, end[1] + 6)]
    drag(blender, (x, y), *stops)
    moved = where(blender, "B")
    assert moved == pytest.approx(under_ray(blender, *stops[-1]), abs=1e-6)
    assert blender.py("api.landmarks.of('Target')[1].face") == 2
    assert names(blender) == ["A", "B", "C"]
    undo(blender)
    assert where(blender, "B") == before
    assert names(blender) == ["A", "B", "C"]
    undo(blender, redo=True)
    assert where(blender, "B") == moved


def test_on_the_way_it_is_at_the_mouse_already_and_stays_beside_the_object(blender, strip):
    (x, y), beside = strip(1), blender.position_of((-2.6, 0.0, 0.0))
    drag(blender, (x, y), (x + 30, y), release=False)
    at = where(blender, "B")
    assert at == pytest.approx(under_ray(blender, x + 30, y), abs=1e-6)
    blender.move(*beside)
    assert where(blender, "B") == at
    blender.event("LEFTMOUSE", "RELEASE", *beside)
    assert where(blender, "B") == at


def test_a_hand_that_is_not_quite_still_does_not_move_it(blender, strip):
    before = blender.py("api.landmarks.of('Target')[1].barycentric")
    x, y = strip(1)
    drag(blender, (x, y), (x + 1, y), (x + 1, y + 1))
    assert selected(blender) == ["B"]
    assert blender.py("api.landmarks.of('Target')[1].barycentric") == before


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_a_drag_that_is_cancelled_puts_it_back(blender, strip, key):
    blender.click(*strip(1))
    text, (x, y) = blender.py(TEXT), strip(1)
    drag(blender, (x, y), (x + 30, y), (x + 40, y + 5), release=False)
    assert blender.py(TEXT) != text
    blender.event(key, "PRESS", x + 40, y + 5)
    blender.event(key, "RELEASE", x + 40, y + 5)
    blender.event("LEFTMOUSE", "RELEASE", x + 40, y + 5)
    assert blender.py(TEXT) == text
    assert names(blender) == ["A", "B", "C"]
    undo(blender)
    assert selected(blender) == [], "the last step is the click before"


def test_a_drag_goes_through_what_is_before_its_object(blender, strip):
    """The strip is lowered below another one in the middle of the drag."""
    x, y = strip(1)
    drag(blender, (x, y), (x + 10, y), release=False)
    blender.py(
        "cover = bpy.data.objects.new('Cover', mesh)\n"
        "cover.location = view.view_rotation @ Vector((0, 0, 0.5))\n"
        "bpy.context.scene.collection.objects.link(cover)\n"
        "bpy.context.view_layer.update()\nresult = None"
    )
    blender.move(x + 40, y)
    blender.event("LEFTMOUSE", "RELEASE", x + 40, y)
    assert where(blender, "B") == pytest.approx(under_ray(blender, x + 40, y), abs=1e-6)
    assert names(blender, "Cover") == []


@pytest.mark.parametrize("how", ["ctrl", "option"])
def test_a_drag_snaps_where_that_is_asked(blender, strip, how):
    (x, y), corner = strip(1), VERTICES[1]
    near = blender.position_of(
        tuple((0.97 * np.array(corner) + 0.03 * np.array(middle_of(0))).tolist())
    )
    if how == "option":
        blender.py("options.snap = 'VERTEX'\nresult = None")
    keys = {"ctrl": True} if how == "ctrl" else {}
    blender.move(x, y)
    blender.event("LEFTMOUSE", "PRESS", x, y)
    blender.move(*near, **keys)
    blender.event("LEFTMOUSE", "RELEASE", *near, **keys)
    assert where(blender, "B") == pytest.approx(corner, abs=1e-6)


def test_x_and_delete_remove_the_selected_ones_and_never_objects(blender, strip):
    objects = blender.py(OBJECTS)
    blender.py("target.select_set(True)\nbpy.ops.ed.undo_push(message='select')\nresult = None")
    blender.click(*strip(0))
    blender.key("X", *strip(0))
    assert names(blender) == ["B", "C"]
    blender.click(*strip(2))
    blender.key("DEL", *strip(2))
    assert names(blender) == ["B"]
    blender.key("X", *strip(2))
    blender.redraw()
    assert (names(blender), blender.py(OBJECTS)) == (["B"], objects)
    undo(blender)
    undo(blender)
    undo(blender)
    assert names(blender) == ["A", "B", "C"]


@pytest.mark.parametrize("what", ["hidden", "locked", "set hidden", "set locked", "behind"])
def test_what_cannot_be_taken_hold_of_is_passed(blender, strip, what):
    """Then a click adds to what is under the mouse; a locked set it does not change."""
    x, y = strip(1)
    if what == "behind":
        blender.py(
            "cover = bpy.data.objects.new('Cover', mesh)\n"
            "cover.location = view.view_rotation @ Vector((0, 0, 0.5))\n"
            "bpy.context.scene.collection.objects.link(cover)\n"
            "bpy.context.view_layer.update()\nresult = None"
        )
    else:
        which = "sets[0].id" if what.startswith("set") else "sets[0].landmarks[1].id"
        in_viewport(
            blender,
            f"bpy.ops.raypick.turn_landmark(landmark=storage.read(target).{which},"
            f" what={what.split()[-1]!r})",
        )
    blender.redraw()
    blender.click(x, y)
    assert "B" not in selected(blender)
    if what == "set locked":
        assert names(blender) == ["A", "B", "C"]
    elif what == "behind":
        assert (names(blender), names(blender, "Cover")) == (["A", "B", "C"], ["Landmark.001"])
    else:
        assert names(blender) == ["A", "B", "C", "Landmark.001"]


def test_of_two_landmarks_at_a_pixel_the_nearer_one_is_taken(blender, strip):
    """The other one is on a strip behind, which is seen through a hole beside it."""
    blender.py(
        "start, end = Vector(view.view_matrix.inverted().translation),"
        f" Vector({middle_of(1)!r})\n"
        "hits = api.ray_cast(bpy.context, start, end - start, all_hits=True)\n"
        "api.landmarks.add(bpy.context, hits[1], 'Far')\nresult = None"
    )
    blender.redraw()
    blender.click(*strip(1))
    assert (selected(blender), selected(blender, "Below 1")) == (["B"], [])
    blender.py("space.shading.show_xray = True\nresult = None")
    blender.redraw()
    blender.click(*strip(1))
    assert (selected(blender), selected(blender, "Below 1")) == (["B"], [])
    blender.py("space.shading.show_xray = False\nresult = None")


def test_a_template_is_placed_click_by_click(blender, plain):
    in_viewport(blender, "bpy.ops.raypick.type_template(names='left, middle, right')")
    for face in range(3):
        blender.click(*plain(face))
    assert names(blender) == ["left", "middle", "right"]
    assert blender.py("[each.face for each in api.landmarks.of('Target')]") == [0, 1, 2]
    undo(blender)
    assert names(blender) == ["left", "middle", "right"]
    assert blender.py("[each.face for each in api.landmarks.of('Target')]") == [0, 1, None]
    blender.click(*plain(2))
    assert blender.py("[each.face for each in api.landmarks.of('Target')]") == [0, 1, 2]


def test_beside_everything_a_click_adds_nothing(blender, plain):
    blender.click(*blender.position_of((-2.6, 0.0, 0.0)))
    assert names(blender) == []


def test_the_keymap_of_the_tool_is_the_users(blender, plain):
    """Changed there, it counts."""
    name = "3D View Tool: Object, Raypick Landmarks"
    keymap = f"bpy.context.window_manager.keyconfigs.user.keymaps[{name!r}]"
    keys = blender.py(f"[[item.idname, item.type] for item in {keymap}.keymap_items]")
    assert ["raypick.touch_landmark", "LEFTMOUSE"] in keys
    assert ["raypick.remove_landmarks", "X"] in keys
    item = (
        f"next(i for i in {keymap}.keymap_items"
        " if i.idname == 'raypick.touch_landmark' and not (i.shift or i.ctrl))"
    )
    blender.py(f"{item}.map_type = 'KEYBOARD'\nresult = None")
    blender.py(f"{item}.type = 'K'\nresult = None")
    try:
        blender.click(*plain(0))
        assert names(blender) == []
        blender.move(*plain(1))
        blender.key("K", *plain(1))
        assert names(blender) == ["Landmark.001"]
    finally:
        blender.py(f"{item}.map_type = 'MOUSE'\nresult = None")
        blender.py(f"{item}.type = 'LEFTMOUSE'\nresult = None")


def test_in_edit_mode_it_works_too(blender, plain):
    in_viewport(blender, "bpy.ops.object.mode_set(mode='EDIT')")
    choose_tool(blender, TOOL)
    x, y = plain(1)
    blender.click(x, y)
    assert names(blender) == ["Landmark.001"]
    drag(blender, (x, y), (x + 10, y), (x + 40, y))
    moved = where(blender, "Landmark.001")
    in_viewport(blender, "bpy.ops.object.mode_set(mode='OBJECT')")
    assert moved == pytest.approx(under_ray(blender, x + 40, y), abs=1e-6)


def test_m_adds_a_landmark_in_the_inspector_without_ending_it(blender, plain):
    choose_tool(blender, "builtin.select_box")
    start(blender, *plain(0))
    for face in (0, 2):
        blender.move(*plain(face))
        blender.key("M", *plain(face))
    assert is_running(blender)
    assert names(blender) == ["Landmark.001", "Landmark.002"]
    assert blender.py("[each.face for each in api.landmarks.of('Target')]") == [0, 2]
    x, y = plain(1)
    blender.move(x, y)
    blender.event("WHEELDOWNMOUSE", "PRESS", x, y)
    blender.key("M", x, y)
    assert names(blender, "Below 1") == ["Landmark.001"], "where the wheel has gone to"
    blender.key("ESC", x, y)
    assert not is_running(blender)
    undo(blender)
    assert names(blender, "Below 1") == []
    undo(blender)
    assert names(blender) == ["Landmark.001"]


def test_real_input_adds_and_drags(blender_real_input):
    blender = blender_real_input
    set_up_landmarks(blender)
    choose_tool(blender, TOOL)
    (x, y), stop = blender.position_of(where(blender, "B")), (60, 10)
    blender.xdo("mousemove", *blender.screen_position(x, y))
    blender.redraw()
    blender.xdo("mousedown", 1)
    blender.wait("[each.selected for each in api.landmarks.of('Target')] == [False, True, False]")
    for share in (0.2, 0.5, 1.0):
        place = x + round(stop[0] * share), y + round(stop[1] * share)
        blender.xdo("mousemove", *blender.screen_position(*place))
        blender.redraw()
    blender.xdo("mouseup", 1)
    blender.redraw(2)
    assert selected(blender) == ["B"]
    expected = under_ray(blender, x + stop[0], y + stop[1])
    assert where(blender, "B") == pytest.approx(expected, abs=1e-6)
    blender.xdo("mousemove", *blender.screen_position(x - 60, y))
    blender.redraw()
    blender.xdo("click", 1)
    blender.wait("len(api.landmarks.of('Target')) == 4")
    assert where(blender, "Landmark.001") == pytest.approx(under_ray(blender, x - 60, y), abs=1e-6)
