# SPDX-License-Identifier: MIT
"""The shortest path over vertices, along edges: many vertices go on at once, nearest first."""

from __future__ import annotations

from math import inf

import numpy as np

from ..numerics.arrays import FloatArray, IntArray, length
from .half_edges import HalfEdges
from .places import Place
from .windows import after, ahead_of

_FEW = 64
"""So many vertices take about as long together as one alone."""


def shortest_along_edges(
    surface: HalfEdges, start: Place, end: Place
) -> tuple[float, list[int]] | None:
    """Its length, and the vertices on it; None where no path leads to the end at all.

    It goes straight to a corner of a triangle of the start, and from one of the end.
    """
    goals, left = _corners(surface, end)
    vertex, first = _corners(surface, start)
    far = np.full(len(surface.vertices), inf)
    before = np.full(len(surface.vertices), -1)
    np.minimum.at(far, vertex, first)
    waiting = np.unique(vertex)
    while len(waiting):
        best = float((far[goals] + left).min(initial=inf))
        bound = far[waiting] + length(surface.vertices[waiting] - end.point)
        waiting, bound = waiting[bound < best], bound[bound < best]
        count = min(max(_FEW, len(waiting) // 4), len(waiting))
        order = np.argpartition(bound, count - 1) if count else np.arange(0)
        reached = _go_on(surface, waiting[order[:count]], far, before)
        waiting = np.unique(np.concatenate([waiting[order[count:]], reached]))
    total = far[goals] + left
    if not len(total) or total.min() == inf:
        return None
    return float(total.min()), _back(before, int(goals[np.argmin(total)]))


def _go_on(surface: HalfEdges, vertex: IntArray, far: FloatArray, before: IntArray) -> IntArray:
    """Go along all edges of vertices; the vertices that are nearer so."""
    row, corner = surface.meeting.corners_at(vertex)
    behind = ahead_of(corner)
    neighbor = surface.vertex[np.concatenate([after(corner), behind])]
    own = vertex[np.concatenate([row, row])]
    away = far[own] + surface.length[np.concatenate([corner, behind])]
    is_nearer = away < far[neighbor]
    neighbor, own, away = neighbor[is_nearer], own[is_nearer], away[is_nearer]
    np.minimum.at(far, neighbor, away)
    is_nearest = away == far[neighbor]
    before[neighbor[is_nearest]] = own[is_nearest]
    return np.asarray(neighbor)


def _corners(surface: HalfEdges, place: Place) -> tuple[IntArray, FloatArray]:
    """The corners of the triangles that contain a place, and how far from it they are."""
    vertex = surface.vertex[place.half_edges()[0]]
    return vertex, length(surface.vertices[vertex] - place.point)


def _back(before: IntArray, vertex: int) -> list[int]:
    found = []
    while vertex >= 0:
        found.append(vertex)
        vertex = int(before[vertex])
    return found[::-1]
