# SPDX-License-Identifier: GPL-3.0-or-later
"""Other scenes, view layers and files, and the history of this one."""

import tempfile
from pathlib import Path

import bpy

from .common import ANY, action, one, operate, window


@action()
def new_scene(rng):
    operate(bpy.ops.scene.new, type=rng.choice(("NEW", "LINK_COPY", "FULL_COPY")))


@action()
def switch_scene(rng):
    window().scene = one(rng, bpy.data.scenes)


@action()
def remove_scene(_rng):
    operate(bpy.ops.scene.delete)


@action()
def set_background_scene(rng):
    scene = bpy.context.scene
    others = [other for other in bpy.data.scenes if other != scene and not other.background_set]
    scene.background_set = None if scene.background_set else one(rng, others)


@action()
def new_view_layer(rng):
    operate(bpy.ops.scene.view_layer_add, type=rng.choice(("NEW", "COPY", "EMPTY")))


@action()
def switch_view_layer(rng):
    window().view_layer = one(rng, bpy.context.scene.view_layers)


@action()
def remove_view_layer(_rng):
    operate(bpy.ops.scene.view_layer_remove)


@action()
def save_and_reload(_rng):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "saved.blend"))
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=False, check_existing=False)
        bpy.ops.wm.open_mainfile(filepath=path)


@action()
def save_change_and_revert(rng):
    with tempfile.TemporaryDirectory() as folder:
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(folder, "saved.blend")))
        for obj in bpy.data.objects:
            obj.location.x += rng.uniform(-2.0, 2.0)
        bpy.ops.wm.revert_mainfile()


@action(ANY)
def undo(rng):
    for _ in range(rng.randint(1, 3)):
        operate(bpy.ops.ed.undo)


@action(ANY)
def redo(rng):
    for _ in range(rng.randint(1, 3)):
        operate(bpy.ops.ed.redo)
