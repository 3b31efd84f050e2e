# SPDX-License-Identifier: GPL-3.0-or-later
"""All landmarks and measures of an object, as the JSON text that its custom property holds.

The text may come from anywhere: it is parsed row by row, up to a limit, and rows that cannot be
read are kept and written back unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal

from ..json_text import Reader, TooLargeError, UnreadableError, enclosed, version_of
from .landmark import Landmark, parsed_rows, readable_rows, with_own_ids
from .landmark_set import LandmarkSet
from .measure import Measure

VERSION = 1  # of the format that is written; newer ones are not read

MOST_CHARACTERS = 64 << 20
MOST_LANDMARKS = 150_000  # of all sets
MOST_SETS = MOST_MEASURES = 10_000

UNREADABLE = "The landmarks saved with this object cannot be read"
NEWER = "A newer Raypick saved the landmarks of this object"
TOO_LARGE = "The landmarks saved with this object are too large"
TOO_MANY = "These are more landmarks than an object can keep"

Extend = Literal["SET", "RANGE", "TOGGLE"]
"""What a click does: select this one alone, all from the active one to this, or toggle it."""


class DocumentError(ValueError):
    """A text cannot be read or written; the message says why, in English."""


@dataclass(frozen=True, slots=True)
class Document:
    """The sets and measures of one object."""

    sets: tuple[LandmarkSet, ...] = ()
    measures: tuple[Measure, ...] = ()
    active_set: int = 0
    active_measure: int = 0
    unreadable: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """Rows of the lists of sets and measures that cannot be read; they are written back."""

    @property
    def set(self) -> LandmarkSet | None:
        """The set that was used last; None if there is none."""
        return self.sets[self.active_set] if self.active_set < len(self.sets) else None

    @property
    def landmark(self) -> Landmark | None:
        """The landmark that was used last in the active set; None if there is none."""
        group = self.set
        return (
            group.landmarks[group.active] if group and group.active < len(group.landmarks) else None
        )

    @property
    def measure(self) -> Measure | None:
        """The measure that was used last; None if there is none."""
        in_use = self.active_measure
        return self.measures[in_use] if in_use < len(self.measures) else None

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
        """The numbers that a mesh's attribute has at the faces that landmarks are bound to."""
        return frozenset[int]().union(*(each.bound for each in self.sets))

    def find_set(self, which: str) -> LandmarkSet | None:
        """The set with this id, else the first with this name; None if there is none."""
        by_id = (each for each in self.sets if each.id == which)
        by_name = (each for each in self.sets if each.name == which)
        return next(by_id, None) or next(by_name, None)

    def find(self, landmark: str) -> tuple[LandmarkSet, Landmark] | None:
        """The set and the landmark with this id; None if there is none."""
        pairs = ((group, group.find_id(landmark)) for group in self.sets)
        return next(((group, each) for group, each in pairs if each is not None), None)

    def with_set(self, changed: LandmarkSet) -> Document:
        """With a set in place of the one with its id, or else at the end; it becomes active."""
        ids = [each.id for each in self.sets]
        if changed.id not in ids:
            return replace(self, sets=(*self.sets, changed), active_set=len(ids))
        number = ids.index(changed.id)
        sets = (*self.sets[:number], changed, *self.sets[number + 1 :])
        return replace(self, sets=sets, active_set=number)

    def without_set(self, which: str) -> Document:
        sets = tuple(each for each in self.sets if each.id != which)
        return replace(self, sets=sets, active_set=max(0, min(self.active_set, len(sets) - 1)))

    def with_landmarks(self, changed: Iterable[Landmark]) -> Document:
        """With landmarks replaced by id."""
        now = {each.id: each for each in changed}
        return self.changed(lambda each: now.get(each.id, each))

    def changed(self, change: Callable[[Landmark], Landmark | None]) -> Document:
        """With each set changed by :meth:`.LandmarkSet.changed`."""
        return replace(self, sets=tuple(each.changed(change) for each in self.sets))

    def to_text(self) -> str:
        """The document as JSON in ASCII; DocumentError if it could not be read again.

        Landmarks that have not changed keep the text that was made for them.
        """
        landmarks = sum(len(each.landmarks) for each in self.sets)
        counts = len(self.sets), landmarks, len(self.measures)
        limits = MOST_SETS, MOST_LANDMARKS, MOST_MEASURES
        if any(count > most for count, most in zip(counts, limits, strict=True)):
            raise DocumentError(TOO_MANY)
        try:
            rows = {
                "sets": [part for each in self.sets for part in each.texts()],
                "measures": [each.text for each in self.measures],
            }
        except TooLargeError:
            raise DocumentError(TOO_MANY) from None
        active = f'"active_set": {self.active_set}, "active_measure": {self.active_measure}'
        parts = [f'{{"version": {VERSION}', active]
        for key, own in rows.items():
            parts += enclosed(f'"{key}": [', [*own, *self.unreadable.get(key, ())], "]")
        parts[-1] += "}"
        text = ", ".join(parts)
        if len(text) > MOST_CHARACTERS:
            raise DocumentError(TOO_MANY)
        return text

    @classmethod
    def from_text(cls, text: str) -> Document:
        """The document in a text, with unreadable rows apart; DocumentError for other texts."""
        if (version_of(text) or 0) > VERSION:
            raise DocumentError(NEWER)
        if len(text) > MOST_CHARACTERS:
            raise DocumentError(TOO_LARGE)
        try:
            return _read(Reader(text))
        except TooLargeError:
            raise DocumentError(TOO_LARGE) from None
        except UnreadableError:
            raise DocumentError(UNREADABLE) from None


def _read(reader: Reader) -> Document:
    """The document in a text; TooLargeError or UnreadableError for any other text."""
    values: dict[str, Any] = {}
    unreadable: dict[str, tuple[str, ...]] = {}
    for key in reader.members():
        if key in _ROWS:
            read, most = _ROWS[key]
            rows, bad = readable_rows(reader, read(reader), most)
            values[key] = with_own_ids(rows, set())
            if bad:
                unreadable[key] = tuple(bad)
        else:
            begin = reader.place
            values[key] = reader.value()
            reader.leave_out(begin)
    reader.end()
    version = values.get("version")
    if type(version) is not int:
        raise UnreadableError
    if version > VERSION:
        raise DocumentError(NEWER)
    return Document(
        values.get("sets", ()),
        values.get("measures", ()),
        _index(values.get("active_set")),
        _index(values.get("active_measure")),
        unreadable,
    )


def _sets(reader: Reader) -> Iterator[tuple[int, LandmarkSet | None]]:
    left, known = MOST_LANDMARKS, set[str]()
    for _ in reader.items():
        begin, found = reader.place, LandmarkSet.read(reader, left, known)
        left -= len(found.landmarks) if found else 0
        yield begin, found


_ROWS: dict[str, tuple[Callable[[Reader], Iterator[Any]], int]] = {
    "sets": (_sets, MOST_SETS),
    "measures": (lambda reader: parsed_rows(reader, Measure.from_json), MOST_MEASURES),
}


def _index(value: object) -> int:
    return value if type(value) is int and 0 <= value < 1 << 31 else 0


def with_selected(document: Document, is_selected: Callable[[Landmark], bool]) -> Document:
    """The document with only these landmarks selected; newly selected ones are last in order."""
    numbers = count(1 + max((each.order for each in document.landmarks), default=0))

    def changed(landmark: Landmark) -> Landmark:
        selected = is_selected(landmark)
        if landmark.selected == selected:
            return landmark
        return replace(landmark, selected=selected, order=next(numbers) if selected else 0)

    found = document.changed(changed)
    return document if found == document else found


def in_order(landmarks: Iterable[Landmark]) -> list[Landmark]:
    """Selected landmarks of one object in the order of their selection."""
    return sorted(landmarks, key=lambda each: each.order)


def clicked(document: Document, landmark: str, extend: Extend) -> Document:
    """The document after a click on the landmark with this id, which becomes active."""
    found = document.find(landmark)
    if found is None:
        return document
    group, one = found
    document = document.with_set(group.with_landmark(one))
    if extend == "TOGGLE":
        return with_selected(document, lambda each: each.selected != (each.id == landmark))
    wanted = {landmark}
    if extend == "RANGE":
        ends = min(group.active, len(group.landmarks) - 1), group.landmarks.index(one)
        wanted = {each.id for each in group.landmarks[min(ends) : max(ends) + 1]}
    return with_selected(document, lambda each: each.id in wanted)
