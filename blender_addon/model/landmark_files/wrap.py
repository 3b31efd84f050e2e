# SPDX-License-Identifier: GPL-3.0-or-later
"""Points on triangles of Faceform Wrap, and the fans that it cuts polygons into.

A file is JSON of ``[triangle, u, v]``, in a list or by name. A point is A u + B v + C (1 - u - v).
A polygon of K corners has the K - 2 triangles (0, i + 1, i + 2), from its first corner, and those
of all polygons are numbered in one sequence. However Blender cuts a polygon, its triangles may
differ from these.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .format import Format, Layout, Mark, MarkFile, MarkFileError, Triple
from .text import MOST_MARKS, finite, index, json_value, name_of, named, too_many, twice, weights

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_STEPS = 4  # leave an error of 1e-15 of the size of a triangle 1e12 times as long as high


def _is_wrap(data: bytes) -> bool:
    """Whether it may be such a file, by its first value."""
    try:
        value = json_value(data)
    except MarkFileError:
        return False
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
    points = [_point(mark) for mark in group.marks]
    if layout == "list":
        return json.dumps(points, allow_nan=False).encode("ascii")
    names = named((mark.name for mark in group.marks), "Point{:02}")
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


def fan_triangles(sizes: npt.ArrayLike, faces: npt.ArrayLike, fans: npt.ArrayLike) -> Integers:
    """Indices (N,) of the triangles number `fans` (N,) in the fans of `faces` (N,).

    `sizes` (F,) are the numbers of corners of all polygons.
    """
    counts, ends = _fans(sizes)
    faces, fans = np.asarray(faces, np.int64), np.asarray(fans, np.int64)
    _check("face", faces, len(counts))
    if ((fans < 0) | (fans >= counts[faces])).any():
        raise MarkFileError("a polygon of K corners has K - 2 triangles, counted from 0")
    triangles: Integers = ends[faces] - counts[faces] + fans
    return triangles


def fan_corners(sizes: npt.ArrayLike, triangles: npt.ArrayLike) -> tuple[Integers, Integers]:
    """The polygons (N,) of triangles (N,), and each triangle's corners (N, 3) among the polygon's.

    A corner counts from 0, the polygon's first; add the polygon's first loop for a loop.
    """
    counts, ends = _fans(sizes)
    triangles = np.asarray(triangles, np.int64)
    _check("triangle", triangles, int(ends[-1]) if len(ends) else 0)
    faces = np.searchsorted(ends, triangles, side="right")
    fans = triangles - (ends[faces] - counts[faces])
    return faces, np.stack([np.zeros_like(fans), fans + 1, fans + 2], axis=-1)


def _fans(sizes: npt.ArrayLike) -> tuple[Integers, Integers]:
    """How many triangles each polygon has, and the index after its last."""
    counts = np.maximum(np.asarray(sizes, np.int64) - 2, 0)
    return counts, np.cumsum(counts)


def _check(what: str, indices: Integers, count: int) -> None:
    wrong = indices[(indices < 0) | (indices >= count)]
    if len(wrong):
        raise MarkFileError(f"there is no {what} {wrong[0]}: the mesh has {count}")


def place_in_fan(corners: npt.ArrayLike, point: npt.ArrayLike) -> tuple[int, Triple, float]:
    """The nearest place in a polygon's fan: number of the triangle, weights, and distance moved.

    `corners` are the positions (K, 3) of the polygon's corners; the point (3,) is on the polygon,
    or near it where the polygon is not flat. The weights (a, b, c) are those of the triangle's
    corners (0, i + 1, i + 2); Wrap's u and v are the first two.
    """
    ring, target = np.asarray(corners, np.float64), np.asarray(point, np.float64)
    if ring.ndim != 2 or ring.shape[1] != 3 or len(ring) < 3 or target.shape != (3,):
        raise MarkFileError("a polygon has three or more corners, and a point three coordinates")
    if not (np.isfinite(ring).all() and np.isfinite(target).all()):
        raise MarkFileError("a corner of the polygon, or the point, is not finite")
    size = max(float(np.abs(ring).max()), float(np.abs(target).max())) or 1.0
    ring, target = ring / size, target / size
    first = np.broadcast_to(ring[0], (len(ring) - 2, 3))
    triangles = np.stack([first, ring[1:-1], ring[2:]], axis=1)
    candidates = np.concatenate([_inside(triangles, target), *_on_edges(triangles, target)])
    places = np.einsum("nk,nkj->nj", candidates, np.tile(triangles, (4, 1, 1)))
    distances = np.linalg.norm(places - target, axis=1)
    best = int(np.nanargmin(distances))
    a, b, c = map(float, candidates[best])
    return best % len(triangles), (a, b, c), float(distances[best]) * size


def places_in_fans(
    corners: Sequence[npt.ArrayLike], points: npt.ArrayLike
) -> tuple[Integers, Floats, Floats]:
    """As :func:`place_in_fan`, of a polygon's corners (K, 3) for each of the points (N, 3)."""
    found = [
        place_in_fan(*each) for each in zip(corners, np.asarray(points, np.float64), strict=True)
    ]
    fans = np.array([fan for fan, _, _ in found], np.int64)
    weights = np.array([each for _, each, _ in found], np.float64).reshape(-1, 3)
    return fans, weights, np.array([moved for _, _, moved in found], np.float64)


def _inside(triangles: Floats, target: Floats) -> Floats:
    """Weights (T, 3) of the feet of the perpendiculars, as ratios of areas; NaN where outside.

    Each step corrects the rounding of the one before, which is large in a sliver.
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
