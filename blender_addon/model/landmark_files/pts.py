# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of Landmark, Viewbox and Checkpoint, ``.pts``, as Morpho's read.pts reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .format import Format, only_set
from .mark import Mark, MarkFile, MarkFileError
from .text import digits, encoded, lines, named, place, readable, whole

_MISSING = 9999.0


def is_like(data: bytes) -> bool:
    """Whether a text begins as these files do."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*Version +1\.0\s*[\r\n]", data[:64], re.I) is not None


def read(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file."""
    (_, first), *rest = lines(data) or [(0, "")]
    if first.casefold().split() != ["version", "1.0"]:
        raise MarkFileError(f'it begins with {first[:40]!r}, not with "Version 1.0"')
    if not rest:
        raise MarkFileError("it ends before the number of points")
    count = whole(rest[0][1], f"line {rest[0][0]}")
    if count != len(rest) - 1:
        raise MarkFileError(f"it has {len(rest) - 1} points and says {count}")
    return [MarkFile(name, tuple(_mark(*line) for line in rest[1:]))]


def _mark(line: int, text: str) -> Mark:
    name, *cells = text.rsplit(maxsplit=3)
    if len(cells) != 3:
        raise MarkFileError(f"line {line}: a name and three coordinates belong here")
    where = f"line {line}"
    point = place(cells, where)
    is_missing = point is None or point == (_MISSING,) * 3
    return Mark(readable(name), None if is_missing else point)


def write(sets: Sequence[MarkFile], layout: str) -> bytes:
    """A file of the names, or with the numbers that Landmark gives. No name has a space."""
    marks = only_set(sets).marks
    names = [re.sub(r"\s+", "_", readable(mark.name)) for mark in marks]
    if layout == "numbered":
        names = [""] * len(marks)
    rows = zip(named(names, "S{:04}", 0), marks, strict=True)
    head = f"Version 1.0\n{len(marks)}\n"
    return encoded([head, *(f"{name} {_cells(mark)}\n" for name, mark in rows)])


def _cells(mark: Mark) -> str:
    if mark.point is None:
        return "9999 9999 9999"
    if mark.point == (_MISSING,) * 3:
        raise MarkFileError(f"{mark.name!r} is at 9999, 9999, 9999, which means missing here")
    return " ".join(digits(mark.point))


FORMAT = Format(
    "pts",
    "Landmark and Viewbox Points",
    (".pts", ".txt"),
    frozenset({"positions", "names", "missing"}),
    read,
    write,
    is_like,
    layouts=("named", "numbered"),
)
