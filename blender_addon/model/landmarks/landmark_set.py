# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: RUF009 (what stored returns is a field, no default)
"""A set of landmarks, in their order, with the names of those that are still to be placed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ..serialization import FLAG, INDEX, NAME, NUMBER, many
from .landmark import Anchor, Color, Landmark, new_id
from .names import free_name, numbered_name
from .stored import as_dict, from_dict, stored

# Told apart by everybody: https://jfly.uni-koeln.de/color (Okabe and Ito), in linear color.
COLORS: tuple[Color, ...] = (
    (0.791, 0.347, 0.0),
    (0.093, 0.456, 0.815),
    (0.0, 0.342, 0.171),
    (0.871, 0.775, 0.054),
    (0.0, 0.168, 0.445),
    (0.665, 0.112, 0.0),
    (0.604, 0.191, 0.386),
)

_SUM_TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True)
class LandmarkSet:
    """Landmarks of one object that belong together."""

    name: str = stored(NAME)
    id: str = stored(NAME, "")
    color: Color = stored(many(NUMBER, 3), COLORS[0])
    locked: bool = stored(FLAG, False)
    hidden: bool = stored(FLAG, False)
    active: int = stored(INDEX, 0)
    """The landmark that was used last."""
    template: tuple[str, ...] = stored(many(NAME), ())
    """Names that are to be placed, in this order."""
    notes: tuple[str, ...] = stored(many(NAME), ())
    """What these names mean, one for each; none where nothing is said."""
    asked: int = stored(INDEX, 0)
    """From which name of the template on one is asked for that is missing."""
    landmarks: tuple[Landmark, ...] = field(default=())
    unreadable: tuple[Any, ...] = field(default=(), compare=False)
    """What a file holds in the place of landmarks that cannot be read; it is written again."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the template that no landmark has yet."""
        placed = {each.name for each in self.landmarks}
        return tuple(name for name in self.template if name not in placed)

    @property
    def next_number(self) -> int | None:
        """The place in the template of the name that is asked for; None if none is missing."""
        missing, count = {*self.missing}, len(self.template)
        numbers = ((self.asked + step) % count for step in range(count))
        return next((number for number in numbers if self.template[number] in missing), None)

    def note(self, name: str) -> str:
        """What the template says about a name; empty for nothing."""
        return dict(zip(self.template, self.notes, strict=False)).get(name, "")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.landmarks)

    def find(self, which: str) -> Landmark | None:
        """The landmark of an id, or the first of a name; None if there is none."""
        by_id = (each for each in self.landmarks if each.id == which)
        by_name = (each for each in self.landmarks if each.name == which)
        return next(by_id, None) or next(by_name, None)

    def with_landmark(self, landmark: Landmark) -> LandmarkSet:
        """The set with a landmark in the place of that of the same id, or at the end."""
        ids = [each.id for each in self.landmarks]
        if landmark.id in ids:
            number = ids.index(landmark.id)
            return replace(
                self,
                landmarks=(*self.landmarks[:number], landmark, *self.landmarks[number + 1 :]),
                active=number,
            )
        return replace(self, landmarks=(*self.landmarks, landmark), active=len(ids))

    def without(self, ids: set[str]) -> LandmarkSet:
        """The set without the landmarks of some ids."""
        left = tuple(each for each in self.landmarks if each.id not in ids)
        return replace(self, landmarks=left, active=max(0, min(self.active, len(left) - 1)))

    def free_name(self, wanted: str | None) -> str:
        """A name that no landmark of the set has: the one that is wanted, or the next."""
        if wanted:
            return free_name(wanted, self.names)
        number = self.next_number
        if number is None:
            return numbered_name("Landmark", self.names)
        return self.template[number]

    def to_json(self) -> dict[str, Any]:
        """All values by name, of types that JSON knows."""
        written = [{**as_dict(each), "anchor": as_dict(each.anchor)} for each in self.landmarks]
        return {**as_dict(self), "landmarks": [*written, *self.unreadable]}

    @classmethod
    def from_json(cls, values: Any) -> LandmarkSet:
        """The set that :meth:`to_json` wrote; ValueError if it is none.

        Landmarks that cannot be read are left as they are.
        """
        found = from_dict(cls, values)
        rows = values.get("landmarks", [])
        if not isinstance(rows, list):
            raise ValueError("the landmarks of a set are a list")
        landmarks, unreadable = [], []
        for row in rows:
            try:
                landmarks.append(_landmark(row))
            except ValueError:
                unreadable.append(row)
        return replace(
            found, id=found.id or new_id(), landmarks=tuple(landmarks), unreadable=tuple(unreadable)
        )


def _landmark(values: Any) -> Landmark:
    """A landmark as it is written; ValueError where it is none."""
    if not isinstance(values, dict):
        raise ValueError("this is no landmark")
    anchor = from_dict(Anchor, values.get("anchor"))
    if not abs(sum(anchor.barycentric) - 1.0) < _SUM_TOLERANCE:
        raise ValueError("the weights of a place add up to 1")
    read = from_dict(Landmark, values, anchor=anchor)
    return read if read.id else replace(read, id=new_id())
