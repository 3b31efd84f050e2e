# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of an object's landmarks that the API and the operators share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy

from ...model.hit import PickHit
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Landmark, new_id
from ...model.landmarks.landmark_set import COLORS, LandmarkSet
from ...model.landmarks.names import free_name
from ...standalone_core import RaypickError
from . import storage
from .anchoring import Anchored, Given, anchored_places

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
    place = Given.of_hit(hit)
    (found,) = anchored_places(context, [place])
    of, (added,) = add_places(place.object, [landmark_at(found)], [name], into)
    return place.object, of, added


def add_many(
    placed: Sequence[tuple[bpy.types.Object, Anchored, float | None]],
    names: Sequence[str | None] | str,
    into: str | None = None,
) -> list[tuple[bpy.types.Object, LandmarkSet, Landmark]]:
    """Add landmarks at places of objects, each perhaps moved onto the surface: all, or none."""
    groups: dict[bpy.types.Object, list[int]] = {}
    for number, (obj, *_) in enumerate(placed):
        groups.setdefault(obj, []).append(number)
    before = {obj: storage.read(obj) for obj in groups}
    found: dict[int, tuple[bpy.types.Object, LandmarkSet, Landmark]] = {}
    written = []
    try:
        for obj, numbers in groups.items():
            marks = [landmark_at(placed[n][1], moved=placed[n][2]) for n in numbers]
            own = names if isinstance(names, str) else [names[n] for n in numbers]
            of, added = add_places(obj, marks, own, into)
            written.append(obj)
            found.update((n, (obj, of, each)) for n, each in zip(numbers, added, strict=True))
    except RaypickError:
        for obj in written:
            storage.write(obj, before[obj])
        raise
    return [found[number] for number in range(len(placed))]


def add_places(
    obj: bpy.types.Object,
    placed: Sequence[Landmark],
    names: Sequence[str | None] | str,
    into: str | None = None,
) -> tuple[LandmarkSet, list[Landmark]]:
    """Add new landmarks to an object, as :meth:`.LandmarkSet.with_placed` names them."""
    document = storage.read(obj)
    found = document.set if into is None else document.find_set(into)
    of = found or new_set(document, into)
    if of.locked:
        raise RaypickError(LOCKED_SET)
    changed, added = of.with_placed(placed, names)
    storage.write(obj, document.with_set(changed), document)
    return changed, added


def move(
    context: bpy.types.Context, obj: bpy.types.Object, landmark: str, hit: PickHit
) -> Landmark:
    """Move a landmark, by its id, to a hit on the same object."""
    place = Given.of_hit(hit)
    if place.object != obj:
        raise RaypickError("A landmark moves over its own object alone")
    return replace_place(obj, landmark, anchored_places(context, [place])[0])


def replace_place(obj: bpy.types.Object, landmark: str, place: Anchored) -> Landmark:
    """Have a landmark, by its id, at another place of its object."""
    document = storage.read(obj)
    of, found = find(document, landmark)
    if of.locked or found.locked:
        raise RaypickError(LOCKED_SET if of.locked else LOCKED)
    moved = replace(found, anchor=place.anchor, point=place.point, last=place.last, moved=None)
    storage.write(obj, document.with_set(of.with_landmark(moved)), document)
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
