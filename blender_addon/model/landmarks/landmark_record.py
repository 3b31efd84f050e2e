# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API tells about a landmark, in plain Python values."""

from __future__ import annotations

from dataclasses import dataclass

from ..hit import Vector
from .landmark import Color, Landmark
from .landmark_set import LandmarkSet

_OF_ANCHOR = (
    *("face", "triangle", "vertices", "barycentric", "corners", "evaluated", "topology", "copies"),
    *("instancer", "instance"),
)


@dataclass(frozen=True, slots=True)
class LandmarkRecord:
    """A landmark of an object, as it is kept."""

    name: str
    set: str
    """Name of its set."""
    object: str
    id: str
    """What no other landmark has, and a new name does not change."""
    face: int | None
    """Index of the face in the original mesh, or in the evaluated one: see `evaluated`.

    This and what follows up to `placed` is None where the landmark is missing.
    """
    triangle: int | None
    """Index in that mesh's ``loop_triangles`` when it was placed; None where it was not known."""
    vertices: tuple[int, int, int] | None
    """The vertices of the triangle in that mesh, whose weights `barycentric` has."""
    barycentric: Vector | None
    corners: tuple[int, int, int] | None
    """Which corners of the face they are at, counted from the face's first."""
    evaluated: bool | None
    """Whether indices are those of the evaluated mesh, as the modifiers make other faces."""
    topology: str | None
    """The fingerprint of that mesh."""
    copies: tuple[tuple[str, int], ...] | None
    """Of an original face that modifiers copy, which copy it is, by their names; else the first."""
    instancer: str | None
    instance: tuple[int, ...] | None
    """As hits name them."""
    placed: Vector | None
    """Where it was placed, in the local space of the object."""
    moved: float | None
    """How far it was from the surface, in world space, when it was put onto it last."""
    color: Color
    """In linear color."""
    description: str
    selected: bool
    locked: bool
    hidden: bool
    bound: bool
    """Whether an attribute of the mesh marks its face."""

    @classmethod
    def of(cls, object: str, of: LandmarkSet, landmark: Landmark) -> LandmarkRecord:
        """The record of a landmark of a set of an object."""
        return cls(
            name=landmark.name,
            set=of.name,
            object=object,
            id=landmark.id,
            **{name: getattr(landmark.anchor, name, None) for name in _OF_ANCHOR},
            placed=landmark.point,
            moved=landmark.moved,
            color=landmark.color or of.color,
            description=landmark.description,
            selected=landmark.selected,
            locked=landmark.locked or of.locked,
            hidden=landmark.hidden or of.hidden,
            bound=landmark.bound is not None,
        )
