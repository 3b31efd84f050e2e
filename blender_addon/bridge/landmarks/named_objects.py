# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that an object's measures name, whatever their names are by now.

A file has nothing but names. While it is open, a name means the object that had it when it was
first looked up; before the file is saved, or a measure is added, the names are brought up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy

from ...model.landmarks.document import Document
from ...model.landmarks.measure import Measure, Place
from ..hit_objects import named_object, with_uid

Name = tuple[str, str | None]
"""The name of an object, and the path of its library."""

_uids: dict[tuple[int, Name], int] = {}
"""By the session UID of the object whose measures name them: the UIDs of those that are named."""


def name_of(keeper: bpy.types.Object, obj: bpy.types.Object) -> Name:
    """The name of an object, which is what the measures of another mean by it from now on."""
    name = obj.name, None if obj.library is None else obj.library.filepath
    _uids[keeper.session_uid, name] = obj.session_uid
    return name


def find(keeper: bpy.types.Object, name: Name) -> bpy.types.Object | None:
    """The object that the measures of another mean by a name; None if there is none."""
    key, named = (keeper.session_uid, name), named_object(*name)
    found = with_uid(_uids.get(key), named, bpy.data.objects) or named
    if found is not None:
        _uids[key] = found.session_uid
    return found


def up_to_date(keeper: bpy.types.Object, document: Document) -> Document:
    """What an object keeps, with the names that the objects of its measures have now."""
    found = {name: find(keeper, name) for each in document.measures for name in _names(each)}
    # All are found by then: two of them may have each other's name.
    now = {name: name_of(keeper, obj) for name, obj in found.items() if obj is not None}
    measures = tuple(_renamed(each, now) for each in document.measures)
    return document if measures == document.measures else replace(document, measures=measures)


def forget() -> None:
    """Forget all: another file is loaded."""
    _uids.clear()


def _names(measure: Measure) -> Iterator[Name]:
    """The names of all objects but the one that keeps a measure."""
    if measure.other is not None:
        yield measure.other, measure.other_library
    for place in measure.places:
        if place.object is not None:
            yield place.object, place.library


def _renamed(measure: Measure, now: dict[Name, Name]) -> Measure:
    """A measure with other names."""
    named = replace(measure, places=tuple(_renamed_place(each, now) for each in measure.places))
    if measure.other is None:
        return named
    known = measure.other, measure.other_library
    name, library = now.get(known, known)
    return replace(named, other=name, other_library=library)


def _renamed_place(place: Place, now: dict[Name, Name]) -> Place:
    if place.object is None:
        return place
    known = place.object, place.library
    name, library = now.get(known, known)
    return replace(place, object=name, library=library)
