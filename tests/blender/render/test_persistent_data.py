# SPDX-License-Identifier: GPL-3.0-or-later
"""With Persistent Data frames are the same to the last bit, and what stays is not read again."""

import importlib

import bpy
import pytest

from tests.blender.conftest import PACKAGE
from tests.blender.scenes import instance_on_points

from . import cycles
from .shapes import ball, crowd, cube, grid, put_in

FRAMES = range(1, 5)


@pytest.fixture
def shot(raypick, rng):
    """A scene in which some objects deform, move, appear or change their numbers of faces."""
    cycles.camera((1, -9, 2), (1.35, 0.05, 0.1), size=(60, 40))
    crowd(rng, 5)
    bent = ball("Bent", (-2, 0, 0))
    bent.modifiers.new("Twist", "SIMPLE_DEFORM")
    animate(bent, 'modifiers["Twist"].angle', 0.0, 2.0)
    moved = cube("Moved", (2, 0, 1), 0.5)
    animate(moved, "location", (2, 0, 1), (-2, 0, 2))
    shown = cube("Shown", (0, -1, 2), 0.4)
    animate(shown, "hide_render", True, False)
    cut = cube("Cut", (0, 1, -1), 0.9)
    cut.modifiers.new("Cut", "SUBSURF")
    animate(cut, 'modifiers["Cut"].render_levels', 1, 3)
    keyed = ball("Keyed", (2, 1, -1), 0.8)
    keyed.shape_key_add(name="Basis")
    wide = keyed.shape_key_add(name="Wide")
    for point in wide.data:
        point.co.x *= 1.7
    animate(keyed.data.shape_keys, 'key_blocks["Wide"].value', 0.0, 1.0)
    instance_on_points(grid("Points", 2), moved)
    put_in("Some", bent, shown)
    scene = bpy.context.scene
    second = scene.view_layers.new("Second")
    second.layer_collection.children["Some"].exclude = True
    for layer in scene.view_layers:
        cycles.all_passes(layer)
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    return scene


def animate(block, path, first, last):
    """Another value at every second frame, so that pairs of frames are alike."""
    target, _, name = path.rpartition(".")
    target = block.path_resolve(target) if target else block
    for frame, value in zip((1, 2, 3, 4), (first, first, last, last), strict=True):
        setattr(target, name, value)
        target.keyframe_insert(name, frame=frame)


@pytest.fixture
def made(raypick, monkeypatch):
    """Count the meshes for which polygons are made."""
    module = importlib.import_module(f"{PACKAGE}.bridge.mesh.scene_mesh")
    make, counted = module._made, []

    def counting(mesh, *read):
        counted.append(mesh.source.original and mesh.source.original.name)
        return make(mesh, *read)

    monkeypatch.setattr(module, "_made", counting)
    return counted


def frames(folder, is_persistent):
    """The bits of all channels, and the headers, of each frame."""
    folder.mkdir()
    bpy.context.scene.render.use_persistent_data = is_persistent
    cycles.write(folder / "frame", animation=True)
    found = {}
    for frame in FRAMES:
        render = cycles.read(folder / f"frame{frame:04d}.exr")
        channels = render.pictures.channels
        found[frame] = {name: each.tobytes() for name, each in channels.items()}, render.told
    return found


def test_frames_are_the_same_with_and_without_it(shot, made, tmp_path):
    plain = frames(tmp_path / "plain", False)
    count = len(made)
    kept = frames(tmp_path / "kept", True)
    assert kept == plain
    assert len({repr(each) for each in plain.values()}) > 2
    assert count == 22
    assert len(made) - count == 9  # of the objects that change, two each, and one cube for five


def test_view_layers_share_meshes(shot, made, tmp_path):
    cycles.write(tmp_path / "one")
    assert sorted(made) == ["Bent", "C0", "Cut", "Keyed", "Moved"]  # one cube for five


def test_what_the_last_render_of_a_frame_did_not_show_is_forgotten(shot, made, tmp_path):
    bpy.context.scene.render.use_persistent_data = True
    cycles.write(tmp_path / "one")
    obj, renders = bpy.data.objects["Moved"], []
    for size in (1.0, 2.0, 2.0, 1.0):
        obj.data.vertices[0].co.x = size
        obj.data.update()
        made.clear()
        bpy.ops.render.render()
        renders.append([*made])
    assert renders == [["Moved"], ["Moved"], [], ["Moved"]]
