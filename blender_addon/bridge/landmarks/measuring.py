# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures between landmarks: finding their values, and adding, changing and removing them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import bpy
import numpy as np

from ...model.hit import as_vector
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Anchor, Landmark, Names, new_id
from ...model.landmarks.measure import KINDS, Measure, Measured, Place
from ...settings import present
from ...standalone_core import Mesh, RaypickError
from ...standalone_core.extension import FloatArray, cross
from ..placing import HIDDEN, REMOVED
from ..query import asked_again_if_outdated, reading
from ..scene.instances import ListedMesh
from . import named_objects, storage
from .locating import original_mesh, visible_row
from .places import find_places, find_triangle
from .topology import located_landmarks

NO_LANDMARK = "The landmark was removed"
ONE_OBJECT = "Both landmarks must be on the same object"

NOTHING_OPPOSITE = "Nothing is opposite"
NOT_CONNECTED = "The surface does not connect the landmarks"
OWN_OBJECT = "A clearance is measured to another object"


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """The landmark at one of a measure's places, and where it is."""

    object: bpy.types.Object
    anchor: Anchor
    point: FloatArray  # (3,), in world space
    normal: FloatArray  # (3,), in world space, of unit length


class _Value(NamedTuple):
    """What was measured, and the line that shows it, in world space."""

    value: float
    line: Sequence[FloatArray]
    exact: bool = True


@asked_again_if_outdated
def measured(
    context: bpy.types.Context, obj: bpy.types.Object, measures: Sequence[Measure]
) -> list[Measured]:
    """The present values of measures that an object keeps, or the reasons why they are unknown."""
    found = _find(context, obj, (place for measure in measures for place in measure.places))
    return [
        _measured(context, measure, [found[place] for place in measure.places])
        for measure in measures
    ]


def _measured(
    context: bpy.types.Context, measure: Measure, places: Sequence[KnownPlace | str]
) -> Measured:
    known = [place for place in places if isinstance(place, KnownPlace)]
    if len(known) < len(places):
        return Measured(measure, reason=next(each for each in places if isinstance(each, str)))
    try:
        value, line, exact = _MEASURES[measure.kind](context, measure, known)
    except RaypickError as error:
        return Measured(measure, reason=str(error))
    along = as_vector(line[1] - line[0]) if measure.kind == "distance" else None
    return Measured(measure, value, along, tuple(map(as_vector, line)), exact)


def _find(
    context: bpy.types.Context, keeper: bpy.types.Object, places: Iterable[Place]
) -> dict[Place, KnownPlace | str]:
    """The points of places, or why one is unknown, in English."""
    documents: dict[bpy.types.Object, Document | str] = {}
    found: dict[Place, KnownPlace | str] = {}
    wanted: dict[bpy.types.Object, dict[Place, Landmark]] = {}
    for place in places:
        one = _landmark(keeper, place, documents)
        if isinstance(one, str):
            found[place] = one
        else:
            wanted.setdefault(one[0], {})[place] = one[1]
    every = located_landmarks(context, [(obj, [*own.values()]) for obj, own in wanted.items()])
    for (obj, own), located in zip(wanted.items(), every, strict=True):
        rows = zip(own.items(), located.reasons, located.points, located.normals, strict=True)
        for (place, landmark), reason, point, normal in rows:
            found[place] = reason or KnownPlace(obj, present(landmark.anchor), point, normal)
    return found


def _landmark(
    keeper: bpy.types.Object, place: Place, documents: dict[bpy.types.Object, Document | str]
) -> tuple[bpy.types.Object, Landmark] | str:
    """The object and the landmark of a place, or why there is none, in English."""
    obj: bpy.types.Object | None = keeper
    if place.object is not None:
        obj = named_objects.find(keeper, (place.object, place.library))
    if obj is None:
        return REMOVED
    if obj not in documents:
        documents[obj] = storage.to_draw(obj)
    document = documents[obj]
    if isinstance(document, str):
        return document
    found = document.find(place.landmark)
    return NO_LANDMARK if found is None else (obj, found[1])


def _straight(_context: bpy.types.Context, measure: Measure, places: list[KnownPlace]) -> _Value:
    """The length of the polyline through places; an outline is closed."""
    points = [place.point for place in places]
    if measure.kind == "outline":
        points.append(points[0])
    return _Value(math.fsum(map(math.dist, points[:-1], points[1:])), points)


def _angle(_context: bpy.types.Context, measure: Measure, places: list[KnownPlace]) -> _Value:
    points = [place.point for place in places]
    if measure.kind == "normal_angle":
        first, second = places
        return _Value(_between(first.normal, second.normal), points)
    start, middle, end = points
    return _Value(_between(start - middle, end - middle), points)


def _surface_distance(
    context: bpy.types.Context, _measure: Measure, places: list[KnownPlace]
) -> _Value:
    start, end = places
    if start.object != end.object:
        raise RaypickError(ONE_OBJECT)
    _, mesh, (first, last) = _surface(context, start.object, [start.anchor, end.anchor])
    path = mesh.surface_path(first, last)
    if not np.isfinite(path.distance):
        raise RaypickError(NOT_CONNECTED)
    return _Value(float(path.distance), [*path.points], bool(path.exact))


def _thickness(context: bpy.types.Context, measure: Measure, places: list[KnownPlace]) -> _Value:
    (place,) = places
    row, mesh, ((triangle, weights),) = _surface(context, place.object, [place.anchor])
    if np.linalg.det(row.matrix[:3, :3]) < 0.0:  # it mirrors, and triangles face inward
        mesh = Mesh(mesh.vertices, mesh.triangles[:, ::-1], copy=False)
        weights = weights[::-1]
    is_ray = measure.kind == "thickness"
    found = mesh.thickness(mesh.places(triangle, weights), "ray" if is_ray else "sphere")
    if not np.isfinite(found.thickness):
        raise RaypickError(NOTHING_OPPOSITE)
    return _Value(float(found.thickness), [place.point, found.point])


def _clearance(context: bpy.types.Context, measure: Measure, places: list[KnownPlace]) -> _Value:
    (place,) = places
    other = named_objects.find(place.object, (measure.other or "", measure.other_library))
    if other is None:
        raise RaypickError(REMOVED)
    _, mesh, _ = _surface(context, other, [])
    near = mesh.closest_point(place.point)
    if near.triangle < 0:
        raise RaypickError(HIDDEN)
    return _Value(float(near.distance), [place.point, near.point])


def _between(first: FloatArray, second: FloatArray) -> float:
    """The angle between two vectors (3,) in radians, accurate near 0 and near pi too."""
    across = math.hypot(*cross(first, second).tolist())
    value = math.atan2(across, math.fsum((first * second).tolist()))
    if not np.any(first) or not np.any(second) or not math.isfinite(value):
        raise RaypickError("Two of the places are the same")
    return value


_MEASURES: dict[str, Callable[[bpy.types.Context, Measure, list[KnownPlace]], _Value]] = {
    **dict.fromkeys(("distance", "polyline", "outline"), _straight),
    **dict.fromkeys(("angle", "normal_angle"), _angle),
    **dict.fromkeys(("thickness", "sphere_thickness"), _thickness),
    "surface_distance": _surface_distance,
    "clearance": _clearance,
}


def _surface(
    context: bpy.types.Context, obj: bpy.types.Object, anchors: Sequence[Anchor]
) -> tuple[ListedMesh, Mesh, list[tuple[int, FloatArray]]]:
    """The listed mesh of an object, its surface in world space, and the places of anchors on it.

    Anchors on an instance select that instance. A place is a triangle and the weights (3,) of its
    vertices. RaypickError if the object is hidden, or a place is not known.
    """
    instance = (anchors[0].instancer, anchors[0].instance) if anchors else (None, None)
    with context.temp_override(area=None), reading():
        row = visible_row(context, obj, True, *instance)
        mesh = row.mesh.in_world(row.matrix)
    places = find_places(row.mesh, anchors, lambda: original_mesh(context, obj))
    found = []
    for reason, vertices, weights in zip(
        places.reasons, places.vertices, places.weights, strict=True
    ):
        if reason is not None:
            raise RaypickError(reason)
        place = find_triangle(mesh.triangles, vertices, weights)
        if place is None:  # the face is split differently by now: the nearest place stands for it
            near = mesh.closest_point(weights @ mesh.vertices[vertices])
            place = int(near.triangle), np.asarray(near.barycentric)
        found.append(place)
    return row, mesh, found


def add(
    kind: str,
    landmarks: Sequence[tuple[bpy.types.Object, Landmark]],
    name: str | None = None,
    other: bpy.types.Object | None = None,
) -> tuple[bpy.types.Object, Measure]:
    """Add a measure between landmarks, in their order, to the object of the first.

    A clearance is measured to the object `other`. RaypickError where kind and landmarks do not fit,
    or the object must not be changed.
    """
    _check(kind, len(landmarks), other)
    keeper = landmarks[0][0]
    if other == keeper:
        raise RaypickError(OWN_OBJECT)
    document = named_objects.up_to_date(keeper, storage.read(keeper))
    aside = (None, None) if other is None else named_objects.name_of(keeper, other)
    measure = Measure(
        name=Names(each.name for each in document.measures).free(name or KINDS[kind].label),
        kind=kind,
        places=tuple(
            Place(each.id, *(() if obj == keeper else named_objects.name_of(keeper, obj)))
            for obj, each in landmarks
        ),
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
    """Whether a measure of a kind can have `count` landmarks, and this other object or none."""
    return KINDS[kind].takes(count) and (other is not None) == (kind == "clearance")


def _check(kind: str, count: int, other: bpy.types.Object | None) -> None:
    if kind not in KINDS:
        raise RaypickError(f"there is no measure {kind!r}; there are {', '.join(KINDS)}")
    if is_right(kind, count, other):
        return
    if (other is not None) != (kind == "clearance"):
        raise RaypickError("a clearance, and it alone, is measured to another object")
    found = KINDS[kind]
    wanted = f"{found.least} or more" if found.most is None else str(found.least)
    raise RaypickError(f"{found.label} needs {wanted} landmarks, not {count}")


def remove(obj: bpy.types.Object, which: str) -> None:
    """Remove a measure by its id."""
    document = storage.read(obj)
    left = tuple(each for each in document.measures if each.id != which)
    active = max(0, min(document.active_measure, len(left) - 1))
    storage.write(obj, replace(document, measures=left, active_measure=active))


def change(obj: bpy.types.Object, changed: Measure) -> None:
    """Replace the measure of the same id."""
    document = storage.read(obj)
    measures = tuple(changed if each.id == changed.id else each for each in document.measures)
    storage.write(obj, replace(document, measures=measures))
