# SPDX-License-Identifier: GPL-3.0-or-later
"""A measure between landmarks, stored with the first one's object, and its current value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..hit import Vector
from ..json_text import written
from ..landmark_files.format import Kind
from ..serialization import FLAG, NAME, as_dict, from_dict, optional, stored


class MeasureKind(NamedTuple):
    """What is measured, and between how many places."""

    label: str
    tooltip: str
    least: int
    most: int | None
    is_angle: bool = False  # in radians; all other values are lengths in world space
    is_long: bool = False  # it needs the whole surface, and so may take a while
    markup: Kind = "line"  # its type in files of 3D Slicer

    def takes(self, count: int) -> bool:
        """Whether it can be measured between so many places."""
        return self.least <= count and (self.most is None or count <= self.most)


KINDS = {
    "distance": MeasureKind(
        "Distance", "The straight distance between two landmarks, and along each axis", 2, 2
    ),
    "surface_distance": MeasureKind(
        "Surface Distance", "The shortest way along the surface", 2, 2, is_long=True, markup="curve"
    ),
    "angle": MeasureKind(
        "Angle", "The angle at the second of three landmarks", 3, 3, is_angle=True, markup="angle"
    ),
    "normal_angle": MeasureKind(
        "Angle of Normals", "The angle between the normals at two landmarks", 2, 2, is_angle=True
    ),
    "polyline": MeasureKind(
        *("Polyline", "The length of the line through the landmarks, in their order", 2, None),
        markup="curve",
    ),
    "outline": MeasureKind(
        *("Outline", "The length of the closed line through the landmarks", 3, None),
        markup="closed curve",
    ),
    "thickness": MeasureKind(
        *("Thickness", "The distance to the surface opposite, along the inward normal", 1, 1),
        is_long=True,
    ),
    "sphere_thickness": MeasureKind(
        "Sphere Thickness",
        "The diameter of the largest sphere inside that touches the landmark",
        *(1, 1),
        is_long=True,
    ),
    "clearance": MeasureKind(
        "Clearance", "The distance from a landmark to another object", 1, 1, is_long=True
    ),
}
"""The kinds of measures, by their names in files and scripts."""


@dataclass(frozen=True, slots=True)
class Place:
    """A landmark that a measure refers to, perhaps on another object."""

    landmark: str = stored(NAME)  # its id
    object: str | None = stored(optional(NAME), None)  # None for the object that keeps the measure
    library: str | None = stored(optional(NAME), None)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure between landmarks, without its value."""

    places: tuple[Place, ...]
    name: str = stored(NAME)
    kind: str = stored(NAME)
    id: str = stored(NAME, "")
    hidden: bool = stored(FLAG, False)
    other: str | None = stored(optional(NAME), None)
    """Name of the object to which a clearance is measured."""
    other_library: str | None = stored(optional(NAME), None)

    @property
    def text(self) -> str:
        """The measure as JSON; TooLargeError if it could not be read again."""
        return written({**as_dict(self), "places": [as_dict(place) for place in self.places]})

    @classmethod
    def from_json(cls, values: Any) -> Measure:
        """The measure of parsed JSON; ValueError for any other value."""
        rows = values.get("places") if isinstance(values, dict) else None
        if not isinstance(rows, list):
            raise ValueError("a measure has a list of places")
        read = from_dict(cls, values, places=tuple(from_dict(Place, row) for row in rows))
        if read.kind not in KINDS or not KINDS[read.kind].takes(len(read.places)):
            raise ValueError(f"a measure {read.kind!r} of {len(read.places)} places is not known")
        return read


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure, and its value where the landmarks are now."""

    measure: Measure
    value: float | None = None
    """A length in world space, or an angle in radians; None where it is not known."""
    per_axis: Vector | None = None
    """For a straight distance: its signed components along X, Y and Z of the world."""
    points: tuple[Vector, ...] = ()
    """The line that is drawn, in world space."""
    exact: bool = True
    """Whether a distance along the surface is surely the shortest."""
    reason: str | None = None
    """Why the value is not known, in English."""

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def kind(self) -> str:
        return self.measure.kind

    @property
    def is_angle(self) -> bool:
        return KINDS[self.kind].is_angle
