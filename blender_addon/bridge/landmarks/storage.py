# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object keeps its landmarks: as JSON in a custom property.

So they are saved, copied, appended, linked and undone with the object, and anybody can read them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import bpy

from ...model.landmarks.document import MOST_CHARACTERS, Document, DocumentError
from ...standalone_core import RaypickError
from ..custom_properties import held, text
from . import face_numbers

KEY = "raypick_landmarks"  # the object's own property

LINKED = "The object is linked from a library: make a library override to change its landmarks"

revision = 0  # grows with each change of landmarks, which Blender does not report
on_change: Callable[[bpy.types.Object, Document], None] | None = None
"""Called after each change that is written here, with the object and its landmarks before."""

_TIMES = 20
"""Redraws read an unreadable text again only after this many times the time that reading it took:
Blender copies the whole text each time, and does not tell its length before."""

_read: dict[int, tuple[str, Document | str]] = {}
"""Each object's text and what it means, or why it cannot be read, by the object's session UID."""

_refused: dict[int, tuple[float, str]] = {}
"""When an unreadable text may be read again, and why it cannot be read, by session UID."""


class LandmarkFileError(RaypickError):
    """An object's landmarks cannot be read, and so must not be replaced."""


def has_landmarks(obj: bpy.types.Object) -> bool:
    """Whether an object holds landmarks, readable or not."""
    return KEY in cast(Any, obj)


def read(obj: bpy.types.Object) -> Document:
    """All landmarks of an object; LandmarkFileError, in English, where they cannot be read."""
    found = _looked_up(obj)
    if isinstance(found, str):
        raise LandmarkFileError(found)
    _refused.pop(obj.session_uid, None)
    return found


def to_draw(obj: bpy.types.Object) -> Document | str:
    """All landmarks of an object, or why they cannot be read, in English; made for redraws.

    It is cheap whatever a file holds, as an unreadable text is not read each time.
    """
    start, uid = time.perf_counter(), obj.session_uid
    until, why = _refused.get(uid, (0.0, ""))
    if start < until and has_landmarks(obj):
        return why
    found = _looked_up(obj)
    if isinstance(found, str):
        now = time.perf_counter()
        _refused[uid] = now + _TIMES * (now - start), found
    return found


def write(obj: bpy.types.Object, document: Document, before: Document | None = None) -> None:
    """Write an object's landmarks; RaypickError where it must not be changed.

    `before` is the document that it has, if the caller has just read it.
    """
    if obj.library is not None:
        raise RaypickError(LINKED)
    properties, before = cast(Any, obj), before or read(obj)
    if not (document.sets or document.measures or document.lost):
        if KEY in properties:
            del properties[KEY]
    else:
        try:
            properties[KEY] = written = document.to_text()
        except DocumentError as error:
            raise RaypickError(str(error)) from None
        _remember(obj, written, document)
        if obj.override_library is None:
            obj.property_overridable_library_set(f'["{KEY}"]', True)
    if not before.bound <= document.bound:
        _forget_faces(obj)
    note_change()
    if on_change is not None:
        on_change(obj, before)


def note_change() -> None:
    """Note that landmarks have changed."""
    global revision
    revision += 1


def bound_numbers(mesh: bpy.types.Mesh) -> set[int]:
    """The numbers of faces that landmarks of any object with this mesh are bound to."""
    users = [obj for obj in bpy.data.objects if obj.data == mesh and has_landmarks(obj)]
    return {number for obj in users for number in read(obj).bound}


def why_not_editable(obj: bpy.types.Object) -> str | None:
    """Why the landmarks of an object must not be changed, in English; None where they may be."""
    if obj.library is not None:
        return LINKED
    found = _looked_up(obj)
    return found if isinstance(found, str) else None


def is_own(obj: bpy.types.Object) -> bool:
    """Whether an object's landmarks are its own, not those of a library.

    A library override has its library's landmarks until others are written.
    """
    override = obj.override_library
    if override is None or override.reference is None:
        return obj.library is None
    return bool(held(obj, KEY) != held(cast(bpy.types.Object, override.reference), KEY))


def forget() -> None:
    """Forget what was read, for instance when another file is opened."""
    _read.clear()
    _refused.clear()


def _looked_up(obj: bpy.types.Object) -> Document | str:
    """All landmarks of an object, or why they cannot be read; a text is parsed once."""
    if not has_landmarks(obj):
        return Document()
    written = text(obj, KEY) or ""  # a property of another type has no text
    known = _read.get(obj.session_uid)
    if known is not None and known[0] == written:
        return known[1]
    try:
        found: Document | str = Document.from_text(written)
    except DocumentError as error:
        found = str(error)
    if len(written) <= MOST_CHARACTERS:  # longer ones are refused without parsing
        _remember(obj, written, found)
    return found


def _remember(obj: bpy.types.Object, written: str, found: Document | str) -> None:
    """Remember what a text means, and forget objects that are gone once they are many."""
    _read[obj.session_uid] = written, found
    if len(_read) > 2 * len(bpy.data.objects):
        alive = {each.session_uid for each in bpy.data.objects}
        for uid in _read.keys() - alive:
            del _read[uid]


def _forget_faces(obj: bpy.types.Object) -> None:
    """Remove the numbers of faces that no landmark is bound to any more."""
    mesh = obj.data
    if isinstance(mesh, bpy.types.Mesh) and mesh.library is None:
        with suppress(LandmarkFileError):  # another user's landmarks are unreadable
            face_numbers.keep_only(mesh, bound_numbers(mesh))
