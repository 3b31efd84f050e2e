# SPDX-License-Identifier: GPL-3.0-or-later
"""The image of a survey shows, pixel for pixel, what the graphics card draws in the viewport."""

import numpy as np
import pytest

from tests.windowed.face_ids import NOTHING, UNKNOWN, drawn_faces, show_faces
from tests.windowed.hand import in_viewport
from tests.windowed.scans import scan
from tests.windowed.surveys import (
    FACE,
    OBJECT,
    begin,
    ids_of,
    inside_of_parts,
    pixels,
    wait_for_end,
)
from tests.windowed.views import CAMERA, open_views, redraw_views, set_up_wall

QUAD = "bpy.ops.screen.region_quadview()"
FIRST = "[r for r in area.regions if r.type == 'WINDOW'][{}]"

FACE_VIEWS = {
    "perspective": "",
    "orthographic": "view.view_perspective = 'ORTHO'",
    "camera with lens shift": CAMERA.format(kind="PERSP").replace("result = None", "")
    + "camera.data.show_passepartout = False\n"
    + "view.view_camera_zoom, view.view_camera_offset = 35.0, (0.03, 0.1)",
    "four views": "view.view_distance = 2.3",
}


@pytest.fixture(scope="module")
def faces(blender, seed):
    """Show a scan of large faces; how many there are."""
    vertices, faces = scan(np.random.default_rng(seed), rows=16, columns=30)
    show_faces(blender, vertices, faces, distance=3.0)
    yield len(faces)
    blender.reset()


@pytest.mark.parametrize("name", FACE_VIEWS)
def test_each_pixel_has_the_face_that_is_drawn_there(blender, faces, name):
    blender.py(FACE_VIEWS[name] + "\nresult = None")
    if name == "four views":
        in_viewport(blender, QUAD)
    blender.redraw(2)
    drawn = drawn_faces(blender)
    for index, ((x, y, width, height), _) in enumerate(blender.py("seen_by()")):
        begin(blender, region=FIRST.format(index))
        wait_for_end(blender)
        picture = pixels(blender, FACE)
        assert picture.shape == (height, width, 4)
        expected = drawn[y : y + height, x : x + width]
        is_clear = inside_of_parts(expected) & (expected != UNKNOWN)
        found = ids_of(picture, faces)
        assert (found[is_clear] == expected[is_clear]).all()
        assert len(np.unique(expected[is_clear])) > 50
        assert (expected[is_clear] == NOTHING).any()
        assert is_clear.mean() > 0.4
    if name == "four views":
        in_viewport(blender, QUAD)


BORDER = "bpy.ops.view3d.clip_border(xmin=330, xmax=601, ymin=122, ymax=331)"
LOCAL_VIEW = "bpy.ops.view3d.localview(frame_selected=False)"
SMALL_AND_BEHIND = """
names = "ABCD"
colors = [(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1), (1, 1, 0, 1)]
for number, (name, color) in enumerate(zip(names, colors)):
    # Each is half before the one to its right, and farther away than that.
    each = bpy.data.objects.new(name, wall.data.copy())
    put_wall(view)
    at_side = Matrix.Translation((0.8 * number - 1.2, 0.2 * number - 0.3, -0.4 * number))
    each.matrix_world = wall.matrix_world @ at_side
    each.color = color
    bpy.context.scene.collection.objects.link(each)
wall.hide_set(True)
a, b, c, d = (bpy.data.objects[name] for name in names)
view.update()
for each, _ in open_views():
    shading = each.spaces.active.shading
    shading.color_type, shading.background_color = "OBJECT", (0, 0, 0)
bpy.context.view_layer.update()
result = None
"""

OBJECT_VIEWS = {
    "all": [],
    "one is hidden": ["b.hide_set(True)"],
    "in front": ["c.show_in_front = True"],
    "local view": ["b.select_set(True)\nd.select_set(True)", LOCAL_VIEW],
    "clipping region": [BORDER],
    "near plane": ["space.clip_start = 6.0"],
    "far plane": ["space.clip_end = 6.2"],
    "back faces are culled": [
        "space.shading.show_backface_culling = True\n"
        "c.matrix_world = c.matrix_world @ Matrix.Rotation(3.0, 4, 'X')"
    ],
    "edit mode": [
        "bpy.context.view_layer.objects.active = b\nbpy.ops.object.mode_set(mode='EDIT')"
    ],
}

COLORS = {(255, 0, 0): "A", (0, 255, 0): "B", (0, 0, 255): "C", (255, 255, 0): "D"}


@pytest.mark.parametrize("name", OBJECT_VIEWS)
def test_each_pixel_has_the_object_that_is_drawn_there(blender, name):
    set_up_wall(blender)
    open_views(blender, [])
    blender.py(SMALL_AND_BEHIND)
    for step in OBJECT_VIEWS[name]:
        if step.startswith("bpy.ops."):
            in_viewport(blender, step)
        else:
            blender.py(step + "\nresult = None")
    redraw_views(blender)
    redraw_views(blender)
    x, y, width, height = blender.py("[region.x, region.y, region.width, region.height]")
    screen = blender.pixels()[y : y + height, x : x + width].astype(int)
    every = sorted(blender.py("[each.name for each in bpy.data.objects]"))
    begin(blender, "OBJECT")
    wait_for_end(blender)
    found = ids_of(pixels(blender, OBJECT), 8)
    expected = np.full(found.shape, UNKNOWN)
    expected[(screen < 40).all(axis=-1)] = NOTHING
    for color, each in COLORS.items():
        is_it = (np.abs(screen - color) < 60).all(axis=-1)
        expected[is_it] = every.index(each)
    is_clear = inside_of_parts(expected) & (expected != UNKNOWN)
    is_clear[:60] = is_clear[-60:] = is_clear[:, :60] = is_clear[:, -60:] = False
    wrong = is_clear & (found != expected)
    assert wrong.sum() == 0, np.argwhere(wrong)[:5]
    assert len(np.unique(expected[is_clear])) > 2
    blender.reset()
