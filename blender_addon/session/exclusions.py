# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that the user excludes from picks, until another file is loaded.

They are known by their session UIDs, which a new name or an undo step does not change.
"""

from __future__ import annotations

import bpy

_names: dict[int, str] = {}  # the names that they had when they were excluded, by session UID


def uids() -> list[int]:
    """Their session UIDs, in the order in which they were excluded."""
    return list(_names)


def objects() -> list[bpy.types.Object]:
    """Those that still exist."""
    return [obj for obj in bpy.data.objects if obj.session_uid in _names] if _names else []


def name_of(uid: int) -> tuple[str, bool]:
    """The name of one of them, and whether it still exists."""
    found = next((obj for obj in bpy.data.objects if obj.session_uid == uid), None)
    return (_names[uid], False) if found is None else (found.name, True)


def add(obj: bpy.types.Object) -> None:
    """Exclude an object."""
    _names[obj.session_uid] = obj.name


def remove(uid: int) -> None:
    """Include an object again."""
    _names.pop(uid, None)


def clear() -> None:
    """Include all again."""
    _names.clear()
