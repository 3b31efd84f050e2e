# SPDX-License-Identifier: GPL-3.0-or-later
"""The sets of landmarks that a script names."""

from __future__ import annotations

import bpy

from ..bridge.landmarks import storage
from ..bridge.validation import text
from ..model.landmarks.landmark_set import LandmarkSet
from ..standalone_core import RaypickError


def sets_of(obj: bpy.types.Object, set: str | None) -> list[LandmarkSet]:
    """All sets of an object, or the one of a name or an id; RaypickError if there is none such."""
    document = storage.read(obj)
    if set is None:
        return [*document.sets]
    found = document.find_set(text(set, "set"))
    if found is None:
        raise RaypickError(f"the object {obj.name!r} has no set {set!r} of landmarks")
    return [found]
