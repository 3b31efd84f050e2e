# SPDX-License-Identifier: GPL-3.0-or-later
"""From region pixels to rays: against view3d_utils where it is right, by projecting back else.

What is not seen is not hit: clip planes and clipping regions, against what states them.
"""

import importlib
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


RANGES = [(1e-6, 1e-2), (0.1, 100.0), (1e-3, 1e6), (50.0, 51.0), (1e-6, 1e6)]


@pytest.fixture
def clip(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.view.cameras")


def camera(kind="PERSP", clip_range=(0.1, 100.0), z=10.0):
    """A camera at (0, 0, z) that looks down."""
    obj = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    obj.data.type = kind
    obj.data.clip_start, obj.data.clip_end = clip_range
    obj.matrix_world = Matrix.Translation((0.0, 0.0, z))
    return obj


def space_of(obj, shading="SOLID"):
    """A viewport that looks through a camera."""
    return SimpleNamespace(
        camera=obj, clip_start=7.0, clip_end=8.0, shading=SimpleNamespace(type=shading)
    )


def seen_interval(clip, view, ray, space=None):
    """The distances between which a view shows what a ray meets."""
    ends = clip.intervals(clip.view_planes(view, space), ray.origin[None], ray.direction[None])
    return tuple(end.item() for end in ends)


def depths(view, ray, distances):
    """How far in front of the eye the points at distances along a ray are."""
    points = ray.origin + np.asarray(distances)[:, None] * ray.direction
    rows = np.array(view.view_matrix)
    return -(points @ rows[2, :3] + rows[2, 3])


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("clip_range", RANGES)
def test_a_camera_sees_from_its_near_to_its_far_clip_plane(raypick, clip, rng, kind, clip_range):
    obj = camera(kind, clip_range)
    view = seen_by(obj, "CAMERA")
    start, end = obj.data.clip_start, obj.data.clip_end
    for xy in pixels(rng, 20):
        ray = raypick.api.camera(region(), view).ray(*xy)
        interval = seen_interval(clip, view, ray, space_of(obj))
        near, far = depths(view, ray, interval)
        # An orthographic camera's rays start at the near plane of the matrix.
        assert near == pytest.approx(start, rel=1e-6, abs=1e-6 * end if kind == "ORTHO" else 0.0)
        assert far == pytest.approx(end, rel=1e-6)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("clip_range", RANGES)
def test_the_matrix_alone_leaves_out_nothing_that_is_seen(raypick, clip, rng, kind, clip_range):
    """It gives the far end of a perspective only as well as single precision can."""
    obj = camera(kind, clip_range)
    view = seen_by(obj)
    start, end = obj.data.clip_start, obj.data.clip_end
    for xy in pixels(rng, 20):
        ray = raypick.api.camera(region(), view).ray(*xy)
        near, far = depths(view, ray, np.minimum(seen_interval(clip, view, ray), 1e300))
        assert start * (1 - 1e-5) - (1e-6 * end if kind == "ORTHO" else 0.0) <= near
        assert near <= start or kind == "ORTHO"
        assert far >= end
        if kind == "ORTHO" or end / start < 1e4:
            assert far == pytest.approx(end, rel=1e-6 * max(1.0, end / start))


def test_a_perspective_viewport_states_its_clip_planes_itself(raypick, clip):
    view = seen_by(camera(clip_range=(0.01, 1e5)))
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    space = space_of(None)
    space.clip_start, space.clip_end = 0.01, 1e5
    assert seen_interval(clip, view, ray, space) == pytest.approx((0.01, 1e5), rel=1e-12)
    without = seen_interval(clip, view, ray)
    assert without[0] <= 0.01
    assert without[1] > 1e5 * 1.01


def test_what_is_stated_is_believed_only_where_the_matrix_agrees(raypick, clip):
    """A viewport that was not drawn since its clip range was changed."""
    view = seen_by(camera(clip_range=(0.1, 100.0)))
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    assert seen_interval(clip, view, ray, space_of(None)) == pytest.approx((0.1, 100.0), rel=1e-3)


def test_an_object_that_is_no_camera_is_unpickable_with_the_viewports_range(raypick, clip):
    view = seen_by(camera(clip_range=(7.0, 8.0)))
    view.view_perspective = "CAMERA"
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    for through in (None, link(bpy.data.objects.new("Empty", None))):
        interval = seen_interval(clip, view, ray, space_of(through))
        assert interval == pytest.approx((7.0, 8.0), abs=1e-12)


def clipped(view, planes, **options):
    view.use_clip_planes = True
    view.clip_planes = [*planes, *[(0.0, 0.0, 0.0, 0.0)] * (6 - len(planes))]
    for name, value in options.items():
        setattr(view, name, value)
    return view


def random_planes(rng, count):
    """Planes around the origin, which is on the side that they show."""
    normals = rng.normal(size=(count, 3))
    return np.column_stack([normals, rng.uniform(0.5, 4.0, count)]).tolist()


@pytest.mark.parametrize(
    ("given", "options", "counted"),
    [(4, {}, 4), (6, {}, 6), (6, {"use_box_clip": True}, 4), (6, {"use_clip_planes": False}, 0)],
    ids=["Alt+B", "six planes", "the box of a quad view", "off"],
)
def test_points_in_front_of_all_planes_are_seen(raypick, clip, rng, given, options, counted):
    obj = camera()
    for _ in range(10):
        planes = random_planes(rng, given)
        view = clipped(seen_by(obj), planes, **options)
        view_camera = raypick.api.camera(region(), view)
        for point in rng.uniform(-4.0, 4.0, (20, 3)):
            ray = view_camera.ray(*view_camera.project(point)[:2])
            least, most = seen_interval(clip, view, ray)
            seen = all(np.dot(plane[:3], point) + plane[3] >= 0 for plane in planes[:counted])
            assert (least <= np.linalg.norm(point - ray.origin) <= most) == seen


def test_a_ray_beside_the_clipping_region_meets_nothing(raypick, clip):
    aside = [(1.0, 0.0, 0.0, -2.0)]
    view = clipped(seen_by(camera("ORTHO")), aside)
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    least, most = seen_interval(clip, view, ray)
    assert least > most


@pytest.mark.parametrize(
    ("shading", "shown"),
    [("WIREFRAME", True), ("SOLID", True), ("MATERIAL", False), ("RENDERED", False)],
)
def test_only_wireframe_and_solid_shading_show_the_clipping_region(raypick, clip, shading, shown):
    obj = camera()
    below = [(0.0, 0.0, -1.0, 3.0)]
    view = clipped(seen_by(obj, "CAMERA"), below)
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    least, _ = seen_interval(clip, view, ray, space_of(obj, shading))
    assert least == pytest.approx(7.0 if shown else 0.1, rel=1e-6)


def stack():
    """Squares at the heights 9, 5 and -5, so 1, 5 and 15 below the camera."""
    for name, z in (("Top", 9.0), ("Middle", 5.0), ("Bottom", -5.0)):
        square(name, z=z, size=4.0).location = (-2.0, -2.0, 0.0)


def picked(raypick, view, **options):
    hits = raypick.api.pick(bpy.context, region(), view, (WIDTH / 2, HEIGHT / 2), **options)
    return [hit.object for hit in hits]


ALL = ["Top", "Middle", "Bottom"]


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize(
    ("clip_range", "seen"),
    [
        ((0.1, 100.0), ALL),
        ((2.0, 100.0), ["Middle", "Bottom"]),
        ((0.1, 10.0), ["Top", "Middle"]),
        ((2.0, 10.0), ["Middle"]),
        ((6.0, 10.0), []),
        ((20.0, 30.0), []),
    ],
)
def test_picks_are_between_the_clip_planes(raypick, kind, clip_range, seen):
    stack()
    view = seen_by(camera(kind, clip_range))
    assert picked(raypick, view) == seen[:1]
    assert picked(raypick, view, all_hits=True) == seen
    assert picked(raypick, view, all_hits=True, clip=False) == ALL
    assert picked(raypick, view, clip=False) == ALL[:1]


@pytest.mark.parametrize("cull", ["back", "front", None])
def test_what_is_before_an_orthographic_near_plane_is_seen_from_the_same_side(raypick, cull):
    stack()
    bpy.data.objects["Top"].data.flip_normals()
    view = seen_by(camera("ORTHO", (2.0, 100.0)))
    position = (WIDTH / 2, HEIGHT / 2)
    options = {"all_hits": True, "clip": False, "cull": cull}
    hits = raypick.api.pick(bpy.context, region(), view, position, **options)
    expected = {"Top": (-1.0, False), "Middle": (3.0, True), "Bottom": (13.0, True)}
    left = [name for name in ALL if cull is None or expected[name][1] == (cull == "back")]
    assert [hit.object for hit in hits] == left
    for hit in hits:
        distance, front = expected[hit.object]
        assert hit.distance == pytest.approx(distance, rel=1e-6)
        assert hit.front is front


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize(
    ("planes", "seen"),
    [
        ([(0.0, 0.0, -1.0, 6.0)], ["Middle", "Bottom"]),
        ([(0.0, 0.0, 1.0, 0.0)], ["Top", "Middle"]),
        ([(0.0, 0.0, -1.0, 6.0), (0.0, 0.0, 1.0, 0.0)], ["Middle"]),
        ([(1.0, 0.0, 0.0, -1.0)], []),
        ([(1.0, 0.0, 0.0, 1.0)], ALL),
    ],
    ids=["below 6", "above 0", "between", "beside", "around"],
)
def test_picks_are_inside_the_clipping_region(raypick, kind, planes, seen):
    stack()
    view = clipped(seen_by(camera(kind)), planes)
    assert picked(raypick, view) == seen[:1]
    assert picked(raypick, view, all_hits=True) == seen
    assert picked(raypick, view, all_hits=True, clip=False) == ALL


def test_distances_count_from_the_eye_with_clipping_too(raypick):
    stack()
    view = seen_by(camera(clip_range=(2.0, 100.0)))
    (hit,) = raypick.api.pick(bpy.context, region(), view, (WIDTH / 2, HEIGHT / 2))
    assert hit.distance == pytest.approx(5.0, rel=1e-9)
    assert picked(raypick, view, max_distance=4.9) == []
    assert picked(raypick, view, max_distance=5.1) == ["Middle"]
    assert picked(raypick, view, max_distance=5.1, all_hits=True) == ["Middle"]


def orthographic_matrix(width, height, start, end):
    return Matrix(
        (
            (2 / width, 0, 0, 0),
            (0, 2 / height, 0, 0),
            (0, 0, -2 / (end - start), -(end + start) / (end - start)),
            (0, 0, 0, 1),
        )
    )


def test_05_an_orthographic_camera_sees_what_is_near_it(raypick):
    """Blender's `region_2d_to_origin_3d` starts in the middle of the view there."""
    near, far = square("Near", z=9.0), square("Far", z=0.0)
    view = Matrix.Translation((0, 0, 10)).inverted()
    for clip_end in (100.0, 1e5, 1e6):
        window = orthographic_matrix(width=4.0, height=4.0, start=0.1, end=clip_end)
        region_data = SimpleNamespace(view_matrix=view, window_matrix=window)
        region = SimpleNamespace(width=400, height=400)
        hits = raypick.api.pick(bpy.context, region, region_data, (250, 250), all_hits=True)
        assert [hit.object for hit in hits] == [near.name, far.name]
        assert hits[0].point[:2] == pytest.approx((0.5, 0.5), abs=1e-6)


def test_09_what_the_view_clips_is_not_hit(raypick):
    for z in (9.95, 5.0, -200.0):
        square(f"At {z:g}", z)
    region = SimpleNamespace(width=400, height=400)
    region_data = SimpleNamespace(
        view_matrix=Matrix.Translation((0.25, 0.5, 10)).inverted(),
        window_matrix=orthographic_matrix(width=2.0, height=2.0, start=0.1, end=100.0),
    )

    def names(**options):
        hits = raypick.api.pick(bpy.context, region, region_data, (201, 202), **options)
        return [hit.object for hit in hits]

    assert names() == ["At 5"]
    assert names(all_hits=True) == ["At 5"]
    assert names(all_hits=True, clip=False)[-2:] == ["At 5", "At -200"]
    region_data.use_clip_planes = True
    region_data.clip_planes = [(0, 0, -1, 1)] + [(0, 0, 0, 1)] * 5  # z <= 1, all else is open
    assert names() == []
