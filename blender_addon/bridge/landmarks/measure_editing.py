# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the measures that objects keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy

from ...model.landmarks.landmark import Landmark, new_id
from ...model.landmarks.measure import KINDS, Measure, Place
from ...model.landmarks.names import free_name
from ...standalone_core import RaypickError
from . import named_objects, storage

OWN_OBJECT = "A clearance is measured to another object"

NAMES = {
    "distance": "Distance",
    "surface_distance": "Surface Distance",
    "angle": "Angle",
    "normal_angle": "Angle of Normals",
    "polyline": "Polyline",
    "outline": "Outline",
    "thickness": "Thickness",
    "sphere_thickness": "Sphere Thickness",
    "clearance": "Clearance",
}


def add(
    kind: str,
    landmarks: Sequence[tuple[bpy.types.Object, Landmark]],
    name: str | None = None,
    other: bpy.types.Object | None = None,
) -> tuple[bpy.types.Object, Measure]:
    """Add a measure between landmarks, in their order, to the object of the first.

    A clearance is measured to the object `other`. RaypickError where kind and landmarks do not go
    together, or the object must not be changed.
    """
    _check(kind, len(landmarks), other)
    keeper = landmarks[0][0]
    if other == keeper:
        raise RaypickError(OWN_OBJECT)
    document = named_objects.up_to_date(keeper, storage.read(keeper))
    aside = (None, None) if other is None else named_objects.name_of(keeper, other)
    measure = Measure(
        name=free_name(name or NAMES[kind], [each.name for each in document.measures]),
        kind=kind,
        places=tuple(_place(keeper, obj, landmark) for obj, landmark in landmarks),
        id=new_id(),
        other=aside[0],
        other_library=aside[1],
    )
    measures = (*document.measures, measure)
    storage.write(
        keeper, replace(document, measures=measures, active_measure=len(document.measures))
    )
    return keeper, measure


def is_right(kind: str, count: int, other: bpy.types.Object | None) -> bool:
    """Whether so many landmarks make a measure of a kind, to another object or to none."""
    least, most = KINDS[kind]
    is_enough = least <= count and (most is None or count <= most)
    return is_enough and (other is not None) == (kind == "clearance")


def _check(kind: str, count: int, other: bpy.types.Object | None) -> None:
    """RaypickError unless so many landmarks make a measure of a kind."""
    if kind not in KINDS:
        raise RaypickError(f"there is no measure {kind!r}; there are {', '.join(KINDS)}")
    if is_right(kind, count, other):
        return
    if (other is not None) != (kind == "clearance"):
        raise RaypickError("a clearance, and it alone, is measured to another object")
    least, most = KINDS[kind]
    wanted = f"{least} or more" if most is None else str(least)
    raise RaypickError(f"{NAMES[kind]} needs {wanted} landmarks, not {count}")


def remove(obj: bpy.types.Object, which: str) -> None:
    """Remove a measure by its id."""
    document = storage.read(obj)
    left = tuple(each for each in document.measures if each.id != which)
    active = max(0, min(document.active_measure, len(left) - 1))
    storage.write(obj, replace(document, measures=left, active_measure=active))


def change(obj: bpy.types.Object, changed: Measure) -> None:
    """Have a measure in the place of that of the same id."""
    document = storage.read(obj)
    measures = tuple(changed if each.id == changed.id else each for each in document.measures)
    storage.write(obj, replace(document, measures=measures))


def _place(keeper: bpy.types.Object, obj: bpy.types.Object, landmark: Landmark) -> Place:
    if obj == keeper:
        return Place(landmark.id)
    return Place(landmark.id, *named_objects.name_of(keeper, obj))
