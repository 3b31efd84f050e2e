# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in three dimensions in ``.tps``, as geomorph's readland.tps and writeland.tps have it.

A specimen is ``LM3=`` with the number of its landmarks, their rows, and lines such as ``ID=``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .format import Format
from .mark import Mark, MarkFile, MarkFileError, Triple
from .text import digits, encoded, lines, number, place, readable, whole

_KEY = re.compile("([A-Za-z][A-Za-z0-9]*)=(.*)")
_LEFT_OUT = frozenset({"CURVES", "OUTLINES", "RADII"})
_TELLS_NOTHING = frozenset({"COMMENT", "VARIABLES"})
_MISSING = (-1.0, -1.0, -1.0)  # as tpsDig writes it; a single coordinate may well be negative


def is_like(data: bytes) -> bool:
    """Whether a text begins as these files do."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*LM3?=", data[:64], re.IGNORECASE) is not None


def read(data: bytes, name: str) -> list[MarkFile]:
    """A set for each specimen, in its own units: a scale is multiplied in, as in geomorph."""
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
        """A row of coordinates; after the landmarks come those of curves, which are skipped."""
        if self._skipped:
            return
        cells, where = text.split(), f"line {line}"
        for cell in cells:
            if "," in cell:
                number(cell, where)
        if len(cells) == 2:
            raise MarkFileError(f"{where}: these are landmarks in a picture, of two coordinates")
        if len(cells) != 3:
            raise MarkFileError(f"{where}: three coordinates belong here")
        point = place(cells, where)
        if point == _MISSING:
            self._missing.append(len(self._points) + 1)
        self._points.append(None if point == _MISSING else point)

    def note(self, key: str, value: str, line: int) -> None:
        """A line such as ``ID=skull``."""
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


def write(sets: Sequence[MarkFile]) -> bytes:
    """A specimen for each set. The format has no names of landmarks."""
    return encoded(part for each in sets for part in _specimen(each))


def _specimen(each: MarkFile) -> list[str]:
    rows = ["NA NA NA" if m.point is None else " ".join(digits(m.point)) for m in each.marks]
    return [f"LM3={len(rows)}\n", *(f"{row}\n" for row in rows), f"ID={readable(each.name)}\n\n"]


FORMAT = Format(
    "tps",
    "TPS",
    (".tps", ".txt"),
    frozenset({"positions", "missing", "sets"}),
    read,
    write,
    is_like,
)
