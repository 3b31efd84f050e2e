# SPDX-License-Identifier: GPL-3.0-or-later
"""From region pixels to rays: against view3d_utils where it is right, by projecting back else."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bpy_extras import view3d_utils
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Matrix, Vector

from ...scenes import link, square

WIDTH, HEIGHT = 640, 400


def region(width=WIDTH, height=HEIGHT):
    return SimpleNamespace(width=width, height=height, type="WINDOW")


def view_of(view_matrix, window_matrix, kind):
    """What Blender has of a view of a region, from its two matrices."""
    return SimpleNamespace(
        view_matrix=view_matrix,
        window_matrix=window_matrix,
        perspective_matrix=window_matrix @ view_matrix,
        is_perspective=kind == "PERSP",
        view_perspective=kind,
    )


def perspective(shift_x=0.0, shift_y=0.0, clip_end=1000.0):
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    camera.matrix_world = (
        Matrix.Translation((4, -6, 3))
        @ Vector((4, -6, 3)).to_track_quat("Z", "Y").to_matrix().to_4x4()
    )
    camera.data.shift_x, camera.data.shift_y = shift_x, shift_y
    camera.data.clip_end = clip_end
    return camera


def seen_by(camera, kind="PERSP"):
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    window_matrix = camera.calc_matrix_camera(depsgraph, x=WIDTH, y=HEIGHT)
    return view_of(camera.matrix_world.normalized().inverted(), window_matrix, kind)


def pixels(rng, count=100):
    return rng.uniform((0, 0), (WIDTH, HEIGHT), (count, 2))


@pytest.mark.parametrize("shift", [(0, 0), (0.3, -0.2)], ids=["centred", "lens shift"])
def test_perspective_rays_are_those_of_view3d_utils(raypick, rng, shift):
    view = seen_by(perspective(*shift))
    camera = raypick.api.camera(region(), view)
    for xy in pixels(rng):
        origin, direction = (
            function(region(), view, xy)
            for function in (
                view3d_utils.region_2d_to_origin_3d,
                view3d_utils.region_2d_to_vector_3d,
            )
        )
        ray = camera.ray(*xy)
        assert ray.origin == pytest.approx(np.array(origin), abs=1e-5)
        assert ray.direction == pytest.approx(np.array(direction), abs=1e-5)


def orthographic(scale=8.0, clip_end=1000.0):
    camera = perspective(clip_end=clip_end)
    camera.data.type = "ORTHO"
    camera.data.ortho_scale = scale
    return camera


def test_orthographic_rays_are_parallel_and_on_the_lines_of_view3d_utils(raypick, rng):
    view = seen_by(orthographic(), "ORTHO")
    camera = raypick.api.camera(region(), view)
    for xy in pixels(rng):
        origin = np.array(view3d_utils.region_2d_to_origin_3d(region(), view, xy))
        direction = np.array(view3d_utils.region_2d_to_vector_3d(region(), view, xy))
        ray = camera.ray(*xy)
        assert ray.direction == pytest.approx(direction, abs=1e-6)
        beside = np.cross(origin - ray.origin, ray.direction)
        assert beside == pytest.approx(np.zeros(3), abs=1e-3)


@pytest.mark.parametrize("make", [perspective, orthographic])
@pytest.mark.parametrize("clip_end", [100.0, 1e6])
def test_a_world_point_projected_and_picked_comes_back(raypick, rng, make, clip_end):
    """Where view3d_utils loses 0.09 units to a far clip plane of 1e6."""
    camera_object = make(clip_end=clip_end)
    view = seen_by(camera_object, "ORTHO" if make is orthographic else "PERSP")
    camera = raypick.api.camera(region(), view)
    for point in rng.uniform(-1.5, 1.5, (100, 3)):
        x, y, _ = camera.project(point)
        ray = camera.ray(x, y)
        along = (point - ray.origin) @ ray.direction
        assert along > 0
        assert ray.at(along) == pytest.approx(point, abs=1e-9 * max(along, 1.0))


@pytest.mark.parametrize("make", [perspective, orthographic])
def test_projection_is_that_of_view3d_utils(raypick, rng, make):
    view = seen_by(make(), "ORTHO" if make is orthographic else "PERSP")
    camera = raypick.api.camera(region(), view)
    for point in rng.uniform(-1.5, 1.5, (50, 3)):
        expected = view3d_utils.location_3d_to_region_2d(region(), view, Vector(point))
        assert camera.project(point)[:2] == pytest.approx(tuple(expected), abs=1e-2)


def test_an_orthographic_camera_sees_what_is_nearer_than_the_middle_of_its_frustum(raypick):
    """view3d_utils starts the ray at z = -40 for this camera at z = 10."""
    square(z=5.0, size=4.0)
    camera_object = orthographic()
    camera_object.data.clip_start, camera_object.data.clip_end = 0.1, 100.0
    camera_object.matrix_world = Matrix.Translation((2, 2, 10))
    view = seen_by(camera_object, "CAMERA")
    view.is_perspective = False
    hits = raypick.api.pick(bpy.context, region(), view, (WIDTH / 2, HEIGHT / 2))
    assert hits[0].point == pytest.approx((2.0, 2.0, 5.0), abs=1e-6)
    assert hits[0].distance == pytest.approx(10.0 - 0.1 - 5.0, abs=1e-4)


@pytest.mark.parametrize("make", [perspective, orthographic])
def test_picking_a_known_place_through_its_pixel(raypick, rng, make):
    square(size=2.0)
    view = seen_by(make(), "ORTHO" if make is orthographic else "PERSP")
    camera = raypick.api.camera(region(), view)
    for x, y in rng.uniform(0.01, 1.99, (50, 2)):
        position = camera.project((x, y, 0.0))[:2]
        (hit,) = raypick.api.pick(bpy.context, region(), view, position)
        assert hit.point == pytest.approx((x, y, 0.0), abs=1e-9)


CLIP_RANGES = [(1e-6, 1e-2), (1e-6, 1e-4), (0.1, 100.0), (1e-3, 1e6), (1.0, 1e9), (0.1, 1e12)]


@pytest.mark.parametrize("make", [perspective, orthographic])
@pytest.mark.parametrize("clip_range", CLIP_RANGES)
def test_picks_come_back_in_clip_ranges_of_any_size(raypick, rng, make, clip_range):
    """Points in the geometric middle of the range, on a square that is as large as they are far."""
    camera_object = make()
    camera_object.data.clip_start, camera_object.data.clip_end = clip_range
    depth = np.sqrt(np.prod(clip_range))
    camera_object.data.ortho_scale = max(depth, 1e-6)
    bpy.context.view_layer.update()
    tilt = Matrix.Rotation(0.3, 4, "X") @ Matrix.Rotation(0.2, 4, "Y")
    middle = Matrix.Translation((0.0, 0.0, -depth))
    wall = square(size=2.0)
    wall.matrix_world = camera_object.matrix_world @ middle @ tilt @ Matrix.Scale(depth, 4)
    view = seen_by(camera_object, "CAMERA")
    world = np.array(wall.matrix_world)
    for corner in rng.uniform(0.0, 0.3, (20, 2)):
        point = world @ (*corner, 0.0, 1.0)
        position = pixel_of(view, point)
        assert raypick.api.camera(region(), view).project(point[:3])[:2] == pytest.approx(position)
        (hit,) = raypick.api.pick(bpy.context, region(), view, position)
        assert hit.point == pytest.approx(point[:3], abs=1e-5 * depth)


def pixel_of(view, point):
    """Where a point (4,) is seen, by Blender's two matrices in double precision."""
    x, y, _, w = np.array(view.window_matrix) @ (np.array(view.view_matrix) @ point)
    return (x / w + 1.0) * WIDTH / 2.0, (y / w + 1.0) * HEIGHT / 2.0


@pytest.mark.parametrize("make", [perspective, orthographic])
@pytest.mark.parametrize("fit", ["AUTO", "HORIZONTAL", "VERTICAL"])
@pytest.mark.parametrize("resolution", [(1000, 700), (334, 902)], ids=["wide", "tall"])
@pytest.mark.parametrize("aspect", [(1.0, 1.25), (2.0, 1.0)], ids=["high pixels", "wide pixels"])
def test_the_render_camera_sees_as_world_to_camera_view_says(
    raypick, rng, make, fit, resolution, aspect
):
    camera_object = make()
    data = camera_object.data
    data.shift_x, data.shift_y = 0.2, -0.1
    data.sensor_fit, data.sensor_width, data.sensor_height = fit, 36.0, 20.0
    camera_object.scale = (2.0, 2.0, 2.0)
    scene = bpy.context.scene
    scene.camera = camera_object
    render = scene.render
    render.resolution_x, render.resolution_y = resolution
    render.resolution_percentage = 50
    render.pixel_aspect_x, render.pixel_aspect_y = aspect
    camera = raypick.api.render_camera(bpy.context)
    width, height = (size // 2 for size in resolution)
    assert (camera.width, camera.height) == (width, height)
    wall = square(size=2.0)
    for corner in rng.uniform(0.01, 1.99, (20, 2)):
        point = (*corner, 0.0)
        x, y, _ = world_to_camera_view(scene, camera_object, Vector(point))
        assert camera.project(point)[:2] == pytest.approx((x * width, y * height), abs=2e-3)
        ray = camera.ray(x * width, y * height)
        (hit,) = raypick.api.ray_cast(bpy.context, ray.origin, ray.direction)
        assert hit.object == wall.name
        assert hit.point == pytest.approx(point, abs=5e-5)  # 1e-5 of what is seen


def test_a_render_camera_far_from_the_origin_looks_from_where_it_is(raypick, rng):
    """The inverse in single precision would put its eye 0.1 beside it."""
    for _ in range(10):
        place = Vector(rng.uniform(-1e6, 1e6, 3))
        camera_object = perspective()
        camera_object.matrix_world = Matrix.Translation(place) @ camera_object.matrix_world
        bpy.context.view_layer.update()
        camera = raypick.api.render_camera(bpy.context, camera_object)
        expected = np.array(camera_object.matrix_world.translation)
        assert camera.eye == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda camera: setattr(camera.data, "type", "PANO"), "panoramic"),
        (lambda camera: setattr(camera, "scale", (0.0, 1.0, 1.0)), "cannot be inverted"),
        (lambda camera: bpy.context.scene.collection.objects.unlink(camera), "view layer"),
        (lambda camera: setattr(bpy.context.scene.render, "resolution_percentage", 1), "no pixels"),
        (lambda camera: bpy.data.objects.remove(camera), "must be a camera object"),
    ],
    ids=["panoramic", "flat", "not in the view layer", "no pixels", "removed"],
)
def test_a_camera_that_cannot_be_picked_through_is_told(raypick, spoil, told):
    camera_object = perspective()
    bpy.context.scene.render.resolution_x = 50
    spoil(camera_object)
    with pytest.raises(raypick.api.RaypickError, match=told):
        raypick.api.render_camera(bpy.context, camera_object)


def test_what_is_no_camera_is_told(raypick):
    for nothing in (square(), "Camera"):
        with pytest.raises(raypick.api.RaypickError, match="camera"):
            raypick.api.render_camera(bpy.context, nothing)


def test_a_viewport_that_is_not_there_is_told(raypick):
    for call in (
        lambda: raypick.api.camera(None, None),
        lambda: raypick.api.pick(bpy.context, bpy.context.region, bpy.context.region_data, (1, 1)),
    ):
        with pytest.raises(raypick.api.RaypickError, match="open 3D viewport"):
            call()


def test_a_render_without_a_camera_is_told(raypick):
    with pytest.raises(raypick.api.RaypickError, match="no camera"):
        raypick.api.render_camera(bpy.context)


@pytest.mark.parametrize("position", [(1,), None, "ab", (1, 2, 3), (float("nan"), 0)])
def test_a_position_that_is_none_is_told(raypick, position):
    view = seen_by(perspective())
    with pytest.raises(raypick.api.RaypickError):
        raypick.api.pick(bpy.context, region(), view, position)


def test_a_region_without_size_is_told(raypick):
    view = seen_by(perspective())
    with pytest.raises(raypick.api.RaypickError, match="width"):
        raypick.api.pick(bpy.context, region(width=0), view, (0, 0))


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_a_position_is_dragged_along_a_plane(raypick, rng, kind):
    """The place is on the plane, and it is seen where it was asked for."""
    camera = perspective(0.1, -0.05)
    camera.data.type = kind
    view = seen_by(camera, kind)
    point, normal = np.array((0.3, 0.2, -0.5)), np.array((0.2, -0.3, 2.0))
    for xy in pixels(rng):
        found = raypick.api.point_on_plane(region(), view, xy, point, normal)
        assert all(type(part) is float for part in found)
        assert (np.array(found) - point) @ normal == pytest.approx(0.0, abs=1e-9)
        clip = np.array(view.perspective_matrix) @ (*found, 1.0)
        seen = (clip[:2] / clip[3] + 1.0) / 2.0 * (WIDTH, HEIGHT)
        assert seen == pytest.approx(xy, abs=1e-3)


def test_a_plane_that_is_not_seen_there_has_no_place(raypick):
    view = seen_by(perspective())
    behind = np.array((4, -6, 3)) * 2.0
    middle = WIDTH / 2, HEIGHT / 2
    assert raypick.api.point_on_plane(region(), view, middle, behind, behind) is None
    with pytest.raises(raypick.api.RaypickError):
        raypick.api.point_on_plane(region(), view, middle, (0, 0, 0), (0, 0, 0))


def test_a_viewport_that_was_closed_is_told(raypick):
    square()
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    view = area.spaces.active.region_3d
    raypick.api.pick(bpy.context, region, view, (10, 10))
    area.type = "TEXT_EDITOR"
    with pytest.raises(raypick.api.RaypickError, match="open 3D viewport"):
        raypick.api.pick(bpy.context, region, view, (10, 10))
    with pytest.raises(raypick.api.RaypickError, match="open 3D viewport"):
        raypick.api.camera(region, view)
    area.type = "VIEW_3D"
