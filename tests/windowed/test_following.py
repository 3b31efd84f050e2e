# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown stays true while the scene moves on: kept picks, and what is under the mouse."""

import time

import numpy as np
import pytest

from tests.windowed.hand import (
    choose_tool,
    color_at,
    in_viewport,
    is_near,
    is_running,
    look,
    middle_of,
    press_hotkey,
    set_up_inspection,
    start,
)

pytestmark = pytest.mark.wide

YELLOW, BLUE, GRAY = (1.0, 0.85, 0.0), (0.25, 0.75, 1.0), (0.6, 0.6, 0.6)

WATCH = """
from bl_ext.user_default.raypick.session import following, queries

drawn = []
asked = []

def corners_of(hit):
    if bpy.context.mode != "OBJECT":
        return hit.corners
    evaluated = bpy.data.objects[hit.object].evaluated_get(
        bpy.context.evaluated_depsgraph_get())
    places = [evaluated.data.vertices[i].co for i in hit.vertices]
    return [tuple(evaluated.matrix_world @ place) for place in places]

def watch():
    # What the overlay has drawn just now, beside where Blender has the same triangle.
    from bl_ext.user_default.raypick.overlay import faces
    for which in (faces.kept_here, faces.hovered_here):
        record = which(bpy.context)
        if record is not None and record.hit is not None:
            hit = record.hit_now
            drawn.append((which.__name__.removesuffix("_here"),
                          bpy.context.scene.frame_current_final, hit.face,
                          [*map(list, hit.corners)], [*map(list, corners_of(hit))],
                          list(hit.point), bool(record.stale)))

def counted(function):
    def call(*given):
        asked.append((function.__name__, draws))
        return function(*given)
    return call

_watching = bpy.types.SpaceView3D.draw_handler_add(watch, (), "WINDOW", "POST_PIXEL")
_plain = queries.pick, queries.follow
queries.pick, queries.follow = map(counted, _plain)
result = None
"""

UNWATCH = """
bpy.types.SpaceView3D.draw_handler_remove(_watching, "WINDOW")
queries.pick, queries.follow = _plain
result = None
"""

ANIMATE = """
for frame, x in ((1, 0.0), (100, 4.0)):
    target.location.x = x
    target.keyframe_insert("location", frame=frame)
bpy.context.scene.frame_end = 100
bpy.context.scene.frame_set(1)
result = None
"""

PLAY = "bpy.ops.screen.animation_play()"


@pytest.fixture
def watched(blender, at, ended):
    """Return where the window shows a face; what is drawn and asked is written down."""
    blender.py(WATCH)
    yield at
    if blender.is_running:
        blender.py(UNWATCH)


def keep(blender, x, y):
    press_hotkey(blender, x, y)
    blender.redraw()


def drawn(blender):
    """What was drawn since the last time: faces, places as drawn and as they are."""
    blender.redraw(2)
    seen = blender.py("seen, drawn[:] = list(drawn), []\nseen")
    for _, _, _, shown, true, _, stale in seen:
        assert stale or np.array(shown) == pytest.approx(np.array(true), abs=1e-5)
    return seen


def test_a_kept_pick_moves_with_its_object(blender, watched):
    keep(blender, *watched(0))
    before = drawn(blender)[-1][5]
    assert is_near(color_at(blender, middle_of(0), 3), YELLOW)
    blender.py("target.location = (0.5, 0.3, 0.4)\nresult = None")
    after = drawn(blender)[-1][5]
    assert np.subtract(after, before) == pytest.approx((0.5, 0.3, 0.4), abs=1e-6)
    triangle = blender.py("[list(c) for c in current.kept().hit_now.corners]")
    for a, b in zip(triangle, triangle[1:] + triangle[:1], strict=True):
        # The point that was hit may hide the middle of an edge.
        assert is_near(color_at(blender, np.add(a, np.multiply(b, 2)) / 3, 2), YELLOW)


def test_through_playback_no_frame_shows_an_old_place(blender, watched):
    blender.py(ANIMATE)
    keep(blender, *watched(0))
    drawn(blender)
    in_viewport(blender, PLAY)
    blender.wait("bpy.context.scene.frame_current > 20 and len(drawn) > 5")
    in_viewport(blender, PLAY)
    frames = {frame for _, frame, *_ in drawn(blender)}
    assert len(frames) > 5
    place = blender.py("list(current.kept().hit_now.point)")
    moved = blender.py("target.evaluated_get(bpy.context.evaluated_depsgraph_get()).location.x")
    assert place[0] - blender.py("current.kept().hit.point[0]") == pytest.approx(moved, abs=1e-5)


def test_the_inspector_follows_time_under_a_resting_mouse(blender, watched):
    blender.py(ANIMATE)
    start(blender, *watched(2))
    faces = [look(blender, "hovered")[1]]
    drawn(blender)
    in_viewport(blender, PLAY)
    blender.wait("bpy.context.scene.frame_current > 60", timeout=120)
    in_viewport(blender, PLAY)
    for _, _, face, *_ in drawn(blender):
        faces += [face] if face != faces[-1] else []
    assert is_running(blender)
    assert faces[0] == 2
    assert len(faces) > 2, "the strip passed under the mouse, and other faces with it"
    blender.redraw(2)
    blender.py("asked.clear()")
    blender.redraw(3)
    assert blender.py("asked") == [], "nothing changed, and nothing is asked"


def test_it_looks_once_a_redraw_however_often_the_scene_changes(blender, watched):
    keep(blender, *watched(0))
    start(blender, *watched(1))
    blender.redraw(2)
    blender.py(
        "asked.clear()\n"
        "for step in range(200):\n"
        "    target.location.x = step / 400\n"
        "    bpy.context.view_layer.update()\n"
        "result = None"
    )
    assert blender.py("len(asked)") <= 4
    drawn(blender)
    asked = blender.py("asked")
    assert {name for name, _ in asked} == {"pick", "follow"}
    assert len(asked) <= 4, "two viewport draws at most, of a pick and a place each"


@pytest.mark.parametrize("how", ["inspector", "tool"])
def test_while_the_mouse_moves_an_object_nothing_is_said_to_be_under_it(blender, watched, how):
    blender.py("target.select_set(True)\nresult = None")
    x, y = watched(0)
    if how == "tool":
        choose_tool(blender)
        blender.move(x, y)
    else:
        start(blender, x, y)
    assert look(blender, "hovered")[1] == 0
    blender.key("G", x, y)
    blender.move(x + 80, y + 10)
    blender.redraw(2)
    blender.py("drawn.clear()")
    assert "hovered" not in {which for which, *_ in drawn(blender)}
    assert look(blender, "hovered") is None
    blender.key("ESC", x + 80, y + 10)
    blender.move(*watched(1))
    assert look(blender, "hovered")[1] == 1


def test_while_an_object_is_grabbed_its_kept_pick_goes_with_it(blender, watched):
    blender.py("target.select_set(True)\nresult = None")
    x, y = watched(0)
    keep(blender, x, y)
    before = drawn(blender)[-1][5]
    blender.key("G", x, y)
    for step in (20, 40, 60):
        blender.move(x + step, y)
        blender.redraw()
    during = drawn(blender)[-1][5]
    assert np.linalg.norm(np.subtract(during, before)) > 0.05
    blender.key("ESC", x + 60, y)
    assert drawn(blender)[-1][5] == pytest.approx(before, abs=1e-6)


def test_another_view_is_looked_at_without_a_move_of_the_mouse(blender, watched):
    start(blender, *watched(0))
    assert look(blender, "hovered")[1] == 0
    blender.py("view.view_location.x -= 1.5\nresult = None")
    drawn(blender)
    expected = blender.py(
        "hits = api.pick(bpy.context, region, view, [i + 0.5 for i in hover._spot.pixel])\n"
        "hits and hits[0].face"
    )
    assert expected != 0
    assert look(blender, "hovered")[1] == (expected or None)


def test_an_animated_camera_is_followed(blender, watched):
    blender.py(
        "camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))\n"
        "bpy.context.scene.collection.objects.link(camera)\n"
        "bpy.context.scene.camera = camera\n"
        "for frame, x in ((1, -1.0), (100, 1.0)):\n"
        "    camera.location = (x, 0.0, 6.0)\n"
        "    camera.keyframe_insert('location', frame=frame)\n"
        "bpy.context.scene.frame_set(1)\n"
        "view.view_perspective = 'CAMERA'\nresult = None"
    )
    blender.redraw(2)
    start(blender, *watched(0))
    drawn(blender)
    for frame in (20, 60, 100):
        blender.py(f"bpy.context.scene.frame_set({frame})")
        drawn(blender)
        expected = blender.py(
            "hits = api.pick(bpy.context, region, view, [i + 0.5 for i in hover._spot.pixel])\n"
            "hits and list(hits[0].point)"
        )
        assert blender.py(
            "record = current.hovered()\nrecord.hits and list(record.hits[0].point)"
        ) == (expected or [])


@pytest.mark.parametrize("how", ["inspector", "tool"])
def test_what_is_deleted_takes_its_outline_and_label_with_it(blender, watched, how):
    blender.py(
        "for other in list(bpy.data.objects):\n"
        "    if other is not target:\n        bpy.data.objects.remove(other)\n"
        "target.select_set(True)\nresult = None"
    )
    x, y = watched(0)
    if how == "tool":
        choose_tool(blender)
        blender.move(x, y)
    else:
        start(blender, x, y)
    keep(blender, x, y)
    assert {which for which, *_ in drawn(blender)} == {"kept", "hovered"}
    blender.py("bpy.data.objects.remove(target)\ndrawn.clear()")  # what was drawn till then
    assert drawn(blender) == []
    assert look(blender, "hovered") == [None, None, 0]
    assert not is_near(color_at(blender, middle_of(0), 40), YELLOW, 20)


def test_what_is_stale_is_gray_and_says_why(blender, watched):
    keep(blender, *watched(0))
    blender.move(5, 5)
    blender.redraw(2)
    blender.py("target.modifiers.new('Subdivision', 'SUBSURF')\nresult = None")
    (*_, stale) = drawn(blender)[-1]
    assert stale
    assert "topology" in blender.py("current.kept().stale")
    a, b, _ = blender.py("[list(c) for c in current.kept().hit.corners]")
    edge = color_at(blender, np.add(a, b) / 2, 2)
    assert not is_near(edge, YELLOW)
    assert is_near(edge, GRAY)


def test_a_viewport_that_does_not_show_the_object_shows_no_pick_of_it(blender, watched):
    keep(blender, *watched(0))
    assert drawn(blender)
    blender.py(
        "bpy.ops.object.select_all(action='DESELECT')\n"
        "bpy.data.objects['Below 1'].select_set(True)\nresult = None"
    )
    in_viewport(blender, "bpy.ops.view3d.localview(frame_selected=False)")
    drawn(blender)
    assert drawn(blender) == []
    assert blender.py("current.kept().stale") is None
    in_viewport(blender, "bpy.ops.view3d.localview(frame_selected=False)")
    drawn(blender)
    assert drawn(blender)


def comes_to_rest(blender, seconds=1.5, limit=20.0):
    """Whether no viewport is drawn for a while, sooner or later, when nobody does anything."""
    blender.redraw()
    end = time.monotonic() + limit
    while time.monotonic() < end:
        before = blender.py("draws")
        time.sleep(seconds)
        if blender.py("draws") == before:
            return True
    return False


def test_at_rest_nothing_is_drawn_again_for_an_own_mesh_in_edit_mode(blender, watched):
    blender.py("settings.preferences().options.mesh = 'ORIGINAL'\nresult = None")
    try:
        in_viewport(blender, "bpy.ops.object.mode_set(mode='EDIT')")
        start(blender, *watched(0))
        keep(blender, *watched(0))
        assert comes_to_rest(blender)
        assert look(blender, "kept")[1] == look(blender, "hovered")[1] == 0
    finally:
        blender.py("settings.preferences().options.mesh = 'EVALUATED'\nresult = None")
        in_viewport(blender, "bpy.ops.object.mode_set(mode='OBJECT')")


TWO_SCENES = """
def with_nodes(scene, name):
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("G", in_out=direction, socket_type="NodeSocketGeometry")
    group.links.new(group.nodes.new("NodeGroupInput").outputs[0],
                    group.nodes.new("NodeGroupOutput").inputs[0])
    obj = bpy.data.objects.new(name, mesh)
    obj.modifiers.new("Nodes", "NODES").node_group = group
    obj.location.z = -3.0
    scene.collection.objects.link(obj)

with_nodes(bpy.context.scene, "First Nodes")
other_scene = bpy.data.scenes.new("Other")
with_nodes(other_scene, "Second Nodes")
bpy.ops.wm.window_new_main()
other_window = next(w for w in bpy.context.window_manager.windows if w != viewport()[0])
assert any(a.type == "VIEW_3D" for a in other_window.screen.areas)
other_window.scene = other_scene
result = None
"""


def test_two_windows_with_two_scenes_of_nodes_come_to_rest(fresh_blender):
    """A change of one scene is none of the other, and sets nothing going in circles."""
    blender = fresh_blender
    set_up_inspection(blender)
    x, y = blender.position_of(middle_of(0))
    keep(blender, x, y)
    blender.py(TWO_SCENES)
    blender.redraw(3)
    blender.py("target.location.x = 0.25\nresult = None")
    assert comes_to_rest(blender)
    assert blender.py("current.kept().stale is None")
    moved = blender.py("current.kept().hit_now.point[0] - current.kept().hit.point[0]")
    assert moved == pytest.approx(0.25, abs=1e-6)


TWO_LAYERS = """
bpy.context.scene.view_layers.new("Without")
hiding = bpy.data.collections.new("Hiding")
bpy.context.scene.collection.children.link(hiding)
hiding.objects.link(target)
bpy.context.scene.collection.objects.unlink(target)
bpy.ops.wm.window_new_main()
other_window = next(w for w in bpy.context.window_manager.windows if w != viewport()[0])
other_window.view_layer = bpy.context.scene.view_layers["Without"]
other_window.view_layer.layer_collection.children["Hiding"].exclude = True
result = None
"""


def test_each_window_has_the_pick_as_its_own_view_layer_shows_it(fresh_blender):
    blender = fresh_blender
    set_up_inspection(blender)
    blender.py(TWO_LAYERS)
    blender.redraw(3)
    keep(blender, *blender.position_of(middle_of(0)))
    blender.py(WATCH)
    for step in (1, 2, 3):
        blender.py(f"target.location.x = {step} / 8\nresult = None")
        shown = [stale for which, *_, stale in drawn(blender) if which == "kept"]
        assert False in shown, "the window whose view layer has the object"
    assert comes_to_rest(blender)


def test_a_rename_is_followed_at_once(blender, watched):
    keep(blender, *watched(0))
    blender.py("target.name = 'Renamed'\nresult = None")
    drawn(blender)
    assert blender.py("current.kept().hit_now.object") == "Renamed"
    assert blender.py("current.kept().stale") is None


@pytest.mark.parametrize("which", ["undo", "undo and redo"])
def test_the_inspector_survives(blender, watched, which):
    x, y = watched(0)
    blender.py(
        "bpy.ops.ed.undo_push(message='one')\n"
        "target.location.x = 0.2\nbpy.ops.ed.undo_push(message='two')"
    )
    start(blender, x, y)
    keep(blender, x, y)
    blender.key("Z", x, y, ctrl=True)
    if which == "undo and redo":
        blender.key("Z", x, y, ctrl=True, shift=True)
    blender.py("target = bpy.data.objects['Target']\nmesh = target.data\nresult = None")
    assert is_running(blender)
    drawn(blender)
    for face in (1, 2, 0):
        blender.move(*watched(face))
        assert look(blender, "hovered")[1] == face
    blender.key("ESC", x, y)
    assert not is_running(blender)


def test_hair_under_the_mouse_is_named_with_and_without_a_hit_behind_it(blender, watched):
    blender.py(
        "bpy.ops.object.curves_random_add()\n"
        "hair = bpy.context.object\nhair.name, hair.scale = 'Hair', (0.2, 0.2, 0.2)\n"
        f"hair.location = Vector({middle_of(1)}) + view.view_rotation @ Vector((0, 0, 2))\n"
        "from bl_ext.user_default.raypick.overlay import mouse_label\n"
        "texts_drawn, plain = [], mouse_label.blf.draw\n"
        "class Blf:\n"
        "    def __getattr__(self, name): return getattr(plain_blf, name)\n"
        "    def draw(self, font, text):\n"
        "        texts_drawn.append(text)\n"
        "        plain(font, text)\n"
        "plain_blf, mouse_label.blf = mouse_label.blf, Blf()\nresult = None"
    )
    try:
        blender.redraw(2)
        start(blender, *watched(1))
        blender.click(*watched(0))
        blender.move(*watched(1))
        for hidden in (False, True):
            blender.py(f"for o in bpy.data.objects: o.hide_set({hidden} and o != hair)")
            blender.py("texts_drawn.clear()")
            drawn(blender)
            assert any("Not picked: Hair" in text for text in blender.py("texts_drawn"))
            assert (look(blender, "hovered")[0] is None) == hidden
    finally:
        blender.py("mouse_label.blf = plain_blf\nresult = None")
