# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that the person leaves out of picks, until another file is loaded.

They are known by what Blender tells them by in a session, so that a new name or an undo step does
not change which they are.
"""

from __future__ import annotations

import bpy

_names: dict[int, str] = {}
"""By session UID, the names that they had."""


def uids() -> list[int]:
    """Their session UIDs, in the order in which they were left out."""
    return list(_names)


def objects() -> list[bpy.types.Object]:
    """Those that are there."""
    return [obj for obj in bpy.data.objects if obj.session_uid in _names] if _names else []


def name_of(uid: int) -> tuple[str, bool]:
    """The name of one of them, and whether it is there."""
    found = next((obj for obj in bpy.data.objects if obj.session_uid == uid), None)
    return (_names[uid], False) if found is None else (found.name, True)


def add(obj: bpy.types.Object) -> None:
    """Leave an object out."""
    _names[obj.session_uid] = obj.name


def remove(uid: int) -> None:
    """Take an object in again."""
    _names.pop(uid, None)


def clear() -> None:
    """Take all in again."""
    _names.clear()
