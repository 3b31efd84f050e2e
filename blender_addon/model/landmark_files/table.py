# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables, CSV and TSV: a row for each landmark, with headings above."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ..record import harmless, text_of_cell
from . import text
from .format import AXES, METERS, Format, Mark, MarkFile, MarkFileError, Triple


class Column(NamedTuple):
    """A column that a table of landmarks may have, or three for a vector."""

    label: str
    purpose: str
    headings: str  # one heading, or three with spaces between
    others: tuple[str, ...] = ()  # headings of other tools, as `_plain` makes them


COLUMNS = {
    "set": Column("Set", "The name of the set", "set", ("group", "list", "specimen")),
    "name": Column(
        *("Name", "The name of the landmark", "name"),
        ("label", "landmark", "landmark_name", "point", "point_name"),
    ),
    "position": Column(
        *("Position", "Three coordinates", "x y z"),
        (
            *("position_x position_y position_z", "pos_x pos_y pos_z"),
            *("x_coordinate y_coordinate z_coordinate", "xcoord ycoord zcoord"),
            *("coord_x coord_y coord_z", "l p s", "r a s"),
        ),
    ),
    "normal": Column(
        *("Normal", "The unit normal of the triangle, three coordinates"),
        "normal_x normal_y normal_z",
        ("nx ny nz", "n_x n_y n_z"),
    ),
    "object": Column("Object", "The name of the object", "object", ("mesh", "model")),
    "face": Column(
        "Face", "The index of the face", "face", ("face_index", "polygon", "polygon_index")
    ),
    "triangle": Column(
        *("Triangle", "The index of the triangle", "triangle"),
        ("triangle_index", "tri", "face_idx"),
    ),
    "barycentric": Column(
        *("Weights", "The weights of the triangle's vertices", "weight_a weight_b weight_c"),
        (
            *("barycentric_a barycentric_b barycentric_c", "bary_a bary_b bary_c"),
            *("bary_0 bary_1 bary_2", "a b c"),
        ),
    ),
    "index": Column(
        "Index", "The number that the landmark is called by", "index", ("id", "number", "no")
    ),
    "description": Column(
        *("Description", "The notes of the landmark", "description"),
        ("notes", "note", "comment", "desc"),
    ),
    "locked": Column("Locked", "1 for a landmark that is locked", "locked", ("lock",)),
    "hidden": Column("Hidden", "1 for a landmark that is hidden", "hidden", ("hide",)),
    "unit": Column("Unit", "The unit of positions; empty for scene units", "unit", ("units",)),
    "axes": Column("Axes", "The axes of positions", "axes", ("coordinate_system",)),
}
"""All columns, in the usual order."""

_HEADINGS = {
    **{name: (each.headings, *each.others) for name, each in COLUMNS.items()},
    "visible": ("visible", "visibility"),  # this and the next are in Slicer's tables
    "defined": ("defined",),
}
_AXES_OF = {"l p s": "LPS", "r a s": "RAS"}
_SEPARATORS = "\t;,"
_OF_SET = ("set", "object", "unit", "axes")
_TRIPLES = ("position", "barycentric", "normal")
_YES, _NO = frozenset({"1", "true", "yes"}), frozenset({"", "0", "false", "no"})


def _is_like(data: bytes) -> bool:
    """Whether the first row of a text has the headings of a table of landmarks."""
    first = next(_rows(text.decoded(data)), (0, []))
    return _has_landmarks(_found_in(first[1])[0])


def _read(data: bytes, name: str) -> list[MarkFile]:
    """A set for each combination of set name, object, unit and axes; unnamed ones get `name`.

    Columns are found by their headings, in any order; others are ignored. Commas in numbers are
    decimal if semicolons separate the cells, or if one of them cannot separate thousands. A line
    that begins with ``#`` is a comment, unless it has as many cells as the headings: then it is a
    landmark whose name begins so. Without a column of names, an empty row is a missing landmark.
    """
    content = text.decoded(data)
    rows = _rows(content)
    _, first = next(rows, (0, []))
    where, axes = _found_in(first)
    if not _has_landmarks(where):
        raise MarkFileError("its first row has no headings x, y, z, nor triangle and weight_a, ...")
    kept = [row for row in rows if any(map(str.strip, row[1])) or "name" not in where]
    numbers = [n for column in _TRIPLES for n in where.get(column, ())]
    comma = _from_headings(content)[1] == ";" or any(
        text.has_decimal_comma(cells[n]) for _, cells in kept for n in numbers if n < len(cells)
    )
    marks: dict[tuple[str, ...], list[Mark]] = {}
    for number, cells in kept:
        row = {
            column: [cells[n] if n < len(cells) else "" for n in places]
            for column, places in where.items()
        }
        key = tuple(text.readable(text_of_cell(row.get(part, [""])[0])) for part in _OF_SET)
        marks.setdefault(key, []).append(_mark(row, f"line {number}", comma))
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


def _rows(content: str) -> Iterator[tuple[int, list[str]]]:
    """The number of the last line, and the cells, of each row that is not a comment."""
    before, separator, content = _from_headings(content)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True)
    width = 0
    try:
        for cells in reader:
            if reader.line_num > text.MOST_MARKS:
                raise text.too_many()
            is_blank = not any(map(str.strip, cells))
            is_comment = is_blank or cells[0].lstrip().startswith("#")
            width = width or len(cells)
            if len(cells) == width or not is_comment:
                yield before + reader.line_num, cells
    except csv.Error as error:
        raise MarkFileError(f"line {before + reader.line_num}: {error}") from None


def _from_headings(content: str) -> tuple[int, str, str]:
    """The number of lines before the headings, the separator, and the text from the headings on.

    The headings may stand in a comment, where NumPy writes them.
    """
    place, number = 0, 0
    for number, line in enumerate(content[: 1 << 16].splitlines(keepends=True)):
        bare = line.strip().lstrip("#").strip()
        separator = max(_SEPARATORS, key=bare.count)
        is_comment = line.lstrip().startswith("#")
        if bare and (not is_comment or _has_landmarks(_found_in(bare.split(separator))[0])):
            return number, separator, content[place + len(line) - len(line.lstrip("# \t")) :]
        place += len(line)
    return number, ",", ""


def _mark(row: Mapping[str, list[str]], line: str, comma: bool) -> Mark:
    """The landmark of a row of a table, by the cells of its columns."""
    texts = {column: text_of_cell(cells[0]) for column, cells in row.items()}

    def triple(column: str) -> Triple | None:
        return text.place(row[column], line, decimal_comma=comma) if column in row else None

    def whole(column: str) -> int | None:
        said = text.readable(texts.get(column))
        return text.whole(said, f"{line}, {column}") if said else None

    def flag(column: str, otherwise: bool) -> bool:
        if column not in row:
            return otherwise
        said = text.readable(texts[column]).casefold()
        if said not in _YES | _NO:
            raise MarkFileError(f"{line}: {column} is {said[:40]!r}, not 1 or 0")
        return said in _YES

    index, barycentric = text.readable(texts.get("index")), triple("barycentric")
    return Mark(
        name=text.name_of(texts.get("name")),
        point=triple("position") if flag("defined", True) else None,
        triangle=whole("triangle"),
        face=whole("face"),
        barycentric=barycentric and text.weights(barycentric, line),
        normal=triple("normal"),
        description=text.readable(texts.get("description")),
        index=int(index) if re.fullmatch("[0-9]{1,15}", index) else None,
        locked=flag("locked", False),
        hidden=flag("hidden", False) or not flag("visible", True),
    )


def _write(separator: str, *sets: MarkFile, columns: Sequence[str]) -> bytes:
    """A table with these columns. Text that looks like a formula gets an apostrophe before it."""
    for column in columns:
        if column not in COLUMNS:
            raise MarkFileError(f"columns are some of {', '.join(COLUMNS)}, not {column!r}")
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator)
    writer.writerow(heading for column in columns for heading in COLUMNS[column].headings.split())
    for each in sets:
        for mark in each.marks:
            writer.writerow(cell for column in columns for cell in _cells(column, each, mark))
    return text.encoded([file.getvalue()])


def _cells(column: str, group: MarkFile, mark: Mark) -> Sequence[object]:
    name = {"set": "name", "position": "point"}.get(column, column)
    value = getattr(group if column in _OF_SET else mark, name)
    if value is None:
        return ("",) * len(COLUMNS[column].headings.split())
    if isinstance(value, tuple):
        return text.digits(value)
    return (int(value) if isinstance(value, bool) else harmless(value),)


def _found_in(row: Sequence[str]) -> tuple[Mapping[str, tuple[int, ...]], str | None]:
    """Where each column stands in a row of headings, and the axes that the headings name.

    Nothing is found if the row has no headings.
    """
    plain = [_plain(cell) for cell in row]
    where: dict[str, tuple[int, ...]] = {}
    axes = None
    for column, ways in _HEADINGS.items():
        for headings in ways:
            names = headings.split()
            if all(name in plain for name in names):
                where[column] = tuple(map(plain.index, names))
                axes = _AXES_OF.get(headings, axes)
                break
    return where, axes


def _plain(heading: str) -> str:
    """A heading in small letters, without a unit in brackets: ``Position X (mm)`` is position_x."""
    name = re.sub(r"[(\[].*", "", heading.casefold())
    return re.sub("[^a-z0-9]+", "_", name).strip("_")


CSV = Format(
    "csv",
    "CSV",
    "A table with a row for each landmark (.csv)",
    (".csv", ".txt"),
    frozenset(
        {"positions", "triangles", "faces", "names", "lines", "normals", "missing"}
        | {"axes", "units", "sets"}
    ),
    _read,
    partial(_write, ","),
    _is_like,
    columns=tuple(COLUMNS),
    usual_columns=("set", "name", "position"),
)
TSV = replace(
    CSV,
    name="tsv",
    label="TSV",
    purpose="A table for spreadsheets, with tabs between columns (.tsv)",
    endings=(".tsv", ".tab"),
    writer=partial(_write, "\t"),
)
