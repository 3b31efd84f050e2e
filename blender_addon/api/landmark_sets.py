# SPDX-License-Identifier: GPL-3.0-or-later
"""The sets and the landmarks that a script names."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..bridge.landmarks import storage
from ..bridge.validation import text
from ..model.landmarks.landmark_set import LandmarkSet
from ..standalone_core import RaypickError
from ..standalone_core.extension import ArgumentError, iterable


def sets_of(obj: bpy.types.Object, set: str | None) -> list[LandmarkSet]:
    """All sets of an object, or the one of a name or an id; RaypickError if there is none such."""
    document = storage.read(obj)
    if set is None:
        return [*document.sets]
    found = document.find_set(text(set, "set"))
    if found is None:
        raise RaypickError(f"the object {obj.name!r} has no set {set!r} of landmarks")
    return [found]


def ids_of(obj: bpy.types.Object, landmarks: Iterable[str] | None) -> set[str] | None:
    """The ids of landmarks by their names or ids; None for all. RaypickError for others."""
    if landmarks is None:
        return None
    if isinstance(landmarks, str):
        raise ArgumentError(f"landmarks must be a list of names, not {landmarks!r}")
    ids, known = set[str](), dict[str, list[str]]()
    for each in storage.read(obj).landmarks:
        for key in {each.id, each.name}:
            known.setdefault(key, []).append(each.id)
    for which in iterable(landmarks, "landmarks"):
        name = text(which, "each of landmarks")
        if name not in known:
            raise RaypickError(f"the object {obj.name!r} has no landmark {name!r}")
        ids.update(known[name])
    return ids
