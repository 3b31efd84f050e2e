# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of the scene where they are now: what viewports and panels show.

They are looked up when they are asked for, once for any number of changes.

What was looked up in each view layer: two windows may show two scenes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import bpy

from ..bridge.landmarks import empties, named_objects, storage, topology
from ..bridge.landmarks.locating import Located
from ..bridge.landmarks.topology import located_landmarks
from ..bridge.scene.changes import NotWhileDrawingError, evaluated_depsgraph, while_drawing
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkSet
from . import queries, redraw

State = tuple[tuple[int, int], int]
"""Of a view layer: the state of its scene, and the number of the last change of landmarks."""

_MOST = 8

_Value = TypeVar("_Value")


class ByViewLayer(Generic[_Value]):
    """A value for each view layer, and the state that it was looked up in."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[State, _Value]] = {}

    def at(self, state: State) -> _Value | None:
        """What was looked up in a state; None where that is another by now."""
        known = self._held.get(_layer(state))
        return known[1] if known is not None and known[0] == state else None

    def last(self, state: State) -> _Value | None:
        """What was last looked up in the same view layer; None for nothing."""
        known = self._held.get(_layer(state))
        return None if known is None else known[1]

    def keep(self, state: State, value: _Value) -> _Value:
        """Keep what was looked up in a state, and return it."""
        if _layer(state) not in self._held and len(self._held) >= _MOST:
            self._held.clear()
        self._held[_layer(state)] = state, value
        return value

    def values(self) -> list[_Value]:
        """What was last looked up, in all view layers."""
        return [value for _, value in self._held.values()]

    def clear(self) -> None:
        """Forget all."""
        self._held.clear()


def _layer(state: State) -> int:
    """The address of the depsgraph of a view layer."""
    return state[0][1]


_REST_SECONDS = 0.12


@dataclass(frozen=True, slots=True)
class Shown:
    """The landmarks of one object, set after set, and where they are."""

    object_uid: int
    document: Document
    rows: tuple[tuple[LandmarkSet, Landmark], ...]
    places: Located  # a row for each of `rows`

    def reason(self, landmark: str) -> str | None:
        """Why it is not known where the landmark of an id is, in English; None where it is."""
        rows = zip(self.rows, self.places.reasons, strict=True)
        return next((reason for (_, each), reason in rows if each.id == landmark), None)


_shown: ByViewLayer[list[Shown]] = ByViewLayer()
_holders: ByViewLayer[list[bpy.types.Object]] = ByViewLayer()


def holders(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The objects of the scene that hold landmarks, looked up after each change.

    They are in the view layer, or in collections that something there makes instances of.
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

    NotWhileDrawingError where that has to be evaluated first, and Blender is drawing.
    """
    evaluated_depsgraph(context)  # which tells what has changed
    known = _shown.at(state_of(context))
    if known is None:
        objects = holders(context)
        documents = [(obj, document) for obj in objects if (document := readable(obj))]
        found = _look_up(context, documents)
        known = _shown.keep(state_of(context), found)
    return known


def shown_to_draw(context: bpy.types.Context) -> Sequence[Shown]:
    """The same, for what is being drawn: nothing where it has to wait, and it is drawn again."""
    try:
        with while_drawing():
            return shown(context)
    except NotWhileDrawingError:
        redraw.stop_timer(_look)
        redraw.start_timer(_look, _REST_SECONDS)
        return ()


def are_shown() -> bool:
    """Whether there were any landmarks when they were last looked up."""
    return any(_shown.values())


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
    """Redraw after each change of landmarks, and have what follows them evaluated."""
    storage.on_change = _changed


def unregister() -> None:
    """Redraw no more."""
    storage.on_change = None


def _is_there(obj: bpy.types.Object) -> bool:
    """Whether an object was not removed; Blender tells that only when it evaluates."""
    try:
        return bool(obj.name)
    except ReferenceError:
        return False


def _changed() -> None:
    empties.tag()
    redraw.redraw(bpy.context)


def state_of(context: bpy.types.Context) -> State:
    """The state of scene and landmarks: another one means that places may have changed."""
    return queries.state_of(context), storage.number


def _look_up(
    context: bpy.types.Context, documents: list[tuple[bpy.types.Object, Document]]
) -> list[Shown]:
    rows = [
        tuple((group, each) for group in document.sets for each in group.landmarks)
        for _, document in documents
    ]
    wanted = [
        (obj, [each for _, each in row]) for (obj, _), row in zip(documents, rows, strict=True)
    ]
    found = located_landmarks(context, wanted)
    return [
        Shown(obj.session_uid, document, row, places)
        for (obj, document), row, places in zip(documents, rows, found, strict=True)
    ]


def _look() -> None:
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            shown(bpy.context)
    redraw.redraw(bpy.context)
