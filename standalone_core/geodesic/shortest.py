# SPDX-License-Identifier: MIT
"""The shortest path along a surface; or, where that takes too long, one that is short."""

from __future__ import annotations

from math import inf

import numpy as np

from ..numerics.arrays import BoolArray, length
from .along_edges import shortest_along_edges
from .half_edges import HalfEdges
from .places import Place, Row
from .search import Search
from .trace import along_edges, found_by

_RINGS = 2
"""How many triangles beside a path are looked at for a shorter one."""

_GAIN = 1e-9
"""The share by which a path must become shorter for another look."""


def shortest_path(
    surface: HalfEdges, start: Place, end: Place, most: int | None
) -> tuple[list[Row], bool] | None:
    """Its places, and whether none is shorter; None where no path leads to the end.

    No more than so many windows are followed, at once and then in each look beside a path.
    """
    together = next((t for t in start.everywhere if t in end.everywhere), None)
    if together is not None:
        return [(together, each.everywhere[together]) for each in (start, end)], True
    known = shortest_along_edges(surface, start, end)
    if known is None:
        return None
    bound, vertices = known
    if bound == 0.0:
        return along_edges(surface, start, end, vertices), True
    search = Search(surface, start, end, bound, most)
    is_shortest = search.run() and search.last is not None
    if search.last is not None:
        rows = found_by(search)
    else:
        rows = along_edges(surface, start, end, vertices)
    return (rows, True) if is_shortest else (_shortened(surface, start, end, rows, most), False)


def _shortened(
    surface: HalfEdges, start: Place, end: Place, rows: list[Row], most: int | None
) -> list[Row]:
    """The shortest path near a path, near that one, and so on until it gets no shorter."""
    bound = inf
    while (now := _length(surface, rows)) < bound * (1.0 - _GAIN):
        bound, near = now, _beside(surface, rows)
        part = _cut_out(surface, near)
        search = Search(part, start, end, bound, most, near)
        search.run()
        if search.last is not None:
            rows = found_by(search)
    return rows


def _beside(surface: HalfEdges, rows: list[Row]) -> BoolArray:
    """Which triangles are near a path, (T,)."""
    triangles = surface.vertex.reshape(-1, 3)
    near: BoolArray = np.zeros(len(triangles), dtype=np.bool_)
    near[[triangle for triangle, _ in rows]] = True
    for _ in range(_RINGS):
        reached = np.zeros(len(surface.vertices), dtype=np.bool_)
        reached[triangles[near]] = True
        near = np.asarray(reached[triangles].any(axis=1))
    return near


def _cut_out(surface: HalfEdges, near: BoolArray) -> HalfEdges:
    """The same surface, whose paths may bend where the triangles that are near end."""
    turn = surface.turn.copy()
    turn[surface.vertex.reshape(-1, 3)[~near]] = inf
    return surface._replace(turn=turn, bends=np.isinf(turn) | surface.bends)


def _length(surface: HalfEdges, rows: list[Row]) -> float:
    triangles = surface.vertex.reshape(-1, 3)[[triangle for triangle, _ in rows]]
    weights = np.array([weights for _, weights in rows])
    points = (weights[:, :, None] * surface.vertices[triangles]).sum(axis=1)
    return float(length(np.diff(points, axis=0)).sum())
