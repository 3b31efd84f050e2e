# SPDX-License-Identifier: GPL-3.0-or-later
"""One pick: the ray, when and where it was made, its hits, and which of them is the current one.

Also the rows that panels show for a hit, and the history as CSV and JSON.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from .hit import FIELDS, HitField, PickHit, Vector, as_vector
from .serialization import INDEX, NAME, NUMBER, TEXT, VECTOR, from_json, optional, to_json

_WRITTEN = "file", "scene", "seconds", "origin", "direction", "rank", "frame"

_FIRST_YEAR, _LAST_YEAR = 1971, 9998  # local times of these years exist in all time zones

_FORMULA = re.compile("'*[=+\\-@\t\r]")
"""The beginning of a formula in a spreadsheet, perhaps disarmed by apostrophes before it."""


@dataclass(slots=True, eq=False)
class PickRecord:
    """The hits of one pick, and which of them is the current one."""

    hits: tuple[PickHit, ...]  # nearest first; empty where nothing was hit
    seconds: float  # how long the query took
    origin: Vector | None  # of the ray, in world space; None for a place that was given instead
    direction: Vector | None  # of the ray, in world space: a unit vector
    when: datetime  # with the local time zone
    file: str  # path of the file; empty if it was not saved yet
    scene: str
    rank: int = 0  # index of the current hit; the nearest has 0
    frame: float | None = None  # of the scene; None where an older version saved the record
    unpickable: tuple[str, ...] = ()  # objects without faces, perhaps visible in front
    now: tuple[PickHit | str, ...] | None = None
    """The hits where they are now, or why that is unknown, in English; None while none has moved.
    Not stored in files."""
    scene_uid: int | None = None  # Blender's session id of the scene; not stored
    as_of: tuple[int, int] | None = None  # the state of the scene that `now` is for

    @property
    def hit(self) -> PickHit | None:
        """The current hit; None where nothing was hit."""
        return self.hits[self.rank] if self.hits else None

    @property
    def hits_now(self) -> tuple[PickHit, ...]:
        """The hits where they are now, or as they were picked if that is unknown."""
        if self.now is None:
            return self.hits
        return tuple(
            then if isinstance(now, str) else now
            for now, then in zip(self.now, self.hits, strict=True)
        )

    @property
    def hit_now(self) -> PickHit | None:
        """The current hit, where it is now; None where nothing was hit."""
        return self.hits_now[self.rank] if self.hits else None

    @property
    def stale(self) -> str | None:
        """Why it is unknown where the current hit is now; None if it is known."""
        return self.stale_at(self.rank)

    def stale_at(self, rank: int) -> str | None:
        """Why it is unknown where a hit is now; None if it is known."""
        now = self.now[rank] if self.now else None
        return now if isinstance(now, str) else None

    def is_of(self, scene: Any) -> bool:
        """Whether it was picked in this scene of Blender, perhaps renamed since."""
        if self.scene_uid is not None:
            return bool(self.scene_uid == scene.session_uid)
        return bool(self.scene == scene.name)

    def look_at(self, rank: int) -> None:
        """Make the hit of a rank the current one; after the last hit comes the nearest."""
        if self.hits:
            self.rank = rank % len(self.hits)

    def renew(self, later: PickRecord) -> None:
        """Take over the hits of a later pick at the same place: attributes may have changed."""
        self.hits, self.seconds = later.hits, later.seconds
        self.origin, self.direction = later.origin, later.direction
        self.unpickable = later.unpickable
        self.now, self.as_of, self.frame = later.now, later.as_of, later.frame

    def leave_session(self) -> None:
        """Drop session ids, so that objects are found by name: their file was loaded anew."""
        self.hits = tuple(replace(hit, session_uid=None, instancer_uid=None) for hit in self.hits)
        self.now = self.as_of = self.scene_uid = None

    def has_same_hits(self, other: PickRecord | None) -> bool:
        """Whether this pick hit anything, and the other the same triangles, not moved since."""
        return other is not None and self.hits != () and _triangles(self) == _triangles(other)

    def as_dict(self, most_hits: int | None = None) -> dict[str, Any]:
        """All values by name, as JSON, with at most the first `most_hits` hits."""
        return {
            "when": self.when.isoformat(timespec="milliseconds"),
            **{name: to_json(getattr(self, name)) for name in _WRITTEN},
            "hits": [hit.as_dict() for hit in self.hits[:most_hits]],
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PickRecord:
        """The record that :meth:`as_dict` wrote; ValueError if it is not one."""
        try:
            when = datetime.fromisoformat(values["when"])
            if when.tzinfo is None or not _FIRST_YEAR <= when.year <= _LAST_YEAR:
                raise ValueError(f"{when} has no time zone, or is no time of this epoch")
            frame = from_json("frame", optional(NUMBER), values.get("frame"))
            record = cls(
                hits=tuple(map(PickHit.from_dict, values["hits"])),
                seconds=float(from_json("seconds", NUMBER, values.get("seconds"))),
                origin=vector(from_json("origin", optional(VECTOR), values["origin"])),
                direction=vector(from_json("direction", optional(VECTOR), values["direction"])),
                when=when,
                file=from_json("file", TEXT, values["file"]),
                scene=from_json("scene", NAME, values["scene"]),
                frame=None if frame is None else float(frame),
            )
            record.look_at(from_json("rank", INDEX, values["rank"]))
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"these are not the values of a pick: {error!r}") from None
        return record


def _triangles(record: PickRecord) -> list[tuple[object, ...]]:
    return [
        (hit.object, hit.library, hit.instancer, hit.instance, hit.triangle, hit.corners)
        for hit in record.hits
    ]


def vector(values: Iterable[Any] | None) -> Vector | None:
    """Three values as Python floats; None for None."""
    return None if values is None else as_vector(values)


class Row(NamedTuple):
    """A value that panels show and copy: a whole field, or one value of a table by its name."""

    key: str
    label: str
    field: HitField
    value: Any


def row(key: str, hit: PickHit | None) -> Row:
    """The row of a field of a hit; without a hit its value is None."""
    field = FIELDS[key]
    value = None if hit is None else getattr(hit, field.read or key)
    return Row(key, field.label, field, value)


def groups(record: PickRecord) -> Iterator[list[Row]]:
    """The rows of details in groups: first all rows of one line, then each vector."""
    of_panel = [field for field in FIELDS.values() if field.panel == "details"]
    ordered = sorted(of_panel, key=lambda field: field.order)
    rows = [row(field.key, record.hit_now) for field in ordered]
    shown = [each for each in rows if _is_shown(each, record)]
    yield [each for each in shown if not each.field.parts]
    yield from ([each] for each in shown if each.field.parts)


def tables(record: PickRecord) -> list[tuple[str, list[Row]]]:
    """The attributes of the mesh at the place: headings in English, and the rows under each."""
    found = []
    keys = (field.key for field in FIELDS.values() if field.panel == "attributes")
    for table in (row(key, record.hit_now) for key in keys):
        rows = [
            table._replace(key=f"{table.key}.{name}", label=name, value=value)
            for name, value in table.value.items()
        ]
        if rows:
            found.append((table.label, rows))
    return found


def tooltip(key: str) -> str:
    """The tooltip of a row, in English."""
    field = FIELDS.get(key.partition(".")[0])
    return field.tooltip if field else ""


def _is_shown(row: Row, record: PickRecord) -> bool:
    if row.field.shown_if == "ray":
        return record.origin is not None
    if row.field.shown_if == "moved":
        return record.hit_now is not None and row.value != record.hit_now.point
    return bool(row.value) if row.field.shown_if == "nonzero" else row.value is not None


COLUMNS = (
    *("pick", "when", "file", "scene", "frame", "rank", "looked_at", "object", "library"),
    *("instancer", "face", "triangle", "triangle_of_face", "original_face", "distance"),
    *("pixels_away", "front", "evaluated", "material"),
    *(column for field in FIELDS.values() for column in field.columns),
    "instance",
)
"""The columns of the table: values of a pick, fields of a hit, and components of its vectors."""


def json_bytes(records: Iterable[PickRecord]) -> bytes:
    """All values of all hits, in ASCII."""
    values = [record.as_dict() for record in records]
    return json.dumps(values, indent=2, allow_nan=False).encode("ascii")


def csv_bytes(records: Iterable[PickRecord]) -> bytes:
    r"""A table with a line for each hit, in UTF-8.

    Ranks count from 0, the nearest. `looked_at` marks the current hit of each pick.
    Numbers have all their digits; missing values are empty. A name that a spreadsheet would take
    for a formula gets an apostrophe in front. A byte of a path that is not UTF-8 is written as in
    JSON, like ``\udce9``.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    for number, record in enumerate(records, 1):
        when = record.when.isoformat(timespec="milliseconds")
        common: dict[str, object] = {"pick": number, "when": when, "frame": record.frame}
        common |= {"file": harmless(record.file), "scene": harmless(record.scene)}
        for rank, hit in enumerate(record.hits):
            which = {"rank": rank, "looked_at": rank == record.rank}
            writer.writerow({**common, **which, **dict(_cells(hit))})
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cells(hit: PickHit) -> Iterator[tuple[str, object]]:
    for key, field in FIELDS.items():
        value = getattr(hit, key)
        if field.columns:
            yield from zip(field.columns, value or ("",) * len(field.columns), strict=True)
        elif key in COLUMNS:
            text = " ".join(map(str, value)) if isinstance(value, tuple) else value
            yield key, harmless(text)


def harmless(value: object) -> object:
    """The value of a cell; a text that looks like a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def text_of_cell(cell: str) -> str:
    """The text whose cell :func:`harmless` made."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
