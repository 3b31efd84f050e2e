# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of an object's landmarks that the API and the operators share."""

from __future__ import annotations

from dataclasses import replace

import bpy

from ...model.hit import PickHit
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Landmark, new_id
from ...model.landmarks.landmark_set import COLORS, LandmarkSet
from ...model.landmarks.names import free_name
from ...standalone_core import RaypickError
from ..hit_objects import object_of
from ..relocation import REMOVED
from . import storage
from .anchoring import Anchored, anchored_hit

FIRST_SET = "Landmarks"
LOCKED_SET = "The set is locked"
LOCKED = "The landmark is locked"


def new_set(document: Document, name: str | None = None) -> LandmarkSet:
    """An empty set of a name and a color that the document does not have yet."""
    free = free_name(name or FIRST_SET, [each.name for each in document.sets])
    return LandmarkSet(free, id=new_id(), color=COLORS[len(document.sets) % len(COLORS)])


def add(
    context: bpy.types.Context, hit: PickHit, name: str | None = None, into: str | None = None
) -> tuple[bpy.types.Object, LandmarkSet, Landmark]:
    """Add a landmark at a hit, to the set of a name or an id, or to the active one.

    A set that does not exist is made. RaypickError where the object or the set cannot be changed.
    """
    obj = hit_object(hit)
    document = storage.read(obj)
    found = document.set if into is None else document.find_set(into)
    of = found or new_set(document, into)
    if of.locked:
        raise RaypickError(LOCKED_SET)
    changed, added = of.with_placed(landmark_at(anchored_hit(context, hit)), name)
    storage.write(obj, document.with_set(changed))
    return obj, changed, added


def move(
    context: bpy.types.Context, obj: bpy.types.Object, landmark: str, hit: PickHit
) -> Landmark:
    """Move a landmark, by its id, to a hit on the same object."""
    if hit_object(hit) != obj:
        raise RaypickError("A landmark moves over its own object alone")
    return replace_place(obj, landmark, anchored_hit(context, hit))


def replace_place(obj: bpy.types.Object, landmark: str, place: Anchored) -> Landmark:
    """Have a landmark, by its id, at another place of its object."""
    document = storage.read(obj)
    of, found = find(document, landmark)
    if of.locked or found.locked:
        raise RaypickError(LOCKED_SET if of.locked else LOCKED)
    moved = replace(found, anchor=place.anchor, point=place.point, last=place.last, moved=None)
    storage.write(obj, document.with_set(of.with_landmark(moved)))
    return moved


def landmark_at(place: Anchored, name: str = "", moved: float | None = None) -> Landmark:
    """A new landmark at a place."""
    return Landmark(place.anchor, name, place.point, place.last, new_id(), moved=moved)


def find(document: Document, landmark: str) -> tuple[LandmarkSet, Landmark]:
    """A landmark by its id, with its set; RaypickError if there is none."""
    found = document.find(landmark)
    if found is None:
        raise RaypickError(f"there is no landmark {landmark!r}")
    return found


def hit_object(hit: PickHit) -> bpy.types.Object:
    """The object of a hit; RaypickError if it was removed."""
    obj = object_of(hit)
    if obj is None:
        raise RaypickError(REMOVED)
    return obj
