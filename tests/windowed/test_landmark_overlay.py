# SPDX-License-Identifier: GPL-3.0-or-later
"""How viewports show landmarks: colors at the pixels where the matrices of the view have them."""

import time

import numpy as np
import pytest

from tests.windowed.hand import in_viewport, middle_of
from tests.windowed.landmarks import set_up_landmarks
from tests.windowed.test_overlay import PLAIN

COLOR = (0.9, 0.02, 0.4)  # linear, unlike all else in the view
SHOWN = tuple(1.055 * part ** (1 / 2.4) - 0.055 for part in COLOR)  # all above the linear part

MIDDLES = [middle_of(face)[:2] for face in range(3)]

PREPARE = f"""
import dataclasses
from mathutils import Euler
space.show_region_ui = space.show_gizmo = False
space.overlay.show_text = space.overlay.show_stats = False
preferences = settings.preferences()
preferences.landmark_labels = "NONE"
def change(landmark=lambda each: each, **of_set):
    document = storage.read(target)
    rows = tuple(dataclasses.replace(
        each, landmarks=tuple(map(landmark, each.landmarks)), **of_set) for each in document.sets)
    storage.write(target, dataclasses.replace(document, sets=rows))
change(color={COLOR})
middles = [target.ray_cast(Vector((x, y, 5.0)), (0, 0, -1))[1] for x, y in {MIDDLES}]
target.select_set(False)
for each in bpy.data.objects:
    if each.name.startswith("Below"):
        each.hide_set(True)
result = None
"""

PLANE = """
cover = bpy.data.objects.new("Cover", mesh)
cover.location = view.view_rotation @ Vector((0, 0, 1))
cover.scale = (3, 3, 3)
bpy.context.scene.collection.objects.link(cover)
result = None
"""


@pytest.fixture
def strip(blender):
    """A plain view of the strip with a landmark in the middle of each face."""
    set_up_landmarks(blender)
    blender.py(PLAIN)
    blender.py(PREPARE)
    settle(blender)
    yield blender
    if blender.is_running:
        blender.py(
            "for name in ('size', 'text_size', 'labels', 'behind'):\n"
            "    preferences.property_unset('landmark_' + name)\nresult = None"
        )


def settle(blender):
    """Redraw, and again when the view has rested: what is hidden is not looked up at once."""
    blender.redraw()
    time.sleep(0.15)
    blender.redraw()


def place(blender, face, region="region", view="view", moved=(0.0, 0.0, 0.0)):
    """The pixel of the window where a face's landmark is, by the matrices of a view."""
    point, matrix, x, y, width, height = blender.py(
        f"[list(middles[{face}]),"
        f" [list(row) for row in ({view}.window_matrix @ {view}.view_matrix)],"
        f" {region}.x, {region}.y, {region}.width, {region}.height]"
    )
    clip = np.array(matrix) @ (*np.add(point, moved), 1.0)
    at = (clip[:2] / clip[3] + 1.0) / 2.0
    return int(x + at[0] * width), int(y + at[1] * height)


def around(blender, pixel, reach=1):
    """The pixels (2 reach + 1, 2 reach + 1, 3) around one of the window, from 0 to 1."""
    x, y = pixel
    part = blender.pixels()[y - reach : y + reach + 1, x - reach : x + reach + 1]
    return part.astype(float) / 255


def has_color(blender, pixel):
    """Whether the pixels there all have the color of the landmarks."""
    return bool(np.abs(around(blender, pixel) - SHOWN).max() < 0.06)


def tint(blender, pixel):
    """How much redder than green it is there: nothing but landmarks is."""
    pixels = around(blender, pixel)
    return float((pixels[..., 0] - pixels[..., 1]).mean())


@pytest.mark.parametrize("kind", ["perspective", "orthographic", "camera"])
def test_points_have_their_color_where_the_matrices_say(strip, kind):
    if kind == "orthographic":
        strip.py("view.view_perspective = 'ORTHO'")
    elif kind == "camera":
        strip.py(
            "eye = bpy.data.objects.new('Eye', bpy.data.cameras.new('Eye'))\n"
            "bpy.context.scene.collection.objects.link(eye)\n"
            "eye.matrix_world = view.view_matrix.inverted()\neye.data.shift_x = 0.1\n"
            "bpy.context.scene.camera = eye\nview.view_perspective = 'CAMERA'\nresult = None"
        )
    settle(strip)
    assert all(has_color(strip, place(strip, face)) for face in range(3))


def test_a_landmark_has_its_own_color_before_that_of_its_set(strip):
    strip.py(
        "change(lambda each: dataclasses.replace("
        "each, color=(0.0, 0.0, 1.0) if each.name == 'B' else None))\nresult = None"
    )
    settle(strip)
    assert np.abs(around(strip, place(strip, 1)) - (0, 0, 1)).max() < 0.06
    assert has_color(strip, place(strip, 0))


def test_far_from_the_origin_of_the_world_they_stay_in_place(strip):
    strip.py(
        "target.location += Vector((1e5, -1e5, 1e5))\n"
        "view.view_location += Vector((1e5, -1e5, 1e5))\nresult = None"
    )
    settle(strip)
    x, y = strip.position_of(tuple(strip.py("list(target.matrix_world @ middles[0])")))
    assert tint(strip, (x, y)) > 0.5


def test_behind_other_geometry_they_are_dimmed_or_left_out(strip):
    before = tint(strip, place(strip, 0))
    strip.py(PLANE)
    settle(strip)
    behind = tint(strip, place(strip, 0))
    strip.py("preferences.landmark_behind = False\nresult = None")
    settle(strip)
    without = tint(strip, place(strip, 0))
    assert before > 0.6
    assert 0.05 < behind < 0.7 * before
    assert abs(without) < 0.02


@pytest.mark.parametrize("shading", ["xray", "wireframe"])
def test_where_the_viewport_shows_through_geometry_they_are_not_dimmed(strip, shading):
    strip.py(PLANE)
    strip.py(
        "space.shading.show_xray = True\nresult = None"
        if shading == "xray"
        else "space.shading.type = 'WIREFRAME'\nresult = None"
    )
    settle(strip)
    assert has_color(strip, place(strip, 0))
    strip.py("space.shading.type, space.shading.show_xray = 'SOLID', False\nresult = None")


def test_on_steep_surfaces_they_are_not_dimmed(strip):
    strip.py("target.rotation_euler = Euler((1.45, 0.0, 0.0))\nview.view_rotation = (1, 0, 0, 0)")
    strip.py("bpy.context.view_layer.update()\nresult = None")
    settle(strip)
    places = strip.py("[list(p.point) for p in api.landmarks.where(bpy.context, target)]")
    assert any(has_color(strip, strip.position_of(tuple(point))) for point in places)


@pytest.mark.parametrize(
    ("hide", "show"),
    [
        ("change(hidden=True)", "change(hidden=False)"),
        (
            "change(lambda each: dataclasses.replace(each, hidden=True))",
            "change(lambda each: dataclasses.replace(each, hidden=False))",
        ),
        ("space.overlay.show_overlays = False", "space.overlay.show_overlays = True"),
        ("target.hide_set(True)", "target.hide_set(False)"),
        ("target.hide_viewport = True", "target.hide_viewport = False"),
        ("space.show_object_viewport_mesh = False", "space.show_object_viewport_mesh = True"),
    ],
)
def test_what_is_hidden_has_none(strip, hide, show):
    pixel = place(strip, 0)
    for code, expected in ((hide, False), (show, True)):
        strip.py(f"{code}\nresult = None")
        settle(strip)
        assert has_color(strip, pixel) is expected
    strip.py(f"{hide}\nresult = None")
    settle(strip)
    assert abs(tint(strip, pixel)) < 0.02
    strip.py(f"{show}\nresult = None")


def test_a_local_view_of_other_objects_has_none(strip):
    pixel = place(strip, 0)
    strip.py(
        "other = bpy.data.objects.new('Other', None)\n"
        "bpy.context.scene.collection.objects.link(other)\nother.select_set(True)\nresult = None"
    )
    in_viewport(strip, "bpy.ops.view3d.localview(frame_selected=False)")
    settle(strip)
    assert abs(tint(strip, pixel)) < 0.02
    in_viewport(strip, "bpy.ops.view3d.localview(frame_selected=False)")
    settle(strip)
    assert has_color(strip, pixel)


def test_each_view_of_a_quad_view_shows_them(strip):
    in_viewport(strip, "bpy.ops.screen.region_quadview()")
    settle(strip)
    seen = []
    for index in range(4):
        strip.py(
            "each = [r for r in area.regions if r.type == 'WINDOW']"
            f"[{index}]\neach_view = each.data\nresult = None"
        )
        seen.append(tint(strip, place(strip, 0, "each", "each_view")))
    in_viewport(strip, "bpy.ops.screen.region_quadview()")
    strip.redraw(2)
    assert min(seen) > 0.05, "dimmed where the strip is before it"
    assert max(seen) > 0.6


def test_points_are_twice_as_wide_at_twice_the_scale_and_at_twice_the_size(strip):
    widths = []
    for scale, size in ((1.0, 8), (2.0, 8), (1.0, 16)):
        strip.py(
            f"bpy.context.preferences.view.ui_scale = {scale}\n"
            f"preferences.landmark_size = {size}\nresult = None"
        )
        settle(strip)
        row = around(strip, place(strip, 0), 24)[24]
        widths.append(int((np.abs(row - SHOWN).max(axis=1) < 0.1).sum()))
    strip.py("bpy.context.preferences.view.ui_scale = 1.0\nresult = None")
    strip.redraw(2)
    assert 6 <= widths[0] <= 9
    assert 13 <= widths[1] <= 18
    assert 13 <= widths[2] <= 18


def test_they_are_at_their_place_in_the_redraw_of_each_frame(strip):
    strip.py(
        "target.keyframe_insert('location', frame=1)\ntarget.location.x += 1.0\n"
        "target.keyframe_insert('location', frame=20)\nresult = None"
    )
    for frame, moved in ((20, (1.0, 0, 0)), (1, (0, 0, 0)), (20, (1.0, 0, 0))):
        strip.py(f"bpy.context.scene.frame_set({frame})\nresult = None")
        strip.redraw(1)
        pixels = [place(strip, 0, moved=way) for way in (moved, (1.0 - moved[0], 0, 0))]
        assert tint(strip, pixels[0]) > 0.2
        assert abs(tint(strip, pixels[1])) < 0.05


def test_selected_ones_have_a_bright_outline_and_locked_ones_a_dark_core(strip):
    strip.py("preferences.landmark_size = 16\nresult = None")
    looks = []
    for name in ("selected", "locked"):
        for wanted in ("each.name == 'A'", "False"):
            strip.py(
                f"change(lambda each: dataclasses.replace(each, {name}={wanted}))\nresult = None"
            )
            settle(strip)
            looks.append(around(strip, place(strip, 0), 14))
    selected, plain, locked, open_ = looks
    assert (selected.min(axis=2) > 0.9).sum() > 20 > (plain.min(axis=2) > 0.9).sum()
    core = locked[12:17, 12:17], open_[12:17, 12:17]
    assert core[0].mean() < 0.6 * core[1].mean()


def test_the_active_one_of_the_active_object_has_a_ring(strip):
    counts = []
    for active in ("target", "None"):
        strip.py(f"bpy.context.view_layer.objects.active = {active}\nresult = None")
        settle(strip)
        rings = [(around(strip, place(strip, face), 14).min(axis=2) > 0.6).sum() for face in (0, 2)]
        counts.append(rings)
    assert counts[0][1] > 20, "the last one is active"
    assert max(counts[0][0], *counts[1]) < 5


@pytest.mark.parametrize(("labels", "shown"), [("ALL", "AC"), ("SELECTED", "C"), ("NONE", "")])
def test_names_are_beside_the_points_that_the_preferences_say(strip, labels, shown):
    """The active one, C, counts as selected."""
    strip.py(
        "change(lambda each: dataclasses.replace(each, name=each.name * 6))\n"
        f"preferences.landmark_labels = {labels!r}\nresult = None"
    )
    settle(strip)
    found = ""
    for face, name in ((0, "A"), (2, "C")):
        x, y = place(strip, face)
        text = strip.pixels()[y - 8 : y + 9, x + 10 : x + 60]
        found += name * bool((text.min(axis=2) > 200).sum() > 20)
    assert found == shown


def test_names_behind_geometry_are_dimmed(strip):
    strip.py(
        "change(lambda each: dataclasses.replace(each, name='HHHHHH'))\n"
        "preferences.landmark_labels = 'ALL'\nresult = None"
    )
    settle(strip)
    x, y = place(strip, 0)
    brightest = []
    for code in ("", PLANE):
        strip.py(code)
        settle(strip)
        brightest.append(int(strip.pixels()[y - 8 : y + 9, x + 10 : x + 60].min(axis=2).max()))
    assert brightest[0] > 230
    assert 90 < brightest[1] < 200


def test_names_can_be_read_on_white_too(strip):
    strip.py(
        "space.shading.single_color = (1, 1, 1)\n"
        "change(lambda each: dataclasses.replace(each, name='HHHHHH'))\n"
        "preferences.landmark_labels = 'ALL'\nresult = None"
    )
    settle(strip)
    x, y = place(strip, 0)
    text = strip.pixels()[y - 8 : y + 9, x + 10 : x + 60].max(axis=2)
    assert (text < 128).sum() > 50 < (text > 230).sum()


def test_the_value_of_a_measure_is_beside_its_line_and_dimmed_behind_geometry(strip):
    strip.py(
        "api.measures.add('distance', [(target, 'B'), (target, 'C')], 'HHHH')\n"
        "middle = (middles[1] + middles[2]) / 2\n"
        "preferences.landmark_labels = 'ALL'\nresult = None"
    )
    brightest = []
    for code in ("", PLANE):
        strip.py(code)
        settle(strip)
        x, y = strip.position_of(tuple(strip.py("list(middle)")))
        brightest.append(int(strip.pixels()[y - 8 : y + 9, x + 8 : x + 60].min(axis=2).max()))
    assert brightest[0] > 230
    assert 90 < brightest[1] < 200


def test_more_names_than_the_texture_holds_are_still_drawn(strip):
    """Long ones, many times over, and then again a short one that was there before."""
    strip.py(
        "preferences.landmark_labels, preferences.landmark_text_size = 'ALL', 40\nresult = None"
    )
    for turn in range(40):
        strip.py(
            "change(lambda each: dataclasses.replace("
            f"each, name=('%s {turn} ' % each.name) + 30 * 'W'))\nresult = None"
        )
        strip.redraw(1)
    strip.py(
        "preferences.landmark_text_size = 11\n"
        "change(lambda each: dataclasses.replace(each, name='HHHHHH'))\nresult = None"
    )
    settle(strip)
    x, y = place(strip, 0)
    assert (strip.pixels()[y - 8 : y + 9, x + 10 : x + 60].min(axis=2) > 230).any()


def test_after_the_overlay_has_ended_nothing_is_drawn_and_nothing_is_held(strip):
    pixel = place(strip, 0)
    strip.py("from bl_ext.user_default.raypick import overlay\noverlay.unregister()\nresult = None")
    settle(strip)
    assert abs(tint(strip, pixel)) < 0.02
    held = strip.py(
        "from bl_ext.user_default.raypick.overlay import landmarks, seen_places, text_images\n"
        "[len(overlay._handles), len(seen_places._found), landmarks._marks.cache_info().currsize,"
        " len(text_images._held), len(landmarks._visible)]"
    )
    assert held == [0] * 5
    strip.py("overlay.register()\nresult = None")
    settle(strip)
    assert has_color(strip, pixel)
