# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the objects that hits name, and naming objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from ..model.hit import PickHit
from ..model.survey_numbers import Name, in_order


def name_of(block: bpy.types.ID) -> Name:
    """The name and the library, which tell a data-block from all others of its kind."""
    return block.name, block.library.filepath if block.library else None


def names_of(blocks: Any) -> list[Name]:
    """The names of all data-blocks of one kind, in the order in which surveys number them."""
    if not bpy.data.libraries:  # many times as fast
        return [(name, None) for name in sorted(blocks.keys())]
    return in_order(map(name_of, blocks))


def named_object(name: str, library: str | None) -> bpy.types.Object | None:
    """The object with a name, of a library file or of this one; None if there is none."""
    if library is None or library.isascii():
        return bpy.data.objects.get((name, library))
    # Blender's own search fails at a path whose bytes are no UTF-8.
    named = (obj for obj in bpy.data.objects if obj.name == name)
    return next((obj for obj in named if obj.library and obj.library.filepath == library), None)


def with_uid(
    uid: int | None, named: bpy.types.Object | None, objects: Iterable[bpy.types.Object]
) -> bpy.types.Object | None:
    """The object with a session UID, probably `named`; `named` itself if no UID is known."""
    if uid is None or (named is not None and named.session_uid == uid):
        return named
    return next((obj for obj in objects if obj.session_uid == uid), None)


def object_of(hit: PickHit) -> bpy.types.Object | None:
    """The object whose mesh was hit, whatever its name is now; None if it was removed."""
    named = named_object(hit.object, hit.library)
    return with_uid(hit.session_uid, named, bpy.data.objects)


def owner_of(hit: PickHit, view_layer: bpy.types.ViewLayer) -> bpy.types.Object | None:
    """The object that a click at the hit selects; None where the view layer does not show it."""
    found = object_of(hit)
    if hit.instancer is not None:
        named = view_layer.objects.get(hit.instancer)
        found = with_uid(hit.instancer_uid, named, view_layer.objects)
    if found is None or view_layer.objects.get(found.name) is None:
        return None
    return found if found.visible_get(view_layer=view_layer) else None
