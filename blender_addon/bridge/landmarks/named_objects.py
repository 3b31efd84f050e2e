# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that an object's measures name, even after they were renamed.

A file stores names alone. While it is open, a name means the object that had it at the first
look-up. The names are brought up to date before the file is saved or a measure is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import bpy

from ...model.landmarks.document import Document
from ...model.landmarks.measure import Measure
from ...model.survey_numbers import Name
from .. import hit_objects
from ..hit_objects import named_object, with_uid

_uids: dict[tuple[int, Name], int] = {}
"""Session UIDs of named objects, by the UID of the object whose measures name them, and name."""


def name_of(keeper: bpy.types.Object, obj: bpy.types.Object) -> Name:
    """The name of an object, which from now on means that object in the keeper's measures."""
    name = hit_objects.name_of(obj)
    _uids[keeper.session_uid, name] = obj.session_uid
    return name


def find(keeper: bpy.types.Object, name: Name) -> bpy.types.Object | None:
    """The object that a name in the keeper's measures means; None if there is none."""
    key, named = (keeper.session_uid, name), named_object(*name)
    found = with_uid(_uids.get(key), named, bpy.data.objects) or named
    if found is not None:
        _uids[key] = found.session_uid
    return found


def up_to_date(keeper: bpy.types.Object, document: Document) -> Document:
    """An object's document, with the present names of the objects that its measures name."""
    found = {name: find(keeper, name) for each in document.measures for name in _names(each)}
    # Only after all are found: two objects may have swapped their names.
    now: dict[tuple[str | None, str | None], Name] = {
        name: name_of(keeper, obj) for name, obj in found.items() if obj is not None
    }
    measures = tuple(_renamed(each, now) for each in document.measures)
    return document if measures == document.measures else replace(document, measures=measures)


def forget() -> None:
    """Forget all objects, for instance when another file is opened."""
    _uids.clear()


def _names(measure: Measure) -> Iterator[Name]:
    """The names of the other objects of a measure."""
    if measure.other is not None:
        yield measure.other, measure.other_library
    for place in measure.places:
        if place.object is not None:
            yield place.object, place.library


def _renamed(measure: Measure, now: Mapping[tuple[str | None, str | None], Name]) -> Measure:
    places = []
    for place in measure.places:
        name, library = now.get((place.object, place.library), (place.object, place.library))
        places.append(replace(place, object=name, library=library))
    other = measure.other, measure.other_library
    name, library = now.get(other, other)
    return replace(measure, places=tuple(places), other=name, other_library=library)
