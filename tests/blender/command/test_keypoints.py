# SPDX-License-Identifier: GPL-3.0-or-later
"""``landmarks --project``: keypoints of pictures, as tables, JSON and in COCO's layout."""

import csv
import json
import os

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from tests.blender.command.conftest import arrays, camera, saved
from tests.blender.heads import animate, head, mark
from tests.blender.scenes import collection_instance, square, suzanne


@pytest.fixture
def shot(raypick, tmp_path):
    """Save a file with an animated head, another one, a wall before it, and two cameras."""
    obj = head()
    animate(obj)
    mark(raypick, obj)
    other = suzanne()
    other.name = "Other"
    other.location = 2.5, 0.5, 0.5
    bpy.context.view_layer.update()
    mark(raypick, other, count=5, seed=1)
    mark(raypick, other, count=3, seed=2, set="Few")
    wall = square("Wall", size=1.5)
    wall.location, wall.rotation_euler = (2, -3, 0), (np.pi / 2, 0, 0)
    camera("Camera", (0.5, -9, 3), (48, 32))
    camera("Über/shot", (6, -6, 1))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    return saved(tmp_path / "shot.blend")


CAMERAS = "Camera", "Über/shot"


def expected(raypick, frames=(1, 10), **given):
    return raypick.api.landmarks.project(bpy.context, CAMERAS, frames, **given)


def project(type_in, path, *options):
    frames = "--frames", "1,10", "--camera", ",".join(CAMERAS)
    ran = type_in("landmarks", "--project", path, *frames, "--json", *options)
    assert ran.code == 0, ran.err
    return ran


def test_an_archive_has_what_the_api_says(raypick, shot, type_in):
    ran = project(type_in, "points.npz")
    found, keypoints = arrays("points.npz"), expected(raypick)
    for name, column in keypoints.items():
        own = found["landmark" if name == "name" else name]
        if column.dtype.kind == "U":
            texts = [*found[("landmark" if name == "name" else name) + "_names"], ""]
            own = np.array(texts)[own]
        assert np.array_equal(own, column, equal_nan=column.dtype.kind == "f"), name
    pictures = json.loads(str(found["meta"]))["pictures"]
    assert pictures == [each._asdict() for each in keypoints.pictures]
    counts = {name: int(keypoints[name].sum()) for name in ("inside", "visible")}
    sizes = {"frames": 2, "pictures": 4, "landmarks": 20, "missing": 0, "failed": []}
    assert ran.json == {"out": "points.npz", **sizes, **counts}
    assert 10 < counts["visible"] < counts["inside"] < 80
    assert "Wall" in found["hidden_by_names"]


def test_a_csv_has_a_row_for_each_landmark_and_picture(raypick, shot, type_in):
    project(type_in, "points.csv")
    with open("points.csv", encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    keypoints = expected(raypick)
    assert len(rows) == 80
    assert [row["landmark_name"] for row in rows] == keypoints["name"].tolist()
    assert [row["camera_name"] for row in rows] == keypoints["camera"].tolist()
    assert [row["hidden_by_name"] for row in rows] == keypoints["hidden_by"].tolist()
    assert [float(row["x"]) for row in rows] == keypoints["x"].tolist()


def test_json_has_columns_and_says_what_they_mean(raypick, shot, type_in):
    bpy.data.objects["Other"].hide_viewport = True
    project(type_in, "points.json")
    with open("points.json", encoding="utf-8") as file:
        found = json.load(file)
    keypoints = expected(raypick)
    assert "bottom left" in found["notes"]["x, y"]
    assert found["pictures"] == [each._asdict() for each in keypoints.pictures]
    assert found["columns"].keys() == {*keypoints}
    for name, column in keypoints.items():
        told = [np.nan if each is None else each for each in found["columns"][name]]
        assert np.array_equal(told, column, equal_nan=column.dtype.kind == "f"), name
    assert None in found["columns"]["x"]


def test_objects_sets_frames_and_markers_are_taken_as_asked(raypick, shot, type_in):
    ran = project(type_in, "a.npz", "--object", "Other", "--set", "Few")
    assert (ran.json["landmarks"], ran.json["pictures"]) == (3, 4)
    scene = bpy.context.scene
    for frame, name in ((1, CAMERAS[0]), (10, CAMERAS[1])):
        scene.timeline_markers.new(name, frame=frame).camera = scene.objects[name]
    ran = type_in("landmarks", "--project", "b.npz", "--frames", "scene", "--step", "5", "--json")
    assert ran.json["pictures"] == 4
    found = arrays("b.npz")
    cameras = found["camera_names"][found["camera"]].reshape(4, -1)[:, 0]
    assert cameras.tolist() == [CAMERAS[0], CAMERAS[0], CAMERAS[1], CAMERAS[1]]
    assert found["frame"].reshape(4, -1)[:, 0].tolist() == [1, 6, 11, 16]
    assert type_in("landmarks", "--project", "c.csv", "--json").json["frames"] == 1


def coco(type_in, *options, path="points.coco.json"):
    project(type_in, path, *options)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def test_in_cocos_layout_there_is_an_annotation_for_each_set_of_an_object_in_a_picture(
    raypick, shot, type_in
):
    found, keypoints = coco(type_in), expected(raypick)
    for kind in ("images", "annotations", "categories"):
        ids = [each["id"] for each in found[kind]]
        assert ids == [*range(1, len(ids) + 1)]
    assert [(each["camera"], each["frame"]) for each in found["images"]] == [
        (name, frame) for frame in (1, 10) for name in CAMERAS
    ]
    assert [each["file_name"] for each in found["images"]][::2] == [
        "Camera_0001.png",
        "Camera_0010.png",
    ]
    assert {(each["width"], each["height"]) for each in found["images"]} == {(48, 32)}
    assert [each["name"] for each in found["categories"]] == ["Face", "Few"]
    assert [len(each["keypoints"]) for each in found["categories"]] == [12, 3]
    assert all(each["skeleton"] == [] for each in found["categories"])
    images = {each["id"]: each for each in found["images"]}
    categories = {each["id"]: each for each in found["categories"]}
    marks = {}
    for each in found["annotations"]:
        image, category = images[each["image_id"]], categories[each["category_id"]]
        points = np.reshape(each["keypoints"], (-1, 3))
        assert len(points) == len(category["keypoints"])
        assert each["num_keypoints"] == (points[:, 2] > 0).sum()
        assert each["iscrowd"] == 0
        for name, point in zip(category["keypoints"], points.tolist(), strict=True):
            key = image["frame"], image["camera"], each["object"], category["name"], name
            assert key not in marks
            marks[key] = point
    names = ("frame", "camera", "object", "set", "name", "x", "y", "inside", "visible")
    for *key, x, y, inside, visible in zip(*(keypoints[name] for name in names), strict=True):
        point = marks.pop(tuple(key), [0, 0, 0])
        assert point[2] == int(inside) + int(visible)
        assert point[:2] == ([x, 32 - y] if inside else [0, 0])
    assert {tuple(point) for point in marks.values()} == {(0, 0, 0)}  # that the object lacks
    flags = [flag for each in found["annotations"] for flag in each["keypoints"][2::3]]
    assert {*flags} == {0, 1, 2}


def test_boxes_are_around_the_vertices_that_are_in_the_picture(raypick, shot, type_in):
    found = coco(type_in)
    names = {each["id"]: each for each in found["images"]}
    compared = 0
    for each in found["annotations"]:
        image, obj = names[each["image_id"]], bpy.data.objects[each["object"]]
        bpy.context.scene.frame_set(image["frame"])
        seer = bpy.data.objects[image["camera"]]
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = [evaluated.matrix_world @ vertex.co for vertex in evaluated.data.vertices]
        seen = [world_to_camera_view(bpy.context.scene, seer, place) for place in world]
        assert min(place.z for place in seen) > 0.1
        x, y = np.array([(place.x * 48, 32 - place.y * 32) for place in seen]).T
        left, right = np.clip([x.min(), x.max()], 0, 48)
        top, bottom = np.clip([y.min(), y.max()], 0, 32)
        expected = [left, top, right - left, bottom - top]
        assert each["bbox"] == pytest.approx(expected, abs=1e-4)
        assert each["area"] == pytest.approx(each["bbox"][2] * each["bbox"][3])
        compared += 1
    assert compared > 8


def test_of_what_is_partly_behind_the_camera_the_box_is_around_what_it_shows(raypick, type_in):
    floor = square("Floor", size=10.0)
    floor.location = -5, -5, 0
    seer = camera("Camera", (0, -2, 1), (40, 40))
    seer.constraints.clear()
    seer.rotation_euler = np.pi / 2, 0, 0  # level: the floor reaches from below to the horizon
    bpy.context.view_layer.update()
    raypick.api.landmarks.add_many(bpy.context, object=floor, points=[(0, 2, 0)])
    type_in("landmarks", "--project", "a.coco.json")
    with open("a.coco.json", encoding="utf-8") as file:
        (each,) = json.load(file)["annotations"]
    left, top, width, height = each["bbox"]
    far = world_to_camera_view(bpy.context.scene, seer, Vector((0, 5, 0)))
    assert (left, width) == (0, 40)
    assert top == pytest.approx(40 * (1 - far.y), abs=1e-4)
    assert top + height == 40


def test_what_is_not_in_the_picture_has_no_annotation(raypick, shot, type_in):
    bpy.data.objects["Other"].location.x = 30
    bpy.data.objects["Head"].hide_viewport = True
    found = coco(type_in)
    assert len(found["images"]) == 4
    assert found["annotations"] == []
    assert [len(each["keypoints"]) for each in found["categories"]] == [12, 3]


def test_the_format_and_the_names_of_pictures_may_be_given(shot, type_in):
    found = coco(type_in)
    given = "--format", "coco", "--images", "renders/{camera}/{frame}.jpg"
    named = coco(type_in, *given, path="keypoints.json")
    files = [each["file_name"] for each in named["images"]]
    assert files[0] == "renders/Camera/0001.jpg"
    assert len({*files}) == 4
    assert files[1].isprintable()
    assert "/shot" not in files[1]  # as `survey` calls the camera
    assert named["annotations"] == found["annotations"]


def test_a_run_that_is_asked_to_end_leaves_no_file(shot, type_in, module, monkeypatch):
    checks = iter([None])
    interruption = module("talk").Interruption

    def check(_self):
        if next(checks, "end") == "end":
            raise KeyboardInterrupt

    monkeypatch.setattr(interruption, "check", check)
    assert type_in("landmarks", "--project", "a.coco.json", "--frames", "1-20").code == 130
    assert os.listdir(".") == ["shot.blend"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--project", "a.txt"], 2, "a.txt must end in .npz or .csv or .parquet or .json"),
        (["--project", "no/a.csv"], 2, "there is no folder no"),
        (["--project", "a.csv", "--format", "coco"], 2, "must end in .json"),
        (["--project", "a.json", "--format", "csv"], 2, "csv needs --export"),
        (["--export", "a.json", "--format", "coco"], 2, "coco needs --project"),
        (["--track", "a.csv", "--camera", "Camera"], 2, "--camera: it needs --project"),
        (["--project", "a.csv", "--list"], 2, "not allowed"),
        (["--project", "a.csv", "--camera", "Nope"], 1, "no camera 'Nope'"),
        (["--project", "a.csv", "--camera", "Head"], 1, "'Head' is no camera"),
        (["--project", "a.csv", "--object", "Nope"], 1, "Nope"),
        (["--project", "a.csv", "--set", "Nope"], 1, "Nope"),
        (["--project", "a.csv", "--json", "a.csv"], 2, "--json would replace --project"),
        (["--project", "shot.blend.json", "--out", "b.blend"], 2, "--import"),
    ],
    ids=str,
)
def test_wrong_usage_says_what_is_wrong(shot, type_in, options, code, said):
    ran = type_in("landmarks", *options)
    assert said in ran.err
    assert ran.code == code
    assert os.listdir(".") == ["shot.blend"]


def test_the_scene_has_its_frame_and_camera_again(shot, type_in):
    scene = bpy.context.scene
    scene.timeline_markers.new("B", frame=5).camera = scene.objects[CAMERAS[1]]
    scene.frame_set(7, subframe=0.5)
    scene.camera = scene.objects[CAMERAS[0]]
    assert type_in("landmarks", "--project", "a.csv", "--frames", "1-10").code == 0
    assert (scene.frame_current, scene.frame_subframe) == (7, 0.5)
    assert scene.camera.name == CAMERAS[0]


def test_landmarks_of_instances_that_come_and_go_are_in_all_pictures(
    raypick, shot, type_in, tmp_path
):
    guest = suzanne()
    guest.name = "Guest"
    mark(raypick, guest, count=4, seed=3)
    collection_instance(guest, (-2.0, 0.0, 0.0))
    bpy.data.collections["Instanced"].use_fake_user = True
    saved(tmp_path / "guest.blend")

    def come_and_go(scene, _depsgraph):
        group = bpy.data.collections["Instanced"] if scene.frame_current < 5 else None
        bpy.data.objects["Instancer"].instance_collection = group

    bpy.app.handlers.frame_change_pre.append(come_and_go)
    try:
        ran = project(type_in, "points.coco.json")
    finally:
        bpy.app.handlers.frame_change_pre.remove(come_and_go)
    assert (ran.json["pictures"], ran.json["landmarks"]) == (4, 24)
    with open("points.coco.json", encoding="utf-8") as file:
        content = json.load(file)
    marked = [each["object"] for each in content["annotations"] if each["image_id"] == 4]
    assert {*marked} == {"Head", "Other"}
