# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of positions: of Landmark and Viewbox, TPS, CloudCompare and MeshLab."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from .format import Format, Layout, Mark, MarkFile, MarkFileError, Triple
from .text import (
    MOST_MARKS,
    decoded,
    digits,
    encoded,
    lines,
    name_of,
    named,
    number,
    place,
    readable,
    too_many,
    whole,
)

_PTS_MISSING = 9999.0


def _is_pts(data: bytes) -> bool:
    return re.match(rb"(?:\xef\xbb\xbf)?\s*Version +1\.0\s*[\r\n]", data[:64], re.I) is not None


def _read_pts(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file, as Morpho's read.pts reads it."""
    (_, first), *rest = lines(data) or [(0, "")]
    if first.casefold().split() != ["version", "1.0"]:
        raise MarkFileError(f'it begins with {first[:40]!r}, not with "Version 1.0"')
    if not rest:
        raise MarkFileError("it ends before the number of points")
    count = whole(rest[0][1], f"line {rest[0][0]}")
    if count != len(rest) - 1:
        raise MarkFileError(f"it has {len(rest) - 1} points and says {count}")
    return [MarkFile(name, tuple(_pts_mark(*line) for line in rest[1:]))]


def _pts_mark(line: int, text: str) -> Mark:
    name, *cells = text.rsplit(maxsplit=3)
    if len(cells) != 3:
        raise MarkFileError(f"line {line}: a name and three coordinates belong here")
    where = f"line {line}"
    point = place(cells, where)
    is_missing = point is None or point == (_PTS_MISSING,) * 3
    return Mark(readable(name), None if is_missing else point)


def _write_pts(group: MarkFile, *, layout: str) -> bytes:
    """A file with names without spaces, or with the numbers that Landmark gives."""
    names = ["" if layout == "numbered" else readable(mark.name) for mark in group.marks]
    names = named((re.sub(r"\s+", "_", name) for name in names), "S{:04}", 0)
    rows = zip(names, group.marks, strict=True)
    head = f"Version 1.0\n{len(group.marks)}\n"
    return encoded([head, *(f"{name} {_pts_cells(mark)}\n" for name, mark in rows)])


def _pts_cells(mark: Mark) -> str:
    if mark.point is None:
        return "9999 9999 9999"
    if mark.point == (_PTS_MISSING,) * 3:
        raise MarkFileError(f"{mark.name!r} is at 9999, 9999, 9999, which means missing here")
    return " ".join(digits(mark.point))


PTS = Format(
    "pts",
    "Landmark and Viewbox Points",
    "Positions for Landmark, Viewbox and Morpho (.pts)",
    (".pts", ".txt"),
    frozenset({"positions", "names", "missing"}),
    _read_pts,
    _write_pts,
    _is_pts,
    layouts={"named": Layout(), "numbered": Layout()},
)


_KEY = re.compile("([A-Za-z][A-Za-z0-9]*)=(.*)")
_LEFT_OUT = frozenset({"CURVES", "OUTLINES", "RADII"})
_TPS_MISSING = (-1.0, -1.0, -1.0)  # as tpsDig writes it; a single coordinate may well be negative


def _is_tps(data: bytes) -> bool:
    return re.match(rb"(?:\xef\xbb\xbf)?\s*LM3?=", data[:64], re.IGNORECASE) is not None


def _read_tps(data: bytes, name: str) -> list[MarkFile]:
    """A set for each specimen, in its own units: a scale is multiplied in, as in geomorph.

    A specimen is ``LM3=`` with the number of its landmarks, their rows, and lines such as ``ID=``.
    """
    specimens: list[_Specimen] = []
    for line, text in lines(data):
        found = _KEY.fullmatch(text)
        key = found[1].upper() if found else ""
        if key in ("LM", "LM3"):
            specimens.append(_Specimen(whole(found[2] if found else "", f"line {line}"), line))
        elif not specimens:
            raise MarkFileError(f"line {line}: it begins without LM3=")
        elif found:
            specimens[-1].note(key, found[2].strip(), line)
        else:
            specimens[-1].add(text, line)
    if not specimens:
        raise MarkFileError("it is empty")
    alone = len(specimens) == 1
    return [each.as_set(name if alone else f"{name} {n}") for n, each in enumerate(specimens, 1)]


class _Specimen:
    """One specimen, as its lines come."""

    def __init__(self, count: int, line: int) -> None:
        self._count, self._line = count, line
        self._points: list[Triple | None] = []
        self._scale = 1.0
        self._names: dict[str, str] = {}
        self._skipped: list[str] = []
        self._missing: list[int] = []

    def add(self, text: str, line: int) -> None:
        """Add a row of coordinates; those of curves, after the landmarks, are skipped."""
        if self._skipped:
            return
        cells, where = text.split(), f"line {line}"
        for cell in cells:
            if "," in cell:
                number(cell, where)
        if len(cells) == 2:
            raise MarkFileError(f"{where}: these are landmarks in a picture, of two coordinates")
        point = place(cells, where)
        if point == _TPS_MISSING:
            self._missing.append(len(self._points) + 1)
        self._points.append(None if point == _TPS_MISSING else point)

    def note(self, key: str, value: str, line: int) -> None:
        if key == "SCALE":
            self._scale = number(value, f"line {line}")
        elif key in ("ID", "IMAGE"):
            self._names[key] = readable(value)
        elif key in _LEFT_OUT:
            self._skipped.append(f"line {line}: {key}={value}"[:80])

    def as_set(self, name: str) -> MarkFile:
        """The set; MarkFileError where rows are missing."""
        if len(self._points) != self._count:
            found = f"{len(self._points)} landmarks, and says {self._count}"
            raise MarkFileError(f"the specimen at line {self._line} has {found}")
        notes = [f"landmark {n} is at -1, -1, -1, which means missing" for n in self._missing]
        return MarkFile(
            self._names.get("ID") or self._names.get("IMAGE") or name,
            tuple(Mark("", point and self._scaled(point)) for point in self._points),
            left_out=(*self._skipped, *notes),
        )

    def _scaled(self, point: Triple) -> Triple:
        x, y, z = (item * self._scale for item in point)
        return x, y, z


def _write_tps(*sets: MarkFile) -> bytes:
    """A specimen for each set, as geomorph's writeland.tps writes it; landmarks have no names."""
    return encoded(part for each in sets for part in _specimen(each))


def _specimen(each: MarkFile) -> list[str]:
    rows = ["NA NA NA" if m.point is None else " ".join(digits(m.point)) for m in each.marks]
    return [f"LM3={len(rows)}\n", *(f"{row}\n" for row in rows), f"ID={readable(each.name)}\n\n"]


TPS = Format(
    "tps",
    "TPS",
    "Positions for geomorph, without names (.tps)",
    (".tps", ".txt"),
    frozenset({"positions", "missing", "sets"}),
    _read_tps,
    _write_tps,
    _is_tps,
)


_INDEX = re.compile("[0-9]{1,15}")


def _is_picking_list(data: bytes) -> bool:
    """Whether the first line of a text is a row of such a list."""
    first = lines(data[:4096].rpartition(b"\n")[0] or data)[:1]
    return bool(first) and _row(*first[0]) is not None


def _read_picking_list(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file: rows of ``x,y,z``, with an index or a label before them.

    If a number stands first in every row, it is the index.
    """
    rows = [_row(*line) for line in lines(data)]
    if not rows:
        raise MarkFileError("it is empty")
    are_numbered = all(first is not None and _INDEX.fullmatch(first) for first, _ in rows)
    marks = []
    for first, mark in rows:
        index = int(first) if are_numbered and first is not None else None
        marks.append(Mark("" if are_numbered else readable(first), mark.point, index=index))
    return [MarkFile(name, tuple(marks))]


def _row(line: int, text: str) -> tuple[str | None, Mark]:
    """The first of a row's four cells, and the point. A label may have commas itself."""
    cells = text.rsplit(",", 3)
    if len(cells) < 3:
        raise MarkFileError(f"line {line}: x,y,z belong here, with an index or a label before them")
    x, y, z = (number(cell, f"line {line}") for cell in cells[-3:])
    return (cells[0] if len(cells) == 4 else None), Mark("", (x, y, z))


def _write_picking_list(group: MarkFile, *, layout: str) -> bytes:
    """Rows with names, with indices (from 0 where the landmarks have none), or with neither."""
    marks = group.marks
    firsts = [""] * len(marks)
    if layout == "label":
        firsts = [f"{name}," for name in named((readable(m.name) for m in marks), "Point #{}", 0)]
    elif layout == "index":
        firsts = [f"{n if m.index is None else m.index}," for n, m in enumerate(marks)]
    points = [",".join(digits(mark.point or ())) for mark in marks]
    return encoded(f"{first}{point}\n" for first, point in zip(firsts, points, strict=True))


PICKING_LIST = Format(
    "cloudcompare",
    "CloudCompare Picking List",
    "Positions for CloudCompare (.txt)",
    (".txt", ".csv", ".asc"),
    frozenset({"positions", "names"}),
    _read_picking_list,
    _write_picking_list,
    _is_picking_list,
    layouts={"label": Layout(), "index": Layout(), "xyz": Layout()},
)


_ROOT = "PickedPoints"
_ESCAPED = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def _read_picked_points(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file, as MeshLab's pickedPoints.cpp reads and writes it.

    A point that is not active was not picked: it is missing.
    """
    reader = _PickedPointsReader()
    reader.parse(decoded(data).encode())
    return [MarkFile(name, tuple(reader.marks), object=reader.object)]


class _PickedPointsReader:
    """Collects the points as the parser meets them. Entities that the file defines are refused."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self.object = ""
        self._path: list[str] = []

    def parse(self, data: bytes) -> None:
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EntityDeclHandler = self._refuse_entities
        parser.StartDoctypeDeclHandler = self._check_doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            raise MarkFileError(f"this is no XML: {error}") from None

    def _refuse_entities(self, *_values: object) -> NoReturn:
        raise MarkFileError("it defines entities of its own, which are not read")

    def _check_doctype(self, _name: str, _system: object, _public: object, inside: int) -> None:
        if inside:
            self._refuse_entities()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path and tag != _ROOT:
            raise MarkFileError(f"it has <{tag:.40}>, not <{_ROOT}>")
        self._path.append(tag)
        if self._path == [_ROOT, "point"]:
            if len(self.marks) == MOST_MARKS:
                raise too_many()
            self.marks.append(_picked(attributes, len(self.marks) + 1))
        elif self._path == [_ROOT, "DocumentData", "DataFileName"]:
            self.object = readable(attributes.get("name"))

    def _end(self, _tag: str) -> None:
        self._path.pop()


def _picked(attributes: dict[str, str], count: int) -> Mark:
    name = name_of(attributes.get("name"))
    if attributes.get("active") == "0":
        return Mark(name)
    where = f"point {count}"
    x, y, z = (number(attributes.get(axis, ""), f"{where}, {axis}") for axis in "xyz")
    return Mark(name, (x, y, z))


def _write_picked_points(group: MarkFile) -> bytes:
    """A file as MeshLab writes it."""
    now = datetime.now()
    parts = [
        f"<!DOCTYPE {_ROOT}>\n<{_ROOT}>\n <DocumentData>\n",
        f'  <DateTime date="{now:%Y-%m-%d}" time="{now:%H:%M:%S}"/>\n',
        f"  <DataFileName name={_attribute(group.object)}/>\n",
        '  <templateName name=""/>\n </DocumentData>\n',
        *map(_picked_point, group.marks),
        f"</{_ROOT}>\n",
    ]
    return encoded(parts)


def _picked_point(mark: Mark) -> str:
    x, y, z = digits(mark.point or (0, 0, 0))
    active = 0 if mark.point is None else 1
    return f' <point x="{x}" y="{y}" z="{z}" active="{active}" name={_attribute(mark.name)}/>\n'


def _attribute(text: str) -> str:
    return quoteattr(name_of(text), _ESCAPED)


PICKED_POINTS = Format(
    "meshlab",
    "MeshLab Picked Points",
    "Positions for MeshLab (.pp)",
    (".pp",),
    frozenset({"positions", "names", "lines", "missing"}),
    _read_picked_points,
    _write_picked_points,
)
