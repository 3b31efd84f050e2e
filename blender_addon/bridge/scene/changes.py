# SPDX-License-Identifier: GPL-3.0-or-later
"""Note the changes that Blender reports between picks, and have it evaluate what a pick needs.

No data is compared: every call of a handler means that the list of meshes may be stale, and most
calls say whose geometry changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import bpy
from bpy.app.handlers import persistent

from ..mesh.evaluation import has_dynamic_topology

# When an object is removed, Blender reports new geometry of its scene, and of node trees naming it.
_UPDATED_BY_REMOVAL = (bpy.types.Scene, bpy.types.NodeTree)
_drawing = False


class Changes:
    """What has changed since :meth:`clear`; addresses are those of original objects and data."""

    def __init__(self) -> None:
        self.any = True
        self.everything = True  # nothing read is valid: another file, undo, redo
        self.lists = True  # other meshes may be listed: not only selection and places changed
        # Original objects that moved, by their addresses, by the address of the depsgraph.
        self.moved: dict[int, dict[int, bpy.types.Object]] = {}
        self.geometry: set[int] = set()  # addresses of data that was evaluated again
        self.removed = False  # whether something instanced by Geometry Nodes may be gone
        # Addresses of data evaluated since the last removal, by the address of the depsgraph.
        self.evaluated: dict[int, set[int]] = {}
        self.number = 0  # grows with each change: results from another number may be out of date
        # Called in Blender's handlers, the first with addresses, to stop useless work.
        self.on_geometry: Callable[[set[int]], None] = lambda addresses: None
        self.on_everything: Callable[[], None] = lambda: None
        self.on_change: Callable[[], None] = lambda: None
        self.is_quiet = False  # evaluating geometry leaves `number` as it is
        self.named: object = None  # what the latest update named, see `_named`
        self.tracked: set[int] | None = None  # depsgraphs picked from; None after a file was loaded

    def note_change(self) -> None:
        self.any = True
        if not self.is_quiet:
            self.number += 1
            self.on_change()

    def forget_everything(self) -> None:
        """Note that nothing read is valid."""
        self.everything = self.any = True
        self.number += 1

    def moved_in(self, depsgraph: int) -> dict[int, bpy.types.Object] | None:
        """Objects that moved in the depsgraph of an address; None if its list may be another.

        Where several depsgraphs changed, or only another did, nothing is sure.
        """
        if self.lists or self.everything or self.moved.keys() != {depsgraph}:
            return None
        return self.moved[depsgraph]

    def note_removal(self) -> None:
        self.removed = True
        self.evaluated.clear()

    def track(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Note that a depsgraph is picked from; return whether all its changes were reported.

        Blender reports changes of the depsgraphs that windows display. From any other, something
        may have been removed unnoticed.
        """
        address = depsgraph.as_pointer()
        # Nothing was removed from a file that was just loaded.
        is_tracked = self.tracked is None or address in self.tracked
        self.tracked = {*(self.tracked or ()), address}
        if not is_tracked:
            self.note_removal()
        return is_tracked

    def drop_undisplayed(self) -> None:
        """Track only the depsgraphs that windows display: others change unreported."""
        if self.tracked:
            self.tracked &= displayed_depsgraphs()

    def clear(self) -> None:
        self.everything = self.any = self.removed = self.lists = False
        self.geometry.clear()
        self.moved.clear()
        self.evaluated.clear()


def displayed_depsgraphs() -> set[int]:
    """Addresses of the depsgraphs that windows display."""
    manager = bpy.context.window_manager
    found = (window.view_layer.depsgraph for window in manager.windows) if manager else ()
    return {depsgraph.as_pointer() for depsgraph in found if depsgraph is not None}


pending = Changes()


def register() -> None:
    """Follow changes of the scene, ahead of all other handlers, as these may pick.

    If another handler was ahead, all that was read may be stale.
    """
    for name, handler, first in _HANDLERS:
        handlers = getattr(bpy.app.handlers, name)
        if handlers and handlers[0 if first else -1] is handler:
            continue
        # Blender may be going through the list: after a removal it would leave out the last one.
        if first and handler in handlers:
            handlers.remove(handler)
        handlers.insert(0 if first else len(handlers), handler)
        pending.forget_everything()


def unregister() -> None:
    """Stop following changes."""
    for name, handler, _ in _HANDLERS:
        handlers = getattr(bpy.app.handlers, name)
        while handler in handlers:
            handlers.remove(handler)
    pending.forget_everything()


def _follow_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    pending.drop_undisplayed()
    updated = [
        update.id.original
        for update in depsgraph.updates
        # In sculpt mode, brushes report another kind of update.
        if update.is_updated_geometry or getattr(update.id.original, "mode", None) == "SCULPT"
    ]
    if _removes(updated):
        pending.note_removal()
    addresses = {original.as_pointer() for original in updated}
    pending.geometry |= addresses
    pending.evaluated.setdefault(depsgraph.as_pointer(), set()).update(addresses)
    if addresses:
        pending.on_geometry(addresses)
    pending.note_change()


@persistent
def _follow_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    moved = _only_moved(depsgraph)
    pending.named = _named(depsgraph, bpy.app.handlers.depsgraph_update_post)
    if moved is None or pending.named is not None:
        pending.lists = True
    else:
        pending.moved.setdefault(depsgraph.as_pointer(), {}).update(moved)
    _follow_update(scene, depsgraph)


def _only_moved(depsgraph: bpy.types.Depsgraph) -> dict[int, bpy.types.Object] | None:
    """The objects that moved, by address; None if more happened than moves and selections.

    A selection names the scene, without a flag, and so does what hides objects. Where relations
    change, and so perhaps the order of the list, Blender names all objects as newly shaded.
    """
    moved = {}
    for update in depsgraph.updates:
        original = update.id.original
        if update.is_updated_geometry or update.is_updated_shading:
            return None
        if isinstance(original, bpy.types.Object) and update.is_updated_transform:
            moved[original.as_pointer()] = original
        elif not isinstance(original, bpy.types.Scene) or update.is_updated_transform:
            return None
    return moved


def _named(
    depsgraph: bpy.types.Depsgraph, handlers: list[Callable[..., None]]
) -> list[tuple[int, bool, bool, bool]] | None:
    """What an update names, and as what; None if no other add-on is among the handlers.

    Blender evaluates what they change after the last handler, and does not report it. But it names
    each thing that they touch at once. Originals may be gone by then: they are not looked at.
    """
    ours = __package__.removesuffix("bridge.scene")
    if all(str(getattr(each, "__module__", "")).startswith(ours) for each in handlers):
        return None
    return [
        (
            update.id.as_pointer(),
            update.is_updated_transform,
            update.is_updated_geometry,
            update.is_updated_shading,
        )
        for update in depsgraph.updates
    ]


@persistent
def _follow_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    pending.named = _named(depsgraph, bpy.app.handlers.frame_change_post)
    pending.lists = True
    _follow_update(scene, depsgraph)


@persistent
def _follow_handlers(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    _forget_if_changed(_named(depsgraph, bpy.app.handlers.depsgraph_update_post), depsgraph)


@persistent
def _follow_frame_handlers(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if not pending.any:
        pending.forget_everything()
    _forget_if_changed(_named(depsgraph, bpy.app.handlers.frame_change_post), depsgraph)


def _forget_if_changed(named: object, depsgraph: bpy.types.Depsgraph) -> None:
    """Forget all if handlers of others have picked, or have changed what an update names."""
    if named is None or (pending.any and named == pending.named):
        return
    pending.forget_everything()
    if _removes(update.id for update in depsgraph.updates if update.is_updated_geometry):
        pending.note_removal()


def _removes(updated: Iterable[bpy.types.ID]) -> bool:
    """Whether something may be gone, where these have new geometry."""
    return any(isinstance(each, _UPDATED_BY_REMOVAL) for each in updated)


@persistent
def _forget(*_: object) -> None:
    """Forget everything: undo and redo replace all data."""
    pending.forget_everything()
    pending.on_everything()
    pending.note_change()


@persistent
def _forget_file(*_: object) -> None:
    pending.removed = False  # instances of removed data are gone, too
    pending.tracked = None
    _forget()


_HANDLERS: tuple[tuple[str, Callable[..., None], bool], ...] = (
    ("depsgraph_update_post", _follow_changes, True),
    ("frame_change_post", _follow_frame, True),
    ("undo_post", _forget, True),
    ("redo_post", _forget, True),
    ("load_pre", _forget_file, True),
    ("load_post", _forget_file, True),
    ("depsgraph_update_post", _follow_handlers, False),
    ("frame_change_post", _follow_frame_handlers, False),
)
"""The name of a list of handlers, the handler in it, and whether it is first there, or last."""


class NotWhileDrawingError(Exception):
    """Blender has to evaluate something first, which it cannot while it draws."""


@contextmanager
def while_drawing() -> Iterator[None]:
    """Use the depsgraph as it is: while Blender draws, nothing may be evaluated.

    NotWhileDrawingError if something must be evaluated.
    """
    global _drawing
    _drawing = True
    try:
        yield
    finally:
        _drawing = False


def is_drawing() -> bool:
    """Whether the depsgraph is used as it is, even if it is behind."""
    return _drawing


def evaluated_depsgraph(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """The depsgraph of the context's scene and view layer, up to date.

    Before 4.5 Blender tags what a context returns with the scene whose tool settings were read
    last. If that scene is gone with its file, Blender reads freed memory when it gets the
    depsgraph. Reading the tool settings tags it with the current scene.
    """
    _ = context.tool_settings
    drawn = context.view_layer.depsgraph if _drawing else None
    if drawn is not None:
        return drawn
    _refuse_while_drawing()
    return context.evaluated_depsgraph_get()


def flush_sculpting(context: bpy.types.Context) -> None:
    """Have Blender write what was sculpted with dynamic topology into the mesh.

    Blender then evaluates the mesh again: call this after changes, before the depsgraph is taken.
    """
    active = context.view_layer.objects.active
    if active is not None and has_dynamic_topology(active):
        _refuse_while_drawing()
        bpy.ops.ed.flush_edits()


def flush_edits(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """Have Blender write edits into objects' own meshes; return the depsgraph.

    Blender then evaluates the meshes again, which does not count as a change.
    """
    objects = context.view_layer.objects if context.mode == "EDIT_MESH" else ()
    pending.is_quiet = True
    try:
        for obj in objects:
            if obj.type == "MESH" and obj.mode == "EDIT":
                _refuse_while_drawing()
                obj.update_from_editmode()
        return evaluated_depsgraph(context)
    finally:
        pending.is_quiet = False


def evaluate_instancers(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """Have objects with Geometry Nodes evaluated again after something was removed.

    Objects not evaluated since may have instances of removed data, and Blender crashes when it
    lists these (4.2 and 5.0 do). Some of the objects may be in instanced collections only.
    """
    evaluated = pending.evaluated.get(evaluated_depsgraph(context).as_pointer(), ())
    for obj in bpy.data.objects:
        if obj.as_pointer() not in evaluated and any(m.type == "NODES" for m in obj.modifiers):
            _refuse_while_drawing()
            obj.update_tag(refresh={"DATA"})
    return evaluated_depsgraph(context)


def _refuse_while_drawing() -> None:
    if _drawing:
        raise NotWhileDrawingError("nothing can be evaluated while Blender draws")
