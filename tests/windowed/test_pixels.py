# SPDX-License-Identifier: GPL-3.0-or-later
"""The mouse picks the face that the graphics card draws on its pixel, and no other.

Blender's own solid renderer draws a scan, each face in a color that tells its index. Only pixels
whose center is within a hundredth of a pixel of an edge are left out: nobody can tell there.
"""

import zlib

import numpy as np
import pytest

from tests.windowed.face_ids import drawn_faces, show_faces
from tests.windowed.hand import choose_tool, hotkey, in_viewport
from tests.windowed.hand import start as start_inspector
from tests.windowed.looks import (
    UNCLEAR,
    at,
    faces_hovered,
    faces_kept,
    faces_picked,
    geometry,
    is_clear,
    is_well_inside,
    look_at,
    press,
    projected,
    random_pixels,
    send,
)
from tests.windowed.scans import ribbons, scan
from tests.windowed.views import CAMERA

pytestmark = pytest.mark.wide

PIXELS, PIXELS_BESIDE = 500, 50
CLICKS = 20
SELECTIONS = 50
MOST_LEFT_OUT = 0.05

QUAD = "bpy.ops.screen.region_quadview()"
VIEWS = {
    "perspective": "",
    "orthographic": "view.view_perspective = 'ORTHO'",
    "camera with lens shift": CAMERA.format(kind="PERSP").replace("result = None", "")
    + "camera.data.show_passepartout = False\n"
    + "view.view_camera_zoom, view.view_camera_offset = 35.0, (0.03, 0.1)",
    "four views": "view.view_distance = 2.3",
}

TILTED = """
scan.matrix_world = Matrix.Translation((0.1, -0.05, 0.02)) @ (
    Quaternion((0.8, 0.2, -0.4, 0.3)).to_matrix() @ Matrix.Diagonal((1.0, 0.9, 1.1))
).to_4x4()
result = None
"""

SIZED_IN_PIXELS = """
scan.matrix_world = view.view_rotation.to_matrix().to_4x4() @ Matrix.Scale(
    2.0 * view.view_distance / (view.window_matrix[0][0] * region.width), 4
)
result = None
"""

BACK_TO_ONE_VIEW = """
current.show(None)
history.clear()
for other in set(bpy.data.objects) - {scan}:
    bpy.data.objects.remove(other)
_, area, region, view = viewport()
turn_view(view)
result = None
"""

EDIT = """
import bmesh
space.shading.show_xray = False
bpy.ops.object.mode_set(mode="EDIT")
bpy.context.tool_settings.mesh_select_mode = (False, False, True)
bpy.ops.mesh.select_all(action="DESELECT")
result = None
"""

SELECTED = """
edited, selected = bmesh.from_edit_mesh(mesh), []
for face in edited.select_history:
    selected.append(face.index)
[selected, mesh.total_face_sel]
"""


def random(seed, name):
    """A generator for a name, and no other."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


@pytest.fixture(scope="module")
def scanned(blender, seed):
    """Show the scan; return what `geometry` knows of it."""
    vertices, faces = scan(random(seed, "scan"))
    show_faces(blender, vertices, faces, distance=3.0)
    blender.py(TILTED)
    yield geometry(blender, vertices)
    blender.reset()


@pytest.fixture(scope="module")
def shown(blender, scanned, seed, request):
    """Show the scan in a view, at a scale of the interface; return a look at each region."""
    name, scale = request.param
    print(f"{name} at {scale}x, RAYPICK_SEED={seed}")
    blender.py(f"bpy.context.preferences.view.ui_scale = {scale}\nresult = None")
    blender.redraw()
    blender.py(VIEWS[name] + "\nresult = None")
    if name == "four views":
        in_viewport(blender, QUAD)
    blender.redraw()
    picture = drawn_faces(blender)
    regions = blender.py("seen_by()")
    inside, beside = PIXELS // len(regions), PIXELS_BESIDE // len(regions)
    yield [
        look_at(
            *(blender, picture, seen_by, scanned, random(seed, f"{name} {scale} {index}")),
            *(inside, beside),
        )
        for index, seen_by in enumerate(regions)
    ]
    if name == "four views":
        in_viewport(blender, QUAD)
    blender.py("bpy.context.preferences.view.ui_scale = 1.0\n" + BACK_TO_ONE_VIEW)
    blender.redraw()


def shown_in(views):
    """Run a test once for each of these views and scales of the interface."""
    ids = [f"{name}, interface at {scale:g}x" for name, scale in views]
    return pytest.mark.parametrize("shown", views, ids=ids, indirect=True)


EVERYWHERE = shown_in([(name, scale) for name in VIEWS for scale in (1.0, 2.0)])
IN_PERSPECTIVE = shown_in([("perspective", 1.0)])


@EVERYWHERE
def test_the_face_that_is_drawn_at_a_pixels_center_is_picked(shown):
    for look in shown:
        wrong = (look.picked != look.drawn) & look.clear
        print(f"{len(wrong)} pixels, {(~look.clear).sum()} left out, {wrong.sum()} differ")
        assert not wrong.any(), look.pixels[wrong]
    assert np.mean([~look.clear for look in shown]) < MOST_LEFT_OUT


@EVERYWHERE
def test_hotkey_tool_and_inspector_find_the_face_that_is_drawn(blender, shown):
    each = CLICKS // len(shown)
    pixels = np.concatenate([look.pixels[look.clear][:each] for look in shown])
    drawn = np.concatenate([look.drawn[look.clear][:each] for look in shown])
    by_hotkey, by_tool, by_inspector = (slice(start, None, 3) for start in range(3))
    assert faces_kept(blender, pixels[by_hotkey], **hotkey(blender)) == drawn[by_hotkey].tolist()
    choose_tool(blender)
    assert faces_hovered(blender, pixels[by_tool]) == drawn[by_tool].tolist()
    assert faces_kept(blender, pixels[by_tool]) == drawn[by_tool].tolist()
    choose_tool(blender, "builtin.select_box")
    start_inspector(blender, *pixels[0])
    assert faces_hovered(blender, pixels[by_inspector]) == drawn[by_inspector].tolist()
    blender.py("inspect.stop()\nresult = None")
    blender.move(5, 5)


@IN_PERSPECTIVE
def test_a_place_snaps_to_vertices_within_the_radius_of_the_pixels_center(
    blender, scanned, shown, rng
):
    world, triangles, faces = scanned
    picture, seen_by = shown[0].picture, shown[0].seen_by
    blender.py("options.snap, options.snap_radius = 'VERTEX', 1\nresult = None")
    radius = blender.py("bpy.context.preferences.system.ui_scale")  # a pixel of the interface
    look = look_at(blender, picture, seen_by, scanned, rng, PIXELS, 0)
    blender.py("options.property_unset('snap')\noptions.property_unset('snap_radius')")
    corners = projected(world, seen_by)
    snapped = 0
    for pixel, face, point, is_sure in zip(
        look.pixels, look.drawn, look.points, look.clear, strict=True
    ):
        own = np.unique(triangles[faces == face])
        away = np.linalg.norm(corners[own] - (pixel + 0.5), axis=1)
        nearest, second = np.sort(away)[:2]
        if not is_sure or abs(nearest - radius) < UNCLEAR or second - nearest < UNCLEAR:
            continue
        is_there = np.linalg.norm(world[own] - point, axis=1) < 1e-6
        assert is_there.tolist() == ((away == nearest) & (nearest < radius)).tolist()
        snapped += nearest < radius
    print(f"{snapped} of {len(look.pixels)} places snapped")
    assert 20 < snapped < len(look.pixels) / 2


@IN_PERSPECTIVE
def test_in_edit_mode_a_click_selects_the_face_that_is_picked(blender, scanned, shown, rng):
    picture, seen_by = shown[0].picture, shown[0].seen_by
    pixels = random_pixels(is_well_inside(picture), seen_by, rng, 2 * SELECTIONS)
    pixels = pixels[is_clear(pixels, seen_by, scanned)]
    pixels = pixels[np.unique(at(picture, pixels), return_index=True)[1]][:SELECTIONS]
    assert len(pixels) == SELECTIONS
    blender.py(EDIT)
    choose_tool(blender, "builtin.select")
    send(blender, [event for pixel in pixels for event in press(*pixel, shift=True)])
    selected, count = blender.py(SELECTED)
    assert count == SELECTIONS
    picked = faces_picked(blender, pixels)
    kept = faces_kept(blender, pixels[:8], **hotkey(blender))
    choose_tool(blender, "builtin.select_box")
    in_viewport(blender, "bpy.ops.object.mode_set(mode='OBJECT')")
    assert picked == selected == at(picture, pixels).tolist()
    assert kept == selected[:8]


def test_ribbons_as_wide_as_a_pixel_are_hit_wherever_they_are_drawn(blender, seed, rng):
    print(f"RAYPICK_SEED={seed}")
    vertices, faces = ribbons(rng)
    show_faces(blender, vertices, faces, distance=3.0)
    blender.py(SIZED_IN_PIXELS)
    mesh = geometry(blender, vertices)
    picture = drawn_faces(blender)
    (seen_by,) = blender.py("seen_by()")
    drawn = np.repeat(np.arange(len(faces) - 1), 10)
    pixels = np.concatenate(
        [rng.permutation(np.argwhere(picture == face)[:, ::-1])[:10] for face in drawn[::10]]
    )
    clear = is_clear(pixels, seen_by, mesh)
    print(f"{len(clear)} pixels, {(~clear).sum()} left out")
    assert np.mean(~clear) < 2 * MOST_LEFT_OUT  # a ribbon has little but edges
    picked = np.array(faces_picked(blender, pixels))
    assert not (picked != drawn)[clear].any()
    one_each = np.flatnonzero(clear)[np.unique(drawn[clear], return_index=True)[1]]
    assert faces_kept(blender, pixels[one_each], **hotkey(blender)) == list(range(len(faces) - 1))
