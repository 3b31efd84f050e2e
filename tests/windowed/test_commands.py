# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of Blender's own executable, typed as a new user types them after the manual."""

import json
import os
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

from standalone_core.distributed import SurveyTask
from tests.interruptible import interruptible
from tests.windowed.sandbox import Sandbox

SCENE = """
import bpy
bpy.ops.wm.read_homefile(use_factory_startup=True)
cube, camera = bpy.data.objects["Cube"], bpy.data.objects["Camera"]
bpy.ops.mesh.primitive_monkey_add(location=(2, 0, 0))
bpy.context.object.modifiers.new("Subdivision", "SUBSURF").levels = 3
for frame, angle in ((1, 0.0), (60, 6.0)):
    cube.rotation_euler.z = angle
    cube.keyframe_insert("rotation_euler", frame=frame)
second = camera.copy()
second.name = "Side"
second.location.x = -7
second.constraints.new("TRACK_TO").target = cube
bpy.context.scene.collection.objects.link(second)
bpy.context.scene.render.resolution_x, bpy.context.scene.render.resolution_y = 320, 200
bpy.ops.wm.save_as_mainfile(filepath={path!r})
"""

ASK = """
import bpy, numpy
from bl_ext.user_default.raypick import api
rays = numpy.load({rays!r})
hits = []
for origin, direction in zip(rays["origins"], rays["directions"]):
    hits.append(api.ray_cast(bpy.context, origin, direction))
numpy.savez({out!r},
    face=[hit[0].face if hit else -1 for hit in hits],
    barycentric=[hit[0].barycentric if hit else [numpy.nan] * 3 for hit in hits],
    point=[hit[0].point if hit else [numpy.nan] * 3 for hit in hits])
bpy.context.scene.frame_set(17)
seen = api.survey(bpy.context, "Side", columns=["object", "face", "barycentric", "uv", "depth"])
numpy.savez({shot!r}, **seen)
"""

SURVEY = "survey", "--camera", "Camera,Side", "--passes", "id,face,weights,uv,depth"


class Shell:
    """Where a user types: a folder, with the extension installed in Blender."""

    def __init__(self, build, extension):
        self._sandbox, self.blender = Sandbox(build), build.executable
        self.folder = self._sandbox.make_folder("work")
        package = self.folder / extension.name
        shutil.copyfile(extension, package)
        install = "install-file", "--repo", "user_default", "--enable", self.path(package.name)
        self._sandbox.run(self.blender, "--command", "extension", *install, timeout=180)
        self.script(SCENE.format(path=self.path("scene.blend")))

    def path(self, name):
        """A file of the folder, as programs see it."""
        return self._sandbox.inside(self.folder / name)

    def script(self, text, *before):
        """Run a script in Blender."""
        options = "--background", "--python-exit-code", "1", "--python-expr", text
        return self._sandbox.run(self.blender, *before, *options, timeout=180)

    def start(self, *argv, before=None, **streams):
        """Start Blender with a command; files of the folder are named by ``@``."""
        before = ["@scene.blend"] if before is None else before
        command = [*before, "--command", "raypick", *argv]
        named = [self.path(each[1:]) if each.startswith("@") else each for each in command]
        with interruptible():
            return self._sandbox.start(self.blender, *named, **streams)

    def run(self, *argv, before=None):
        """Run a command to its end; return its exit code, the output and the error output."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = self.start(*argv, before=before, **pipes)
        out, err = (each.decode() for each in process.communicate(timeout=300))
        assert "Traceback" not in out + err
        return process.returncode, out, err

    def do(self, task):
        """Run the command line of a task on Dask; return what it reported."""
        report = self.folder / "report.json"
        command = task.command(1, self.path(report.name))
        self._sandbox.run(*command, timeout=300)
        return json.loads(report.read_text(encoding="utf-8"))

    def close(self):
        self._sandbox.close()


def told(out):
    """The line of JSON on the output."""
    (line,) = [line for line in out.splitlines() if line.startswith("{")]
    return json.loads(line)


@pytest.fixture(scope="module")
def shell(blender_build, extension_zip):
    """Return a place to type, the same for all tests."""
    shell = Shell(blender_build, extension_zip)
    yield shell
    shell.close()


@pytest.fixture(scope="module")
def rays(shell):
    """Write 200 rays toward the middle of the scene."""
    rng = np.random.default_rng(3)
    origins = rng.normal(size=(200, 3)) * 6
    directions = rng.uniform(-1, 2, size=(200, 3)) - origins
    np.savez(shell.folder / "rays.npz", origins=origins, directions=directions)
    return "@rays.npz"


def test_values_are_those_of_the_api_to_the_last_bit(shell, rays):
    assert shell.run("cast", "--rays", rays, "--out", "@hits.npz")[0] == 0
    options = "--frames", "17", "--camera", "Side", "--out", "@one"
    assert shell.run(*SURVEY, *options)[0] == 0
    names = {name: shell.path(f"{name}.npz") for name in ("rays", "out", "shot")}
    shell.script(ASK.format(**names), shell.path("scene.blend"))
    pairs = ("hits.npz", "out.npz"), ("one/Side_0017.npz", "shot.npz")
    for ours, theirs in pairs:
        with np.load(shell.folder / ours) as found, np.load(shell.folder / theirs) as expected:
            for column in expected.files:
                same = found[column], expected[column]
                if ours.startswith("one/") and column == "instance":
                    # Files number instances alike at all frames, the API by rows of its table.
                    pairs_of = np.unique(np.stack([each.ravel() for each in same]), axis=1)
                    assert all(len(np.unique(each)) == len(each) > 1 for each in pairs_of)
                    continue
                assert np.array_equal(*same, equal_nan=column not in ("face", "object", "instance"))
            assert (found["face"] >= 0).sum() > 20


@pytest.mark.parametrize(
    "before",
    [["@scene.blend"], ["-b", "@scene.blend"], ["@scene.blend", "-b"], ["-q", "@scene.blend"]],
    ids=" ".join,
)
def test_the_file_stands_before_the_command_and_the_json_can_be_read(shell, before):
    code, out, _ = shell.run("info", "--json", before=before)
    assert code == 0
    found = told(out)
    assert found["file"] == shell.path("scene.blend")
    assert found["objects"] == 2
    assert [each["name"] for each in found["cameras"]] == ["Camera", "Side"]


@pytest.mark.parametrize(
    ("before", "argv", "code", "said"),
    [
        (["@missing.blend"], ["info"], 1, "missing.blend"),
        (["@broken.blend"], ["info"], 1, "broken.blend"),
        ([], ["info"], 2, "before --command"),
        ([], ["info", "@scene.blend"], 2, "before --command"),
        (["@scene.blend"], ["survey"], 2, "--out"),
        (["@scene.blend"], [], 2, "COMMAND"),
        (["@scene.blend"], ["survey", "--out", "@o", "--camera", "Nope"], 1, "no camera 'Nope'"),
        (["@scene.blend"], ["cast", "--rays", "@no.npz", "--out", "@a.npz"], 1, "no.npz"),
        ([], ["survey", "--help"], 0, ""),
    ],
)
def test_what_is_wrong_has_its_exit_code_and_a_line(shell, before, argv, code, said):
    (shell.folder / "broken.blend").write_bytes(b"BLENDER-v500" + bytes(100))
    returned, _, err = shell.run(*argv, before=before)
    assert returned == code
    assert said in err


def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_bytes(shell):
    """The killed runs begin behind the first frames, and are far from done when they are killed."""
    whole, parts = shell.folder / "whole", shell.folder / "parts"
    frames, many = ("--frames", "1-12"), ("--frames", "7-200")
    options = "--format", "npz"
    assert shell.run(*SURVEY, *frames, *options, "--out", "@whole")[0] == 0
    for _ in range(2):
        process = shell.start(*SURVEY, *many, *options, "--out", "@parts", "--resume")
        there = len(list(parts.glob("*.npz")))
        end = time.monotonic() + 120
        while len(list(parts.glob("*.npz"))) < there + 3:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    complete = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
    code, out, _ = shell.run(*SURVEY, *frames, *options, "--out", "@parts", "--resume", "--json")
    names = {path.name for path in whole.iterdir()}
    assert (code, len(told(out)["kept"])) == (0, len(names & complete.keys()))
    assert {path.name for path in parts.glob("*.npz")} == names | complete.keys()
    for path in whole.iterdir():
        assert path.read_bytes() == (parts / path.name).read_bytes()
        assert complete.get(path.name) in (None, (parts / path.name).stat().st_mtime_ns)


def test_blender_does_a_task_of_a_survey_on_dask(shell):
    file, out = shell.path("scene.blend"), shell.path("task")
    report = shell.do(SurveyTask(file, out, ("Camera", "Side"), "1-2", blender=str(shell.blender)))
    names = sorted(f"{name}_{frame:04d}.npz" for name in ("Camera", "Side") for frame in (1, 2))
    assert sorted(os.listdir(shell.folder / "task")) == names
    assert sorted(report["made"]) == [f"{out}/{name}" for name in names]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_ends_a_run_after_whole_files(shell, sent):
    folder = f"interrupted-{sent}"
    process = shell.start(
        *(*SURVEY, "--frames", "1-200", "--out", f"@{folder}"), stderr=subprocess.PIPE
    )
    end = time.monotonic() + 120
    while not list((shell.folder / folder).glob("*.npz")):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in err
    names = os.listdir(shell.folder / folder)
    assert 0 < len(names) < 400
    assert all(name.endswith(".npz") for name in names)
