# SPDX-License-Identifier: GPL-3.0-or-later
"""In a view of any kind, what is seen is what is hit, and a point comes back from its pixel.

A wall is put into the middle of each open view. Blender's own matrices and projection tell where
its points are seen, and Blender's picture on which pixels it is.
"""

import zlib

import numpy as np
import pytest

from tests.windowed.views import CAMERA, open_views, redraw_views, set_up_wall

CAMERAS = {
    "perspective": CAMERA.format(kind="PERSP").replace("result = None", ""),
    "orthographic": CAMERA.format(kind="ORTHO").replace("result = None", ""),
}
LENS = "camera.data.sensor_width, camera.data.sensor_height = 36.0, 20.0\n"
MOVED = "view.view_camera_zoom, view.view_camera_offset = 7.0, (0.1, -0.05)\n"
TALL = "bpy.context.scene.render.resolution_x = 700\n"
ORBIT = "bpy.ops.view3d.view_orbit(angle=0.4, type='ORBITLEFT')"
SPLIT = "bpy.ops.screen.area_split(direction={!r}, factor={})"
QUAD = "bpy.ops.screen.region_quadview()"
BORDER = "bpy.ops.view3d.clip_border(xmin=330, xmax=601, ymin=222, ymax=431)"
OTHER_VIEW = """
other = open_views()[1][0].spaces.active
other.region_3d.view_perspective = "ORTHO"
other.region_3d.view_rotation = Quaternion((0.5, -0.3, 0.4, 0.7)).normalized()
other.region_3d.view_distance = 3.0
"""
EMPTIED = """
area.type = "TEXT_EDITOR"
_, area, region, view = viewport()
"""

VIEWS = {
    "perspective": [],
    "orthographic": ["view.view_perspective = 'ORTHO'"],
    **{f"camera {kind}": [code] for kind, code in CAMERAS.items()},
    **{
        f"camera {kind}, fit {fit}, {shape}": [
            CAMERAS[kind] + LENS + MOVED + resolution + f"camera.data.sensor_fit = {fit!r}"
        ]
        for kind, fit, shape, resolution in (
            ("perspective", "AUTO", "tall", TALL),
            ("orthographic", "AUTO", "tall", TALL),
            ("perspective", "HORIZONTAL", "tall", TALL),
            ("orthographic", "VERTICAL", "wide", ""),
        )
    },
    "passepartout, scaled camera": [
        CAMERAS["perspective"]
        + "camera.data.passepartout_alpha = 0.8\ncamera.scale = (2.0, 0.5, 3.0)"
    ],
    "local camera": [
        CAMERAS["perspective"],
        "space.use_local_camera = True\nspace.camera = camera.copy()\n"
        "bpy.context.scene.collection.objects.link(space.camera)\nspace.camera.location.x += 1.0",
    ],
    "four views": [QUAD],
    "two viewports side by side": [SPLIT.format("VERTICAL", 0.37), OTHER_VIEW],
    "two viewports on each other": [SPLIT.format("HORIZONTAL", 0.61), OTHER_VIEW],
    "at the right": [SPLIT.format("VERTICAL", 0.43), EMPTIED],
    "at the top": [SPLIT.format("HORIZONTAL", 0.57), EMPTIED],
    "tools and sidebar at the other sides": [
        "space.show_region_toolbar = space.show_region_ui = True",
        *(
            "with bpy.context.temp_override(window=viewport()[0], area=area,"
            f" region=next(r for r in area.regions if r.type == {kind!r})):\n"
            "    bpy.ops.screen.region_flip()"
            for kind in ("TOOLS", "UI", "HEADER")
        ),
    ],
    "no region overlap": ["bpy.context.preferences.system.use_region_overlap = False"],
    "locked to an object": [
        "anchor = bpy.data.objects.new('Anchor', None)\nanchor.location = (3.0, -2.0, 1.0)\n"
        "bpy.context.scene.collection.objects.link(anchor)\nspace.lock_object = anchor"
    ],
    "locked to the cursor": [
        "bpy.context.scene.cursor.location = (-2.0, 1.0, 4.0)\nspace.lock_cursor = True"
    ],
    "locked rotation": ["view.lock_rotation = True", "bpy.ops.view3d.view_pan(type='PANLEFT')"],
    "camera locked to the view": [CAMERAS["perspective"], "space.lock_camera = True", ORBIT],
    "very near": [
        "space.clip_start, space.clip_end, depth = 1e-6, 1e-2, 1e-4\n"
        "view.view_location, view.view_distance = (0.0, 0.0, 0.0), 1e-4"
    ],
    "very near camera": [
        CAMERAS["perspective"]
        + "camera.data.clip_start, camera.data.clip_end, depth = 1e-6, 1e-2, 1e-4\n"
        "camera.location = (0.0, 0.0, 0.0)"
    ],
    "very deep": ["space.clip_start, space.clip_end, depth = 1e-3, 1e6, 100.0"],
    "very far": ["space.clip_start, space.clip_end, depth = 1e3, 1e7, 1e5"],
    "very deep orthographic": ["view.view_perspective = 'ORTHO'\nspace.clip_end = 1e9"],
    "very deep orthographic camera": [CAMERAS["orthographic"], "camera.data.clip_end = 1e6"],
}

CLIPPED = {
    "near plane": ["space.clip_start = depth"],
    "far plane": ["space.clip_end = depth"],
    "orthographic far plane": ["view.view_perspective = 'ORTHO'\nspace.clip_end = 2 * depth"],
    **{
        f"{end} plane of a camera, {kind}": [code, f"camera.data.clip_{name} = depth"]
        for kind, code in CAMERAS.items()
        for end, name in (("near", "start"), ("far", "end"))
    },
    "far plane of a local camera": [
        *VIEWS["local camera"],
        "space.camera.data = space.camera.data.copy()\nspace.camera.data.clip_end = depth",
    ],
    "far plane through an empty": [
        CAMERAS["perspective"],
        "bpy.context.scene.camera = bpy.data.objects.new('Empty', None)\n"
        "bpy.context.scene.collection.objects.link(bpy.context.scene.camera)\n"
        "bpy.context.scene.camera.matrix_world = camera.matrix_world\nspace.clip_end = depth",
    ],
    "clipping region": [BORDER],
    "clipping region, orthographic": ["view.view_perspective = 'ORTHO'", BORDER],
    "clipping region, turned": [BORDER, ORBIT],
    "clipping region by its planes": [
        BORDER,
        "put_wall(view)\nmiddle = wall.matrix_world.translation\n"
        "view.clip_planes = [(1, 0, 0, -middle.x), (0, 1, 0, 0.5 - middle.y), (0, 0, 0, 0),"
        " (0, 0, 0, 1), (0, 0, -1, 0.3 + middle.z), (0, 0, 0, 0)]",
    ],
    "clipping region, edit mode": [
        BORDER,
        "bpy.context.view_layer.objects.active = wall\nbpy.ops.object.mode_set(mode='EDIT')",
    ],
    "clipping region, local view": [
        "wall.select_set(True)",
        "bpy.ops.view3d.localview(frame_selected=False)",
        BORDER,
    ],
    "near plane in the clipping region": [BORDER, "space.clip_start = depth"],
    "box of four views": [
        "view.view_perspective = 'ORTHO'\nview.view_distance = 1.0\ndepth = 0.9",
        QUAD,
        "locks = space.region_quadviews[2]\nlocks.show_sync_view = True",
        "locks.use_box_clip = True",
    ],
}


LOOK = """
def rectangles(index):
    area, region = open_views()[index]
    return [
        [r.x, r.y, r.width, r.height] for r in [region] + [
            r for r in area.regions if r.type != "WINDOW" and min(r.width, r.height) > 1]
    ]

def round_trip(region, camera, corner):
    world = np.array(wall.matrix_world)
    point = world[:3, :2] @ corner + world[:3, 3]
    seen = camera.project(point)[:2]
    by_blender = location_3d_to_region_2d(region, region.data, Vector(point))
    picks = [api.pick(bpy.context, region, region.data, at) for at in (seen, by_blender)]
    backs = [[hit.point for hit in hits] for hits in picks]
    return {"point": point, "seen": seen, "by_blender": by_blender, "backs": backs}

def picked_at(region, pixels, **options):
    return [
        bool(api.pick(bpy.context, region, region.data, (x + 0.5, y + 0.5), **options))
        for x, y in pixels
    ]

def look(index, corners, pixels):
    _, region = open_views()[index]
    view, camera = region.data, api.camera(region, region.data)
    return {
        "view_matrix": view.view_matrix,
        "window_matrix": view.window_matrix,
        "trips": [round_trip(region, camera, corner) for corner in corners],
        "picked": picked_at(region, pixels),
        "unclipped": picked_at(region, pixels, clip=False),
    }

result = None
"""


@pytest.fixture(scope="module")
def wall(blender):
    """Set up the wall in a session once."""
    set_up_wall(blender)
    blender.py(LOOK)


@pytest.fixture(scope="module")
def shown(blender, wall, request, seed):
    """Open the views of a name; return for each what its picture shows and what is picked."""
    name = request.param
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    steps = {**VIEWS, **CLIPPED}[name]
    count = 400 if name in CLIPPED else 100  # so that some are beyond the plane
    yield [look_at(blender, index, rng, count) for index in range(open_views(blender, steps))]
    if any(word in step for step in steps for word in ("bpy.ops.screen", "overlap", "localview")):
        blender.py("bpy.context.preferences.system.use_region_overlap = True")
        set_up_wall(blender)
    else:
        blender.py("reset()")


def look_at(blender, index, rng, count):
    """Put the wall into a view, take a picture, and pick points of the wall and random pixels."""
    blender.py(f"put_wall(open_views()[{index}][1].data)")
    redraw_views(blender)
    redraw_views(blender)
    (x0, y0, width, height), *covered = blender.py(f"rectangles({index})")
    picture = blender.pixels().astype(int)
    red = picture[..., 0] > picture[..., 2] + 60
    inside = np.zeros_like(red)
    inside[y0 + 1 : y0 + height - 1, x0 + 1 : x0 + width - 1] = True
    for x, y, w, h in covered:
        inside[y : y + h, x : x + w] = False
    ys, xs = np.nonzero(inside & ~near_a_border(red))
    chosen = rng.choice(len(xs), count)
    pixels = np.stack([xs[chosen] - x0, ys[chosen] - y0], axis=1)
    corners = rng.uniform(-1.0, 1.0, (6, 2))
    look = blender.py(f"look({index}, {corners.tolist()}, {pixels.tolist()})")
    return look | {"size": (width, height), "pixels": pixels, "red": red[ys, xs][chosen]}


def near_a_border(mask):
    """Which pixels of a picture (height, width) have one of the other kind within three pixels."""
    near = np.zeros_like(mask)
    for shift in (-3, -2, -1, 1, 2, 3):
        for axis in (0, 1):
            near |= mask != np.roll(mask, shift, axis)
    return near


def projected(look, point):
    """Where a point (3,) is seen in pixels, and the width of the view at its depth in world units.

    From Blender's two matrices, in double precision.
    """
    window_matrix = np.array(look["window_matrix"])
    x, y, _, w = window_matrix @ np.array(look["view_matrix"]) @ (*point, 1.0)
    pixel = (np.array((x, y)) / w + 1.0) / 2.0 * look["size"]
    return pixel, 2.0 * w / window_matrix[0, 0]


@pytest.mark.parametrize("shown", VIEWS, indirect=True)
def test_points_come_back_from_their_pixels(shown):
    for look in shown:
        for trip in look["trips"]:
            pixel, scale = projected(look, trip["point"])
            assert trip["seen"] == pytest.approx(pixel, abs=1e-6)
            assert trip["by_blender"] == pytest.approx(pixel, abs=1e-2)
            for (back,) in trip["backs"]:
                assert np.linalg.norm(np.subtract(back, trip["point"])) < 1e-5 * scale


@pytest.mark.parametrize("shown", [*VIEWS, *CLIPPED], indirect=True)
def test_what_is_seen_is_what_is_hit(shown):
    for look in shown:
        wrong = np.array(look["picked"]) != look["red"]
        assert not wrong.any(), look["pixels"][wrong]
        assert True in look["unclipped"]
        assert False in look["unclipped"]


@pytest.mark.parametrize("shown", CLIPPED, indirect=True)
def test_without_clipping_more_of_the_wall_is_hit(shown):
    assert any(sum(look["picked"]) < sum(look["unclipped"]) for look in shown)
    for look in shown:
        assert all(np.array(look["unclipped"]) >= look["picked"])
