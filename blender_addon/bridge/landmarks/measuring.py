# SPDX-License-Identifier: GPL-3.0-or-later
"""What measures between landmarks are now."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...model.hit import Vector
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Anchor, Landmark
from ...model.landmarks.measure import Measure, Place
from ...model.landmarks.measured import Measured
from ...model.record import vector
from ...present import present
from ...standalone_core import RaypickError
from ...standalone_core.extension import FloatArray, cross
from ..reading import asked_again_if_outdated
from ..relocation import REMOVED
from . import named_objects, on_surface, storage
from .locating import Located
from .rest import located_landmarks

NO_LANDMARK = "The landmark was removed"
ONE_OBJECT = "Both landmarks must be on the same object"

LONG = frozenset({"surface_distance", "thickness", "sphere_thickness", "clearance"})
"""The kinds that need the whole surface, and so may take a while."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one of a measure's places is."""

    object: bpy.types.Object
    anchor: Anchor
    point: FloatArray  # (3,), in world space
    normal: FloatArray  # (3,), in world space, of unit length


@asked_again_if_outdated
def measured(
    context: bpy.types.Context, obj: bpy.types.Object, measures: Sequence[Measure]
) -> list[Measured]:
    """What measures that an object keeps are now; where that is not known, they say why."""
    places = [place for measure in measures for place in measure.places]
    spots = dict(zip(places, _spots(context, obj, places), strict=True))
    return [
        _measured(context, measure, [spots[place] for place in measure.places])
        for measure in measures
    ]


def _measured(
    context: bpy.types.Context, measure: Measure, spots: Sequence[Spot | str]
) -> Measured:
    known = [spot for spot in spots if isinstance(spot, Spot)]
    if len(known) < len(spots):
        return Measured(measure, reason=next(spot for spot in spots if isinstance(spot, str)))
    try:
        return _KINDS[measure.kind](context, measure, known)
    except RaypickError as error:
        return Measured(measure, reason=str(error))


def _spots(
    context: bpy.types.Context, keeper: bpy.types.Object, places: Sequence[Place]
) -> list[Spot | str]:
    """Where places are, or why that is not known, in English."""
    documents: dict[bpy.types.Object, Document | str] = {}
    found = [_landmark(keeper, place, documents) for place in places]
    wanted: dict[bpy.types.Object, list[Landmark]] = {}
    rows: dict[tuple[bpy.types.Object, str], int] = {}
    for each in found:
        if not isinstance(each, str) and (each[0], each[1].id) not in rows:
            own = wanted.setdefault(each[0], [])
            rows[each[0], each[1].id] = len(own)
            own.append(each[1])
    there = dict(zip(wanted, located_landmarks(context, [*wanted.items()]), strict=True))
    return [
        each if isinstance(each, str) else _spot(*each, there[each[0]], rows[each[0], each[1].id])
        for each in found
    ]


def _spot(obj: bpy.types.Object, landmark: Landmark, there: Located, row: int) -> Spot | str:
    """The place of a landmark, which has a row in what was located."""
    reason = there.reasons[row]
    if reason is not None:
        return reason
    return Spot(obj, present(landmark.anchor), there.points[row], there.normals[row])


def _landmark(
    keeper: bpy.types.Object, place: Place, documents: dict[bpy.types.Object, Document | str]
) -> tuple[bpy.types.Object, Landmark] | str:
    """The landmark of a place, and its object; or why there is none, in English."""
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


def _distance(_context: bpy.types.Context, measure: Measure, spots: list[Spot]) -> Measured:
    start, end = (spot.point for spot in spots)
    along = _vector(end - start)
    return Measured(measure, math.hypot(*along), along, (_vector(start), _vector(end)))


def _angle(_context: bpy.types.Context, measure: Measure, spots: list[Spot]) -> Measured:
    """The angle at the second of three places."""
    start, middle, end = (spot.point for spot in spots)
    value = _between(start - middle, end - middle)
    return Measured(measure, value, points=tuple(map(_vector, (start, middle, end))))


def _normal_angle(_context: bpy.types.Context, measure: Measure, spots: list[Spot]) -> Measured:
    first, second = spots
    value = _between(first.normal, second.normal)
    return Measured(measure, value, points=(_vector(first.point), _vector(second.point)))


def _polyline(_context: bpy.types.Context, measure: Measure, spots: list[Spot]) -> Measured:
    points = [_vector(spot.point) for spot in spots]
    if measure.kind == "outline":
        points.append(points[0])
    lengths = (math.dist(points[i], points[i + 1]) for i in range(len(points) - 1))
    return Measured(measure, math.fsum(lengths), points=tuple(points))


def _surface_distance(context: bpy.types.Context, measure: Measure, spots: list[Spot]) -> Measured:
    start, end = spots
    if start.object != end.object:
        raise RaypickError(ONE_OBJECT)
    surface = on_surface.surface_of(context, start.object, start.anchor)
    path = surface.path(start.anchor, end.anchor)
    points = tuple(_vector(point) for point in path.points)
    return Measured(measure, float(path.distance), points=points, exact=bool(path.exact))


def _thickness(context: bpy.types.Context, measure: Measure, spots: list[Spot]) -> Measured:
    (spot,) = spots
    surface = on_surface.surface_of(context, spot.object, spot.anchor)
    is_ray = measure.kind == "thickness"
    value, opposite = surface.thickness(spot.anchor, "ray" if is_ray else "sphere")
    return Measured(measure, value, points=(_vector(spot.point), _vector(opposite)))


def _clearance(context: bpy.types.Context, measure: Measure, spots: list[Spot]) -> Measured:
    """The distance from a place to the nearest one on another object."""
    (spot,) = spots
    other = named_objects.find(spot.object, (measure.other or "", measure.other_library))
    if other is None:
        raise RaypickError(REMOVED)
    value, nearest = on_surface.nearest(context, other, spot.point)
    return Measured(measure, value, points=(_vector(spot.point), _vector(nearest)))


def _between(first: FloatArray, second: FloatArray) -> float:
    """The angle between two vectors (3,), in radians, accurate for small ones and flat ones too."""
    across = math.hypot(*cross(first, second).tolist())
    value = math.atan2(across, math.fsum((first * second).tolist()))
    if not np.any(first) or not np.any(second) or not math.isfinite(value):
        raise RaypickError("Two of the places are the same")
    return value


def _vector(point: FloatArray) -> Vector:
    return present(vector(point.tolist()))


_KINDS: dict[str, Callable[[bpy.types.Context, Measure, list[Spot]], Measured]] = {
    "distance": _distance,
    "surface_distance": _surface_distance,
    "angle": _angle,
    "normal_angle": _normal_angle,
    "polyline": _polyline,
    "outline": _polyline,
    "thickness": _thickness,
    "sphere_thickness": _thickness,
    "clearance": _clearance,
}
