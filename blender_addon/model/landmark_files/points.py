# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of positions: of Landmark and Viewbox, TPS, CloudCompare and MeshLab."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from . import text
from .format import Format, Layout, Mark, MarkFile, MarkFileError, Triple


def _begins(pattern: bytes, data: bytes) -> bool:
    return re.match(rb"(?:\xef\xbb\xbf)?\s*" + pattern, data[:64], re.IGNORECASE) is not None


_PTS_MISSING = (9999.0, 9999.0, 9999.0)


def _read_pts(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file, as Morpho's read.pts reads it."""
    (_, first), *rest = text.lines(data) or [(0, "")]
    if first.casefold().split() != ["version", "1.0"]:
        raise MarkFileError(f'it begins with {first[:40]!r}, not with "Version 1.0"')
    if not rest:
        raise MarkFileError("it ends before the number of points")
    count = text.whole(rest[0][1], f"line {rest[0][0]}")
    if count != len(rest) - 1:
        raise MarkFileError(f"it has {len(rest) - 1} points and says {count}")
    marks = []
    for line, row in rest[1:]:
        label, *cells = row.rsplit(maxsplit=3)
        if len(cells) != 3:
            raise MarkFileError(f"line {line}: a name and three coordinates belong here")
        point = text.place(cells, f"line {line}")
        marks.append(Mark(text.readable(label), None if point == _PTS_MISSING else point))
    return [MarkFile(name, tuple(marks))]


def _write_pts(group: MarkFile, *, layout: str) -> bytes:
    """A file whose names have no spaces, or are the numbers that Landmark gives."""
    names = ["" if layout == "numbered" else text.readable(mark.name) for mark in group.marks]
    names = text.named((re.sub(r"\s+", "_", name) for name in names), "S{:04}", 0)
    parts = [f"Version 1.0\n{len(group.marks)}\n"]
    for name, mark in zip(names, group.marks, strict=True):
        if mark.point == _PTS_MISSING:
            raise MarkFileError(f"{mark.name!r} is at 9999, 9999, 9999, which means missing here")
        cells = ["9999"] * 3 if mark.point is None else text.digits(mark.point)
        parts.append(f"{' '.join([name, *cells])}\n")
    return text.encoded(parts)


PTS = Format(
    "pts",
    "Landmark and Viewbox Points",
    "Positions for Landmark, Viewbox and Morpho (.pts)",
    (".pts", ".txt"),
    frozenset({"positions", "names", "missing"}),
    _read_pts,
    _write_pts,
    partial(_begins, rb"Version +1\.0\s*[\r\n]"),
    layouts={"named": Layout(), "numbered": Layout()},
)


_KEY = re.compile("([A-Za-z][A-Za-z0-9]*)=(.*)")
_LEFT_OUT = frozenset({"CURVES", "OUTLINES", "RADII"})
_TPS_MISSING = (-1.0, -1.0, -1.0)  # as tpsDig writes it; a single coordinate may well be negative


def _read_tps(data: bytes, name: str) -> list[MarkFile]:
    """A set for each specimen; its scale is applied to the coordinates, as in geomorph.

    A specimen is ``LM3=`` with the number of its landmarks, their rows, and lines such as ``ID=``.
    """
    specimens: list[list[tuple[int, str]]] = []
    for line, row in text.lines(data):
        if re.match("LM3?=", row, re.IGNORECASE):
            specimens.append([])
        elif not specimens:
            raise MarkFileError(f"line {line}: it begins without LM3=")
        specimens[-1].append((line, row))
    if not specimens:
        raise MarkFileError("it is empty")
    alone = len(specimens) == 1
    numbered = enumerate(specimens, 1)
    found = [_read_specimen(rows, name if alone else f"{name} {n}") for n, rows in numbered]
    for (count, each), rows in zip(found, specimens, strict=True):
        if len(each.marks) != count:
            counts = f"{len(each.marks)} landmarks, and says {count}"
            raise MarkFileError(f"the specimen at line {rows[0][0]} has {counts}")
    return [each for _, each in found]


def _read_specimen(rows: list[tuple[int, str]], name: str) -> tuple[int, MarkFile]:
    """The number of landmarks that a specimen declares, and the set that its lines have."""
    (first, head), *others = rows
    count = text.whole(head.partition("=")[2], f"line {first}")
    points: list[Triple | None] = []
    left_out: list[str] = []
    names: dict[str, str] = {}
    scale = 1.0
    for line, row in others:
        found, where = _KEY.fullmatch(row), f"line {line}"
        key, value = (found[1].upper(), found[2].strip()) if found else ("", row)
        if key == "SCALE":
            scale = text.number(value, where)
        elif key in ("ID", "IMAGE"):
            names[key] = text.readable(value)
        elif key in _LEFT_OUT:
            left_out.append(f"{where}: {key}={value}"[:80])
        elif not key and not left_out:  # the rows of curves come after the landmarks
            points.append(_tps_point(row, where))
    for number, point in enumerate(points, 1):
        if point == _TPS_MISSING:
            left_out.append(f"landmark {number} is at -1, -1, -1, which means missing")
    return count, MarkFile(
        names.get("ID") or names.get("IMAGE") or name,
        tuple(Mark("", _scaled(point, scale)) for point in points),
        left_out=tuple(left_out),
    )


def _tps_point(row: str, where: str) -> Triple | None:
    cells = row.split()
    for cell in cells:
        if "," in cell:
            text.number(cell, where)
    if len(cells) == 2:
        raise MarkFileError(f"{where}: these are landmarks in a picture, of two coordinates")
    return text.place(cells, where)


def _scaled(point: Triple | None, scale: float) -> Triple | None:
    if point is None or point == _TPS_MISSING:
        return None
    x, y, z = (item * scale for item in point)
    return x, y, z


def _write_tps(*sets: MarkFile) -> bytes:
    """A specimen for each set, as geomorph's writeland.tps writes it; landmarks have no names."""
    parts = []
    for each in sets:
        points = [["NA"] * 3 if m.point is None else text.digits(m.point) for m in each.marks]
        rows = [" ".join(point) for point in points]
        parts += [f"LM3={len(rows)}\n", *(f"{row}\n" for row in rows)]
        parts.append(f"ID={text.readable(each.name)}\n\n")
    return text.encoded(parts)


TPS = Format(
    "tps",
    "TPS",
    "Positions for geomorph, without names (.tps)",
    (".tps", ".txt"),
    frozenset({"positions", "missing", "sets"}),
    _read_tps,
    _write_tps,
    partial(_begins, b"LM3?="),
)


def _is_picking_list(data: bytes) -> bool:
    """Whether the first line of a text is a row of a picking list."""
    first = text.lines(data[:4096].rpartition(b"\n")[0] or data)[:1]
    return bool(first) and _row(*first[0]) is not None


def _read_picking_list(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file: rows of ``x,y,z``, with an index or a label before them.

    If a number stands first in every row, it is the index.
    """
    rows = [_row(*line) for line in text.lines(data)]
    if not rows:
        raise MarkFileError("it is empty")
    if all(re.fullmatch("[0-9]{1,15}", first) for first, _ in rows):
        marks = [Mark("", point, index=int(first)) for first, point in rows]
    else:
        marks = [Mark(text.readable(first), point) for first, point in rows]
    return [MarkFile(name, tuple(marks))]


def _row(line: int, row: str) -> tuple[str, Triple]:
    """The index or label of a row, or "", and the point. A label may contain commas."""
    cells = row.rsplit(",", 3)
    if len(cells) < 3:
        raise MarkFileError(f"line {line}: x,y,z belong here, with an index or a label before them")
    x, y, z = (text.number(cell, f"line {line}") for cell in cells[-3:])
    return (cells[0] if len(cells) == 4 else ""), (x, y, z)


def _write_picking_list(group: MarkFile, *, layout: str) -> bytes:
    """Rows with names, with indices (from 0 where the landmarks have none), or with neither."""
    marks = group.marks
    firsts = [""] * len(marks)
    if layout == "label":
        firsts = [
            f"{name},"
            for name in text.named((text.readable(m.name) for m in marks), "Point #{}", 0)
        ]
    elif layout == "index":
        firsts = [f"{n if m.index is None else m.index}," for n, m in enumerate(marks)]
    points = [",".join(text.digits(mark.point or ())) for mark in marks]
    return text.encoded(f"{first}{point}\n" for first, point in zip(firsts, points, strict=True))


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

    A point that is not active was not picked: it is missing. Entities that the file defines are
    refused.
    """
    marks: list[Mark] = []
    path: list[str] = []
    on = ""

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal on
        if not path and tag != _ROOT:
            raise MarkFileError(f"it has <{tag:.40}>, not <{_ROOT}>")
        path.append(tag)
        if path == [_ROOT, "point"]:
            if len(marks) == text.MOST_MARKS:
                raise text.too_many()
            marks.append(_picked(attributes, len(marks) + 1))
        elif path == [_ROOT, "DocumentData", "DataFileName"]:
            on = text.readable(attributes.get("name"))

    def refuse_entities(*_values: object) -> NoReturn:
        raise MarkFileError("it defines entities of its own, which are not read")

    def check_doctype(_name: str, _system: object, _public: object, inside: int) -> None:
        if inside:
            refuse_entities()

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _tag: path.pop()
    parser.EntityDeclHandler = refuse_entities
    parser.StartDoctypeDeclHandler = check_doctype
    try:
        parser.Parse(text.decoded(data).encode(), True)
    except expat.ExpatError as error:
        raise MarkFileError(f"this is no XML: {error}") from None
    return [MarkFile(name, tuple(marks), object=on)]


def _picked(attributes: dict[str, str], count: int) -> Mark:
    name = text.name_of(attributes.get("name"))
    if attributes.get("active") == "0":
        return Mark(name)
    where = f"point {count}"
    x, y, z = (text.number(attributes.get(axis, ""), f"{where}, {axis}") for axis in "xyz")
    return Mark(name, (x, y, z))


def _write_picked_points(group: MarkFile) -> bytes:
    """A file as MeshLab writes it."""
    now = datetime.now()
    head = [
        f"<!DOCTYPE {_ROOT}>\n<{_ROOT}>\n <DocumentData>\n",
        f'  <DateTime date="{now:%Y-%m-%d}" time="{now:%H:%M:%S}"/>\n',
        f"  <DataFileName name={_attribute(group.object)}/>\n",
        '  <templateName name=""/>\n </DocumentData>\n',
    ]
    return text.encoded([*head, *map(_picked_point, group.marks), f"</{_ROOT}>\n"])


def _picked_point(mark: Mark) -> str:
    x, y, z = text.digits(mark.point or (0, 0, 0))
    active = 0 if mark.point is None else 1
    return f' <point x="{x}" y="{y}" z="{z}" active="{active}" name={_attribute(mark.name)}/>\n'


def _attribute(value: str) -> str:
    return quoteattr(text.name_of(value), _ESCAPED)


PICKED_POINTS = Format(
    "meshlab",
    "MeshLab Picked Points",
    "Positions for MeshLab (.pp)",
    (".pp",),
    frozenset({"positions", "names", "lines", "missing"}),
    _read_picked_points,
    _write_picked_points,
)
