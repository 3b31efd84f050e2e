# SPDX-License-Identifier: GPL-3.0-or-later
"""Fiducials of 3D Slicer, ``.fcsv``, which older versions wrote and many archives have.

Lines with ``#`` state the coordinate system and the columns. Newer versions append two columns
without a name, the first of which is the status of the position. The files of Slicer 3 begin with
"Fiducial List file".
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence

from .format import Format, Mark, MarkFile, MarkFileError
from .text import MOST_MARKS, decoded, digits, encoded, place, readable, too_many

_COLUMNS = (
    *("id", "x", "y", "z", "ow", "ox", "oy", "oz", "vis", "sel", "lock"),
    *("label", "desc", "associatedNodeID"),
)
_COLUMNS_OF_LISTS = ("label", "x", "y", "z", "sel", "vis")
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*# *(Markups fiducial file|Fiducial List file)", re.I)
_AXES = {"0": "RAS", "1": "LPS", "RAS": "RAS", "LPS": "LPS"}
_UNDEFINED, _DEFINED = "0", "2"
_NO_POSITION = frozenset({_UNDEFINED, "1", "3"})  # undefined, preview, missing
_COMMENT = re.compile(r"#\s*([A-Za-z ]+?)\s*=\s*(.*)")


def is_like(data: bytes) -> bool:
    """Whether a text begins as these files do."""
    return _BEGIN.match(data[:80]) is not None


def read(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file, in mm. Old files do not state their axes: they are RAS."""
    begin = _BEGIN.match(data)
    if begin is None:
        raise MarkFileError("it does not begin as Slicer's files of fiducials do")
    # Slicer ends rows at \n only. A file that once had \r\n still has \r in its rows.
    text = decoded(data)
    text = text.replace("\r", "" if "\n" in text else "\n")
    comments = filter(None, map(_COMMENT.match, text.splitlines()))
    said = {found[1].casefold(): found[2] for found in comments}
    code = said.get("coordinatesystem", "RAS").strip().upper()
    if code not in _AXES:
        raise MarkFileError(f"its coordinate system is {code[:40]!r}, neither LPS nor RAS")
    usual = _COLUMNS if begin[1].lower().startswith(b"markups") else _COLUMNS_OF_LISTS
    columns = [each.strip() for each in said.get("columns", ",".join(usual)).split(",")]
    if not {"x", "y", "z"} <= {*columns}:
        raise MarkFileError("its columns are not named x, y and z")
    return [MarkFile(name, tuple(_marks(text, columns)), axes=_AXES[code], unit="mm")]


def _marks(text: str, columns: Sequence[str]) -> list[Mark]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    marks = []
    try:
        for cells in reader:
            if reader.line_num > MOST_MARKS:
                raise too_many()
            if any(cells) and not cells[0].lstrip().startswith("#"):
                marks.append(_mark(cells, columns, f"line {reader.line_num}"))
    except csv.Error as error:
        raise MarkFileError(f"line {reader.line_num}: {error}") from None
    return marks


def _mark(cells: Sequence[str], columns: Sequence[str], where: str) -> Mark:
    by_name: Mapping[str, str] = dict(zip(columns, cells, strict=False))
    status = cells[len(columns)].strip() if len(cells) > len(columns) else _DEFINED
    point = None
    if status not in _NO_POSITION:
        point = place([by_name.get(axis, "") for axis in "xyz"], where)
    return Mark(
        readable(by_name.get("label")),
        point,
        description=readable(by_name.get("desc")),
        locked=by_name.get("lock", "").strip() == "1",
        hidden=by_name.get("vis", "").strip() == "0",
        selected=by_name["sel"].strip() == "1" if "sel" in by_name else None,
    )


def write(group: MarkFile) -> bytes:
    """A file as Slicer 5 writes it. Without axes it is in LPS, and it is always in mm."""
    axes = group.axes or "LPS"
    if axes not in ("LPS", "RAS"):
        raise MarkFileError(f"Slicer knows the axes LPS and RAS, not {axes}")
    if group.unit not in (None, "mm"):
        raise MarkFileError(f"positions in .fcsv are in mm, not in {group.unit}")
    text = io.StringIO()
    text.write(f"# Markups fiducial file version = 5.0\n# CoordinateSystem = {axes}\n")
    text.write(f"# columns = {','.join(_COLUMNS)}\n")
    writer = csv.writer(text, lineterminator="\n")
    for number, mark in enumerate(group.marks, 1):
        flags = map(int, (not mark.hidden, mark.selected is not False, mark.locked))
        row = number, *digits(mark.point or (0, 0, 0)), 0, 0, 0, 1, *flags
        status = _UNDEFINED if mark.point is None else _DEFINED
        writer.writerow([*row, mark.name, readable(mark.description), "", status, 0])
    return encoded([text.getvalue()])


FORMAT = Format(
    "fcsv",
    "Slicer Fiducials",
    "Positions for 3D Slicer, as it wrote them once (.fcsv)",
    (".fcsv",),
    frozenset({"positions", "names", "missing", "axes", "units"}),
    read,
    write,
    is_like,
    unit="mm",
    axes="LPS",
)
