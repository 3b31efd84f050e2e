# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in pictures, against Blender's own function for one point and one camera."""

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Matrix, Vector

from tests.blender.heads import animate, head, mark
from tests.blender.scenes import collection_instance, looking_camera, square, suzanne

COLUMNS = ["frame", "camera", "object", "set", "name", "x", "y", "depth", "inside", "visible"]
COLUMNS += ["hidden_by", "hidden_by_instancer"]


@pytest.fixture
def landmarks(raypick):
    """Return the part of the API."""
    return raypick.api.landmarks


def camera(name="Camera", location=(0, -8, 1), target=(0, 0, 0), **settings):
    """A camera that looks at a target, the scene's if it has none."""
    obj = looking_camera(name, location, target, **settings)
    scene = bpy.context.scene
    scene.camera = scene.camera or obj
    bpy.context.view_layer.update()
    return obj


def resolution(width, height, percentage=100):
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = width, height
    render.resolution_percentage = percentage
    return width * percentage // 100, height * percentage // 100


def by_blender(obj, points, size):
    """Pixels from the bottom left of the whole picture of a size, and depth, (N, 3).

    Blender's function does not cut off the fraction of a percentage of the resolution.
    """
    scene = bpy.context.scene
    resolution(*size)
    found = np.array([world_to_camera_view(scene, obj, Vector(each)) for each in points])
    return found * (*size, 1.0)


def seen(shot):
    return np.stack([shot["x"], shot["y"], shot["depth"]], axis=-1)


def spread(landmarks, count, rng):
    """A head with landmarks all over it, and no more around it than a picture shows."""
    obj = suzanne(levels=1)
    obj.rotation_euler = rng.uniform(-3, 3, 3)
    bpy.context.view_layer.update()
    points = rng.uniform(-1.5, 1.5, (count, 3))
    landmarks.add_many(bpy.context, object=obj, points=points)
    return obj


SETTINGS = {
    "plain": {},
    "shift": {"shift_x": 0.3, "shift_y": -0.2},
    "orthographic": {"type": "ORTHO", "ortho_scale": 4.0},
    "orthographic, shift": {"type": "ORTHO", "ortho_scale": 4.0, "shift_x": -0.25},
    "horizontal": {"sensor_fit": "HORIZONTAL", "sensor_width": 25.0},
    "vertical": {"sensor_fit": "VERTICAL", "sensor_height": 18.0},
    "wide": {"lens": 14.0},
}


@pytest.mark.parametrize("aspect", [(1.0, 1.0), (1.5, 1.0), (1.0, 2.0)], ids=str)
@pytest.mark.parametrize("size", [(96, 64, 100), (50, 120, 100), (200, 90, 37)], ids=str)
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_pixels_and_depths_are_blenders(landmarks, rng, settings, size, aspect):
    obj = spread(landmarks, 160, rng)
    place = rng.normal(size=3)
    seer = camera(location=6 * place / np.linalg.norm(place), **settings)
    render = bpy.context.scene.render
    render.pixel_aspect_x, render.pixel_aspect_y = aspect
    size = resolution(*size)
    shot = landmarks.project(bpy.context)
    expected = by_blender(seer, landmarks.points(bpy.context, obj), size)
    away = np.abs(2 * expected[:, :2] / size - 1)  # 1 at the border of the picture
    off = np.abs(seen(shot) - expected)[:, :2] / np.maximum(away, 1)
    assert off.max() < 3e-7 * max(size)  # Blender's function computes in single precision
    assert shot["depth"] == pytest.approx(expected[:, 2], abs=2e-6)
    sure = (np.abs(away - 1) > 1e-5).all(axis=1)
    assert np.array_equal(shot["inside"][sure], (away < 1).all(axis=1)[sure])
    assert not (shot["visible"] & ~shot["inside"]).any()


@pytest.mark.parametrize("is_cropped", [False, True], ids=["whole", "cropped"])
def test_a_border_bounds_what_is_inside_and_a_crop_moves_the_corner(landmarks, rng, is_cropped):
    obj = spread(landmarks, 160, rng)
    seer = camera()
    size = resolution(96, 64)
    render = bpy.context.scene.render
    render.use_border, render.use_crop_to_border = True, is_cropped
    render.border_max_x, render.border_max_y = 0.7, 0.55
    render.border_min_x, render.border_min_y = 0.45, 0.3
    left, right = (int(np.float32(part) * np.float32(96)) for part in (0.45, 0.7))
    bottom, top = (int(np.float32(part) * np.float32(64)) for part in (0.3, 0.55))
    shot = landmarks.project(bpy.context)
    expected = by_blender(seer, landmarks.points(bpy.context, obj), size)
    x, y = expected[:, 0], expected[:, 1]
    inside = (left <= x) & (x < right) & (bottom <= y) & (y < top)
    assert np.array_equal(shot["inside"], inside)
    assert 10 < inside.sum() < 150
    corner = (left, bottom, 0.0) if is_cropped else (0.0, 0.0, 0.0)
    assert seen(shot) + corner == pytest.approx(expected, abs=3e-5)
    written = (right - left, top - bottom) if is_cropped else size
    assert [each[2:] for each in shot.pictures] == [written]


def test_the_left_and_the_lower_border_belong_to_the_picture(landmarks):
    camera(location=(0, 0, 5), target=(0, 0, 0), type="ORTHO", ortho_scale=8.0)
    bpy.context.scene.camera.matrix_world = Matrix.Translation((0, 0, 5))
    resolution(8, 8)
    floor = square("Floor", size=8.0)
    floor.location = -4, -4, 0
    places = [(-4, 0), (4, 0), (0, -4), (0, 4), (-3.999, 0), (3.999, 0)]
    bpy.context.view_layer.update()
    landmarks.add_many(bpy.context, object=floor, points=[(x, y, 0) for x, y in places])
    shot = landmarks.project(bpy.context)
    assert shot["x"][:2].tolist() == [0.0, 8.0]
    assert shot["inside"].tolist() == [True, False, True, False, True, True]
    assert shot["visible"].tolist() == shot["inside"].tolist()


def test_what_is_behind_the_camera_has_a_depth_alone(landmarks):
    obj = suzanne()
    landmarks.add_many(bpy.context, object=obj, points=[(0, 0, 1), (0.5, 0, -1)])
    camera(location=(0, 0, 5), target=(0, 0, 9))
    shot = landmarks.project(bpy.context)
    points = landmarks.points(bpy.context, obj)
    assert shot["depth"] == pytest.approx(points[:, 2] - 5)
    assert np.isnan(shot["x"]).all()
    assert np.isnan(shot["y"]).all()
    assert not shot["inside"].any()


def test_columns_have_a_row_for_each_frame_camera_and_landmark(raypick, landmarks):
    obj = head()
    animate(obj)
    records = mark(raypick, obj)
    other = square("Floor")
    bpy.context.view_layer.update()
    landmarks.add_many(bpy.context, object=other, points=[(0.5, 0.5, 0)], set="Middle")
    cameras = [camera("A", (0, -8, 3)), camera("B", (7, -3, 1))]
    size = resolution(96, 64)
    bpy.context.scene.frame_set(3, subframe=0.25)
    shot = landmarks.project(bpy.context, cameras, frames=[1, 10, 20])
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (3, 0.25)
    assert [*shot] == COLUMNS
    assert (shot.shape, len(shot)) == ((6, 13), 78)
    assert all(column.shape == (78,) for column in shot.values())
    assert [*shot.pictures] == [(f, name, 96, 64) for f in (1, 10, 20) for name in "AB"]
    assert shot["frame"].dtype == np.int64
    assert shot["frame"].reshape(3, -1)[:, 0].tolist() == [1, 10, 20]
    assert shot["camera"].reshape(6, -1)[:, 0].tolist() == [*"ABABAB"]
    assert shot["object"][:13].tolist() == ["Floor", *["Head"] * 12]
    assert shot["set"][:13].tolist() == ["Middle", *["Face"] * 12]
    assert shot["name"][1:13].tolist() == [each.name for each in records]
    places = seen(shot).reshape(3, 2, 13, 3)[:, :, 1:]
    for row, frame in enumerate((1, 10, 20)):
        bpy.context.scene.frame_set(frame)
        points = landmarks.points(bpy.context, obj)
        for column, each in enumerate(cameras):
            expected = by_blender(each, points, size)
            assert places[row, column] == pytest.approx(expected, abs=5e-5)
    assert np.ptp(places[:, 0, :, :2], axis=0).max() > 1


def test_each_picture_is_what_one_call_at_its_frame_says(raypick, landmarks):
    obj = head()
    animate(obj)
    mark(raypick, obj)
    camera("A", (0, -8, 3))
    shot = landmarks.project(bpy.context, frames=[1, 2.5, 20])
    assert shot["frame"].dtype == np.float64
    for number, frame in enumerate((1, 2.5, 20)):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        own = landmarks.project(bpy.context)
        for name, column in own.items():
            part = shot[name].reshape(3, -1)[number]
            assert np.array_equal(part, column, equal_nan=column.dtype.kind == "f"), name


def test_by_default_each_frame_has_the_camera_of_its_marker(landmarks):
    floor = square("Floor")
    bpy.context.view_layer.update()
    landmarks.add_many(bpy.context, object=floor, points=[(0.5, 0.5, 0)])
    first, second, third = (
        camera(name, (0, -8, z)) for name, z in zip("ABC", (1, 2, 3), strict=True)
    )
    scene = bpy.context.scene
    for frame, each in ((1, first), (10, second)):
        scene.timeline_markers.new(each.name, frame=frame).camera = each
    scene.frame_set(1)
    scene.camera = third
    shot = landmarks.project(bpy.context, frames=[2, 9, 10, 30])
    assert shot["camera"].tolist() == ["A", "A", "B", "B"]
    assert scene.camera == third
    assert landmarks.project(bpy.context)["camera"].tolist() == ["C"]


@pytest.mark.parametrize("way", ["perspective", "orthographic"])
def test_a_camera_of_the_core_sees_what_the_same_camera_object_sees(raypick, landmarks, rng, way):
    spread(landmarks, 80, rng)
    settings = SETTINGS["orthographic"] if way == "orthographic" else {}
    seer = camera(location=(0, -8, 1), **settings)
    resolution(96, 64)
    own = raypick.api.render_camera(bpy.context, seer)
    one, other = (landmarks.project(bpy.context, each) for each in (seer, own))
    for name in set(COLUMNS) - {"camera"}:
        assert np.array_equal(one[name], other[name]), name
    assert {*other["camera"].tolist()} == {""}
    assert other.pictures[0][1:] == ("", 96, 64)


def test_a_camera_of_direct3d_counts_from_its_own_corner(raypick, landmarks, rng):
    """Its pixels count from the top left of its window; what is seen is the same."""
    spread(landmarks, 80, rng)
    camera(location=(0, -8, 1))
    resolution(96, 64)
    own = raypick.api.render_camera(bpy.context)
    flip = np.diag([1.0, 1.0, 0.5, 1.0])
    flip[2, 3] = 0.5  # depths from 0 to 1
    turn = np.diag([1.0, 1.0, -1.0, 1.0])  # its view space is left-handed: z is forward
    view, projection = turn @ own.view, flip @ own.projection @ turn
    turned = raypick.api.Camera(view.T, projection.T, 96, 64, "direct3d", offset=(10, 20))
    one, other = (landmarks.project(bpy.context, each) for each in (own, turned))
    assert other["x"] == pytest.approx(one["x"] + 10)
    assert other["y"] == pytest.approx(64 - one["y"] + 20)
    for name in ("depth", "inside", "visible", "hidden_by"):
        assert np.array_equal(one[name], other[name]), name
    assert one["inside"].sum() > 20


@pytest.mark.parametrize(("z", "inside"), [(5, True), (0.5, False), (-5, False)])
def test_what_is_behind_a_parallel_camera_of_the_core_is_not_inside(raypick, landmarks, z, inside):
    floor = square("Floor")
    bpy.context.view_layer.update()
    landmarks.add_many(bpy.context, object=floor, points=[(0.5, 0.5, 0)])
    view = np.eye(4)
    view[2, 3] = -z
    projection = np.diag([1, 1, -0.5, 1.0])
    projection[2, 3] = -2.0  # from 2 in front of the origin on
    shot = landmarks.project(bpy.context, raypick.api.Camera(view, projection, 9, 9))
    assert shot["inside"].tolist() == shot["visible"].tolist() == [inside]
    assert shot["depth"].tolist() == [z]


def test_missing_landmarks_and_hidden_objects_have_no_place(landmarks):
    obj = suzanne()
    camera()
    landmarks.add_many(bpy.context, object=obj, points=[(0, 0, 1), (0.5, 0, -1)])
    text = obj["raypick_landmarks"]
    first = landmarks.project(bpy.context)
    obj.hide_viewport = True
    bpy.context.view_layer.update()
    for _ in range(2):
        shot = landmarks.project(bpy.context)
        assert shot["name"].tolist() == first["name"].tolist()
        assert np.isnan(seen(shot)).all()
        assert not shot["inside"].any()
        assert not shot["visible"].any()
        obj.hide_viewport = False
        obj.data.vertices.add(1)  # another topology
        bpy.context.view_layer.update()
    assert obj["raypick_landmarks"] == text


def test_objects_and_sets_can_be_chosen(landmarks):
    floor, tile = square("Floor"), square("Tile", z=1.0)
    collection_instance(tile, (3, 0, 0))
    square("Bare")
    camera()
    bpy.context.view_layer.update()
    for obj, name in ((floor, "One"), (floor, "Two"), (tile, "One")):
        landmarks.add_many(bpy.context, object=obj, points=[(0.5, 0.5, 0)] * 2, set=name)
    project = lambda **given: landmarks.project(bpy.context, **given)  # noqa: E731
    assert project()["object"].tolist() == ["Floor"] * 4 + ["Tile"] * 2  # instanced ones too
    assert project(set="One")["object"].tolist() == ["Floor"] * 2 + ["Tile"] * 2
    assert project(set="Two")["set"].tolist() == ["Two"] * 2
    assert project(object="Tile")["object"].tolist() == ["Tile"] * 2
    assert project(object=[tile, "Floor"], set="One")["object"][::2].tolist() == ["Tile", "Floor"]
    assert project(frames=[]).shape == (0, 0)
    assert [*project(frames=[])] == COLUMNS
    assert project(camera=[])["x"].shape == (0,)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"camera": "Floor"}, "Floor is no camera"),
        ({"camera": "Nope"}, "there is no object 'Nope'"),
        ({"camera": 3}, "camera must be a list"),
        ({"camera": [3]}, "camera must be"),
        ({"camera": "Round"}, "panoramic"),
        ({"object": "Nope"}, "there is no object 'Nope'"),
        ({"object": "Camera"}, "no object has landmarks to project"),
        ({"object": 3}, "object must be a list"),
        ({"set": "Nope"}, "no object has a set 'Nope' of landmarks to project"),
        ({"object": "Floor", "set": "Nope"}, "'Floor' has no set 'Nope'"),
        ({"set": 3}, "set must be a text"),
        ({"frames": 3}, "frames must be a list"),
        ({"frames": ["x"]}, "must be a number"),
    ],
    ids=str,
)
def test_what_cannot_be_projected_is_refused_in_words(raypick, landmarks, given, message):
    floor = square("Floor")
    camera()
    camera("Round", type="PANO")
    bpy.context.view_layer.update()
    landmarks.add_many(bpy.context, object=floor, points=[(0.5, 0.5, 0)])
    bpy.context.scene.frame_set(3)
    with pytest.raises(raypick.api.RaypickError, match=message):
        landmarks.project(bpy.context, **given)
    assert bpy.context.scene.frame_current == 3


def test_without_landmarks_or_a_camera_there_is_nothing_to_project(raypick, landmarks):
    floor = square("Floor")
    bpy.context.view_layer.update()
    with pytest.raises(raypick.api.RaypickError, match="no object has landmarks"):
        landmarks.project(bpy.context)
    landmarks.add_many(bpy.context, object=floor, points=[(0.5, 0.5, 0)])
    with pytest.raises(raypick.api.RaypickError, match="the scene has no camera"):
        landmarks.project(bpy.context)


def test_a_camera_whose_frame_has_none_leaves_the_scene_at_its_frame(raypick, landmarks):
    floor = square("Floor")
    camera()
    bpy.context.view_layer.update()
    landmarks.add_many(bpy.context, object=floor, points=[(0.5, 0.5, 0)])

    def remove(scene, *_):
        if scene.frame_current == 5:
            scene.camera = None

    bpy.app.handlers.frame_change_post.append(remove)
    try:
        bpy.context.scene.frame_set(2)
        with pytest.raises(raypick.api.RaypickError, match="the scene has no camera"):
            landmarks.project(bpy.context, frames=[4, 5])
    finally:
        bpy.app.handlers.frame_change_post.remove(remove)
    assert bpy.context.scene.frame_current == 2
    assert bpy.context.scene.camera is not None


def test_keypoints_say_in_short_what_they_are(landmarks):
    floor = square("Floor")
    camera()
    bpy.context.view_layer.update()
    landmarks.add_many(bpy.context, object=floor, points=[(0.5, 0.5, 0)] * 2)
    shot = landmarks.project(bpy.context, frames=[1, 2, 3])
    assert repr(shot) == "<Keypoints 3 pictures, 2 landmarks, 6 visible>"
    assert isinstance(shot, landmarks.Keypoints)
    assert shot == shot
    assert shot != landmarks.project(bpy.context, frames=[1, 2, 3])
    assert {shot: 1}[shot] == 1
