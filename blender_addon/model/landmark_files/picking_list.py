# SPDX-License-Identifier: GPL-3.0-or-later
"""Picking lists of CloudCompare: rows of ``x,y,z``, with an index or a label before them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .format import Format, only_set
from .mark import Mark, MarkFile, MarkFileError
from .text import digits, encoded, lines, named, number, readable

_INDEX = re.compile("[0-9]{1,15}")


def is_like(data: bytes) -> bool:
    """Whether the first line of a text is a row of such a list."""
    try:
        first = lines(data[:4096].rpartition(b"\n")[0] or data)[:1]
        return bool(first) and _row(*first[0]) is not None
    except MarkFileError:
        return False


def read(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file. What comes first in all rows is their index if it is a number."""
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
    """What comes first in a row of four, and the point. A label may have commas itself."""
    cells = text.rsplit(",", 3)
    if len(cells) < 3:
        raise MarkFileError(f"line {line}: x,y,z belong here, with an index or a label before them")
    x, y, z = (number(cell, f"line {line}") for cell in cells[-3:])
    return (cells[0] if len(cells) == 4 else None), Mark("", (x, y, z))


def write(sets: Sequence[MarkFile], layout: str) -> bytes:
    """Rows with the names, with indices from 0 where the landmarks have none, or with neither."""
    marks = only_set(sets).marks
    firsts = [""] * len(marks)
    if layout == "label":
        firsts = [f"{name}," for name in named((readable(m.name) for m in marks), "Point #{}", 0)]
    elif layout == "index":
        firsts = [f"{n if m.index is None else m.index}," for n, m in enumerate(marks)]
    points = [",".join(digits(mark.point or ())) for mark in marks]
    return encoded(f"{first}{point}\n" for first, point in zip(firsts, points, strict=True))


FORMAT = Format(
    "cloudcompare",
    "CloudCompare Picking List",
    (".txt", ".csv", ".asc"),
    frozenset({"positions", "names"}),
    read,
    write,
    is_like,
    layouts=("label", "index", "xyz"),
)
