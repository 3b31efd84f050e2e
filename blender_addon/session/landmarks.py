# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the scene's landmarks are now, for viewports, panels and the empties that follow them.

Places are computed on demand, in each view layer once for any number of changes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import bpy

from ..bridge.landmarks import empties, named_objects, storage, topology
from ..bridge.landmarks.locating import Located
from ..bridge.landmarks.topology import located_landmarks
from ..bridge.scene import changes
from ..bridge.scene.changes import NotWhileDrawingError, evaluated_depsgraph, while_drawing
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkSet
from ..registration import Handlers
from . import events, queries, redraw

State = tuple[tuple[int, int], int]
"""State of a view layer: that of its scene, and the number of the last change of landmarks."""

_MOST = 8

_Value = TypeVar("_Value")


class ByViewLayer(dict[int, tuple[State, _Value]], Generic[_Value]):
    """A cached value for each view layer, by the address of its depsgraph, with its state."""

    def at(self, state: State) -> _Value | None:
        """The value cached for this state; None if there is none."""
        known = self.get(_layer(state))
        return known[1] if known is not None and known[0] == state else None

    def last(self, state: State) -> _Value | None:
        """The last value of the same view layer, of any state; None if there is none."""
        known = self.get(_layer(state))
        return None if known is None else known[1]

    def keep(self, state: State, value: _Value) -> _Value:
        """Cache the value for a state, and return it."""
        if _layer(state) not in self and len(self) >= _MOST:
            self.clear()
        self[_layer(state)] = state, value
        return value


def _layer(state: State) -> int:
    """The address of the depsgraph of a view layer."""
    return state[0][1]


@dataclass(frozen=True, slots=True)
class Shown:
    """The landmarks of one object, set after set, and where they are."""

    object_uid: int
    document: Document
    rows: tuple[tuple[LandmarkSet, Landmark], ...]
    places: Located  # a row for each of `rows`


_shown: ByViewLayer[list[Shown]] = ByViewLayer()
_holders: ByViewLayer[list[bpy.types.Object]] = ByViewLayer()


def holders(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The objects of the scene that hold landmarks, looked up after each change.

    They are in the view layer, or in collections that are instanced there.
    """
    state = state_of(context)
    known = _holders.at(state)
    if known is None or not all(map(_is_there, known)):
        holding = [obj for obj in bpy.data.objects if storage.has_landmarks(obj)]
        known = _holders.keep(state, [obj for obj in holding if _is_in(context, obj)])
    return known


def _is_in(context: bpy.types.Context, obj: bpy.types.Object) -> bool:
    """Whether an object is in the view layer, or is evaluated for it."""
    if context.view_layer.objects.get(obj.name) == obj:
        return True
    depsgraph = context.view_layer.depsgraph
    return depsgraph is not None and obj.evaluated_get(depsgraph).is_evaluated


def shown(context: bpy.types.Context) -> Sequence[Shown]:
    """All landmarks of the scene that can be read, where they are now.

    NotWhileDrawingError if Blender is drawing and has to evaluate the scene first.
    """
    evaluated_depsgraph(context)  # evaluating counts the changes
    known = _shown.at(state_of(context))
    if known is not None:
        return known
    documents = [(obj, document) for obj in holders(context) if (document := readable(obj))]
    held = [(obj, document, _rows(document)) for obj, document in documents]
    every = located_landmarks(context, [(obj, [each for _, each in rows]) for obj, _, rows in held])
    found = [
        Shown(obj.session_uid, document, rows, places)
        for (obj, document, rows), places in zip(held, every, strict=True)
    ]
    return _shown.keep(state_of(context), found)


def _rows(document: Document) -> tuple[tuple[LandmarkSet, Landmark], ...]:
    """The landmarks of a document, set after set, each with its set."""
    return tuple((group, each) for group in document.sets for each in group.landmarks)


def shown_to_draw(context: bpy.types.Context) -> Sequence[Shown]:
    """As :func:`shown`, while drawing: nothing if Blender has to evaluate, and a redraw later."""
    try:
        with while_drawing():
            return shown(context)
    except NotWhileDrawingError:
        redraw.look_at_rest(shown)
        return ()


def are_shown() -> bool:
    """Whether there were any landmarks when they were last looked up."""
    return any(found for _, found in _shown.values())


def readable(obj: bpy.types.Object) -> Document | None:
    """The landmarks of an object, to be drawn; None where they cannot be read."""
    found = storage.to_draw(obj)
    return None if isinstance(found, str) else found


def forget() -> None:
    """Forget all: another file is loaded."""
    _shown.clear()
    _holders.clear()
    storage.forget()
    topology.forget_last_places()
    named_objects.forget()
    empties.forget()


def register() -> None:
    """Redraw after each change of landmarks, and keep empties where the landmarks are."""
    storage.on_change = _changed
    _HANDLERS.register()


def unregister() -> None:
    """Stop redrawing and moving empties."""
    storage.on_change = None
    _HANDLERS.unregister()
    empties.forget()


def _is_there(obj: bpy.types.Object) -> bool:
    """Whether an object still exists; Blender reports removals only when it evaluates."""
    try:
        return bool(obj.name)
    except ReferenceError:
        return False


def _changed(obj: bpy.types.Object, before: Document) -> None:
    events.note_landmarks(obj, before)
    empties.tag()
    redraw.redraw(bpy.context)


def state_of(context: bpy.types.Context) -> State:
    """The state of scene and landmarks: another one means that places may have changed."""
    return queries.state_of(context), storage.revision


# Empties that follow landmarks. Right after these handlers, Blender evaluates the empties that they
# moved, and does not call the handlers again.


def _follow_frame(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Move empties to their landmarks after a change of frame, in renders too."""
    # A render of an animation changes frames in a thread of its own, which may change objects only
    # if the interface is locked meanwhile.
    is_main = threading.current_thread() is threading.main_thread()
    if is_main or depsgraph.scene.render.use_lock_interface:
        _follow(depsgraph)


def _follow_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Move empties to their landmarks after a change of the scene."""
    if threading.current_thread() is not threading.main_thread():
        return
    if any(each.is_updated_geometry or each.is_updated_transform for each in depsgraph.updates):
        _follow(depsgraph)


def _follow(depsgraph: bpy.types.Depsgraph) -> None:
    if empties.followers() and empties.follow(depsgraph):
        changes.pending.forget_everything()  # Blender does not report what depends on the empties


def _forget_undone(*_: object) -> None:
    empties.forget()  # after undo or redo, other empties may follow
    events.forget_changes()


_HANDLERS = Handlers(
    frame_change_post=_follow_frame,
    depsgraph_update_post=_follow_update,
    undo_post=_forget_undone,
    redo_post=_forget_undone,
)
