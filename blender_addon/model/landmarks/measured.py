# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measure is at the moment, in plain Python values."""

from __future__ import annotations

from dataclasses import dataclass

from ..hit import Vector
from .measure import Measure

ANGLES = frozenset({"angle", "normal_angle"})
"""The kinds whose values are angles, in radians; all others are lengths in world space."""


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
