# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of the active object, which lists and panels show."""

from __future__ import annotations

import bpy

from ..bridge.landmarks import storage
from ..model.landmarks.document import Document
from ..standalone_core import RaypickError
from . import landmarks, redraw
from .by_view_layer import State

NO_OBJECT = "There is no active object"

_Key = tuple[int, State]

_known: tuple[_Key, Document | str] | None = None
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
    """The object and its landmarks, to be changed; RaypickError where they must not be."""
    obj, why = holder(context), why_not_editable(context)
    if obj is None or why is not None:
        raise RaypickError(why or NO_OBJECT)
    return obj, storage.read(obj)


def document(context: bpy.types.Context) -> Document | None:
    """The landmarks of the active object; None for none, and for unreadable ones."""
    obj = holder(context)
    found = "" if obj is None else _document(context, obj)
    return None if isinstance(found, str) else found


def look_again(context: bpy.types.Context) -> None:
    """Read them again, and have all looked up where a script has written them and told nobody."""
    global _known
    before, _known = _known, None
    document(context)
    if before is not None and _known is not None and before[0] == _known[0] and before != _known:
        storage.count()
        redraw.redraw(context)


def _document(context: bpy.types.Context, obj: bpy.types.Object) -> Document | str:
    """The landmarks of the active object, or why not, in English; read once for each change."""
    global _known
    key = obj.session_uid, landmarks.state_of(context)
    if _known is None or _known[0] != key:
        _known = key, storage.to_draw(obj)
    return _known[1]


def shown(context: bpy.types.Context) -> landmarks.Shown | None:
    """Where they are now, for what is being drawn; None where that is not known yet."""
    obj = holder(context)
    every = landmarks.shown_to_draw(context) if obj else ()
    return next((each for each in every if obj and each.object_uid == obj.session_uid), None)


def reason(context: bpy.types.Context, landmark: str) -> str | None:
    """Why it is not known where a landmark of an id is, in English; None where it is."""
    global _reasons
    place = shown(context)
    if place is None:
        return None
    if _reasons is None or _reasons[0] is not place:
        ids = (each.id for _, each in place.rows)
        _reasons = place, dict(zip(ids, place.places.reasons, strict=True))
    return _reasons[1].get(landmark)
