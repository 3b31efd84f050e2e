# SPDX-License-Identifier: MIT
"""From the windows of a search back to the places of the path that it found."""

from __future__ import annotations

from .half_edges import HalfEdges
from .places import Place, Weights, along
from .windows import FROM_START, FROM_VERTEX, Search, Step

Row = tuple[int, Weights]


def places_of(search: Search) -> list[Row]:
    """The places of the shortest path that a search found, from its start to its end.

    From each place to the next the path is straight, and in the triangle that the first is given
    in.
    """
    step = search.last
    assert step is not None
    rows: list[Row] = [(search.end.triangle, search.end.weights)]
    while step.window != FROM_START:
        if step.window == FROM_VERTEX:
            rows.append((step.half_edge // 3, along(step.half_edge, 0.0)))
            step = search.steps[search.surface.vertex[step.half_edge]]
        else:
            step = _through_windows(search, step, rows)
    triangle = step.half_edge // 3
    rows.append((triangle, search.start.everywhere[triangle]))
    return rows[::-1]


def _through_windows(search: Search, step: Step, rows: list[Row]) -> Step:
    """Add where the path crosses the edges back to the source of its lines; the step before."""
    surface, x, y, number = search.surface, step.x, step.y, step.window
    while True:
        window = search.followed[number]
        length = float(surface.length[window.entry])
        share = window.crossing(x, y) / length
        rows.append((window.entry // 3, along(window.entry, share)))
        if surface.vertex[window.entry] != surface.vertex[window.exit]:
            share = 1.0 - share
        number = window.before
        if number < 0:
            break
        x, y = _on_exit(surface, search.followed[number].entry, window.exit, share)
    if window.source < 0:
        return Step(FROM_START, window.exit, 0.0, 0.0)
    # The edge is opposite of the source in its triangle.
    corner = window.exit + 2 if window.exit % 3 == 0 else window.exit - 1
    return Step(FROM_VERTEX, corner, 0.0, 0.0)


def _on_exit(surface: HalfEdges, entry: int, leaving: int, share: float) -> tuple[float, float]:
    """A point of a half-edge, in the frame of another one of the same triangle."""
    length = float(surface.length[entry])
    ax, ay = float(surface.apex_x[entry]), float(surface.apex_y[entry])
    if leaving % 3 == (entry + 1) % 3:  # from the edge's end to the apex
        return length + share * (ax - length), share * ay
    return ax - share * ax, ay - share * ay


