# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame in View: afterwards the place is seen, and a pick there answers its face."""

from contextlib import contextmanager

import numpy as np
import pytest

from tests.windowed.hand import in_viewport, middle_of, press_hotkey, set_up_inspection

pytestmark = pytest.mark.beside

AROUND = """
bpy.ops.mesh.primitive_cube_add(size={size}, location={place})
cover = bpy.context.object
bpy.context.view_layer.update()
result = None
"""

LID = """
bpy.ops.mesh.primitive_plane_add(size=0.9, location=Vector({place}) + Vector({normal}) * 0.5)
bpy.context.object.rotation_euler = Vector({normal}).to_track_quat("Z", "Y").to_euler()
view.view_rotation = Vector({normal}).to_track_quat("Z", "Y")
bpy.context.view_layer.update()
result = None
"""


QUADS = """
def quads():
    return [each.data for each in area.regions if each.type == "WINDOW"]

result = None
"""

FRAME_QUADS = """
for each in [each for each in area.regions if each.type == "WINDOW"]:
    with bpy.context.temp_override(window=viewport()[0], area=area, region=each):
        bpy.ops.raypick.frame_hit()
result = None
"""

COINCIDENT = """
twin = target.copy()
twin.name = "Twin"
bpy.context.scene.collection.objects.link(twin)
bpy.context.view_layer.update()
result = None
"""

COUNT = """
from bl_ext.user_default.raypick import api
from bl_ext.user_default.raypick.operators import framing
asked, kept_pick, kept_seconds = [], api.pick, framing._SECONDS

def counting(*arguments, **options):
    asked.append(arguments)
    return kept_pick(*arguments, **options)

api.pick = counting
result = None
"""


@contextmanager
def counted_picks(blender):
    """Count the calls of api.pick: yields what returns their number until now."""
    blender.py(COUNT)
    try:
        yield lambda: blender.py("len(asked)")
    finally:
        blender.py("api.pick, framing._SECONDS = kept_pick, kept_seconds\nresult = None")


@pytest.fixture(params=["PERSP", "ORTHO"])
def kept(blender, request):
    """A kept pick of the strip's middle face, in a view of either kind."""
    set_up_inspection(blender)
    blender.py(f"view.view_perspective = {request.param!r}\nresult = None")
    blender.redraw(2)
    x, y = blender.position_of(middle_of(1))
    press_hotkey(blender, x, y)
    return blender.py("{**current.kept().hit.as_dict(), 'side': current.kept().hit.side_normal}")


def frame(blender):
    """Frame the kept pick; return where the view's eye is from there, a unit vector."""
    in_viewport(blender, "bpy.ops.raypick.frame_hit()")
    blender.redraw(2)
    return np.array(blender.py("list(view.view_rotation @ Vector((0, 0, 1)))"))


def picked_there(blender, hit):
    """What a pick answers at the pixel that shows the place: its object and face."""
    x, y = blender.position_of(hit["point"])
    press_hotkey(blender, x, y)
    return blender.py("[current.kept().hit.object, current.kept().hit.face]")


def assert_seen(blender, hit):
    middle = blender.py("[region.x + region.width / 2, region.y + region.height / 2]")
    assert blender.position_of(hit["point"]) == pytest.approx(middle, abs=2)
    assert picked_there(blender, hit) == [hit["object"], hit["face"]]


def test_a_place_that_is_seen_stays_seen_from_there(blender, kept):
    before = blender.py("list(view.view_rotation)")
    frame(blender)
    assert blender.py("list(view.view_rotation)") == pytest.approx(before)
    assert_seen(blender, kept)


def test_from_its_back_it_is_seen_along_the_normal(blender, kept):
    blender.py("view.view_rotation = Quaternion((0, 1, 0), 3.0) @ view.view_rotation\nresult=None")
    blender.redraw(2)
    # The strips below would be before it.
    assert frame(blender) == pytest.approx(kept["side"], abs=1e-5)
    assert_seen(blender, kept)


def test_behind_another_object_it_is_seen_along_the_normal(blender, kept):
    toward = np.array(blender.py("list(view.view_rotation @ Vector((0, 0, 1)))"))
    place = tuple((np.array(kept["point"]) + 1.5 * toward).tolist())
    blender.py(AROUND.format(size=0.4, place=place))
    assert frame(blender) == pytest.approx(kept["side"], abs=1e-5)
    assert_seen(blender, kept)


def test_behind_its_own_mesh_it_is_seen_too(blender, kept):
    blender.py(AROUND.format(size=0.5, place=tuple(kept["point"])))
    blender.py("cover.location += view.view_rotation @ Vector((0, 0, 1.2))\nresult = None")
    blender.py(
        "context = {'selected_editable_objects': [target, cover], 'active_object': target,"
        " 'object': target}\n"
        "with bpy.context.temp_override(window=viewport()[0], area=area, region=region, **context):"
        "\n    bpy.ops.object.join()\nresult = None"
    )
    blender.redraw(2)
    above = np.add(kept["point"], 0.01 * np.array(kept["side"])).tolist()
    back = np.negative(kept["side"]).tolist()
    in_viewport(blender, f"bpy.ops.raypick.cast(origin={above}, direction={back})")
    frame(blender)
    assert_seen(blender, kept)


def test_hidden_along_the_normal_too_it_is_seen_from_a_free_direction(blender, kept):
    normal = np.array(kept["side"])
    blender.py(LID.format(place=tuple(kept["point"]), normal=tuple(kept["side"])))
    blender.redraw(2)
    found = frame(blender)
    assert 0.4 < found @ normal < 0.99
    assert_seen(blender, kept)


def test_in_a_closed_box_it_is_seen_from_within(blender, kept):
    blender.py(AROUND.format(size=1.0, place=tuple(kept["point"])))
    frame(blender)
    assert blender.py("view.view_distance") < 1.0
    assert_seen(blender, kept)


def test_a_locked_view_does_not_turn(blender, kept):
    blender.py("view.view_rotation = Quaternion((0, 1, 0, 0))\nview.lock_rotation = True")
    before = blender.py("list(view.view_rotation)")
    blender.redraw(2)
    frame(blender)
    after = blender.py("list(view.view_rotation)")
    blender.py("view.lock_rotation = False\nresult = None")
    assert after == pytest.approx(before)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_a_locked_view_in_a_closed_box_keeps_its_kind_and_rotation(blender, kept, kind):
    blender.py(AROUND.format(size=1.0, place=tuple(kept["point"])))
    blender.py(f"view.view_perspective = {kind!r}\nview.lock_rotation = True\nresult = None")
    before = blender.py("list(view.view_rotation)")
    frame(blender)
    found = blender.py("[view.view_perspective, list(view.view_rotation)]")
    blender.py("view.lock_rotation = False\nresult = None")
    assert found == [kind, before]
    assert blender.py("view.view_perspective") == kind


def test_locked_panes_of_quad_view_stay_orthographic(blender, kept):
    blender.py(AROUND.format(size=1.0, place=tuple(kept["point"])))
    in_viewport(blender, "bpy.ops.screen.region_quadview()")
    blender.redraw(2)
    try:
        blender.py(QUADS)
        before = blender.py("[[q.lock_rotation, q.view_perspective] for q in quads()]")
        blender.py(FRAME_QUADS)
        after = blender.py("[[q.lock_rotation, q.view_perspective] for q in quads()]")
    finally:
        in_viewport(blender, "bpy.ops.screen.region_quadview()")
        blender.redraw(2)
    assert [True, "ORTHO"] in before
    locked = [pane for pane in before if pane[0]]
    assert [pane for pane in after if pane[0]] == locked


def test_behind_a_coplanar_face_the_search_ends_at_once(blender, kept):
    blender.py(COINCIDENT)
    before = blender.py("list(view.view_rotation)")
    counts = []
    for name in ("Target", "Twin"):
        place = f"object={name!r}, count='TRIANGLE', triangle={kept['triangle']}, frame=False"
        in_viewport(blender, f"bpy.ops.raypick.place('EXEC_DEFAULT', {place})")
        with counted_picks(blender) as count:
            frame(blender)
            counts.append(count())
        assert blender.py("list(view.view_rotation)") == pytest.approx(before)
    assert sorted(counts) == [1, 5]  # the one that is seen is looked at with what is around it


def test_the_search_ends_when_its_time_is_over(blender, kept):
    blender.py(AROUND.format(size=1.0, place=tuple(kept["point"])))
    with counted_picks(blender) as count:
        blender.py("framing._SECONDS = 0.0\nresult = None")
        frame(blender)
        assert count() == 1


def test_a_place_that_was_named_is_framed_so_that_it_is_seen(blender, kept):
    blender.py(AROUND.format(size=1.0, place=tuple(kept["point"])))
    place = f"object='Target', count='TRIANGLE', triangle={kept['triangle']}"
    in_viewport(blender, f"bpy.ops.raypick.place('EXEC_DEFAULT', {place})")
    blender.redraw(2)
    hit = blender.py("current.kept().hit.as_dict()")
    assert picked_there(blender, hit) == ["Target", kept["face"]]
