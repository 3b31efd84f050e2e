# SPDX-License-Identifier: GPL-3.0-or-later
"""All landmarks and measures of an object, as the text of JSON that its custom property holds.

Anybody may have written that: its size is checked before it is parsed, and what cannot be read
of it is written again to the letter.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from .landmark import Landmark
from .landmark_set import LandmarkSet
from .measure import Measure

VERSION = 1  # of the format that is written; newer ones are left alone

MOST_CHARACTERS = 32 << 20
MOST_VALUES = 4_000_000

UNREADABLE = "The landmarks saved with this object cannot be read"
NEWER = "A newer Raypick saved the landmarks of this object"
TOO_LARGE = "The landmarks saved with this object are too large"

_Row = TypeVar("_Row")


class DocumentError(ValueError):
    """A text that cannot be read; the message says why, in English."""


@dataclass(frozen=True, slots=True)
class Document:
    """The sets and measures of one object."""

    sets: tuple[LandmarkSet, ...] = ()
    measures: tuple[Measure, ...] = ()
    active_set: int = 0
    active_measure: int = 0
    unreadable: dict[str, tuple[Any, ...]] = field(default_factory=dict, compare=False)
    """What stands in the lists of sets and measures and is neither; written again."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be kept."""
        return not self.sets and not self.measures and not self.lost

    @property
    def set(self) -> LandmarkSet | None:
        """The set that was used last; None where there is none."""
        return self.sets[self.active_set] if self.active_set < len(self.sets) else None

    @property
    def landmark(self) -> Landmark | None:
        """The landmark that was used last in that set."""
        of = self.set
        return of.landmarks[of.active] if of and of.active < len(of.landmarks) else None

    @property
    def lost(self) -> int:
        """How many sets, landmarks and measures cannot be read."""
        rows = sum(map(len, self.unreadable.values()))
        return rows + sum(len(each.unreadable) for each in self.sets)

    @property
    def landmarks(self) -> tuple[Landmark, ...]:
        """All landmarks, set after set."""
        return tuple(landmark for each in self.sets for landmark in each.landmarks)

    @property
    def bound(self) -> frozenset[int]:
        """The numbers of faces that landmarks are bound to."""
        every = (landmark.bound for landmark in self.landmarks)
        return frozenset(number for number in every if number is not None)

    def find_set(self, which: str) -> LandmarkSet | None:
        """The set of an id, or the first of a name; None if there is none."""
        by_id = (each for each in self.sets if each.id == which)
        by_name = (each for each in self.sets if each.name == which)
        return next(by_id, None) or next(by_name, None)

    def find(self, landmark: str) -> tuple[LandmarkSet, Landmark] | None:
        """The landmark of an id, and its set; None if there is none."""
        pairs = ((each, of) for of in self.sets for each in of.landmarks if each.id == landmark)
        return next(((of, each) for each, of in pairs), None)

    def with_set(self, changed: LandmarkSet) -> Document:
        """With a set in the place of that of the same id, or at the end; it becomes active."""
        ids = [each.id for each in self.sets]
        if changed.id not in ids:
            return replace(self, sets=(*self.sets, changed), active_set=len(ids))
        number = ids.index(changed.id)
        sets = (*self.sets[:number], changed, *self.sets[number + 1 :])
        return replace(self, sets=sets, active_set=number)

    def without_set(self, which: str) -> Document:
        """Without the set of an id."""
        sets = tuple(each for each in self.sets if each.id != which)
        return replace(self, sets=sets, active_set=max(0, min(self.active_set, len(sets) - 1)))

    def changed(self, change: Callable[[Landmark], Landmark | None]) -> Document:
        """With each landmark of each set changed, as :meth:`.LandmarkSet.changed` has it."""
        return replace(self, sets=tuple(each.changed(change) for each in self.sets))

    def to_text(self) -> str:
        """The document as a text of JSON, in ASCII."""
        values = {
            "version": VERSION,
            "active_set": self.active_set,
            "active_measure": self.active_measure,
            "sets": [*(each.to_json() for each in self.sets), *self.unreadable.get("sets", ())],
            "measures": [
                *(each.to_json() for each in self.measures),
                *self.unreadable.get("measures", ()),
            ],
        }
        return json.dumps(values)

    @classmethod
    def from_text(cls, text: str) -> Document:
        """The document of a text, as far as it can be read; DocumentError where it cannot."""
        if len(text) > MOST_CHARACTERS or sum(map(text.count, ",[{")) > MOST_VALUES:
            raise DocumentError(TOO_LARGE)
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise DocumentError(UNREADABLE) from None
        if not isinstance(values, dict) or type(values.get("version")) is not int:
            raise DocumentError(UNREADABLE)
        if values["version"] > VERSION:
            raise DocumentError(NEWER)
        unreadable: dict[str, tuple[Any, ...]] = {}
        sets = _rows(values, "sets", LandmarkSet.from_json, unreadable)
        measures = _rows(values, "measures", Measure.from_json, unreadable)
        return cls(
            sets,
            measures,
            _index(values.get("active_set")),
            _index(values.get("active_measure")),
            unreadable,
        )


def _rows(
    values: dict[str, Any],
    name: str,
    read: Callable[[Any], _Row],
    unreadable: dict[str, tuple[Any, ...]],
) -> tuple[_Row, ...]:
    """The rows of a list that can be read; the others are noted."""
    rows = values.get(name, [])
    if not isinstance(rows, list):
        raise DocumentError(UNREADABLE)
    good, bad = [], []
    for row in rows:
        try:
            good.append(read(row))
        except (ValueError, RecursionError):
            bad.append(row)
    if bad:
        unreadable[name] = tuple(bad)
    return tuple(good)


def _index(value: object) -> int:
    return value if type(value) is int and 0 <= value < 1 << 31 else 0
