# SPDX-License-Identifier: MIT
"""The places of a path, from each of which it is straight to the next, in the triangle named."""

from __future__ import annotations

import numpy as np

from .half_edges import HalfEdges
from .places import Place, Row, along
from .search import Search
from .windows import FROM_START, FROM_VERTEX, Step, after, ahead_of, crossing


def found_by(search: Search) -> list[Row]:
    """Those of the shortest path that a search found, back through its windows."""
    step, vertex = search.last, search.surface.vertex
    rows: list[Row] = [(search.end.triangle, search.end.weights)]
    while step is not None and step.window != FROM_START:
        if step.window == FROM_VERTEX:
            rows.append((step.half_edge // 3, along(step.half_edge, 0.0)))
            step = search.step_to(int(vertex[step.half_edge]))
        else:
            step = _through_windows(search, step, rows)
    if step is not None:
        triangle = step.half_edge // 3
        rows.append((triangle, search.start.everywhere[triangle]))
    return rows[::-1]


def _through_windows(search: Search, step: Step, rows: list[Row]) -> Step:
    """Add where lines cross edges, from the end of a step back to its source; the step there."""
    surface, (number, _, x, y) = search.surface, step
    while True:
        window = search.followed.crossed(number)
        entry, leaving, low, high, from_x, from_y, source, number = window
        share = float(crossing(low, high, from_x, from_y, x, y)) / float(surface.length[entry])
        rows.append((entry // 3, along(entry, share)))
        if number < 0:
            # From a vertex, the first edge that the lines cross is opposite of it.
            first = (FROM_START, leaving) if source < 0 else (FROM_VERTEX, ahead_of(leaving))
            return Step(*first, 0.0, 0.0)
        if surface.vertex[entry] != surface.vertex[leaving]:
            share = 1.0 - share
        x, y = _on_side(surface, search.followed.crossed(number)[0], leaving, share)


def _on_side(surface: HalfEdges, entry: int, side: int, share: float) -> tuple[float, float]:
    """In the frame of a half-edge, a place of another one of the same triangle."""
    length = float(surface.length[entry])
    ax, ay = float(surface.apex_x[entry]), float(surface.apex_y[entry])
    if side == after(entry):
        return length + share * (ax - length), share * ay
    return (1.0 - share) * ax, (1.0 - share) * ay


def along_edges(surface: HalfEdges, start: Place, end: Place, vertices: list[int]) -> list[Row]:
    """Those of a path over vertices, of which each two are of one triangle."""
    corners = [_corner_of(surface, triangle, vertices[0]) for triangle in start.everywhere]
    first = next(corner for corner in corners if corner is not None)
    rows: list[Row] = [(first // 3, start.everywhere[first // 3])]
    for vertex, following in zip(vertices, [*vertices[1:], None], strict=True):
        for corner in surface.meeting.corners_at(np.array([vertex]))[1].tolist():
            triangle = corner // 3
            if (
                triangle in end.everywhere
                if following is None
                else _corner_of(surface, triangle, following) is not None
            ):
                rows.append((triangle, along(corner, 0.0)))
                break
    return [*rows, (end.triangle, end.weights)]


def _corner_of(surface: HalfEdges, triangle: int, vertex: int) -> int | None:
    corners = range(3 * triangle, 3 * triangle + 3)
    return next((corner for corner in corners if surface.vertex[corner] == vertex), None)
