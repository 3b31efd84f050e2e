# SPDX-License-Identifier: GPL-3.0-or-later
"""The active object's landmarks; selecting and changing landmarks of all objects."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..bridge.landmarks import storage
from ..model.landmarks.document import Document, Extend, clicked, with_selected
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkSet
from ..standalone_core import RaypickError
from . import landmarks, measures, redraw
from .landmarks import State
from .measures import ShownMeasure

NO_OBJECT = "There is no active object"

_Key = tuple[int, State]

_known: tuple[_Key, Document | str] | None = None
_count: tuple[State, int] | None = None
_reasons: tuple[landmarks.Shown, dict[str, str | None]] | None = None


def holder(context: bpy.types.Context) -> bpy.types.Object | None:
    """The object whose landmarks are shown."""
    layer = context.view_layer
    return layer.objects.active if layer else None


def why_not_editable(context: bpy.types.Context) -> str | None:
    """Why landmarks of the active object must not be changed, in English; None where they may."""
    obj = holder(context)
    if obj is None:
        return NO_OBJECT
    if obj.library is not None:
        return storage.LINKED
    found = _document(context, obj)
    return found if isinstance(found, str) else None


def editable(context: bpy.types.Context) -> tuple[bpy.types.Object, Document]:
    """The active object and its landmarks; RaypickError if they must not be changed."""
    obj, why = holder(context), why_not_editable(context)
    if obj is None or why is not None:
        raise RaypickError(why or NO_OBJECT)
    return obj, storage.read(obj)


def document(context: bpy.types.Context) -> Document | None:
    """The landmarks of the active object; None if they cannot be read, or without an object."""
    obj = holder(context)
    found = "" if obj is None else _document(context, obj)
    return None if isinstance(found, str) else found


def look_again(context: bpy.types.Context) -> None:
    """Read the landmarks again; if a script changed them unnoticed, update all that shows them."""
    global _known
    before, _known = _known, None
    document(context)
    if before is not None and _known is not None and before[0] == _known[0] and before != _known:
        storage.note_change()
        redraw.redraw(context)


def _document(context: bpy.types.Context, obj: bpy.types.Object) -> Document | str:
    """The active object's landmarks, or why there are none, in English; read once per change."""
    global _known
    key = obj.session_uid, landmarks.state_of(context)
    if _known is None or _known[0] != key:
        _known = key, storage.to_draw(obj)
    return _known[1]


def shown(context: bpy.types.Context) -> landmarks.Shown | None:
    """The landmarks of the active object and where they are now; None if not known yet."""
    obj = holder(context)
    every = landmarks.shown_to_draw(context) if obj else ()
    return next((each for each in every if obj and each.object_uid == obj.session_uid), None)


def reason(context: bpy.types.Context, landmark: str) -> str | None:
    """Why the place of a landmark, by id, is unknown, in English; None if it is known."""
    global _reasons
    place = shown(context)
    if place is None:
        return None
    if _reasons is None or _reasons[0] is not place:
        ids = (each.id for _, each in place.rows)
        _reasons = place, dict(zip(ids, place.places.reasons, strict=True))
    return _reasons[1].get(landmark)


def shown_measure(context: bpy.types.Context, measure: str) -> ShownMeasure | None:
    """The value of a measure, by id; None if it is not known yet."""
    obj = holder(context)
    every = measures.shown_to_draw(context) if obj else ()
    return next((each for each in every if obj and each.key == (obj.session_uid, measure)), None)


Selected = tuple[bpy.types.Object, LandmarkSet, Landmark]


def selected(context: bpy.types.Context) -> list[Selected]:
    """The selected landmarks that are not hidden, those of the active object first."""
    active = context.view_layer.objects.active
    return [
        (obj, group, each)
        for obj in sorted(landmarks.holders(context), key=lambda obj: obj != active)
        if (document := landmarks.readable(obj)) is not None
        for group in document.sets
        for each in group.landmarks
        if each.selected and not each.hidden and not group.hidden
    ]


def selected_count(context: bpy.types.Context) -> int:
    """How many landmarks :func:`selected` gives; counted once per change."""
    global _count
    key = landmarks.state_of(context)
    if _count is None or _count[0] != key:
        _count = key, len(selected(context))
    return _count[1]


def changeable(context: bpy.types.Context) -> list[Selected]:
    """The selected landmarks that may be changed: neither locked nor linked."""
    return [
        (obj, group, each)
        for obj, group, each in selected(context)
        if not each.locked and not group.locked and storage.why_not_editable(obj) is None
    ]


def change(chosen: list[Selected], changed: Callable[[Landmark], Landmark | None]) -> int:
    """Replace landmarks by what `changed` returns, None to remove; return how many were given."""
    # By object: copies of an object have landmarks of the same ids.
    ids: dict[bpy.types.Object, set[str]] = {}
    for obj, _, each in chosen:
        ids.setdefault(obj, set()).add(each.id)
    for obj, own in ids.items():
        _change(obj, own, changed)
    return len(chosen)


def click(context: bpy.types.Context, obj: bpy.types.Object, landmark: str, extend: Extend) -> bool:
    """Select a landmark of an object as a click does; return whether that changes anything."""
    is_changed = extend == "SET" and select_none(context, but=obj)
    document = storage.read(obj)
    changed = clicked(document, landmark, extend)
    if changed != document:
        storage.write(obj, changed)
    return is_changed or changed != document


def select_none(context: bpy.types.Context, but: bpy.types.Object | None = None) -> bool:
    """Deselect all landmarks except those of `but`; return whether any was selected."""
    is_changed = False
    for obj in landmarks.holders(context):
        if obj != but and storage.why_not_editable(obj) is None:
            before: Document = storage.read(obj)
            after = with_selected(before, lambda _: False)
            if after is not before:
                storage.write(obj, after)
                is_changed = True
    return is_changed


def _change(
    obj: bpy.types.Object, ids: set[str], changed: Callable[[Landmark], Landmark | None]
) -> None:
    document = storage.read(obj)
    storage.write(obj, document.changed(lambda each: changed(each) if each.id in ids else each))
