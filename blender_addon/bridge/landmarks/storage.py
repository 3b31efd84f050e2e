# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object keeps its landmarks: a text of JSON in a custom property.

So they are saved, copied, appended, linked and undone with the object, and anybody can read them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import bpy

from ...model.landmarks.document import UNREADABLE, Document, DocumentError
from ...standalone_core import RaypickError
from . import face_numbers

KEY = "raypick_landmarks"  # the object's own property

LINKED = "The object is linked from a library: make a library override to change its landmarks"

number = 0
"""Grows with each change of landmarks, which Blender does not report."""

on_change: Callable[[], None] | None = None
"""Called after each of these changes."""

_read: dict[int, tuple[str, Document]] = {}
"""What was read last of each object, by its session UID."""


class LandmarkFileError(RaypickError):
    """What an object holds cannot be read, and so must not be replaced."""


def has_landmarks(obj: bpy.types.Object) -> bool:
    """Whether an object holds landmarks, readable or not."""
    return KEY in cast(Any, obj)


def read(obj: bpy.types.Object) -> Document:
    """All landmarks of an object; LandmarkFileError, in English, where they cannot be read."""
    text = _text(obj)
    if text is None:
        return Document()
    known = _read.get(obj.session_uid)
    if known is None or known[0] != text:
        try:
            known = text, Document.from_text(text)
        except DocumentError as error:
            raise LandmarkFileError(str(error)) from None
        _read[obj.session_uid] = known
    return known[1]


def write(obj: bpy.types.Object, document: Document) -> None:
    """Have an object hold these landmarks, or none; RaypickError where it must not be changed."""
    why = why_not_editable(obj)
    if why is not None:
        raise RaypickError(why)
    held, before = cast(Any, obj), read(obj).bound
    if document.is_empty:
        if KEY in held:
            del held[KEY]
    else:
        text = held[KEY] = document.to_text()
        _read[obj.session_uid] = text, document
        if obj.override_library is None:
            obj.property_overridable_library_set(f'["{KEY}"]', True)
    if not before <= document.bound:
        _forget_faces(obj)
    count()
    if on_change is not None:
        on_change()


def count() -> None:
    """Note that landmarks have changed."""
    global number
    number += 1


def bound_numbers(mesh: bpy.types.Mesh) -> set[int]:
    """The numbers of faces that landmarks of any object with this mesh are bound to."""
    users = [obj for obj in bpy.data.objects if obj.data == mesh and has_landmarks(obj)]
    return {number for obj in users for number in read(obj).bound}


def why_not_editable(obj: bpy.types.Object) -> str | None:
    """Why the landmarks of an object must not be changed, in English; None where they may be."""
    if obj.library is not None:
        return LINKED
    try:
        read(obj)
    except LandmarkFileError as error:
        return str(error)
    return None


def is_own(obj: bpy.types.Object) -> bool:
    """Whether the object has its landmarks from no library.

    A library override has them from there until anything else is written.
    """
    override = obj.override_library
    if override is None or override.reference is None:
        return obj.library is None
    return bool(_raw(obj) != _raw(cast(bpy.types.Object, override.reference)))


def forget() -> None:
    """Forget what was read: another file is loaded."""
    _read.clear()


def _forget_faces(obj: bpy.types.Object) -> None:
    """Have the mesh of an object keep the numbers of faces alone that are still bound to."""
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh) or mesh.library is not None:
        return
    try:
        kept = bound_numbers(mesh)
    except LandmarkFileError:  # of another object: nobody knows what it is bound to
        return
    face_numbers.keep_only(mesh, kept)


def _text(obj: bpy.types.Object) -> str | None:
    """What an object holds; None for nothing."""
    if not has_landmarks(obj):
        return None
    held = _raw(obj)
    if not isinstance(held, str):
        raise LandmarkFileError(UNREADABLE)
    return held


def _raw(obj: bpy.types.Object) -> object:
    """What the custom property is, whatever that is; None also for bytes that are no text."""
    try:
        return obj.get(KEY)
    except ValueError:
        return None
