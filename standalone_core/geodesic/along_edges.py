# SPDX-License-Identifier: MIT
"""The shortest path over vertices, along edges, by Dijkstra's algorithm with A*'s order."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from math import dist, inf

import numpy as np

from .half_edges import HalfEdges
from .places import Place

_END = -1


def shortest_along_edges(
    surface: HalfEdges, start: Place, end: Place
) -> tuple[float, list[int]] | None:
    """Its length, and the vertices on it; None where no path leads to the end at all.

    It goes straight to a corner of a triangle of the start, and from one of the end.
    """
    goals, points = _corners(surface, end), surface.vertices.data
    shortest, before = _corners(surface, start), dict[int, int]()
    heap = [(0.0, far, vertex, _END) for vertex, far in shortest.items()]
    while heap:
        total, far, vertex, previous = heappop(heap)
        if vertex == _END:
            return total, _back(before, previous)
        if vertex in before:
            continue
        before[vertex] = previous
        if vertex in goals:
            heappush(heap, (far + goals[vertex], 0.0, _END, vertex))
        for neighbor, size in _neighbors(surface, vertex):
            away = far + size
            if away < shortest.get(neighbor, inf):
                shortest[neighbor] = away
                left = dist(
                    (points[neighbor, 0], points[neighbor, 1], points[neighbor, 2]), end.point
                )
                heappush(heap, (away + left, away, neighbor, vertex))
    return None


def _corners(surface: HalfEdges, place: Place) -> dict[int, float]:
    """The corners of the triangles that contain a place, and how far from it they are."""
    rows = np.array([3 * triangle + k for triangle in place.everywhere for k in range(3)], np.int64)
    vertices = surface.vertex[rows]
    places = surface.vertices[vertices].tolist()
    return {v: dist(p, place.point) for v, p in zip(vertices.tolist(), places, strict=True)}


def _neighbors(surface: HalfEdges, vertex: int) -> Iterator[tuple[int, float]]:
    """The vertices at the other ends of edges, and how long these are."""
    first, last = surface.meeting.first[vertex : vertex + 2].tolist()
    corners = surface.meeting.around[first:last]
    triangles, k = np.divmod(corners, 3)
    ahead, behind = 3 * triangles + (k + 1) % 3, 3 * triangles + (k + 2) % 3
    yield from zip(surface.vertex[ahead].tolist(), surface.length[corners].tolist(), strict=True)
    yield from zip(surface.vertex[behind].tolist(), surface.length[behind].tolist(), strict=True)


def _back(before: dict[int, int], vertex: int) -> list[int]:
    found = []
    while vertex != _END:
        found.append(vertex)
        vertex = before[vertex]
    return found[::-1]
