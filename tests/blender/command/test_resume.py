# SPDX-License-Identifier: GPL-3.0-or-later
"""Surveys that go on: what is complete and answers the same question is not made again."""

import itertools
import os
import struct

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import arrays, camera, saved
from tests.blender.scenes import mesh_object


def test_what_is_complete_is_not_made_again_and_ends_as_it_would_have(
    animated, type_in, tmp_path, monkeypatch, module
):
    command = "survey", "--frames", "1-6", "--passes", "id,face,weights,uv,depth"
    assert type_in(*command, "--out", "whole").code == 0
    assert type_in(*command, "--out", "parts", "--frames", "1-3").code == 0
    (tmp_path / "parts/Camera_0002.npz").write_bytes(b"half")
    before = (tmp_path / "parts/Camera_0001.npz").stat().st_mtime_ns
    ran = type_in(*command, "--out", "parts", "--resume", "--json")
    assert [len(ran.json[key]) for key in ("made", "kept", "failed")] == [4, 2, 0]
    assert (tmp_path / "parts/Camera_0001.npz").stat().st_mtime_ns == before
    for frame in range(1, 7):
        name = f"Camera_{frame:04d}.npz"
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()


@pytest.mark.parametrize("form", ["npz", "exr"])
def test_another_question_is_answered_anew(animated, type_in, form):
    command = "survey", "--out", "s", "--format", form, "--resume", "--json"
    assert len(type_in(*command).json["made"]) == 1
    assert len(type_in(*command).json["kept"]) == 1
    for change in (["--cull", "back"], ["--passes", "id"], ["--exclude", "Points"], ["--no-clip"]):
        assert len(type_in(*command, *change).json["made"]) == 1
        assert len(type_in(*command, *change).json["kept"]) == 1
    assert len(type_in(*command, "--threads", "1", *change).json["kept"]) == 1


def test_a_file_that_changed_is_another_question(animated, type_in):
    command = "survey", "--out", "s", "--resume", "--json"
    assert type_in(*command).code == 0
    bpy.data.objects["Suzanne"].location.x = 1.0
    saved(animated)
    assert len(type_in(*command).json["made"]) == 1


@pytest.mark.parametrize("form", ["npz", "exr"])
def test_another_border_is_another_question(animated, type_in, form):
    """Also where a script has set it, which the digest of the file does not see."""
    command = "survey", "--out", "s", "--passes", "id", "--format", form, "--resume", "--json"
    render = bpy.context.scene.render

    def made():
        return len(type_in(*command).json["made"])

    assert made() == 1
    render.use_border = True  # around the whole picture
    assert made() == 0
    for name, value in (
        *(("border_min_x", 0.2), ("border_max_x", 0.7), ("border_min_y", 0.3)),
        *(("border_max_y", 0.6), ("use_crop_to_border", True), ("resolution_x", 52)),
        *(("pixel_aspect_x", 1.5), ("use_border", False)),
    ):
        setattr(render, name, value)
        assert [made(), made()] == [1, 0], name
    render.use_crop_to_border = False  # which counts beside a border alone
    assert made() == 0
    render.use_border = True
    assert made() == 1
    render.border_max_x += 1e-4  # which moves it by no pixel
    assert made() == 0


def test_a_border_that_a_script_moves_is_that_of_each_frame_and_is_kept(
    animated, type_in, tmp_path
):
    @bpy.app.handlers.persistent
    def move(scene, _depsgraph=None):
        scene.render.use_border = scene.render.use_crop_to_border = True
        scene.render.border_max_x = scene.frame_current / 4

    command = "survey", "--frames", "1-3", "--out", "s", "--resume", "--json"
    bpy.app.handlers.frame_change_pre.append(move)
    try:
        assert len(type_in(*command).json["made"]) == 3
        bpy.ops.wm.open_mainfile(filepath=str(animated))
        (tmp_path / "s/Camera_0003.npz").unlink()
        ran = type_in(*command)
        assert [len(ran.json[key]) for key in ("made", "kept")] == [1, 2]
        for frame in (1, 2, 3):
            found = arrays(tmp_path / f"s/Camera_000{frame}.npz")["face"]
            assert found.shape == (32, 12 * frame)
    finally:
        bpy.app.handlers.frame_change_pre.remove(move)


def test_a_scene_of_no_file_is_always_made_anew(raypick, type_in):
    mesh_object("Square", [(-1, 0, -1), (1, 0, -1), (1, 0, 1)], [(0, 1, 2)])
    camera()
    command = "survey", "--out", "s", "--resume", "--json"
    assert [len(type_in(*command).json["made"]) for _ in range(2)] == [1, 1]


def test_a_library_that_changed_is_another_question(raypick, type_in, tmp_path):
    mesh_file = tmp_path / "library.blend"
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.wm.save_as_mainfile(filepath=str(mesh_file))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(mesh_file), link=True) as (_, wanted):
        wanted.objects = ["Cube"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    camera()
    main_file = saved(tmp_path / "main.blend")
    command = "survey", "--out", "s", "--resume", "--json"
    assert len(type_in(*command).json["made"]) == 1
    assert len(type_in(*command).json["kept"]) == 1
    bpy.ops.wm.open_mainfile(filepath=str(mesh_file))
    bpy.data.objects["Cube"].data.vertices[0].co.x = -3
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(main_file))
    assert len(type_in(*command).json["made"]) == 1


def point_cache(path, height):
    """A file of the Mesh Cache modifier: a square at a height, at every frame."""
    points = [(x, y, height) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    head = b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 4, 0.0, 1.0, 1)
    path.write_bytes(head + np.array(points, "<f4").tobytes())


def picture(path, value):
    """A gray picture."""
    image = bpy.data.images.new("made", 4, 4)
    image.pixels[:] = [value, value, value, 1.0] * 16
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)


@pytest.mark.parametrize("kind", ["mesh cache", "displaced by an image"])
def test_a_file_that_moves_a_surface_is_a_part_of_the_question(raypick, type_in, tmp_path, kind):
    square = mesh_object("Square", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)])
    if kind == "mesh cache":
        write, path = point_cache, tmp_path / "square.pc2"
        write(path, 0.0)
        modifier = square.modifiers.new("Cache", "MESH_CACHE")
        modifier.cache_format, modifier.filepath = "PC2", str(path)
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    else:
        write, path = picture, tmp_path / "height.png"
        write(path, 0.0)
        modifier = square.modifiers.new("Displace", "DISPLACE")
        modifier.texture = bpy.data.textures.new("Height", "IMAGE")
        modifier.texture.image = bpy.data.images.load(str(path))
        modifier.direction, modifier.mid_level = "Z", 0.0
    camera(location=(0, 0.01, 6), resolution=(5, 5))
    saved(tmp_path / "square.blend")
    command = "survey", "--out", "s", "--resume", "--json"
    assert [len(type_in(*command).json["made"]) for _ in range(2)] == [1, 0]
    before = arrays(tmp_path / "s/Camera_0001.npz")["depth"][2, 2]
    write(path, 1.0)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "square.blend"))
    assert len(type_in(*command).json["made"]) == 1
    assert arrays(tmp_path / "s/Camera_0001.npz")["depth"][2, 2] == pytest.approx(before - 1.0)


def test_a_picture_that_was_cut_off_is_made_again(animated, type_in, tmp_path):
    command = "survey", "--out", "s", "--format", "exr", "--resume", "--json"
    assert type_in(*command).code == 0
    path = tmp_path / "s/Camera_0001.exr"
    whole = path.read_bytes()
    for length in (0, 3, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert len(type_in(*command).json["made"]) == 1
        assert path.read_bytes() == whole
    assert len(type_in(*command).json["kept"]) == 1


def test_an_interrupted_run_keeps_whole_frames_and_goes_on(animated, type_in, module, monkeypatch):
    interruption = module("talk").Interruption
    command = "survey", "--frames", "1-6", "--out", "s", "--json", "--resume"
    checks = itertools.count()

    def check(asked):
        if next(checks) == 7:
            asked.note(2, None)
        if asked.is_asked_for:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(interruption, "check", check)
        ran = type_in(*command)
    assert ran.code == 130
    assert "interrupted" in ran.err
    there = len(os.listdir("s"))
    assert 0 < there < 6
    assert (ran.json["interrupted"], len(ran.json["made"])) == (True, there)
    ran = type_in(*command)
    assert (ran.code, len(ran.json["kept"]), len(ran.json["made"])) == (0, there, 6 - there)


def test_old_temporary_files_go_and_new_ones_of_other_runs_stay(animated, type_in, tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    for name, age in (("old", 7200), ("new", 0)):
        path = folder / f".raypick-{name}.tmp"
        path.write_bytes(b"half")
        time = path.stat().st_mtime - age
        os.utime(path, (time, time))
    assert type_in("survey", "--out", "s").code == 0
    assert sorted(os.listdir(folder)) == [".raypick-new.tmp", "Camera_0001.npz"]


_OTHERS = {
    "passes": ["--passes", "id"],
    "attributes": ["--attributes", "UVMap"],
    "max_distance": ["--max-distance", "5"],
    "min_distance": ["--min-distance", "1"],
    "cull": ["--cull", "front"],
    "border": ["--border", "closed"],
    "exclude": ["--exclude", "Points"],
    "only": ["--only", "Points"],
    "selectable_only": ["--selectable-only"],
    "solid_only": ["--solid-only"],
    "original": ["--original"],
    "scene": ["--scene", "Other"],
    "view_layer": ["--view-layer", "Other"],
}
_OTHERS_OF = {
    "cast": {"rays": ["--rays", "o.npz"], "hits": ["--hits", "all"], "frame": ["--frame", "3"]},
    "survey": {
        "camera": ["--camera", "Other"],
        "frames": ["--frames", "3"],
        "format": ["--format", "exr"],
        "samples": ["--samples", "2"],
        "resolution_percentage": ["--resolution-percentage", "50"],
        "no_clip": ["--no-clip"],
        "visibility": ["--visibility", "render"],
    },
}


@pytest.mark.parametrize("command", ["cast", "survey"])
def test_every_option_is_a_part_of_the_question_or_changes_no_answer(
    animated, rays, type_in, module, monkeypatch, command
):
    arguments, asked = module("arguments"), []
    question, others = arguments.question, {**_OTHERS, **_OTHERS_OF[command]}

    def heard(options, *given, **asked_too):
        asked.append((vars(options), question(options, *given, **asked_too)))
        raise arguments.RaypickError("enough")

    monkeypatch.setattr(arguments, "question", heard)
    np.savez("o.npz", origins=rays[1] + 1, directions=rays[2])
    bpy.context.view_layer.name = "View"
    bpy.context.scene.view_layers.new("Other")
    other = bpy.data.scenes.new("Other")
    other.camera = camera("Other")
    other.collection.objects.link(other.camera)
    given = ["--rays", "rays.npz", "--out", "h.npz"] if command == "cast" else ["--out", "s"]
    for option in ([], *others.values()):
        assert "enough" in type_in(command, *given, *option).err
    (options, first), *changed = asked
    assert options.keys() - arguments.NOT_ASKED == others.keys()
    assert [name for name, each in zip(others, changed, strict=True) if each[1] == first] == []


@pytest.mark.parametrize("command", ["cast", "survey"])
def test_a_new_option_is_a_part_of_the_question(
    animated, rays, type_in, module, monkeypatch, command
):
    arguments = module("arguments")
    add = arguments.add_what_is_hit

    def with_another(parser):
        add(parser)
        parser.add_argument("--brand-new", type=float, default=float("inf"))

    monkeypatch.setattr(arguments, "add_what_is_hit", with_another)
    given = ["--rays", "rays.npz", "--out", "h.npz"] if command == "cast" else ["--out", "s"]
    for option in ([], ["--brand-new", "1"], ["--brand-new", "2"]):
        for is_kept in (False, True):
            ran = type_in(command, *given, "--resume", "--json", *option)
            assert bool(ran.json["kept"]) == is_kept
