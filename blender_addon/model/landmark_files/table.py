# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables, CSV and TSV: a row for each landmark, with headings above."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..record import harmless, text_of_cell
from .axes import AXES
from .columns import COLUMNS, USUAL, found_in, headings
from .format import Format
from .mark import Mark, MarkFile, MarkFileError, Triple
from .text import (
    MOST_MARKS,
    decoded,
    digits,
    encoded,
    has_decimal_comma,
    name_of,
    place,
    readable,
    too_many,
    weights,
    whole,
)
from .units import METERS

_SEPARATORS = "\t;,"
_TRIPLES = ("position", "barycentric", "normal")
_YES, _NO = frozenset({"1", "true", "yes"}), frozenset({"", "0", "false", "no"})


def is_like(data: bytes) -> bool:
    """Whether the first row of a text has the headings of a table of landmarks."""
    try:
        first = next(_rows(decoded(data)), (0, []))
        return _has_landmarks(found_in(first[1])[0])
    except MarkFileError:
        return False


def read(data: bytes, name: str) -> list[MarkFile]:
    """A set for each name of one, object, unit and axes that a row has; `name` where it has none.

    Columns are found by their headings, whatever their order; others are left alone. A semicolon
    may separate cells; a comma within one is that of decimals, unless it may part thousands. Lines
    that begin with ``#`` are comments, unless they have as many cells as the headings: a landmark
    may be called so. A row of empty cells is a landmark that is missing, if no landmark has a name.
    """
    text = decoded(data)
    rows = _rows(text)
    _, first = next(rows, (0, []))
    where, axes = found_in(first)
    if not _has_landmarks(where):
        raise MarkFileError("its first row has no headings x, y, z, nor triangle and weight_a, ...")
    kept = [row for row in rows if any(map(str.strip, row[1])) or "name" not in where]
    numbers = [n for column in _TRIPLES for n in where.get(column, ())]
    comma = _begun(text)[1] == ";" or any(
        has_decimal_comma(cells[n]) for _, cells in kept for n in numbers if n < len(cells)
    )
    marks: dict[tuple[str, ...], list[Mark]] = {}
    for number, cells in kept:
        row = _Row(cells, where, f"line {number}", comma)
        key = (row.text("set"), row.text("object"), row.text("unit"), row.text("axes"))
        marks.setdefault(key, []).append(row.mark())
    return [_set(key, found, name, axes) for key, found in marks.items()] or [MarkFile(name, ())]


def _has_landmarks(where: Mapping[str, object]) -> bool:
    return "position" in where or {"triangle", "barycentric"} <= where.keys()


def _set(key: tuple[str, ...], marks: list[Mark], name: str, axes: str | None) -> MarkFile:
    title, on, unit, own_axes = key
    if unit and unit not in METERS:
        raise MarkFileError(f"units are {', '.join(METERS)}, not {unit!r:.40}")
    if own_axes and own_axes not in AXES:
        raise MarkFileError(f"axes are {', '.join(AXES)}, not {own_axes!r:.40}")
    return MarkFile(title or name, tuple(marks), own_axes or axes, unit or None, object=on)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are no comments, with the lines they end on."""
    before, separator, text = _begun(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    width = 0
    try:
        for cells in reader:
            if reader.line_num > MOST_MARKS:
                raise too_many()
            is_blank = not any(map(str.strip, cells))
            is_comment = is_blank or cells[0].lstrip().startswith("#")
            width = width or len(cells)
            if len(cells) == width or not is_comment:
                yield before + reader.line_num, cells
    except csv.Error as error:
        raise MarkFileError(f"line {before + reader.line_num}: {error}") from None


def _begun(text: str) -> tuple[int, str, str]:
    """How many lines are before the headings, what separates those, and the text from them on.

    Headings may be in a comment themselves, as NumPy writes them.
    """
    place, number = 0, 0
    for number, line in enumerate(text[: 1 << 16].splitlines(keepends=True)):
        bare = line.strip().lstrip("#").strip()
        separator = max(_SEPARATORS, key=bare.count)
        is_comment = line.lstrip().startswith("#")
        if bare and (not is_comment or _has_landmarks(found_in(bare.split(separator))[0])):
            return number, separator, text[place + len(line) - len(line.lstrip("# \t")) :]
        place += len(line)
    return number, ",", ""


class _Row:
    """A row of a table, by column."""

    def __init__(
        self, cells: list[str], where: Mapping[str, tuple[int, ...]], line: str, comma: bool
    ) -> None:
        self._cells, self._where, self._line, self._comma = cells, where, line, comma

    def mark(self) -> Mark:
        index, barycentric = self.text("index"), self._triple("barycentric")
        return Mark(
            name=name_of(text_of_cell(self._cell("name"))),
            point=self._triple("position") if self._flag("defined", True) else None,
            triangle=self._whole("triangle"),
            face=self._whole("face"),
            barycentric=barycentric and weights(barycentric, self._line),
            normal=self._triple("normal"),
            description=self.text("description"),
            index=int(index) if index.isascii() and index.isdecimal() and len(index) < 16 else None,
            locked=self._flag("locked", False),
            hidden=self._flag("hidden", False) or not self._flag("visible", True),
        )

    def text(self, column: str) -> str:
        return readable(text_of_cell(self._cell(column)))

    def _cell(self, column: str) -> str:
        return next(iter(self._of(column)), "")

    def _of(self, column: str) -> list[str]:
        places = self._where.get(column, ())
        return [self._cells[n] if n < len(self._cells) else "" for n in places]

    def _triple(self, column: str) -> Triple | None:
        cells = self._of(column)
        return place(cells, self._line, decimal_comma=self._comma) if cells else None

    def _whole(self, column: str) -> int | None:
        text = self.text(column)
        return whole(text, f"{self._line}, {column}") if text else None

    def _flag(self, column: str, otherwise: bool) -> bool:
        if column not in self._where:
            return otherwise
        text = self.text(column).casefold()
        if text not in _YES | _NO:
            raise MarkFileError(f"{self._line}: {column} is {text[:40]!r}, not 1 or 0")
        return text in _YES


def write(separator: str, sets: Sequence[MarkFile], columns: Sequence[str]) -> bytes:
    """A table with these columns. Text that a spreadsheet would compute gets an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(headings(columns))
    for each in sets:
        for mark in each.marks:
            values = _values(each, mark)
            writer.writerow([cell for column in columns for cell in _cells(column, values[column])])
    return encoded([text.getvalue()])


def _values(each: MarkFile, mark: Mark) -> dict[str, Any]:
    return {
        "set": each.name,
        "object": each.object,
        "unit": each.unit,
        "axes": each.axes,
        "name": mark.name,
        "position": mark.point,
        "normal": mark.normal,
        "face": mark.face,
        "triangle": mark.triangle,
        "barycentric": mark.barycentric,
        "index": mark.index,
        "description": mark.description,
        "locked": mark.locked,
        "hidden": mark.hidden,
    }


def _cells(column: str, value: Any) -> Sequence[object]:
    if value is None:
        return ("",) * len(COLUMNS[column])
    if isinstance(value, tuple):
        return digits(value)
    if isinstance(value, bool):
        return (int(value),)
    return (harmless(value),)


def _format(name: str, label: str, endings: tuple[str, ...], separator: str) -> Format:
    holds = {"positions", "triangles", "faces", "names", "lines", "normals", "missing"}
    holds |= {"axes", "units"}
    return Format(
        name,
        label,
        endings,
        frozenset({*holds, "sets"}),
        read,
        partial(write, separator),
        is_like,
        columns=tuple(COLUMNS),
        usual_columns=USUAL,
    )


CSV = _format("csv", "CSV", (".csv", ".txt"), ",")
TSV = _format("tsv", "TSV", (".tsv", ".tab"), "\t")
