# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever fails in a render is an error in one line, and leaves no wrong file behind."""

import importlib
import itertools
import os
import signal
import sys

import bpy
import numpy as np
import pytest

from standalone_core.tables import read_exr
from tests.blender.command.conftest import camera
from tests.blender.conftest import PACKAGE
from tests.blender.scenes import mesh_object, square

EXCEPTIONS = (
    *(RuntimeError, MemoryError, KeyboardInterrupt, SystemExit, ReferenceError, RecursionError),
)
STEPS = (
    *("add_pass", "begin_result", "end_result", "get_result", "test_break", "update_progress"),
    *("active_view_set", "camera_model_matrix", "register_pass"),
)
OURS = ("/render/engine.py", "/render/files.py", "/render/settings.py", "/bridge/render/")


def part(name):
    """A module of the add-on."""
    return importlib.import_module(f"{PACKAGE}.{name}")


@pytest.fixture
def shot(raypick, tmp_path):
    """Two squares before a camera, 8 x 6 pixels, rendered to multilayer files of this test."""
    square("Front", size=2.0).rotation_euler.x = np.pi / 2
    square("Back", size=3.0).location.y = 1.0
    camera(resolution=(8, 6))
    scene = bpy.context.scene
    render = scene.render
    render.engine, render.filepath = "RAYPICK", os.fspath(tmp_path / "shot")
    render.use_placeholder, scene.frame_end = True, 3
    choose_format(render, "OPEN_EXR_MULTILAYER")
    return scene


def choose_format(render, name):
    settings = render.image_settings
    if bpy.app.version >= (5, 0):
        kinds = {"OPEN_EXR_MULTILAYER": "MULTI_LAYER_IMAGE", "FFMPEG": "VIDEO"}
        settings.media_type = kinds.get(name, "IMAGE")
    settings.file_format = name


def more_pictures(scene):
    """Two view layers of two views each."""
    scene.view_layers.new("Second")
    scene.render.use_multiview = True
    scene.render.views_format = "STEREO_3D"
    scene.render.image_settings.views_format = "MULTIVIEW"


def rendered(animation=False):
    """What Blender says about a render: nothing if all is well."""
    try:
        bpy.ops.render.render(animation=animation, write_still=not animation)
    except RuntimeError as error:
        return str(error).removeprefix("Error: ").rstrip("\n")
    return ""


def pictures(folder):
    """The channels of all files by name; none is damaged or empty."""
    return {path.name: read_exr(path).channels for path in sorted(folder.iterdir())}


def assert_equal(some, expected):
    """All files are among those expected, and have the same channels."""
    for name, channels in some.items():
        assert channels.keys() == expected[name].keys()
        for channel, values in channels.items():
            assert np.array_equal(values, expected[name][channel], equal_nan=True), channel


def emptied(folder):
    for path in folder.iterdir():
        path.unlink()


class FailAt:
    """Raises an exception where Python is about to run the n-th line of the engine."""

    def __init__(self, error, number=0):
        self._error, self._number, self.lines = error, number, 0

    def __call__(self, frame, event, _argument):
        name = frame.f_code.co_filename.replace(os.sep, "/")
        if PACKAGE.rpartition(".")[2] not in name or not any(each in name for each in OURS):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self._number:
                raise self._error("in the middle")
        return self

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)


@pytest.mark.parametrize(
    ("animation", "error", "every"),
    [(False, MemoryError, 1), (False, KeyboardInterrupt, 7), (True, RuntimeError, 53)],
)
def test_an_exception_at_any_line_fails_or_the_picture_is_right(
    shot, tmp_path, capfd, animation, error, every
):
    if animation:
        more_pictures(shot)
    with FailAt(error) as counted:
        assert rendered(animation) == ""
    expected = pictures(tmp_path)
    outcomes = set()
    for number in range(1, counted.lines, every):
        emptied(tmp_path)
        capfd.readouterr()
        with FailAt(error, number):
            said = rendered(animation)
        left = pictures(tmp_path)
        assert_equal(left, expected)
        assert (len(left) < len(expected)) == (said != "")
        assert "\n" not in said
        # What comes where Python is not within the engine's own care is printed by Blender.
        is_caught = said not in ("", "Raypick: A view layer was left out")
        assert is_caught <= ("Traceback" not in capfd.readouterr().err)
        outcomes.add(is_caught)
    assert True in outcomes


def failing(step, error, number):
    """Has a function that Blender gives to engines fail at one of its calls."""
    calls = itertools.count()

    def attribute(self, name):
        if name == step and next(calls) == number:
            raise error("in the middle")
        return bpy.types.RenderEngine.__getattribute__(self, name)

    return attribute


@pytest.mark.parametrize("call", [0, 1], ids=["first", "later"])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_fails_ends_the_render(shot, tmp_path, monkeypatch, capfd, step, call):
    engine = part("render.engine").RaypickEngine
    more_pictures(shot)
    for error in EXCEPTIONS:
        with monkeypatch.context() as patched:
            patched.setattr(engine, "__getattribute__", failing(step, error, call), raising=False)
            said = rendered(animation=True)
        assert said.startswith("Raypick: ")
        assert "\n" not in said
        assert not [*tmp_path.iterdir()]
        assert "Traceback" not in capfd.readouterr().err
    assert rendered() == ""


def test_an_animation_ends_at_the_frame_that_fails(shot, tmp_path, monkeypatch):
    assert rendered(animation=True) == ""
    expected = pictures(tmp_path)
    emptied(tmp_path)
    engine = part("render.engine").RaypickEngine
    keep, kept = engine._keep, []

    def fails(self, picture):
        kept.append(picture.told()["frame"])
        keep(self, picture)
        if kept[-1] == 2:
            raise OSError("in the middle")

    with monkeypatch.context() as patched:
        patched.setattr(engine, "_keep", fails)
        assert rendered(animation=True) == "Raypick: in the middle"
    assert kept == [1, 2]
    assert [*pictures(tmp_path)] == ["shot0001.exr"]
    shot.render.use_overwrite = False
    assert rendered(animation=True) == ""
    left = pictures(tmp_path)
    assert len(left) == 3
    assert_equal(left, expected)


def test_a_later_view_layer_is_not_tried_after_an_error(shot, monkeypatch):
    shot.view_layers.new("Second")
    tried = []

    def fails(*_):
        tried.append(True)
        raise OSError("in the middle")

    monkeypatch.setattr(part("render.engine").RaypickEngine, "_rendered", fails)
    assert rendered() == "Raypick: in the middle"
    assert len(tried) == 1


# What the scene has


def no_layer(scene):
    scene.view_layers[0].use = False


def panoramic(scene):
    scene.camera.data.type = "PANO"


def no_camera(scene):
    scene.camera = bpy.data.objects["Front"]


def flat_camera(scene):
    scene.camera.scale = (0.0, 1.0, 1.0)


def a_png(scene):
    choose_format(scene.render, "PNG")


def one_layer(scene):
    choose_format(scene.render, "OPEN_EXR")


def lossy(scene):
    scene.render.image_settings.exr_codec = "DWAA"


def texts(scene):
    bpy.data.objects["Front"].data.attributes.new("Words", "STRING", "FACE")
    scene.view_layers[0].raypick.attributes.add().name = "Words"


def long_number(scene):
    attribute = bpy.data.objects["Front"].data.attributes.new("Number", "INT", "FACE")
    attribute.data[0].value = 2**24 + 1
    scene.view_layers[0].raypick.attributes.add().name = "Number"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (no_layer, "No view layer is used for rendering"),
        (panoramic, "Camera is panoramic: use a perspective or an orthographic camera"),
        (no_camera, "Front is no camera"),
        (flat_camera, "the camera's matrix has a column of zeros: it cannot be inverted"),
        (a_png, "PNG files hold Combined alone: the passes need OpenEXR MultiLayer"),
        (one_layer, "OPEN_EXR files hold Combined alone: the passes need OpenEXR MultiLayer"),
        (lossy, "The codec DWAA is not exact, or not one that Raypick reads: ZIP is"),
        (texts, "the attribute 'Words' of Front has texts"),
        (
            long_number,
            "attribute:Number 16777217 has no room in a picture, which is exact up to 16777215: "
            "use raypick survey, whose .npz files have all digits",
        ),
    ],
)
def test_what_cannot_be_rendered_is_said(shot, tmp_path, change, words):
    change(shot)
    assert rendered() == f"Raypick: {words}"
    assert not [*tmp_path.iterdir()]


def no_view(scene):
    more_pictures(scene)
    scene.render.views_format = "MULTIVIEW"
    for view in scene.render.views:
        view.use = False


def lines_of_freestyle(scene):
    scene.render.use_freestyle = True
    (lines,) = scene.view_layers[0].freestyle_settings.linesets or [
        scene.view_layers[0].freestyle_settings.linesets.new("Lines")
    ]
    lines.linestyle = bpy.data.linestyles.new("Lines")


def nothing(_scene):
    bpy.data.batch_remove([each for each in bpy.data.objects if each.type == "MESH"])


def not_a_number(_scene):
    bpy.data.objects["Front"].data.vertices[0].co.x = np.nan


def broken(_scene):
    strange = mesh_object("Strange", [(0, 0, 0), (1, 0, 0), (1, 0, 1)], [(0, 1, 2), (0, 1, 2)])
    strange.data.loops[0].vertex_index = 2


def camera_elsewhere(scene):
    scene.collection.objects.unlink(scene.camera)


def blurred(scene):
    render = scene.render
    render.use_motion_blur = render.film_transparent = render.use_stamp = True


@pytest.mark.parametrize(
    "change",
    [no_view, lines_of_freestyle, nothing, not_a_number, broken, camera_elsewhere, blurred],
)
def test_what_is_odd_is_rendered(shot, tmp_path, capfd, change):
    change(shot)
    assert rendered() == ""
    (channels,) = pictures(tmp_path).values()
    assert channels["ViewLayer.Face.X"].shape == (6, 8)
    assert channels["ViewLayer.Face.X"].any() == (change is not nothing)
    assert "rror" not in capfd.readouterr().err


@pytest.mark.parametrize("letters", [53, 54])
def test_names_are_whole_or_refused(shot, tmp_path, letters):
    """Before Blender 5.0, files have room for 64 bytes of ``LAYER.Combined.R``."""
    layer = shot.view_layers[0]
    layer.name = "é" * (letters // 2) + "x" * (letters % 2)
    for use in part("render.settings").USES:
        setattr(layer.raypick, use, use == "use_pass_front")
    said = rendered()
    if letters == 53 or bpy.app.version >= (5, 0):
        assert said == ""
        (channels,) = pictures(tmp_path).values()
        assert {f"{layer.name}.{name}" for name in ("Front.X", "Combined.R")} <= channels.keys()
    else:
        assert "is too long a name for this Blender" in said
        assert not [*tmp_path.iterdir()]


def test_a_handler_cannot_have_blender_render_within_a_render(shot, tmp_path, raypick):
    """Blender itself would crash."""
    said = []

    def ask(*_):
        with pytest.raises(raypick.standalone_core.RaypickError) as caught:
            raypick.api.survey(bpy.context, visibility="render")
        said.append(str(caught.value))

    bpy.app.handlers.frame_change_post.append(ask)
    try:
        assert rendered() == ""
    finally:
        bpy.app.handlers.frame_change_post.remove(ask)
    assert said
    assert {*said} == {"a render is going on: ask when it has ended"}
    assert len(pictures(tmp_path)) == 1
    assert raypick.api.survey(bpy.context, visibility="render").hit.any()


# Ctrl-C in the module bpy: Blender as a program sees to it itself


@pytest.mark.skipif(not hasattr(os, "kill") or os.name == "nt", reason="there is no such signal")
def test_ctrl_c_between_frames_ends_an_animation(shot, tmp_path):
    def press(*_):
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may ignore it
    bpy.app.handlers.render_write.append(press)
    try:
        assert rendered(animation=True) == "Raypick: interrupted"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        bpy.app.handlers.render_write.remove(press)
        signal.signal(signal.SIGINT, before)
    assert [*pictures(tmp_path)] == ["shot0001.exr"]
    assert rendered(animation=True) == ""
    assert len(pictures(tmp_path)) == 3
