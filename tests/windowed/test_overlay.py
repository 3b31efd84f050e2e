# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the viewport: the right colors at the pixels of vertices, edges and points."""

import numpy as np
import pytest

from tests.windowed.hand import (
    choose_tool,
    color_at,
    in_viewport,
    is_near,
    middle_of,
    press_hotkey,
    set_up_inspection,
    start,
)
from tests.windowed.views import FACES, VERTICES

pytestmark = pytest.mark.wide

YELLOW, WHITE, RED, GREEN = (1.0, 0.85, 0.0), (1.0, 1.0, 1.0), (1.0, 0.25, 0.2), (0.3, 1.0, 0.45)
BLUE = (0.25, 0.75, 1.0)

PLAIN = """
space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
space.overlay.show_cursor = space.overlay.show_object_origins = False
space.overlay.show_outline_selected = space.overlay.show_relationship_lines = False
space.shading.light, space.shading.color_type = "FLAT", "SINGLE"
space.shading.single_color = (0.2, 0.2, 0.2)
space.shading.show_object_outline = False
result = None
"""

LOOK_ASIDE = """
view.view_rotation = (view.view_rotation @ Quaternion((0, 1, 0), 0.35)).normalized()
result = None
"""


@pytest.fixture
def smooth(blender):
    """Smooth the viewports, as they are for users."""
    blender.smooth()
    yield
    if blender.is_running:
        blender.smooth(False)


@pytest.fixture
def at(blender, smooth):
    """A plain view of the strip, and where the window shows its faces."""
    set_up_inspection(blender)
    blender.py(PLAIN)
    blender.redraw(2)
    yield lambda face: blender.position_of(inside_of(face))
    blender.py(
        "from bl_ext.user_default.raypick.operators import inspect\ninspect.stop()\nresult = None"
    )


def inside_of(face):
    """A place in a face of the strip, in the middle of none of its diagonals."""
    vertex = VERTICES[FACES[face][1]]
    return tuple(map(float, 0.6 * np.array(middle_of(face)) + 0.4 * np.array(vertex)))


def keep(blender, face, at):
    """Keep a pick, and take the mouse away."""
    x, y = at(face)
    press_hotkey(blender, x, y)
    blender.move(5, 5)
    blender.redraw(2)
    return blender.py("current.kept().hit.as_dict()")


def edge_middles(corners):
    corners = np.array(corners)
    return (corners + np.roll(corners, -1, axis=0)) / 2


def between(a, b, share):
    return np.array(a) * (1 - share) + np.array(b) * share


@pytest.mark.parametrize("view", ["perspective", "orthographic"])
def test_the_kept_triangle_is_yellow_its_point_red_and_its_normal_green(blender, at, view):
    if view == "orthographic":
        blender.py("view.view_perspective = 'ORTHO'")
        blender.redraw(2)
    hit = keep(blender, 0, at)
    for place in edge_middles(hit["corners"]):
        assert is_near(color_at(blender, place), YELLOW)
    for corner in hit["corners"]:
        assert is_near(color_at(blender, between(corner, hit["point"], 0.02)), YELLOW, 90)
    assert is_near(color_at(blender, hit["point"]), RED)
    tip = np.array(hit["point"]) + 0.1 * np.array(hit["normal"])
    assert is_near(color_at(blender, tip, reach=2), GREEN)
    inside = between(hit["corners"][0], np.mean(hit["corners"], axis=0), 0.6)
    red, green, blue = color_at(blender, inside).mean(axis=0)
    assert min(red, green) > blue + 25, "the triangle is not filled"


def test_the_ray_is_white_when_one_looks_aside(blender, at):
    hit = keep(blender, 0, at)
    origin = blender.py("current.kept().origin")
    blender.py(LOOK_ASIDE)
    blender.redraw(2)
    for share in (0.1, 0.2, 0.3):
        assert is_near(color_at(blender, between(hit["point"], origin, share)), WHITE)


def test_a_line_from_the_origin_of_the_world_is_drawn_on_request(blender, at):
    """The third line of a picture of a pick: from the origin to the place that was hit."""
    hit = keep(blender, 1, at)
    blender.py(LOOK_ASIDE)
    blender.py("target.hide_viewport = False\nspace.overlay.show_wireframes = False\nresult = None")
    places = [between((0, 0, 0), hit["point"], share) for share in (0.3, 0.45, 0.6)]
    seen = []
    for wanted in (False, True, False):
        blender.py(f"settings.preferences().show_from_origin = {wanted}\nresult = None")
        blender.redraw(2)
        seen.append([color_at(blender, place).reshape(-1) for place in places])
    assert np.abs(np.subtract(seen[0], seen[2])).max() < 5  # the viewport dithers
    for without, with_line in zip(seen[0], seen[1], strict=True):
        change = (with_line - without).reshape(-1, 3)
        assert (change[:, :2].min(axis=1) - change[:, 2]).max() > 20, "nothing yellow was added"


@pytest.fixture
def _short_label(blender, at):
    """A label that hides little."""
    before = blender.py("sorted(settings.preferences().label)")
    blender.py("settings.preferences().label = set()\nresult = None")
    yield
    blender.py(f"settings.preferences().label = set({before})\nresult = None")


@pytest.mark.usefixtures("_short_label")
def test_the_face_under_the_mouse_is_outlined_and_filled(blender, at):
    x, y = at(1)
    start(blender, x, y)
    blender.redraw(2)
    hit = blender.py("current.hovered().hit.as_dict()")
    for place in edge_middles(hit["corners"]):
        assert is_near(color_at(blender, place), BLUE, 60)
    other = next(corner for corner in hit["face_corners"] if list(corner) not in hit["corners"])
    inside = between(other, np.mean(hit["corners"], axis=0), 0.3)
    red, _, blue = color_at(blender, inside).mean(axis=0)
    assert blue > red + 20, "the rest of the face is not filled"


def test_with_the_landmark_tool_it_is_outlined_and_does_not_hide_the_surface(blender, at):
    x, y = at(1)
    choose_tool(blender, "raypick.landmark_tool")
    blender.move(x, y)
    blender.redraw(2)
    hit = blender.py("current.hovered().hit.as_dict()")
    edges = [is_near(color_at(blender, place), BLUE, 60) for place in edge_middles(hit["corners"])]
    other = next(corner for corner in hit["face_corners"] if list(corner) not in hit["corners"])
    middle = np.mean(hit["corners"], axis=0)
    inside = color_at(blender, between(other, middle, 0.3)).mean(axis=0)
    tip = np.array(hit["point"]) + 0.1 * np.array(hit["normal"])
    is_green = is_near(color_at(blender, tip, reach=2), GREEN)
    is_red = is_near(color_at(blender, hit["point"]), RED)
    choose_tool(blender, "builtin.select_box")
    assert sum(edges) >= 2
    assert inside[2] < inside[0] + 5, "the face is filled"
    assert is_red
    assert not is_green


def test_it_is_gone_after_the_end(blender, at):
    blender.move(5, 5)
    blender.redraw(2)
    before = blender.pixels()
    x, y = at(1)
    start(blender, x, y)
    blender.redraw(2)
    hit = blender.py("current.hovered().hit.as_dict()")
    blender.key("ESC", x, y)
    blender.move(5, 5)
    blender.redraw(2)
    for place in edge_middles(hit["corners"]):
        assert not is_near(color_at(blender, place), BLUE)
    size = blender.py("[region.x, region.y, region.width // 2, region.height - 60]")
    rows = slice(size[1], size[1] + size[3])
    columns = slice(size[0] + 60, size[0] + size[2])
    assert (blender.pixels()[rows, columns] != before[rows, columns]).sum() == 0


def test_it_is_hidden_with_the_overlays(blender, at):
    hit = keep(blender, 0, at)
    place = edge_middles(hit["corners"])[0]
    assert is_near(color_at(blender, place), YELLOW)
    blender.py("space.overlay.show_overlays = False")
    blender.redraw(2)
    assert not is_near(color_at(blender, place), YELLOW, 100)


def test_it_is_dimmed_behind_other_geometry(blender, at):
    hit = keep(blender, 0, at)
    place = edge_middles(hit["corners"])[0]
    before = color_at(blender, place)
    blender.py(
        "cover = bpy.data.objects.new('Cover', mesh)\n"
        "cover.location = view.view_rotation @ Vector((0, 0, 1))\ncover.scale = (2, 2, 2)\n"
        "bpy.context.scene.collection.objects.link(cover)"
    )
    blender.redraw(2)
    behind = color_at(blender, place)
    assert is_near(before, YELLOW)
    assert not is_near(behind, YELLOW)
    assert (behind[:, 0] > behind[:, 2] + 15).any(), "nothing shines through"


def test_every_viewport_of_the_scene_shows_it_and_no_other(blender, at):
    hit = keep(blender, 0, at)
    blender.py("space.show_region_ui = False")
    in_viewport(blender, "bpy.ops.screen.region_quadview()")
    blender.redraw(3)
    place = edge_middles(hit["corners"])[0]
    shown = []
    for index in range(4):
        blender.py(
            "each = [r for r in area.regions if r.type == 'WINDOW']"
            f"[{index}]\neach_view = each.data\nresult = None"
        )
        pixels = color_at(blender, place, 2, "each", "each_view")
        shown.append(is_near(pixels, YELLOW, 90))
    in_viewport(blender, "bpy.ops.screen.region_quadview()")
    blender.redraw(2)
    assert sum(shown) >= 3
    blender.py("viewport()[0].scene = bpy.data.scenes.new('Other')")
    blender.redraw(2)
    blender.py("area = viewport()[1]; region = viewport()[2]; view = viewport()[3]\nresult = None")
    assert not is_near(color_at(blender, place), YELLOW, 90)


def test_lines_are_twice_as_wide_at_twice_the_scale(blender, at):
    hit = keep(blender, 0, at)
    corners = np.array(hit["corners"])
    widths = []
    try:
        for scale in (1.0, 2.0):
            blender.py(f"bpy.context.preferences.view.ui_scale = {scale}")
            blender.redraw(3)
            # The outer edge: in a fold half of a line would be behind the next face.
            pixels = color_at(blender, edge_middles(corners)[0], reach=12).reshape(25, 25, 3)
            yellow = pixels[:, :, :2].min(axis=2) - pixels[:, :, 2]
            widths.append((yellow > 120).sum())
    finally:
        blender.py("bpy.context.preferences.view.ui_scale = 1.0")
        blender.redraw(2)
    assert widths[0] > 20
    assert 1.5 < widths[1] / widths[0] < 2.7


def test_far_from_the_origin_it_stays_in_place(blender, at):
    blender.py(
        "for obj in bpy.data.objects:\n    obj.location += Vector((1e5, -1e5, 1e5))\n"
        "view.view_location += Vector((1e5, -1e5, 1e5))\nresult = None"
    )
    blender.redraw(2)
    away = np.array((1e5, -1e5, 1e5))
    x, y = blender.position_of(tuple(map(float, inside_of(0) + away)))
    press_hotkey(blender, x, y)
    blender.move(5, 5)
    blender.redraw(2)
    hit = blender.py("current.kept().hit.as_dict()")
    for place in edge_middles(hit["corners"]):
        assert is_near(color_at(blender, place, reach=3), YELLOW)


def test_a_face_that_reaches_behind_the_eye_is_drawn(blender, at):
    blender.py(
        "target.scale = (60, 60, 1)\nview.view_distance = 2.0\n"
        "view.view_location = (-20, 0, 0.2)\nresult = None"
    )
    blender.redraw(2)
    blender.py("[o.hide_set(True) for o in bpy.data.objects if o.name.startswith('Below')]")
    x, y = blender.py("[region.x + region.width // 3, region.y + region.height // 3]")
    start(blender, x, y)
    blender.redraw(2)
    assert blender.py("current.hovered().hit is not None")
