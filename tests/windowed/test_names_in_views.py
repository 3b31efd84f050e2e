# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of landmarks and measures in random views: none over another, none without a trace."""

from itertools import combinations

import pytest

from tests.windowed.hand import choose_tool, set_up_inspection

pytestmark = pytest.mark.wide

KINDS = ["GIZMO", "MINIMAL", "NONE"]

BALL = """
import bmesh
from bpy_extras.view3d_utils import location_3d_to_region_2d as seen
from bl_ext.user_default.raypick.overlay import labels, landmarks, mouse_label, seen_places
from bl_ext.user_default.raypick.session import viewports
space.show_region_ui = False
for each in bpy.data.objects:
    each.hide_set(True)
ball = bpy.data.objects.new("Ball", bpy.data.meshes.new("Ball"))
made = bmesh.new()
bmesh.ops.create_icosphere(made, subdivisions=4, radius=1.0)
made.to_mesh(ball.data)
bpy.context.scene.collection.objects.link(ball)
bpy.context.view_layer.objects.active = ball
bpy.context.view_layer.update()
ways = [Vector(way).normalized() for way in {ways}]
hits = [api.ray_cast(bpy.context, 3 * way, -way)[0] for way in ways]
api.landmarks.add_many(bpy.context, hits, {names})
for a, b in {pairs}:
    api.measures.add("distance", [(ball, {names}[a]), (ball, {names}[b])])
points = [place.point for place in api.landmarks.where(bpy.context, ball)]
middles = [[(a + b) / 2 for a, b in zip(points[a], points[b])] for a, b in {pairs}]
preferences = settings.preferences()

def look_from(turn, aside, distance, kind, behind):
    view.view_rotation, view.view_distance = Quaternion(turn).normalized(), distance
    view.view_location = view.view_rotation @ Vector((*aside, 0))
    bpy.context.preferences.view.mini_axis_type = kind
    preferences.landmark_behind = behind
    region.tag_redraw()

def in_view(point):
    at = seen(region, view, point)
    right, top = viewports.free(area, region)
    return at is not None and 0 <= at[0] < right and 0 <= at[1] < top

def read():
    plans = [*labels._plans.values()]  # without the label at the mouse and, if there is one, with
    plan = plans[-1]
    named = [dict((each.label, each.box) for each in one.laid) for one in (plans[0], plan)]
    covered = [box for label, box in named[0].items() if label not in named[1]]
    shown, places = landmarks._drawn
    drawn = [bool(preferences.landmark_behind or not each) for each in places.hidden]
    visible = [list(seen(region, view, point)) for point, is_drawn in zip(shown.points, drawn)
        if is_drawn and in_view(point)]
    return dict(
        boxes=[each.box for each in plan.laid], extra=[each.extra for each in plan.laid],
        rest=plan.rest, covered=covered, at_mouse=at_mouse, mouse=hover.pixel(), visible=visible,
        measures=sum(map(in_view, middles)), free=viewports.free(area, region),
        scale=bpy.context.preferences.system.ui_scale)

at_mouse, plain = [], mouse_label.fill_pixels
def fill_pixels(triangles, color):
    at_mouse.append([*triangles.min(axis=0), *triangles.max(axis=0)])
    plain(triangles, color)
mouse_label.fill_pixels = fill_pixels
result = None
"""


@pytest.fixture
def ball(blender, scale, count, rng):
    """A ball with landmarks and measures all around, in an interface of a scale."""
    set_up_inspection(blender)
    ways = rng.normal(size=(count, 3)).tolist()
    names = ["mark " + "n" * length + str(i) for i, length in enumerate(rng.integers(0, 9, count))]
    pairs = [(i, i + 1) for i in range(0, 8, 2)]
    blender.py(f"bpy.context.preferences.view.ui_scale = {scale}\nresult = None")
    blender.py(BALL.format(ways=ways, names=names, pairs=pairs))
    choose_tool(blender, "raypick.landmark_tool")
    yield blender
    choose_tool(blender, "builtin.select_box")
    blender.py(
        "mouse_label.fill_pixels = plain\nbpy.context.preferences.view.ui_scale = 1.0\n"
        "bpy.context.preferences.view.mini_axis_type = 'GIZMO'\n"
        "preferences.property_unset('landmark_behind')\nresult = None"
    )
    blender.move(5, 5)


def overlap(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def square(place, reach):
    x, y = place
    return x - reach, y - reach, x + reach, y + reach


def gizmo(kind, free, scale):
    """What Blender draws in the upper right corner, as measured in pictures: axes and buttons."""
    (right, top), axes = free, {"GIZMO": 95, "MINIMAL": 70, "NONE": 10}[kind] * scale
    buttons = (right - 40 * scale, top - axes - 130 * scale, right - 8 * scale, top - axes)
    return [(right - axes, top - axes, right, top), buttons]


@pytest.mark.parametrize(("scale", "count", "views"), [(1.0, 40, 30), (2.0, 40, 30), (1.0, 300, 8)])
def test_no_names_overlap_and_those_left_out_are_counted(ball, rng, views):
    at_mouse = left_out = covered = 0
    for number in range(views):
        kind, behind = KINDS[number % 3], bool(rng.integers(2))
        turn, aside = rng.normal(size=4).tolist(), rng.uniform((-1.5, -0.7), (0.5, 0.5)).tolist()
        distance = float(rng.uniform(2.5, 8.0))
        ball.draw_after(f"look_from({turn}, {aside}, {distance}, {kind!r}, {behind})")
        x, y = ball.position_of(tuple(rng.uniform(-0.6, 0.6, 3).tolist()))
        ball.move(x, y)
        ball.draw_after("seen_places.forget()\nlabels.forget()\nat_mouse.clear()")
        found = ball.py("read()")
        boxes, scale = found["boxes"], found["scale"]
        where = f"view {number}: {turn}, {aside}, {distance}, {kind}, mouse at {x}, {y}"
        assert not any(overlap(a, b) for a, b in combinations(boxes, 2)), where
        marks = [square(place, 4 * scale) for place in found["visible"]]
        others = [*marks, *gizmo(kind, found["free"], scale), *found["at_mouse"]]
        assert not any(overlap(a, b) for a in boxes for b in others), where
        clear = square(found["mouse"] or (0, 0), 10 * scale)
        assert not any(overlap(each, clear) for each in found["at_mouse"]), where
        for each in found["covered"]:
            left, low, right, top = each  # room is counted in cells, and with the number's width
            roomy = left - 40 * scale, low - 4, right + 40 * scale, top + 4
            assert any(overlap(roomy, other) for other in found["at_mouse"]), where
        counted = len(boxes) + sum(found["extra"]) + found["rest"] + len(found["covered"])
        assert counted == len(found["visible"]) + found["measures"], where
        covered += len(found["covered"])
        at_mouse += len(found["at_mouse"])
        left_out += sum(found["extra"])
    ball.shot(f"names-{ball.build.label}-{scale:.0f}-{views}.png")
    assert at_mouse > views / 2
    assert left_out > views / 2
    assert covered
