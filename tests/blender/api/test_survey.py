# SPDX-License-Identifier: GPL-3.0-or-later
"""What a render camera sees at every pixel, against rays and planes worked out by hand."""

import importlib
from math import atan, inf

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender.scenes import link, square, suzanne

WIDTH, HEIGHT = 48, 30


@pytest.fixture
def api(raypick):
    return raypick.api


@pytest.fixture
def camera():
    """A camera above the square, looking down, with room around it."""
    square("Floor", 0.0, 4.0)
    data = bpy.data.cameras.new("Camera")
    obj = link(bpy.data.objects.new("Camera", data))
    obj.location = 2, 2, 5
    scene = bpy.context.scene
    scene.camera = obj
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.resolution_percentage = 100
    bpy.context.view_layer.update()
    return obj


def seen_at(obj, x, y, width=WIDTH, height=HEIGHT):
    """The ray through a place (x, y) in pixels from the bottom left, by the frame of the camera."""
    corners = obj.data.view_frame(scene=bpy.context.scene)
    right, bottom = (max(c[0] for c in corners), min(c[1] for c in corners))
    left, top = (min(c[0] for c in corners), max(c[1] for c in corners))
    depth = corners[0][2]
    at = Vector((left + (right - left) * x / width, bottom + (top - bottom) * y / height, depth))
    matrix = obj.matrix_world.normalized()
    if obj.data.type == "ORTHO":
        return matrix @ Vector((at.x, at.y, 0)), matrix.to_3x3() @ Vector((0, 0, -1))
    return matrix.translation, matrix.to_3x3() @ at


def on_floor(obj, x, y):
    """Where that ray meets the plane z = 0, and whether that is on the floor."""
    origin, way = seen_at(obj, x, y)
    point = origin - way * (origin.z / way.z)
    return point, 0 < point.x < 4 and 0 < point.y < 4


def compare_with_floor(obj, hits):
    points, seen = hits["point"], hits.hit
    known = 0
    for row in range(HEIGHT):
        for column in range(WIDTH):
            point, inside = on_floor(obj, column + 0.5, row + 0.5)
            margin = min(point.x, 4 - point.x, point.y, 4 - point.y)
            if abs(margin) < 1e-3:
                continue
            assert seen[row, column] == inside
            if inside:
                known += 1
                assert points[row, column] == pytest.approx(tuple(point), abs=1e-5)
    assert known > 50
    assert known < WIDTH * HEIGHT


def test_each_pixel_sees_what_is_at_its_center_the_bottom_row_first(api, camera):
    camera.matrix_world = Matrix.Translation((1, 2.5, 5)) @ Matrix.Rotation(0.3, 4, "X")
    hits = api.survey(bpy.context)
    assert hits.shape == (HEIGHT, WIDTH)
    compare_with_floor(camera, hits)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("fit", ["AUTO", "HORIZONTAL", "VERTICAL"])
def test_lens_shift_and_sensor_fit_count(api, camera, kind, fit):
    data = camera.data
    data.type, data.sensor_fit, data.ortho_scale = kind, fit, 6.0
    data.shift_x, data.shift_y = 0.2, -0.1
    compare_with_floor(camera, api.survey(bpy.context, camera))


def test_depth_goes_along_the_view_and_distance_along_the_ray(api, camera):
    camera.location.z = 9.0
    hits = api.survey(bpy.context, columns=["depth", "distance", "point"])
    seen = hits.hit
    assert 0 < seen.sum() < seen.size
    assert hits["depth"][seen] == pytest.approx(9.0)
    away = np.linalg.norm(hits["point"] - np.array(camera.location), axis=-1)
    assert hits["distance"][seen] == pytest.approx(away[seen])
    assert (hits["depth"][~seen] == inf).all()
    camera.data.type, camera.data.ortho_scale, camera.data.clip_start = "ORTHO", 3.0, 1.0
    flat = api.survey(bpy.context, columns=["depth", "distance"])
    assert flat["depth"][flat.hit] == pytest.approx(9.0)
    assert flat["distance"][flat.hit] == pytest.approx(8.0)


@pytest.mark.parametrize("samples", [1, 2])
def test_chunks_of_any_sizes_one_after_the_other_are_all_rays_once(raypick, rng, samples):
    core = importlib.import_module(f"{raypick.__name__}.standalone_core")
    rays = importlib.import_module(f"{raypick.__name__}.bridge.batch.rays")
    seen = rays.PixelRays(core.Camera.look_at((0, -4, 1), (0, 0, 0), 7, 5, fov=0.8), samples)
    whole = seen.part(0, len(seen)).directions
    for _ in range(20):
        parts, start = [], 0
        while start < len(seen):
            stop = seen.end_of_chunk(start, int(rng.integers(1, 40)))
            assert start < stop <= len(seen)
            parts.append(seen.part(start, stop).directions)
            start = stop
        assert np.concatenate(parts).tobytes() == whole.tobytes()


@pytest.mark.parametrize("size", [1, 6])
def test_each_pixel_is_the_hit_of_its_ray_alone(api, camera, rng, size):
    """A large picture is looked at as a whole, once there are trees."""
    head = suzanne(1)
    head.location = 2, 2, 1
    for place, scale in (((1, 1, 1), (1, 1, -1)), ((3, 2, 0), (1, 0.3, 2))):
        other = link(bpy.data.objects.new("Other", head.data))
        other.location, other.scale, other.rotation_euler = place, scale, (0.3, 0.2, 0.1)
    shape = HEIGHT * size, WIDTH * size
    bpy.context.scene.render.resolution_y, bpy.context.scene.render.resolution_x = shape
    columns = ["object", "face", "barycentric", "distance", "depth"]
    api.survey(bpy.context, columns=columns)
    hits = api.survey(bpy.context, columns=columns)
    view = api.render_camera(bpy.context)
    for row, column in rng.integers((0, 0), shape, size=(200, 2)).tolist():
        ray = view.ray(column + 0.5, row + 0.5)
        alone = api.ray_cast(bpy.context, ray.origin, ray.direction)
        assert bool(alone) == hits.hit[row, column]
        for hit in alone:
            assert hits.objects[hits["object"][row, column]] == hit.object
            assert hits["face"][row, column] == hit.face
            assert hits["distance"][row, column] == hit.distance
            assert tuple(hits["barycentric"][row, column].tolist()) == hit.barycentric


def test_samples_are_the_centers_of_squares_in_a_pixel(api, camera):
    hits = api.survey(bpy.context, samples=2, columns=["point"])
    assert hits.shape == (HEIGHT, WIDTH, 4)
    assert hits["point"].shape == (HEIGHT, WIDTH, 4, 3)
    places = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
    for sample, (x, y) in enumerate(places):
        point, inside = on_floor(camera, 24 + x, 15 + y)
        assert inside
        assert hits["point"][15, 24, sample] == pytest.approx(tuple(point), abs=1e-5)


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("chunk", [1, 20, 100])
def test_a_picture_does_not_depend_on_chunks(api, raypick, camera, monkeypatch, samples, chunk):
    rays = importlib.import_module(f"{raypick.__name__}.bridge.batch.rays")
    bpy.context.scene.render.resolution_x, bpy.context.scene.render.resolution_y = 11, 7
    asked = {"samples": samples, "columns": ["face", "point", "depth"]}
    whole = api.survey(bpy.context, **asked)
    monkeypatch.setattr(rays, "CHUNK", chunk)
    parts = api.survey(bpy.context, **asked)
    assert {name: parts[name].tobytes() for name in parts} == {
        name: whole[name].tobytes() for name in whole
    }


def test_what_the_camera_clips_is_left_out_unless_that_is_not_wanted(api, camera):
    square("Near", 4.5, 4.0)
    camera.data.clip_start, camera.data.clip_end = 1.0, 4.9
    assert not api.survey(bpy.context).hit.any()
    camera.data.clip_end = 100.0
    clipped = api.survey(bpy.context, columns=["object", "distance"])
    names = clipped.names("object")
    assert set(names[clipped.hit]) == {"Floor"}
    everything = api.survey(bpy.context, clip=False, columns=["object"])
    assert everything.names("object")[15, 24] == "Near"


def test_numbers_do_not_depend_on_what_is_shown_and_hit_first(api, camera):
    first, floor = square("A first", 1.0, 2.0), bpy.data.objects["Floor"]
    for obj, name in ((first, "Paint"), (floor, "Oak")):
        obj.data.materials.append(bpy.data.materials.new(name))
    columns = ["object", "material"]
    before = api.survey(bpy.context, columns=columns)
    first.hide_set(True)
    after = api.survey(bpy.context, columns=columns)
    for hits, shown in ((before, {0, 2}), (after, {2})):
        assert hits.objects == ("A first", "Camera", "Floor")
        assert set(hits["object"][hits.hit]) == shown
        assert hits.materials == ("Oak", "Paint")
        assert set(hits["material"][hits["object"] == 2]) == {0}
    assert set(before["material"][before["object"] == 0]) == {1}


def test_a_distance_limits_what_the_planes_of_the_camera_leave(api, camera):
    near = api.survey(bpy.context, columns=["distance"])
    limit = float(np.median(near["distance"][near.hit]))
    for clip in (True, False):
        limited = api.survey(bpy.context, columns=["distance"], max_distance=limit, clip=clip)
        assert np.array_equal(limited.hit, near["distance"] <= limit)


def test_percentage_and_pixel_aspect_are_those_of_a_render(api, camera):
    render = bpy.context.scene.render
    render.resolution_percentage, render.pixel_aspect_x = 50, 2.0
    hits = api.survey(bpy.context, columns=["point"])
    assert hits.shape == (HEIGHT // 2, WIDTH // 2)
    middle = hits["point"][:, WIDTH // 4]
    across = hits["point"][HEIGHT // 4]
    along_y, along_x = np.diff(middle[:, 1]), np.diff(across[:, 0])
    assert np.nanmean(along_x) == pytest.approx(2.0 * np.nanmean(along_y), rel=1e-5)


def test_cameras_are_named_in_three_ways(api, camera, raypick):
    core = importlib.import_module(f"{raypick.__name__}.standalone_core")
    by_name = api.survey(bpy.context, "Camera", columns=["point"])
    by_object = api.survey(bpy.context, camera, columns=["point"])
    assert by_name["point"].tobytes() == by_object["point"].tobytes()
    own = core.Camera.look_at((2, 2, 5), (2, 2, 0), 40, 20, 2 * atan(0.5), (0, 1, 0))
    hits = api.survey(bpy.context, own, columns=["point"])
    assert hits.shape == (20, 40)
    assert hits["point"][10, 20] == pytest.approx((2.125, 2.125, 0))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"camera": "Floor"}, "Floor is no camera"),
        ({"camera": 3}, "camera must be an Object, not an int"),
        ({"clip": "yes"}, "clip must be True or False"),
        ({"camera": "Nobody"}, "there is no object 'Nobody'"),
        ({"samples": 0}, "samples must be from 1 to"),
        ({"samples": 1.5}, "samples must be an integer"),
        ({"region": 3}, "pass a camera, or both region and region_data"),
        ({"columns": ["colour"]}, "there is no column 'colour'.*depth"),
        ({"max_distance": -2}, "max_distance must be 0 or more"),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(api, camera, arguments, text):
    with pytest.raises(api.RaypickError, match=text):
        api.survey(bpy.context, **arguments)
