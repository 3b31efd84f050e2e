# SPDX-License-Identifier: GPL-3.0-or-later
"""Points on triangles of Faceform Wrap: JSON of ``[triangle, u, v]``, in a list or by name.

A point is A u + B v + C (1 - u - v). Triangles count in the fans of :mod:`.fans`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .format import Format, only_set
from .mark import Mark, MarkFile, MarkFileError
from .text import MOST_MARKS, finite, index, json_value, name_of, named, too_many, twice, weights


def is_like(data: bytes) -> bool:
    """Whether it may be one, as far as the first value tells."""
    try:
        value = json_value(data)
    except MarkFileError:
        return False
    items = list(value.values()) if isinstance(value, dict) else value
    return isinstance(items, list) and all(isinstance(item, list) for item in items[:1])


def read(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file."""
    value = json_value(data)
    if not isinstance(value, dict | list):
        raise MarkFileError("it is neither a list of points nor points by name")
    if len(value) > MOST_MARKS:
        raise too_many()
    if isinstance(value, dict):
        marks = [_mark(name_of(key), item, f"point {key!r:.60}") for key, item in value.items()]
    else:
        marks = [_mark("", item, f"point {number}") for number, item in enumerate(value, 1)]
    return [MarkFile(name, tuple(marks))]


def _mark(name: str, value: Any, where: str) -> Mark:
    if not isinstance(value, list) or len(value) != 3:
        raise MarkFileError(f"{where} is not [triangle, u, v]")
    triangle, u, v = index(value[0], where), finite(value[1], where), finite(value[2], where)
    return Mark(name, triangle=triangle, barycentric=weights((u, v, 1 - u - v), where))


def write(sets: Sequence[MarkFile], layout: str) -> bytes:
    """The points by name, or as a list. Names that are missing become Point01 and so on."""
    marks = only_set(sets).marks
    points = [_point(mark) for mark in marks]
    if layout == "list":
        return json.dumps(points, allow_nan=False).encode("ascii")
    names = named((mark.name for mark in marks), "Point{:02}")
    if again := twice(names):
        raise MarkFileError(f"two landmarks are called {again!r}, and Wrap knows them by name")
    return json.dumps(dict(zip(names, points, strict=True)), indent=4).encode("ascii")


def _point(mark: Mark) -> list[float]:
    if mark.triangle is None or mark.barycentric is None:
        raise MarkFileError(f"landmark {mark.name!r} is not on a triangle")
    u, v, _ = mark.barycentric
    return [mark.triangle, u, v]


FORMAT = Format(
    "wrap",
    "Wrap Points on Triangles",
    (".json",),
    frozenset({"triangles", "names", "lines"}),
    read,
    write,
    is_like,
    layouts=("named", "list"),
)
