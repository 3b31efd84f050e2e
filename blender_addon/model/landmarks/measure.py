# SPDX-License-Identifier: GPL-3.0-or-later
"""A measure between landmarks, as the first one's object keeps it, and its value at the moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..hit import Vector
from ..json_text import written
from ..serialization import FLAG, NAME, as_dict, from_dict, optional, stored

KINDS: dict[str, tuple[int, int | None]] = {
    "distance": (2, 2),
    "surface_distance": (2, 2),
    "angle": (3, 3),
    "normal_angle": (2, 2),
    "polyline": (2, None),
    "outline": (3, None),
    "thickness": (1, 1),
    "sphere_thickness": (1, 1),
    "clearance": (1, 1),
}
"""The least and the greatest number of places that each kind of measure takes."""

ANGLES = frozenset({"angle", "normal_angle"})
"""The kinds whose values are angles, in radians; all others are lengths in world space."""


@dataclass(frozen=True, slots=True)
class Place:
    """A landmark, perhaps of another object."""

    landmark: str = stored(NAME)  # its id
    object: str | None = stored(optional(NAME), None)  # None for the object that keeps the measure
    library: str | None = stored(optional(NAME), None)


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured between landmarks, wherever they are."""

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
        """The measure as JSON; TooLargeError where it could not be read again."""
        return written({**as_dict(self), "places": [as_dict(place) for place in self.places]})

    @classmethod
    def from_json(cls, values: Any) -> Measure:
        """The measure of parsed JSON; ValueError for any other value."""
        rows = values.get("places") if isinstance(values, dict) else None
        if not isinstance(rows, list):
            raise ValueError("a measure has a list of places")
        read = from_dict(cls, values, places=tuple(from_dict(Place, row) for row in rows))
        least, most = KINDS.get(read.kind, (1, 0))
        if not least <= len(read.places) <= (len(read.places) if most is None else most):
            raise ValueError(f"a measure {read.kind!r} of {len(read.places)} places is not known")
        return read


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure, and its value where the landmarks are now."""

    measure: Measure
    value: float | None = None
    """A length in world space, or an angle in radians; None where it is not known."""
    per_axis: Vector | None = None
    """Of a straight distance: from the first place to the second along X, Y and Z of the world."""
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
        return self.kind in ANGLES
