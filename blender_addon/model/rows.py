# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows in which panels show a hit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .hit import FIELDS
from .hit_field import HitField
from .record import PickRecord


class Row(NamedTuple):
    """A value to show and to copy: a whole field, or what a table of a mesh has under a name."""

    key: str
    label: str
    field: HitField
    value: Any


def groups(panel: str, record: PickRecord) -> Iterator[list[Row]]:
    """The rows of a panel: first those of one line, then each vector."""
    of_panel = [field for field in FIELDS.values() if field.panel == panel]
    rows = [_row(field, record) for field in sorted(of_panel, key=lambda field: field.order)]
    yield [row for row in rows if not row.field.parts and _is_shown(row, record)]
    yield from ([row] for row in rows if row.field.parts)


def tables(record: PickRecord) -> list[tuple[str, list[Row]]]:
    """What the mesh stores at the place: headings in English, and the rows under each."""
    stored = [_row(field, record) for field in FIELDS.values() if field.panel == "attributes"]
    return [
        (
            table.label,
            [
                table._replace(key=f"{table.key}.{name}", label=name, value=value)
                for name, value in table.value.items()
            ],
        )
        for table in stored
        if table.value
    ]


def tooltip(key: str) -> str:
    """The tooltip of a row, or of a vector's component, in English."""
    field = FIELDS.get(key.partition(".")[0])
    return field.tooltip if field else ""


def component(key: str) -> tuple[str, str]:
    """Of a vector's component, as in ``"point.X"``, the vector's label and the letter."""
    name, _, part = key.partition(".")
    field = FIELDS.get(name)
    return (field.label, part) if part and field and field.parts else ("", "")


def _row(field: HitField, record: PickRecord) -> Row:
    return Row(field.key, field.label, field, getattr(record.hit_now, field.read or field.key))


def _is_shown(row: Row, record: PickRecord) -> bool:
    if row.field.shown_if == "ray":
        return record.origin is not None
    return row.field.shown_if != "nonzero" or bool(row.value)
