# SPDX-License-Identifier: MIT
"""The shortest path along edges, from a place to a place: a first bound, and a way between them."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from math import dist, inf

from .half_edges import HalfEdges
from .places import Place


def shortest_along_edges(
    surface: HalfEdges, start: Place, end: Place
) -> tuple[float, list[int]] | None:
    """The length of the path, and the vertices on it; None if there is no path at all.

    It goes straight from the start to a corner of its triangle, and from one to the end.
    """
    goals, points, target = _corners(surface, end), surface.vertices.data, end.point
    before: dict[int, int] = {}
    shortest = _corners(surface, start)
    heap = [(0.0, far, vertex, -1) for vertex, far in shortest.items()]
    while heap:
        total, far, vertex, previous = heappop(heap)
        if vertex < 0:
            return total, _back(before, previous)
        if vertex in before:
            continue
        before[vertex] = previous
        if vertex in goals:
            heappush(heap, (far + goals[vertex], 0.0, -1, vertex))
        for neighbor, size in _neighbors(surface, vertex):
            away = far + size
            if away < shortest.get(neighbor, inf):
                shortest[neighbor] = away
                place = points[neighbor, 0], points[neighbor, 1], points[neighbor, 2]
                heappush(heap, (away + dist(place, target), away, neighbor, vertex))
    return None


def _corners(surface: HalfEdges, place: Place) -> dict[int, float]:
    """The corners of the triangles that contain a place, and how far away each is."""
    found: dict[int, float] = {}
    for triangle in place.everywhere:
        for vertex in surface.vertex[3 * triangle : 3 * triangle + 3].tolist():
            found[vertex] = dist(surface.vertices[vertex].tolist(), place.point)
    return found


def _neighbors(surface: HalfEdges, vertex: int) -> Iterator[tuple[int, float]]:
    """The vertices that edges lead to, and how long these are; each perhaps several times."""
    first, last = surface.first[vertex : vertex + 2].tolist()
    corners = surface.around[first:last]
    sides = (corners + 1 - 3 * (corners % 3 == 2), corners), (corners + 2 - 3 * (corners % 3 > 0),) * 2
    for ends, edges in sides:
        yield from zip(surface.vertex[ends].tolist(), surface.length[edges].tolist(), strict=True)


def _back(before: dict[int, int], vertex: int) -> list[int]:
    found = []
    while vertex >= 0:
        found.append(vertex)
        vertex = before[vertex]
    return found[::-1]
