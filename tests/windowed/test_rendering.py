# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders in a thread of Blender's while people go on working, and renders of ``blender -b``."""

import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import pytest

from standalone_core.tables import read_exr
from tests.windowed.sandbox import Sandbox

SCENE = """
import bpy, os
bpy.ops.wm.read_homefile(use_factory_startup=True)
scene, cube = bpy.context.scene, bpy.data.objects["Cube"]
for frame, x in ((1, 0.0), (20, 0.4)):
    cube.location.x = x
    cube.keyframe_insert("location", frame=frame)
render, settings = scene.render, scene.render.image_settings
render.engine, render.resolution_x, render.resolution_y = "RAYPICK", 320, 240
if hasattr(settings, "media_type"):
    settings.media_type = "MULTI_LAYER_IMAGE"
settings.file_format = "OPEN_EXR_MULTILAYER"
"""

START = """
from bl_ext.user_default.raypick import api
render.filepath, scene.frame_end = {there!r} + "/", 250
window, area, region, _ = viewport()
with bpy.context.temp_override(window=window, area=area, region=region):
    bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
result = None
"""

EDIT = """
if {number} % 3 == 0:
    other = bpy.data.objects.new("Other", cube.data.copy())
    other.location.x = 20
    scene.collection.objects.link(other)
elif {number} % 3 == 1:
    cube.location.y = {number} / 100
else:
    bpy.data.objects.remove(bpy.data.objects["Other"])
bpy.context.view_layer.update()
result = None
"""

DOWN = "[(hit.object, hit.face) for hit in api.ray_cast(bpy.context, (0.5, 0.1, 9), (0, 0, -1))]"
RENDERS = "bpy.app.is_job_running('RENDER')"


def pictures(folder):
    """Channels and header of all files by name; none is damaged or empty."""
    read = {path.name: read_exr(path) for path in sorted(folder.iterdir())}
    return {
        name: (channels, {key: text for key, text in texts.items() if key.startswith("raypick/")})
        for name, (channels, texts, *_) in read.items()
    }


@contextmanager
def rendering(blender, folder):
    """Render an animation meanwhile, in files of a folder; then end it with Esc."""
    with blender.lend(folder) as there:
        blender.py(SCENE)
        blender.redraw()
        blender.py(START.format(there=there))
        blender.wait(f"len(os.listdir({there!r})) > 2")
        yield there
        blender.xdo("mousemove", 200, 200, "key", "Escape")
        blender.wait(f"not {RENDERS}")
    assert 1 < len(pictures(folder)) < 250


@pytest.fixture
def folder(tmp_path):
    return tmp_path / tmp_path.name


def test_esc_ends_a_render_and_all_files_are_whole(blender_real_input, folder):
    with rendering(blender_real_input, folder):
        pass


def test_edits_and_picks_during_a_render_are_right(blender_real_input, folder):
    blender = blender_real_input
    blender.reset()
    seen = blender.py(f"from bl_ext.user_default.raypick import api\n{DOWN}")
    assert [name for name, _ in seen] == ["Cube"]
    with rendering(blender, folder):
        for number in range(30):
            blender.py(EDIT.format(number=number))
            assert blender.py(DOWN) == seen
    assert blender.py(DOWN) == seen


def test_an_add_on_that_is_disabled_stays_until_the_render_has_ended(blender_real_input, folder):
    blender = blender_real_input
    engines = (
        "[getattr(each, 'bl_idname', '') for each in bpy.types.RenderEngine.__subclasses__()"
        " if each.is_registered]"
    )
    with rendering(blender, folder) as there:
        blender.py(
            "import addon_utils\n"
            "addon_utils.disable('bl_ext.user_default.raypick')\n"
            f"before = len(os.listdir({there!r}))\nresult = None"
        )
        blender.wait(f"len(os.listdir({there!r})) > before + 1")
    blender.wait(f"'RAYPICK' not in {engines}")
    blender.py("addon_utils.enable('bl_ext.user_default.raypick')\nresult = None")
    assert "RAYPICK" in blender.py(engines)
    assert blender.py("[scene.render.engine, scene.view_layers[0].raypick.use_pass_face]") == [
        "RAYPICK",
        True,
    ]


def test_another_file_may_be_opened_during_a_render(blender_real_input, folder):
    blender = blender_real_input
    with blender.lend(folder) as there:
        blender.py(SCENE)
        blender.redraw()
        blender.py(START.format(there=there))
        blender.wait(f"len(os.listdir({there!r})) > 1")
        blender.reset()
        assert not blender.py(RENDERS)
        assert blender.py(DOWN)[0][0] == "Cube"
    assert pictures(folder)


# Without a window


class Farm:
    """A machine that renders a file with ``blender -b``."""

    def __init__(self, build, extension):
        self._sandbox, self._blender = Sandbox(build), build.executable
        self.folder = self._sandbox.make_folder("out")
        self._file = self._inside(self._sandbox.folder / "shot.blend")
        package = self._sandbox.folder / extension.name
        shutil.copyfile(extension, package)
        install = "install-file", "--repo", "user_default", "--enable", self._inside(package)
        self._sandbox.run(self._blender, "--command", "extension", *install, timeout=180)
        save = f"bpy.ops.wm.save_as_mainfile(filepath={self._file!r})"
        end = "scene.frame_end, render.use_overwrite = 20, False\n"
        self._sandbox.run(self._blender, "-b", "--python-expr", SCENE + end + save)

    def _inside(self, path):
        return self._sandbox.inside(path)

    def start(self, *options):
        """Render all frames."""
        out = self._inside(self.folder) + "/"
        command = self._blender, "-b", self._file, *options, "-o", out, "-a"
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return self._sandbox.start(*command, **streams)

    def render(self, *options):
        """Render all frames; return the exit code and what was said."""
        process = self.start(*options)
        said, _ = process.communicate(timeout=120)
        return process.returncode, said

    def close(self):
        self._sandbox.close()


@pytest.fixture(scope="module")
def farm(blender_build, extension_zip):
    made = Farm(blender_build, extension_zip)
    yield made
    made.close()


@pytest.fixture
def emptied(farm):
    for path in farm.folder.iterdir():
        path.unlink()
    return farm


def test_a_render_that_fails_ends_with_1_and_writes_nothing(emptied):
    options = "--python-expr", "import bpy; bpy.context.scene.camera.data.type = 'PANO'"
    code, said = emptied.render(*options)
    assert code == 1
    assert "Raypick: Camera is panoramic" in said
    assert "Traceback" not in said
    assert not [*emptied.folder.iterdir()]


def test_an_animation_that_is_interrupted_goes_on_to_equal_files(emptied):
    code, _ = emptied.render()
    whole = pictures(emptied.folder)
    assert code == 0
    assert len(whole) == 20
    for path in emptied.folder.iterdir():
        path.unlink()
    process = emptied.start()
    while not [*emptied.folder.iterdir()]:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    left = pictures(emptied.folder)
    assert process.returncode == (1 if len(left) < 20 else 0)
    assert "Traceback" not in said
    code, _ = emptied.render()
    assert code == 0
    again = pictures(emptied.folder)
    assert again.keys() == whole.keys()
    for name, (channels, header) in again.items():
        assert header == whole[name][1]
        for channel, values in channels.items():
            assert np.array_equal(values, whole[name][0][channel], equal_nan=True)
