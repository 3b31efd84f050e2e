# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do to a scene: each action changes it at random, by a seed.

It runs in a test or in a windowed Blender.
"""

import random

import bpy

from . import adding, editing, marking, modifying, placing, removing, showing, timing, worlds
from .common import ACTIONS, EDIT, MODES, OBJECT, NothingToDoError, leave_mode

__all__ = ["CHOICES", "FILES", "HISTORY", "begin", "do"]

HISTORY = ("undo", "redo")
FILES = ("save_and_reload", "save_change_and_revert")
MOST_OBJECTS = 14

# Importing these declares their actions.
_MODULES = (adding, editing, marking, modifying, placing, removing, showing, timing, worlds)
_ADDING = sorted(name for name, f in ACTIONS.items() if f.__module__ == adding.__name__)
_GROWING = {*_ADDING, "copy_object", "duplicate", "make_instances_real", "new_scene", "separate"}
_FILLING = ("add_mesh_of_data", "add_primitive", "add_text", "show_all", "switch_scene")
_SOLID = {"CURVE", "FONT", "MESH", "META", "SURFACE"}

CHOICES = sorted([*ACTIONS, *3 * _ADDING, *2 * HISTORY, *4 * ["show_all"], "scrub", "scrub"])
"""The names of all actions, some more than once, lest scenes become empty."""


def begin():
    """Start the history of an empty scene."""
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="begin")


def do(name, seed):
    """Do one action to the scene as it is; return whether there was something to do."""
    rng = random.Random(seed)
    if name in _GROWING and len(bpy.data.objects) > MOST_OBJECTS:
        name = "remove_several"
    elif name not in _GROWING and not any(
        obj.type in _SOLID for obj in bpy.context.visible_objects
    ):
        name = rng.choice(_FILLING)
    try:
        get_into(MODES[name], rng)
        ACTIONS[name](rng)
    except NothingToDoError:
        return False
    if name not in HISTORY:
        bpy.ops.ed.undo_push(message=name)
    return True


def get_into(mode, rng):
    """Enter the mode that an action needs."""
    if mode == OBJECT:
        leave_mode()
    elif mode == EDIT and bpy.context.mode != "EDIT_MESH":
        leave_mode()
        ACTIONS["enter_edit_mode"](rng)
