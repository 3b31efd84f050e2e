# SPDX-License-Identifier: GPL-3.0-or-later
"""An ordered set of landmarks, where missing landmarks keep their rows.

Also LandmarkRecord, which the API returns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..hit import Vector
from ..json_text import Reader, TooLargeError, enclosed, written
from ..serialization import FLAG, INDEX, NAME, NUMBER, as_dict, from_dict, from_json, many, stored
from .landmark import (
    Anchor,
    Color,
    Landmark,
    Names,
    missing,
    parsed_rows,
    readable_rows,
    with_own_ids,
)

# Okabe and Ito's colors, which color-blind people can tell apart: https://jfly.uni-koeln.de/color.
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

_ANCHOR_KEYS = (
    *("face", "triangle", "vertices", "barycentric", "corners", "evaluated", "topology", "copies"),
    *("instancer", "instance"),
)


@dataclass(frozen=True, slots=True)
class LandmarkSet:
    """Landmarks of one object that belong together."""

    name: str = stored(NAME)
    id: str = stored(NAME, "")
    color: Color = stored(many(NUMBER, 3), COLORS[0])
    locked: bool = stored(FLAG, False)
    hidden: bool = stored(FLAG, False)
    active: int = stored(INDEX, 0)  # the landmark that was used last
    asks: bool = stored(FLAG, False)
    """Whether to ask the user for missing landmarks; removed ones then become missing ones."""
    asked: int = stored(INDEX, 0)  # row from which to search the next missing landmark
    landmarks: tuple[Landmark, ...] = field(default=())
    unreadable: tuple[str, ...] = field(default=(), compare=False)
    """JSON of landmarks that cannot be read, which is written back unchanged."""
    _bound: frozenset[int] | None = field(default=None, init=False, repr=False, compare=False)
    _lookup: _Lookup | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def missing(self) -> tuple[Landmark, ...]:
        return tuple(self.landmarks[row] for row in self._look_up().missing)

    @property
    def bound(self) -> frozenset[int]:
        """The numbers of faces that landmarks are bound to."""
        if self._bound is None:
            every = (each.bound for each in self.landmarks)
            object.__setattr__(self, "_bound", frozenset(n for n in every if n is not None))
        return self._bound or frozenset()

    @property
    def next_number(self) -> int | None:
        """The row of the landmark that the user is asked for; None if there is none."""
        return self._look_up().missing_from(self.asked, self.landmarks) if self.asks else None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.landmarks)

    def find(self, which: str) -> Landmark | None:
        """The landmark of an id, or the first of a name; None if there is none."""
        lookup = self._look_up()
        row = lookup.ids.get(which, lookup.named.get(which))
        return None if row is None else self.landmarks[row]

    def find_id(self, id: str) -> Landmark | None:
        """The landmark of an id; None if there is none."""
        row = self._look_up().ids.get(id)
        return None if row is None else self.landmarks[row]

    def with_landmark(self, landmark: Landmark) -> LandmarkSet:
        """The set with a landmark in place of the one with its id, or else at the end."""
        row = self._look_up().ids.get(landmark.id, len(self.landmarks))
        rows = (*self.landmarks[:row], landmark, *self.landmarks[row + 1 :])
        made = replace(self, landmarks=rows, active=row)
        was = self.landmarks[row] if row < len(self.landmarks) else None
        if was and was.name == landmark.name and (was.anchor is None) == (landmark.anchor is None):
            object.__setattr__(made, "_lookup", self._lookup)  # ids, names and gaps are the same
        return made

    def with_placed(
        self, placed: Sequence[Landmark], names: Sequence[str | None] | str
    ) -> tuple[LandmarkSet, list[Landmark]]:
        """The set with landmarks at new places, and these landmarks.

        Each fills the missing landmark of its name or, without a name, the one that the user is
        asked for. If there is none, it is added with a unique name. If `names` is one text, all are
        added, with this text and numbers as names.
        """
        bound = self.bound.union(each.bound for each in placed if each.bound is not None)
        lookup, rows, found, row = self._look_up().copy(), [*self.landmarks], [], self.active
        stem, given = (names, [None] * len(placed)) if isinstance(names, str) else (None, names)
        for each, name in zip(placed, given, strict=True):
            gap = None
            if stem is None:
                asked = lookup.missing_from(self.asked, rows) if self.asks else None
                gap = asked if name is None else lookup.missing_of(name, rows)
            if gap is None:
                free = (
                    lookup.names.free(name) if name else lookup.names.numbered(stem or "Landmark")
                )
                one, row = replace(each, name=free), len(rows)
                rows.append(one)
                lookup.add(row, one)
            else:
                place = {key: getattr(each, key) for key in ("anchor", "point", "last", "moved")}
                one, row = replace(rows[gap], **place), gap
                rows[gap] = one
                lookup.missing.remove(gap)
            found.append(one)
        made = replace(self, landmarks=tuple(rows), active=row)
        object.__setattr__(made, "_bound", bound)
        object.__setattr__(made, "_lookup", lookup)
        return made, found

    def changed(self, change: Callable[[Landmark], Landmark | None]) -> LandmarkSet:
        """The set with each landmark changed, or removed where `change` returns None.

        If the set asks for landmarks, a removed one stays as a missing one, no longer selected; one
        that was missing already is removed.
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
        return self.changed(lambda each: None if each.id in ids else each)

    def asking_for(self, notes: Mapping[str, str]) -> LandmarkSet:
        """The set with landmarks of these names first; those that it lacks are added as missing.

        `notes` has the meaning of each name.
        """
        own = {each.name: each for each in reversed(self.landmarks)}
        first = [own.get(name) or missing(name, note) for name, note in notes.items()]
        known = {each.id for each in first}
        rows = (*first, *(each for each in self.landmarks if each.id not in known))
        active = self.landmarks[self.active].id if self.active < len(self.landmarks) else None
        number = next((i for i, each in enumerate(rows) if each.id == active), 0)
        return replace(self, landmarks=rows, asks=True, asked=0, active=number)

    def texts(self) -> list[str]:
        """The set as JSON, in parts to be joined by commas; TooLargeError as in Landmark.text."""
        rows = [each.text for each in self.landmarks]
        return enclosed(
            f'{written(as_dict(self))[:-1]}, "landmarks": [', [*rows, *self.unreadable], "]}"
        )

    @classmethod
    def read(cls, reader: Reader, most: int, known: set[str]) -> LandmarkSet | None:
        """The next set in a text; None for another value, which is skipped.

        Landmarks that cannot be read keep their text. The others get new ids where theirs are
        `known`, and these are added to `known`. TooLargeError for more than `most` landmarks.
        """
        if not reader.is_next("{"):
            reader.value()
            return None
        values: dict[str, Any] = {}
        landmarks: list[Landmark] = []
        unreadable: list[str] = []
        for key in reader.members():
            begin = reader.place
            if key == "landmarks" and reader.is_next("["):
                rows = parsed_rows(reader, _landmark)
                landmarks, unreadable = readable_rows(reader, rows, most)
                continue
            value = reader.value()
            if key in _KEYS:
                values[key] = value
            else:
                reader.leave_out(begin)
        try:
            found = from_dict(cls, values)
            template = _template(values)
        except ValueError:
            return None
        if "landmarks" in values:  # not a list, else they were read above
            return None
        if len(landmarks) + len(template or ()) > most:
            raise TooLargeError("too many landmarks")
        found = replace(
            found, landmarks=with_own_ids(landmarks, known), unreadable=tuple(unreadable)
        )
        return found if template is None else replace(found.asking_for(template), asked=found.asked)

    def _look_up(self) -> _Lookup:
        """The lookup, made once, so that placing many landmarks stays quick."""
        lookup = self._lookup
        if lookup is None:
            lookup = _Lookup(self.landmarks)
            object.__setattr__(self, "_lookup", lookup)
        return lookup


_KEYS = {each.name for each in fields(LandmarkSet) if each.metadata}  # the stored fields
_KEYS |= {"landmarks", "template", "notes"}


class _Lookup:
    """The rows of landmarks by id and by name: the first row if several have the same.

    A set's lookup must not change: sets with the same ids, names and gaps may share it.
    """

    def __init__(self, landmarks: Sequence[Landmark]) -> None:
        self.ids: dict[str, int] = {}
        self.named: dict[str, int] = {}
        for row, each in enumerate(landmarks):
            self.add(row, each)
        self.names = Names(self.named)
        self.missing = [row for row, each in enumerate(landmarks) if each.anchor is None]

    def copy(self) -> _Lookup:
        made = copy(self)
        made.ids, made.named, made.missing = {**self.ids}, {**self.named}, [*self.missing]
        made.names = self.names.copy()
        return made

    def add(self, row: int, landmark: Landmark) -> None:
        self.ids.setdefault(landmark.id, row)
        self.named.setdefault(landmark.name, row)

    def missing_from(self, row: int, landmarks: Sequence[Landmark]) -> int | None:
        """The first missing row from `row` on, or else from the start; None without any."""
        if not self.missing:
            return None
        number = bisect_left(self.missing, row % len(landmarks))
        return self.missing[number % len(self.missing)]

    def missing_of(self, name: str, landmarks: Sequence[Landmark]) -> int | None:
        first = self.named.get(name)
        if first is None or landmarks[first].anchor is None:
            return first
        return next((row for row in self.missing if landmarks[row].name == name), None)


def _template(values: dict[str, Any]) -> dict[str, str] | None:
    """The names of a template and their meanings, as older versions stored them in sets."""
    if "template" not in values:
        return None
    try:
        names = from_json("template", many(NAME), values["template"])
        notes = from_json("notes", many(NAME), values.get("notes", ()))
    except TypeError as error:
        raise ValueError(f"this is no set: {error}") from None
    return dict.fromkeys(names, "") | dict(zip(names, notes, strict=False))


def _landmark(values: Any) -> Landmark:
    """The landmark of a parsed text; ValueError for any other value."""
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
    return read


@dataclass(frozen=True, slots=True)
class LandmarkRecord:
    """A landmark of an object, as it is stored."""

    name: str
    set: str
    """Name of its set."""
    object: str
    id: str
    """Unique, and not changed by renaming."""
    face: int | None
    """Index of the face in the original mesh, or in the evaluated one: see `evaluated`.

    This and the fields up to `placed` are None for a missing landmark.
    """
    triangle: int | None
    """Index in that mesh's ``loop_triangles`` when it was placed; None if that is unknown."""
    vertices: tuple[int, int, int] | None
    """The vertices of the triangle in that mesh, whose weights are `barycentric`."""
    barycentric: Vector | None
    corners: tuple[int, int, int] | None
    """The corners of the face at these vertices, counted from its first corner."""
    evaluated: bool | None
    """Whether indices are of the evaluated mesh, because modifiers change the faces."""
    topology: str | None
    """The fingerprint of that mesh."""
    copies: tuple[tuple[str, int], ...] | None
    """Names of modifiers that copy the original face, with the number of the copy if not 0."""
    instancer: str | None
    instance: tuple[int, ...] | None
    """The object that makes the instance, and its persistent id, as in a hit."""
    placed: Vector | None
    """Where it was placed, in the local space of the object."""
    moved: float | None
    """How far it moved, in world space, when it was last put onto the surface."""
    color: Color
    """Linear red, green and blue."""
    description: str
    selected: bool
    locked: bool
    hidden: bool
    bound: bool
    """Whether an attribute of the mesh marks its face."""

    @classmethod
    def of(cls, object: str, group: LandmarkSet, landmark: Landmark) -> LandmarkRecord:
        return cls(
            name=landmark.name,
            set=group.name,
            object=object,
            id=landmark.id,
            **{name: getattr(landmark.anchor, name, None) for name in _ANCHOR_KEYS},
            placed=landmark.point,
            moved=landmark.moved,
            color=landmark.color or group.color,
            description=landmark.description,
            selected=landmark.selected,
            locked=landmark.locked or group.locked,
            hidden=landmark.hidden or group.hidden,
            bound=landmark.bound is not None,
        )
