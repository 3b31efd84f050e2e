# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender says has changed since the last pick; nothing is compared or counted.

Every handler call means that the list of what is shown may be stale, and most say whose geometry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
        Whether something may have been removed that Geometry Nodes made instances of.
    evaluated : dict of int to set of int
        By the address of the depsgraph, those of the original objects and data whose geometry was
        evaluated anew since then.
    on_geometry : callable
        Told such addresses at once, in Blender's handlers: to stop work that is in vain.
    on_everything : callable
        Called at once when nothing can be trusted any more.
    number : int
        Counts the changes: what was looked up at another number may be out of date.
    on_change : callable
        Called at once after each change, in Blender's handlers.
    """

    def __init__(self) -> None:
        self.everything = True
        self.any = True
        self.geometry: set[int] = set()
        self.removed = False
        self.evaluated: dict[int, set[int]] = {}
        self.on_geometry: Callable[[set[int]], None] = lambda addresses: None
        self.on_everything: Callable[[], None] = lambda: None
        self.number = 0
        self.on_change: Callable[[], None] = lambda: None
        self._is_quiet = False
        self._informed: set[int] | None = None

    def count(self) -> None:
        """Note that there was a change."""
        self.any = True
        if not self._is_quiet:
            self.number += 1
            self.on_change()

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Count no changes meanwhile: geometry is evaluated anew, and stays as it is."""
        self._is_quiet = True
        try:
            yield
        finally:
            self._is_quiet = False

    def forget_everything(self) -> None:
        """Nothing can be trusted."""
        self.everything = self.any = True
        self.number += 1

    def forget_file(self) -> None:
        """Nothing can be trusted, and nothing is left of what was removed."""
        self.forget_everything()
        self.removed = False
        self._informed = None

    def may_be_removed(self) -> None:
        """Something may have been removed."""
        self.removed = True
        self.evaluated.clear()

    def turn_to(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Note that this depsgraph is picked at; return whether all changes of it were noted.

        Blender informs those that a window shows, and no others: of another it is not known whether
        something was removed.
        """
        address = depsgraph.as_pointer()
        if self._informed is None:  # nothing was removed from a file that was just loaded
            self._informed = {address}
            return True
        if address in self._informed:
            return True
        self._informed.add(address)
        self.may_be_removed()
        return False

    def inform(self) -> None:
        """Note that the depsgraphs of windows are informed now, and the others are not."""
        if self._informed:
            self._informed &= shown_depsgraphs()

    def taken(self) -> None:
        """All changes have been seen to."""
        self.everything = self.any = self.removed = False
        self.geometry.clear()
        self.evaluated.clear()


def shown_depsgraphs() -> set[int]:
    """Addresses of the depsgraphs that windows show."""
    manager = bpy.context.window_manager
    found = (window.view_layer.depsgraph for window in manager.windows) if manager else ()
    return {depsgraph.as_pointer() for depsgraph in found if depsgraph is not None}


pending = Changes()


def register() -> None:
    """Follow what changes in the scene, ahead of all other handlers, which may pick themselves.

    Where that was not so, all that was read may be stale.
    """
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if not handlers or handlers[0] is not handler:
            _remove(handler, handlers)
            handlers.insert(0, handler)
            pending.forget_everything()
    handlers = bpy.app.handlers.frame_change_post
    if handlers[-1] is not _distrust:
        _remove(_distrust, handlers)
        handlers.append(_distrust)
        pending.forget_everything()


def unregister() -> None:
    """Stop following."""
    for name, handler in _HANDLERS.items():
        _remove(handler, getattr(bpy.app.handlers, name))
    _remove(_distrust, bpy.app.handlers.frame_change_post)
    pending.forget_everything()


def _remove(handler: Callable[..., None], handlers: list[Callable[..., None]]) -> None:
    if handler in handlers:
        handlers.remove(handler)


@persistent
def _follow_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note what an update of the depsgraph made stale."""
    pending.inform()
    updated = [update.id.original for update in depsgraph.updates if _is_geometry(update)]
    if any(isinstance(original, _TELLING_OF_REMOVAL) for original in updated):
        pending.may_be_removed()
    addresses = {original.as_pointer() for original in updated}
    pending.geometry |= addresses
    pending.evaluated.setdefault(depsgraph.as_pointer(), set()).update(addresses)
    if addresses:
        pending.on_geometry(addresses)
    pending.count()


def _is_geometry(update: bpy.types.DepsgraphUpdate) -> bool:
    """Whether an update changes shapes; that by a brush in sculpt mode is told as another."""
    return update.is_updated_geometry or getattr(update.id.original, "mode", None) == "SCULPT"


@persistent
def _distrust(*_: object) -> None:
    """Trust nothing that another handler of a frame change has picked.

    What handlers change then, Blender evaluates at their end, and tells nobody.
    """
    if not pending.any:
        pending.forget_everything()


@persistent
def _forget(*_: object) -> None:
    """The history of the file moved under our feet."""
    pending.forget_everything()
    pending.on_everything()
    pending.count()


@persistent
def _forget_file(*_: object) -> None:
    """Another file is loaded."""
    pending.forget_file()
    pending.on_everything()
    pending.count()


# Removing an object is told as a change of the scene's own geometry if the scene had it, and of
# the node tree that named it.
_TELLING_OF_REMOVAL = (bpy.types.Scene, bpy.types.NodeTree)

_HANDLERS = {
    "depsgraph_update_post": _follow_update,
    "frame_change_post": _follow_update,
    "undo_post": _forget,
    "redo_post": _forget,
    "load_pre": _forget_file,
    "load_post": _forget_file,
}
