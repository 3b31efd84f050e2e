# SPDX-License-Identifier: GPL-3.0-or-later
"""Points on triangles of Faceform Wrap, and the fans that it cuts polygons into.

A file is JSON of ``[triangle, u, v]``, in a list or by name. A point is A u + B v + C (1 - u - v).
Wrap cuts a polygon of K corners into a fan of K - 2 triangles (0, i + 1, i + 2), and numbers the
triangles of all polygons in one sequence. Blender may cut a polygon into other triangles.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from .format import Format, Layout, Mark, MarkFile, MarkFileError
from .text import MOST_MARKS, finite, index, json_value, name_of, named, too_many, weights

Floats = npt.NDArray[np.float64]

_STEPS = 4  # enough for an error of 1e-15 sizes in a triangle 1e12 times as long as high


def _is_wrap(data: bytes) -> bool:
    """Whether this may be a file of Wrap, judging by its first value."""
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
    """The corners (K - 2, 3) of the triangles in the fan of a polygon with K corners."""
    ends = np.arange(2, size)
    return np.stack([np.zeros_like(ends), ends - 1, ends], axis=-1)


def place_in_fan(ring: Floats, point: Floats) -> tuple[int, Floats, float]:
    """The place in a polygon's fan nearest to a point: triangle number, weights, and distance.

    `ring` are the positions (K, 3) of the polygon's corners; the point (3,) is on the polygon, or
    near it where the polygon is not flat. The weights (3,) are those of the triangle's corners
    (0, i + 1, i + 2); Wrap's u and v are the first two.
    """
    if not (np.isfinite(ring).all() and np.isfinite(point).all()):
        raise MarkFileError("a corner of the polygon, or the point, is not finite")
    size = max(float(np.abs(ring).max()), float(np.abs(point).max())) or 1.0
    triangles, target = (ring / size)[fan_corners(len(ring))], point / size
    candidates = np.concatenate([_inside(triangles, target), *_on_edges(triangles, target)])
    places = np.einsum("nk,nkj->nj", candidates, np.tile(triangles, (4, 1, 1)))
    distances = np.linalg.norm(places - target, axis=1)
    best = int(np.nanargmin(distances))
    return best % len(triangles), candidates[best], float(distances[best]) * size


def _inside(triangles: Floats, target: Floats) -> Floats:
    """Weights (T, 3) of the point projected onto each triangle; NaN if that is outside of it.

    Each step corrects the last one's rounding error, which is large in a sliver.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normals = np.cross(b - a, c - a)
    squares = np.einsum("tj,tj->t", normals, normals)
    weights = np.zeros((len(triangles), 3))
    weights[:, 2] = 1.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(_STEPS):
            rest = target - np.einsum("tk,tkj->tj", weights, triangles)
            weights[:, 0] += np.einsum("tj,tj->t", np.cross(c - b, rest), normals) / squares
            weights[:, 1] += np.einsum("tj,tj->t", np.cross(a - c, rest), normals) / squares
            weights[:, 2] = 1 - weights[:, 0] - weights[:, 1]
    return np.where((weights >= 0).all(axis=1, keepdims=True), weights, np.nan)


def _on_edges(triangles: Floats, target: Floats) -> list[Floats]:
    """Weights (T, 3) of the nearest point of each edge."""
    found = []
    for start in range(3):
        end = (start + 1) % 3
        along = triangles[:, end] - triangles[:, start]
        squares = np.einsum("tj,tj->t", along, along)
        dots = np.einsum("tj,tj->t", target - triangles[:, start], along)
        share = np.clip(np.divide(dots, squares, out=np.zeros_like(dots), where=squares > 0), 0, 1)
        weights = np.zeros((len(triangles), 3))
        weights[:, start], weights[:, end] = 1 - share, share
        found.append(weights)
    return found
