# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender says has changed since the last pick; nothing is compared or counted.

Every handler call means that the list of what is shown may be stale, and most say whose geometry.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent


class Changes:
    """What has changed since :meth:`taken`.

    Attributes
    ----------
    everything : bool
        Whether nothing that was read can be trusted: another file, undo, redo.
    any : bool
        Whether there was any change.
    geometry : set of int
        Addresses of the original objects and data whose geometry was evaluated anew.
    removed : bool
        Whether an object may have been removed.
    """

    def __init__(self) -> None:
        self.everything = True
        self.any = True
        self.geometry: set[int] = set()
        self.removed = False

    def forget_everything(self) -> None:
        """Nothing can be trusted."""
        self.everything = self.any = True

    def taken(self) -> None:
        """All changes have been seen to."""
        self.everything = self.any = self.removed = False
        self.geometry.clear()


pending = Changes()


def register() -> None:
    """Follow what changes in the scene, ahead of all other handlers, which may pick themselves.

    Where that is not done already, all that was read may be stale.
    """
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler not in handlers:
            handlers.insert(0, handler)
            pending.forget_everything()


def unregister() -> None:
    """Stop following."""
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    pending.forget_everything()


@persistent
def _follow_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note what an update of the depsgraph made stale."""
    pending.any = True
    for update in depsgraph.updates:
        original = update.id.original
        # A brush in sculpt mode is told as no change of geometry.
        if update.is_updated_geometry or getattr(original, "mode", None) == "SCULPT":
            pending.geometry.add(original.as_pointer())
            # Removing an object is told as a change of the scene's own geometry.
            pending.removed |= isinstance(original, bpy.types.Scene)


@persistent
def _forget(*_: object) -> None:
    """The file, or its history, moved under our feet."""
    pending.forget_everything()


_HANDLERS = {
    "depsgraph_update_post": _follow_update,
    "frame_change_post": _follow_update,
    "undo_post": _forget,
    "redo_post": _forget,
    "load_pre": _forget,
    "load_post": _forget,
}
