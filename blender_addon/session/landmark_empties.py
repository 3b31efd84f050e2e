# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps empties at the landmarks that they follow, while the extension is enabled.

Blender evaluates what these handlers change right after them, and calls none of them for that.
"""

from __future__ import annotations

import threading

import bpy
from bpy.app.handlers import persistent

from ..bridge.landmarks import empties
from ..bridge.scene.changes import pending


def register() -> None:
    """Follow from now on."""
    for handlers, handler in _HANDLERS:
        getattr(bpy.app.handlers, handlers).append(handler)


def unregister() -> None:
    """Follow no more."""
    for handlers, handler in _HANDLERS:
        if handler in getattr(bpy.app.handlers, handlers):
            getattr(bpy.app.handlers, handlers).remove(handler)
    empties.forget()


@persistent
def _follow_frame(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Have empties be where the landmarks are in another frame, which may be one to be rendered."""
    # A render of an animation changes frames in a thread. Only where the interface is locked
    # meanwhile may anything be changed there.
    is_main = threading.current_thread() is threading.main_thread()
    if is_main or depsgraph.scene.render.use_lock_interface:
        _follow(depsgraph)


@persistent
def _follow_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Have empties be where the landmarks are after a change."""
    if threading.current_thread() is not threading.main_thread():
        return
    if any(each.is_updated_geometry or each.is_updated_transform for each in depsgraph.updates):
        _follow(depsgraph)


def _follow(depsgraph: bpy.types.Depsgraph) -> None:
    if empties.followers() and empties.follow(depsgraph):
        pending.forget_everything()  # of what depends on the empties, nobody is told


@persistent
def _forget(*_: object) -> None:
    """Undo and redo may have others follow."""
    empties.forget()


_HANDLERS = (
    ("frame_change_post", _follow_frame),
    ("depsgraph_update_post", _follow_update),
    ("undo_post", _forget),
    ("redo_post", _forget),
)
