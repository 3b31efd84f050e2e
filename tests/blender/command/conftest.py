# SPDX-License-Identifier: GPL-3.0-or-later
"""A command line to type at, and files to type it about."""

import importlib
import json
import os
from dataclasses import dataclass

import bpy
import numpy as np
import pytest

from tests.blender.conftest import PACKAGE
from tests.blender.scenes import instance_on_points, link, mesh_object, suzanne


@dataclass(frozen=True)
class Ran:
    """What a command has done."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The line of JSON on the output."""
        (line,) = [line for line in self.out.splitlines() if line.startswith("{")]
        return json.loads(line)


@pytest.fixture
def module(raypick):
    """Return a function that imports a module of the commands."""
    return lambda name: importlib.import_module(f"{PACKAGE}.command.{name}")


@pytest.fixture
def type_in(raypick, capfd, tmp_path, monkeypatch):
    """Return a function that does a command, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    main = importlib.import_module(f"{PACKAGE}.command").main

    def type_in(*argv):
        capfd.readouterr()
        code = main([str(each) for each in argv])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Ran(code, out, err)

    return type_in


def camera(name="Camera", location=(0, -6, 2), resolution=(48, 32)):
    """A camera that looks at the origin, the scene's if it has none."""
    obj = link(bpy.data.objects.new(name, bpy.data.cameras.new(name)))
    obj.location = location
    target = link(bpy.data.objects.new(f"{name} target", None))
    track = obj.constraints.new("TRACK_TO")
    track.target = target
    scene = bpy.context.scene
    scene.camera = scene.camera or obj
    scene.render.resolution_x, scene.render.resolution_y = resolution
    return obj


def arrays(path):
    """The arrays of an archive."""
    with np.load(path, allow_pickle=False) as found:
        return dict(found)


def saved(path):
    """Save what is there, and open it as a command finds it."""
    bpy.ops.wm.save_as_mainfile(filepath=os.fspath(path))
    bpy.ops.wm.open_mainfile(filepath=os.fspath(path))
    return path


@pytest.fixture
def animated(raypick, tmp_path):
    """Open a file with a turning head with UVs, cubes on points, and a camera."""
    head = suzanne(levels=1)
    head.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (10, 3.0)):
        head.rotation_euler.z = angle
        head.keyframe_insert("rotation_euler", frame=frame)
    head.data.materials.append(bpy.data.materials.new("Skin"))
    points = mesh_object("Points", [(x, 1.5, z) for x in (-2, 0, 2) for z in (-1, 1)], [])
    instance_on_points(points)
    camera()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 10
    return saved(tmp_path / "animated.blend")


@pytest.fixture
def rays(tmp_path, rng):
    """Write 300 rays of a sphere toward the middle; return the path, origins and directions."""
    origins = rng.normal(size=(300, 3))
    origins *= 8 / np.linalg.norm(origins, axis=1, keepdims=True)
    directions = rng.uniform(-1, 1, size=(300, 3)) - origins
    path = tmp_path / "rays.npz"
    np.savez(path, origins=origins, directions=directions)
    return path, origins, directions
