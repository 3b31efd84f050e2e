# SPDX-License-Identifier: GPL-3.0-or-later
"""A landmark: a named place on a mesh, by a triangle and the weights of its vertices.

Also unique names and ids for lists, and how rows are moved.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import Field, dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

from ..hit import Vector
from ..json_text import Reader, TooLargeError, written
from ..serialization import (
    FLAG,
    INDEX,
    INTEGER,
    NAME,
    NUMBER,
    VECTOR,
    Kind,
    as_dict,
    many,
    optional,
    stored,
)

Color: TypeAlias = tuple[float, float, float]


_COPY = Kind(
    lambda value: (
        isinstance(value, tuple)
        and len(value) == 2
        and NAME.accepts(value[0])
        and INDEX.accepts(value[1])
    )
)

Way = Literal["UP", "DOWN", "TOP", "BOTTOM"]
_Item = TypeVar("_Item")


def new_id() -> str:
    """An id that nothing else has."""
    return uuid.uuid4().hex


class _Row(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


_AnyRow = TypeVar("_AnyRow", bound=_Row)


def with_own_ids(rows: Iterable[_AnyRow], known: set[str]) -> tuple[_AnyRow, ...]:
    """Rows of a text, each with an id of its own that is not in `known`; the ids are added to it.

    A row without an id, or with a known one, gets a new one, the same at each reading.
    """
    found = []
    for row in rows:
        own, number = row.id, len(known)
        while not own or own in known:
            own = uuid.uuid5(uuid.NAMESPACE_OID, f"{number} {row.name!a}").hex
            number += 1
        known.add(own)
        found.append(row if own == row.id else replace(row, id=own))
    return tuple(found)


def parsed_rows(
    reader: Reader, parse: Callable[[Any], _Item]
) -> Iterator[tuple[int, _Item | None]]:
    """The start of each item of a list, and the parsed item; None for one that cannot be read."""
    for _ in reader.items():
        begin, row = reader.place, reader.value()
        try:
            yield begin, parse(row)
        except (ValueError, RecursionError):
            yield begin, None


def readable_rows(
    reader: Reader, rows: Iterable[tuple[int, _Item | None]], most: int
) -> tuple[list[_Item], list[str]]:
    """Rows that can be read, and the texts of the others; TooLargeError for more than `most`."""
    good: list[_Item] = []
    bad = []
    for begin, row in rows:
        if row is None:
            bad.append(reader.leave_out(begin))
        else:
            good.append(row)
        if len(good) > most:
            raise TooLargeError
    return good, bad


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place on a mesh, independent of the mesh's shape.

    Faces, vertices and triangles are numbered in the mesh with the fingerprint `topology`: the
    original mesh where the modifiers allow, or else the evaluated one.
    """

    face: int = stored(INDEX)
    corners: tuple[int, int, int] = stored(many(INDEX, 3))  # counted from the face's first
    vertices: tuple[int, int, int] = stored(many(INDEX, 3))  # at these corners
    barycentric: Vector = stored(VECTOR)  # the weights of the vertices
    topology: str = stored(NAME)
    evaluated: bool = stored(FLAG, False)  # whether the mesh is the one with its modifiers
    triangle: int | None = stored(optional(INDEX), None)
    """Index in the mesh's ``loop_triangles`` when it was placed."""
    original_topology: str | None = stored(optional(NAME), None)
    """The fingerprint of the original mesh, if there is one and it is not `topology`."""
    instancer: str | None = stored(optional(NAME), None)
    """Name of the object that makes the instance; None on the object itself."""
    instance: tuple[int, ...] | None = stored(optional(many(INTEGER)), None)  # as in a hit
    bound: int | None = stored(optional(INDEX), None)
    """The number that the mesh's attribute has at the face; None if not bound."""
    copies: tuple[tuple[str, int], ...] = stored(many(_COPY), ())
    """Names of modifiers that copy the original face, with the number of the copy if not 0."""


@dataclass(frozen=True, slots=True)
class Landmark:
    """A named place on an object's mesh, or one that is missing: a name without a place."""

    anchor: Anchor | None
    name: str = stored(NAME)
    point: Vector | None = stored(optional(VECTOR), None)  # in local space, when it was placed
    last: Vector | None = stored(optional(VECTOR), None)
    """Where it was last known, in the local space of the mesh of `anchor`."""
    id: str = stored(NAME, "")
    color: Color | None = stored(optional(many(NUMBER, 3)), None)  # linear; None for its set's
    description: str = stored(NAME, "")
    selected: bool = stored(FLAG, False)
    order: int = stored(INDEX, 0)  # its place in the order of selection in its object
    locked: bool = stored(FLAG, False)
    hidden: bool = stored(FLAG, False)
    moved: float | None = stored(optional(NUMBER), None)
    """How far it moved, in world space, when it was last put onto the surface."""
    _text: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The landmark as JSON, written once; TooLargeError if it could not be read again."""
        text = self._text
        if text is None:
            place = {} if self.anchor is None else {"anchor": as_dict(self.anchor)}
            text = written(as_dict(self) | place)
            object.__setattr__(self, "_text", text)
        return text

    @property
    def bound(self) -> int | None:
        """The number that the mesh's attribute has at its face; None if not bound."""
        return None if self.anchor is None else self.anchor.bound

    def without_place(self) -> Landmark:
        """The landmark as a missing one, which is no longer selected."""
        placed = replace(self, anchor=None, point=None, last=None, moved=None)
        return replace(placed, selected=False, order=0)


def missing(name: str, description: str = "") -> Landmark:
    """A new landmark without a place."""
    return Landmark(None, name, id=new_id(), description=description)


class Names:
    """The names in a list; each name that a method returns is added to them."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*taken}
        self._following: dict[str, int] = {}  # by stem: all numbers before are taken

    def copy(self) -> Names:
        made = Names(self._taken)
        made._following = {**self._following}
        return made

    def free(self, wanted: str) -> str:
        """The wanted name or, if it is taken, the next one with a number."""
        if wanted in self._taken:
            return self.numbered(wanted)
        self._taken.add(wanted)
        return wanted

    def numbered(self, stem: str) -> str:
        """The first of stem.001, stem.002 ... that is not taken, as in Blender."""
        number = self._following.get(stem, 1)
        while (name := f"{stem}.{number:03d}") in self._taken:
            number += 1
        self._following[stem] = number + 1
        self._taken.add(name)
        return name


def reordered(
    items: Sequence[_Item], is_moved: Callable[[_Item], bool], way: Way
) -> tuple[_Item, ...]:
    """The items with some of them moved by one place or to an end; these keep their order."""
    if way in ("TOP", "BOTTOM"):
        return tuple(sorted(items, key=lambda item: is_moved(item) == (way == "BOTTOM")))
    order = [*items] if way == "UP" else [*reversed(items)]
    for i in range(1, len(order)):
        if is_moved(order[i]) and not is_moved(order[i - 1]):
            order[i - 1], order[i] = order[i], order[i - 1]
    return tuple(order if way == "UP" else reversed(order))
