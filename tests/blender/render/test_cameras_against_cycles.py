# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's cameras see what those of Cycles see: lenses, borders, and all views of a frame."""

import math

import bpy
import pytest

from tests.blender.scenes import link

from . import cycles
from .shapes import crowd, layer_collection, put_in


@pytest.fixture
def eye(raypick, rng):
    """Return a camera before many cubes."""
    obj = cycles.camera((1, -9, 2), (math.radians(78), 0.05, 0.1))
    crowd(rng)
    return obj


def lens(**settings):
    def change(obj):
        for name, value in settings.items():
            setattr(obj.data, name, value)

    return change


def picture(**settings):
    def change(_obj):
        for name, value in settings.items():
            setattr(bpy.context.scene.render, name, value)

    return change


TALL = {"resolution_x": 60, "resolution_y": 90}
BORDER = {"use_border": True, "border_min_x": 0.213, "border_max_x": 0.777}
BORDER |= {"border_min_y": 0.101, "border_max_y": 0.899}
CROP = {**BORDER, "use_crop_to_border": True}
ORTHO = {"type": "ORTHO", "ortho_scale": 7.0}

CAMERAS = {
    "horizontal fit of a tall picture": (picture(**TALL), lens(sensor_fit="HORIZONTAL")),
    "vertical fit": (lens(sensor_fit="VERTICAL", sensor_height=20.0),),
    "automatic fit of a tall picture": (picture(**TALL),),
    "vertical fit of a tall picture": (picture(**TALL), lens(sensor_fit="VERTICAL")),
    "shift": (lens(shift_x=0.13, shift_y=-0.07),),
    "shift of a tall picture": (picture(**TALL), lens(shift_x=0.13, shift_y=-0.07)),
    "orthographic": (lens(**ORTHO),),
    "orthographic, shifted, in a tall picture": (picture(**TALL), lens(**ORTHO, shift_x=0.2)),
    "a wide lens": (lens(lens=11.0),),
    "a third of the size": (picture(resolution_percentage=33, resolution_x=301),),
    "a border": (picture(**BORDER),),
    "a border, cropped": (picture(**CROP),),
    "a border of a shifted lens, cropped": (picture(**CROP), lens(shift_x=0.2, shift_y=0.1)),
    "a border of a part of the size": (picture(**CROP, resolution_percentage=77),),
    "a border with the corners that round": (
        picture(**CROP | {"border_min_x": 1 / 3, "border_max_x": 2 / 3, "border_max_y": 1.0}),
    ),
    "a border of an orthographic camera": (picture(**CROP), lens(**ORTHO, shift_y=-0.2)),
    "clip planes": (lens(clip_start=8.4, clip_end=10.3),),
    "clip planes of an orthographic camera": (lens(**ORTHO, clip_start=8.4, clip_end=10.3),),
}


@pytest.mark.parametrize("name", CAMERAS)
def test_a_camera(eye, check, name):
    for change in CAMERAS[name]:
        change(eye)
    check()


@pytest.mark.parametrize("where", ["excluded", "hidden", "nowhere"])
def test_a_camera_that_nothing_shows(eye, check, where):
    if where == "hidden":
        eye.hide_render, eye.visible_camera = True, False
    else:
        put_in("Away", eye)
    if where == "excluded":
        layer_collection("Away").exclude = True
    elif where == "nowhere":
        bpy.data.collections.remove(bpy.data.collections["Away"])
    check()


@pytest.mark.skipif((5, 0) <= bpy.app.version < (5, 2), reason="Blender 5.0 saves no such EXR")
@pytest.mark.parametrize("aspect", [(1.5, 1.0), (1.0, 1.7)], ids=["wide", "high"])
@pytest.mark.parametrize("fit", ["AUTO", "HORIZONTAL", "VERTICAL"])
def test_pixels_that_are_not_square(eye, check, aspect, fit):
    render = bpy.context.scene.render
    render.pixel_aspect_x, render.pixel_aspect_y = aspect
    lens(sensor_fit=fit, shift_x=0.1, shift_y=0.05)(eye)
    check()


def test_a_camera_that_is_scaled_parented_and_constrained(eye, check):
    parent = link(bpy.data.objects.new("Parent", None))
    parent.location, parent.rotation_euler, parent.scale = (1, 0, 0), (0.1, 0.2, 0.3), (2, 0.5, -1)
    eye.parent, eye.scale = parent, (0.3, 2.0, 1.5)
    limit = eye.constraints.new("TRACK_TO")
    limit.target = bpy.data.objects["C3"]
    limit.influence = 0.8
    check()


def test_a_camera_that_is_sheared(eye, check):
    parent = link(bpy.data.objects.new("Parent", None))
    parent.scale = 1.0, 1.6, 0.8
    eye.parent = parent
    check()


def test_cameras_of_markers(eye, check):
    scene = bpy.context.scene
    second = cycles.camera((-7, -6, 1), (1.4, 0, -0.8), name="Second", lens=35.0)
    for frame, obj in ((1, eye), (5, second)):
        scene.timeline_markers.new(obj.name, frame=frame).camera = obj
    scene.frame_set(7)
    found = check()
    assert found["ViewLayer", ""]
    assert scene.camera == second


@pytest.mark.parametrize(
    ("mode", "pivot"),
    [
        *(("OFFAXIS", "LEFT"), ("OFFAXIS", "RIGHT"), ("OFFAXIS", "CENTER")),
        *(("PARALLEL", "LEFT"), ("PARALLEL", "CENTER"), ("TOE", "RIGHT"), ("TOE", "CENTER")),
    ],
)
def test_stereoscopy(eye, check, mode, pivot):
    bpy.context.scene.render.use_multiview = True
    stereo = eye.data.stereo
    stereo.convergence_mode, stereo.pivot = mode, pivot
    stereo.interocular_distance, stereo.convergence_distance = 0.8, 7.0
    found = check()
    assert set(found) == {("ViewLayer", "left"), ("ViewLayer", "right")}


STEREO = {
    "tall": (picture(**TALL), lens(shift_x=0.1)),
    "vertical fit": (lens(sensor_fit="VERTICAL"),),
    "horizontal fit of a tall picture": (picture(**TALL), lens(sensor_fit="HORIZONTAL")),
    "orthographic": (lens(**ORTHO),),
    "cropped": (picture(**CROP),),
    "border": (picture(**BORDER),),
}


@pytest.mark.parametrize("name", STEREO)
def test_stereoscopy_of_other_pictures(eye, check, name):
    bpy.context.scene.render.use_multiview = True
    eye.data.stereo.interocular_distance, eye.data.stereo.convergence_distance = 0.8, 7.0
    for change in STEREO[name]:
        change(eye)
    check()


def test_cameras_of_views_with_other_lenses_and_a_view_that_is_off(eye, check):
    render = bpy.context.scene.render
    render.use_multiview, render.views_format = True, "MULTIVIEW"
    eye.name = "Cam_L"
    cycles.camera((3, -9, 1), (1.4, 0, 0.3), name="Cam_R", lens=30.0, shift_x=0.1)
    cycles.camera((0, 0, 9), name="Cam_T", type="ORTHO")
    cycles.camera((0, 0, 9), name="Cam_O")
    for name, suffix in (("left", "_L"), ("right", "_R")):
        render.views[name].camera_suffix = suffix
    for name, suffix in (("top", "_T"), ("off", "_O")):
        view = render.views.new(name)
        view.camera_suffix, view.use = suffix, name != "off"
    found = check()
    assert {view for _, view in found} == {"left", "right", "top"}
