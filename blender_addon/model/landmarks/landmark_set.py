# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: RUF009 (what stored returns is a field, no default)
"""A set of landmarks in their order: row i is landmark i, also where some are missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..serialization import FLAG, INDEX, NAME, NUMBER, from_json, many
from .landmark import Anchor, Color, Landmark, missing, new_id
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
    asks: bool = stored(FLAG, False)
    """Whether missing landmarks are asked for; those that are removed are missing then."""
    asked: int = stored(INDEX, 0)
    """From which landmark on one is asked for that is missing."""
    landmarks: tuple[Landmark, ...] = field(default=())
    unreadable: tuple[Any, ...] = field(default=(), compare=False)
    """What a file holds in the place of landmarks that cannot be read; it is written again."""

    @property
    def missing(self) -> tuple[Landmark, ...]:
        """The landmarks that have no place."""
        return tuple(each for each in self.landmarks if each.anchor is None)

    @property
    def next_number(self) -> int | None:
        """The row of the landmark that is asked for; None if none is."""
        count = len(self.landmarks)
        numbers = ((self.asked + step) % count for step in range(count if self.asks else 0))
        return next((each for each in numbers if self.landmarks[each].anchor is None), None)

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

    def with_placed(self, placed: Landmark, name: str | None) -> tuple[LandmarkSet, Landmark]:
        """The set with a new place, and the landmark there.

        That is the missing landmark of the name, or by default the one that is asked for. Where
        there is none, it is a new landmark, of a name that no other has.
        """
        number = self.next_number
        gap = next((each for each in self.missing if each.name == name), None)
        if name is None and number is not None:
            gap = self.landmarks[number]
        if gap is None:
            free = free_name(name, self.names) if name else numbered_name("Landmark", self.names)
            found = replace(placed, name=free)
        else:
            place = {key: getattr(placed, key) for key in ("anchor", "point", "last", "moved")}
            found = replace(gap, **place)
        return self.with_landmark(found), found

    def changed(self, change: Callable[[Landmark], Landmark | None]) -> LandmarkSet:
        """The set with each landmark changed, or removed where `change` returns None.

        Of a set that asks for landmarks one that is removed is missing, and one that was missing
        is gone.
        """
        rows = []
        for each in self.landmarks:
            found = change(each)
            if found is None and self.asks and each.anchor is not None:
                found = each.without_place()
            if found is not None:
                rows.append(found)
        active = max(0, min(self.active, len(rows) - 1))
        return replace(self, landmarks=tuple(rows), active=active)

    def without(self, ids: set[str]) -> LandmarkSet:
        """The set without the landmarks of some ids."""
        return self.changed(lambda each: None if each.id in ids else each)

    def asking_for(self, notes: Mapping[str, str]) -> LandmarkSet:
        """The set with landmarks of these names first, and missing ones where it has none yet.

        A note says what a name means.
        """
        own = {each.name: each for each in reversed(self.landmarks)}
        first = [own.get(name) or missing(name, note) for name, note in notes.items()]
        known = {each.id for each in first}
        rows = (*first, *(each for each in self.landmarks if each.id not in known))
        active = self.landmarks[self.active].id if self.active < len(self.landmarks) else None
        number = next((i for i, each in enumerate(rows) if each.id == active), 0)
        return replace(self, landmarks=rows, asks=True, asked=0, active=number)

    def to_json(self) -> dict[str, Any]:
        """All values by name, of types that JSON knows."""
        return {**as_dict(self), "landmarks": [*map(_written, self.landmarks), *self.unreadable]}

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
        found = replace(
            found, id=found.id or new_id(), landmarks=tuple(landmarks), unreadable=tuple(unreadable)
        )
        return _with_template(found, values) if "template" in values else found


def _with_template(of: LandmarkSet, values: dict[str, Any]) -> LandmarkSet:
    """A set as it was kept once: placed landmarks alone, and names that were to be placed."""
    names, notes = _texts(values, "template"), _texts(values, "notes")
    blank = dict.fromkeys(names, "")
    asking = of.asking_for(blank | dict(zip(names, notes, strict=False)))
    return replace(asking, asked=of.asked)


def _texts(values: dict[str, Any], name: str) -> tuple[str, ...]:
    try:
        found: tuple[str, ...] = from_json(name, many(NAME), values.get(name, ()))
    except TypeError as error:
        raise ValueError(f"this is no set: {error}") from None
    return found


def _written(landmark: Landmark) -> dict[str, Any]:
    anchor = landmark.anchor
    return as_dict(landmark) | ({} if anchor is None else {"anchor": as_dict(anchor)})


def _landmark(values: Any) -> Landmark:
    """A landmark as it is written; ValueError where it is none."""
    if not isinstance(values, dict):
        raise ValueError("this is no landmark")
    anchor = None
    if "anchor" in values or "point" in values:
        anchor = from_dict(Anchor, values.get("anchor"))
        if not abs(sum(anchor.barycentric) - 1.0) < _SUM_TOLERANCE:
            raise ValueError("the weights of a place add up to 1")
    read = from_dict(Landmark, values, anchor=anchor)
    if (read.anchor is None) != (read.point is None):
        raise ValueError("a place is on a triangle, and was somewhere when it was placed")
    return read if read.id else replace(read, id=new_id())
