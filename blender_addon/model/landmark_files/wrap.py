# SPDX-License-Identifier: GPL-3.0-or-later
"""Points on triangles of Faceform Wrap, and the fans that it cuts polygons into.

A file is JSON of ``[triangle, u, v]``, in a list or by name. A point is A u + B v + C (1 - u - v).
A polygon of K corners has the K - 2 triangles (0, i + 1, i + 2), from its first corner.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from .format import Format, Layout, Mark, MarkFile, MarkFileError
from .text import MOST_MARKS, finite, index, json_value, name_of, named, too_many, weights


def _is_wrap(data: bytes) -> bool:
    """Whether it may be such a file, by its first value."""
    value = json_value(data)
    items = list(value.values()) if isinstance(value, dict) else value
    return isinstance(items, list) and all(isinstance(item, list) for item in items[:1])


def _read(data: bytes, name: str) -> list[MarkFile]:
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


def _write(group: MarkFile, *, layout: str) -> bytes:
    """The points by name or as a list; a missing name becomes Point01 and so on."""
    points = [(mark.triangle, *(mark.barycentric or ())[:2]) for mark in group.marks]
    if layout == "list":
        return json.dumps(points, allow_nan=False).encode("ascii")
    names = named((mark.name for mark in group.marks), "Point{:02}")
    for name, count in Counter(names).items():
        if count > 1:
            raise MarkFileError(f"two landmarks are called {name!r}, and Wrap knows them by name")
    return json.dumps(dict(zip(names, points, strict=True)), indent=4).encode("ascii")


FORMAT = Format(
    "wrap",
    "Wrap Points on Triangles",
    "Triangles and weights for Faceform Wrap (.json)",
    (".json",),
    frozenset({"triangles", "names", "lines"}),
    _read,
    _write,
    _is_wrap,
    layouts={
        "named": Layout("Names", "Points by their names"),
        "list": Layout("List", "Points in their order, without names"),
    },
    layouts_tell="Whether the points have names",
    triangles="FAN",
)


def fan_corners(size: int) -> npt.NDArray[np.int64]:
    """The corners (K - 2, 3) of the triangles that a polygon of K is cut into, from its first."""
    ends = np.arange(2, size)
    return np.stack([np.zeros_like(ends), ends - 1, ends], axis=-1)
