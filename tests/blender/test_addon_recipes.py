# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipes of docs/addons that run without a window: the check, and the LiDAR."""

import runpy
import sys

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from checkout import ROOT

from .scenes import collection_instance, instance_on_points, link, mesh_object, square

RECIPES = ROOT / "docs" / "addons"
PROPERTIES = {"float": "<f4", "int": "<i4"}


def cube(name, location=(0, 0, 0), size=1.0, flipped=False):
    """A cube around a place, whose faces point outward, or inward."""
    bpy.ops.mesh.primitive_cube_add(size=size, location=location)
    obj = bpy.context.object
    obj.name = obj.data.name = name
    if flipped:
        obj.data.flip_normals()
    return obj


def empty(name, location):
    made = link(bpy.data.objects.new(name, None))
    made.location = location
    return made


def camera(location, rotation=(0, 0, 0)):
    made = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    made.location, made.rotation_euler = location, Euler(rotation)
    bpy.context.scene.camera = made
    bpy.context.scene.render.resolution_x = bpy.context.scene.render.resolution_y = 40
    return made


def run(recipe, monkeypatch, *arguments):
    """Run a script as Blender runs it, with what stands behind the two dashes."""
    monkeypatch.setattr(sys, "argv", ["blender", "--python", recipe, "--", *map(str, arguments)])
    runpy.run_path(str(RECIPES / recipe), run_name="__main__")


@pytest.fixture
def check(raypick, tmp_path, monkeypatch, capsys):
    """Return a function that checks the scene, saved as a file: the exit status, and the lines."""
    floor = square("Floor", size=20.0)
    floor.location = -10, -10, 0
    empty("Start", (0, -5, 1))

    def checked():
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            run("check.py", monkeypatch, "Floor", "Start")
        return end.value.code, capsys.readouterr().out.splitlines()

    return checked


def test_the_check_finds_nothing_in_a_level_that_is_well(check):
    cube("Crate", (2, 0, 0.5))  # it stands on the floor
    cube("Door Left", (0, 5, 1))
    camera((0, 0, 9))
    assert check() == (0, [""])


def test_the_check_names_what_is_sunk_also_an_instance_and_what_nodes_make(check):
    cube("Crate", (2, 0, 0.49))
    collection_instance(cube("Barrel"), (5, 0, 0.2))
    points = mesh_object("Points", [(-5, 0, 0.25), (-7, 0, 3)], [])
    instance_on_points(points)
    status, lines = check()
    sunk = ["Barrel (Instancer 0)", "Crate", "Points (Points 0, 0)"]
    assert (status, lines) == (1, [f"{name} is sunk in Floor" for name in sunk])


def test_the_check_names_what_cameras_see_from_behind(check):
    cube("Crate", (2, 0, 0.5), flipped=True)
    cube("Box", (-2, 0, 0.5))
    camera((0, 0, 9))
    assert check() == (1, ["Camera sees Crate from behind"])


def test_the_check_names_doors_behind_a_wall(check):
    cube("Door Left", (0, 5, 1))
    cube("Door Right", (6, 5, 1))
    cube("Wall", (0, 0, 1), size=2.0)
    assert check() == (1, ["Door Left is out of sight of Start"])


def on_the_floor(obj):
    """Move an object's origin to the height 0, and its mesh the other way."""
    obj.data.transform(Matrix.Translation((0, 0, obj.location.z)))
    obj.location.z = 0
    return obj


@pytest.mark.parametrize("start", [None, (0, -5, 1), (0, -5, 0)], ids=["empty", "mesh", "low mesh"])
def test_a_door_in_plain_sight_is_none_though_origins_are_on_the_floor(check, start):
    if start is not None:
        bpy.data.objects.remove(bpy.data.objects["Start"])
        cube("Start", (0, -5, 1))
    if start == (0, -5, 0):
        on_the_floor(bpy.data.objects["Start"])
    on_the_floor(cube("Door Left", (0, 5, 1)))
    empty("Door of a Marker", (2, 5, 0))
    assert check() == (0, [""])
    cube("Wall", (0, 0, 1), size=2.0).scale = 4, 1, 1
    doors = ["Door Left", "Door of a Marker"]
    assert check() == (1, [f"{door} is out of sight of Start" for door in doors])


@pytest.mark.parametrize("ceiling", [-0.2, -50])
def test_a_basement_is_not_sunk(check, ceiling):
    cube("Basement", (0, 0, ceiling - 2), size=4.0, flipped=True)
    cube("Crate", (1, 0, ceiling - 3.5))
    assert check() == (0, [""])


@pytest.mark.parametrize("way", ["excluded", "hidden", "disabled", "panoramic"])
def test_cameras_that_see_nothing_do_not_end_the_check(check, way):
    cube("Crate", (2, 0, 0.5), flipped=True)
    camera((0, 0, 9))
    other = camera((0, 0, 9))
    bpy.context.scene.camera = bpy.data.objects["Camera"]
    if way == "excluded":
        collection = bpy.data.collections.new("Unused")
        bpy.context.scene.collection.children.link(collection)
        collection.objects.link(other)
        bpy.context.scene.collection.objects.unlink(other)
        bpy.context.view_layer.layer_collection.children["Unused"].exclude = True
    elif way == "disabled":
        other.hide_viewport = True
    elif way == "panoramic":
        other.data.type = "PANO"
    lines = ["Camera sees Crate from behind", "Camera.001 sees Crate from behind"]
    if way == "hidden":  # by the eye in the outliner, which concerns the view alone
        other.hide_set(True)
    assert check() == (1, lines if way == "hidden" else lines[:1])


def test_the_check_ends_with_another_status_if_there_is_no_file(raypick, monkeypatch):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with pytest.raises(SystemExit, match="2"):
        run("check.py", monkeypatch, "Floor", "Start")


def test_the_check_fails_by_an_error_if_the_floor_is_unknown(check, monkeypatch):
    """For which ``--python-exit-code 2`` has Blender end with 2."""
    bpy.data.objects["Floor"].name = "Ground"
    with pytest.raises(ValueError, match="Floor"):
        check()


def read_ply(path):
    """The points of a file, as an array with the names of its properties, and its comments."""
    head, _, body = path.read_bytes().partition(b"end_header\n")
    lines = [line.split() for line in head.decode().splitlines()]
    kinds = [(line[2], PROPERTIES[line[1]]) for line in lines if line[0] == "property"]
    count = next(int(line[2]) for line in lines if line[0] == "element")
    points = np.frombuffer(body, kinds)
    assert len(points) == count
    return points, [" ".join(line[1:]) for line in lines if line[0] == "comment"]


@pytest.fixture
def street(raypick):
    """A sensor that drives along x between two walls, and a box, over two frames."""
    sensor = cube("Sensor", (0, 0, 2), size=0.2)
    sensor.driver_add("location", 0).driver.expression = "3 * (frame - 1)"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 2
    mesh_object("Wall", [(-50, 5, 0), (50, 5, 0), (50, 5, 9), (-50, 5, 9)], [(0, 1, 2, 3)])
    collection_instance(cube("Box", size=2.0), (3, -4, 2))


def test_the_lidar_sees_what_a_moving_sensor_sees(street, tmp_path, monkeypatch):
    run("lidar.py", monkeypatch, "Sensor", tmp_path / "scan.ply")
    points, comments = read_ply(tmp_path / "scan.ply")
    place = np.stack([points[axis] for axis in "xyz"], axis=-1).astype(float)
    names = [comment.split()[-1].strip("'") for comment in comments]
    of = {name: points["object"] == number for number, name in enumerate(names)}
    assert of["Wall"].sum() + of["Box"].sum() == len(points) > 10_000
    assert np.abs(place[of["Wall"], 1] - 5).max() < 1e-5
    assert of["Box"].sum() > 100
    on_box = np.abs(place[of["Box"]] - (3, -4, 2)).max(axis=1)
    assert np.abs(on_box - 1).max() < 1e-5


def test_the_intensity_is_that_of_the_angle(street, tmp_path, monkeypatch):
    """Of the places where the sensor may have been as it saw a point of the wall, one explains it.

    The sensor was at (x, 0, 2) at that time, with x from 0 to 6, and the wall is the plane y = 5.
    """
    run("lidar.py", monkeypatch, "Sensor", tmp_path / "scan.ply")
    points, _ = read_ply(tmp_path / "scan.ply")
    wall = points[points["y"] > 4.9]
    sensors = np.arange(24) / 24 * 6  # two frames of twelve steps
    gaps = np.hypot(wall["x"][:, None] - sensors, wall["z"][:, None] - 2)
    cosines = 5 / np.hypot(gaps, 5)
    assert np.abs(cosines - wall["intensity"][:, None]).min(axis=1).max() < 1e-4
