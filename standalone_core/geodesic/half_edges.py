# SPDX-License-Identifier: MIT
"""The edges of triangles as paths cross them: what meets at each, and how triangles unfold there.

Half-edge ``3 * t + k`` is the edge of triangle t from its corner k to the next. Its frame has the
origin at that corner, x along the edge, and the triangle at y >= 0; the third corner is its apex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..cast.geometry import Geometry
from ..numerics.arrays import BoolArray, FloatArray, IntArray, cross, dot, power_of_two

_FLAT = 1e-9
"""Vertices whose angles exceed a full turn by no more than this, in radians, count as flat."""


class Meeting(NamedTuple):
    """How triangles meet, whatever the places of the vertices; those that are not there do not."""

    there: BoolArray  # (T,), whether the corners are finite
    mate: IntArray  # (3 T,), the next half-edge at the same edge, in a circle; itself at a border
    around: IntArray  # half-edges, by the vertex that they start at
    first: IntArray  # (V + 1,), where those of each vertex begin in `around`
    is_plain: BoolArray  # (V,), whether the triangles around a vertex are one closed fan


class HalfEdges(NamedTuple):
    """Three half-edges a triangle; lengths and places are divided by `unit`, a power of two."""

    vertices: FloatArray  # (V, 3)
    unit: float
    vertex: IntArray  # (3 T,), where each starts
    length: FloatArray  # (3 T,)
    apex_x: FloatArray  # (3 T,)
    apex_y: FloatArray  # (3 T,)
    turn: FloatArray  # (V,), the angle around a vertex; inf where there is not one closed fan
    bends: BoolArray  # (V,), whether a shortest path may bend there
    meeting: Meeting


def half_edges(geometry: Geometry, known: HalfEdges | None = None) -> HalfEdges:
    """The half-edges of all triangles; `known` are those of the same ones at other places."""
    finite = np.asarray(np.isfinite(geometry.vertices).all(axis=1))
    vertices = np.where(finite[:, None], geometry.vertices, 0.0)
    unit = float(power_of_two(np.abs(vertices).max(initial=0.0)))
    vertices = vertices / unit
    triangles = geometry.triangles.astype(np.int64)
    there = np.asarray(finite[triangles].all(axis=1))
    if known is not None and np.array_equal(known.meeting.there, there):
        meeting = known.meeting
    else:
        meeting = _meeting(triangles, there, len(vertices))
    vertex = triangles.reshape(-1)
    length, x, y = _frames(vertices, triangles)
    own = meeting.around
    angles = np.arctan2(y, x)[own]
    turn = np.bincount(vertex[own], angles, len(vertices)).astype(np.float64)
    is_plain = meeting.is_plain.copy()
    # Where an edge has no length, a path goes from one fan to another.
    is_plain[triangles[np.any(length.reshape(-1, 3) == 0.0, axis=1)]] = False
    turn[~is_plain] = np.inf
    bends = np.asarray(turn > 2.0 * np.pi + _FLAT)
    return HalfEdges(vertices, unit, vertex, length, x, y, turn, bends, meeting)


def _frames(vertices: FloatArray, triangles: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The length of each half-edge, and its apex."""
    corners = vertices[triangles]
    edge = corners[:, [1, 2, 0]] - corners
    away = corners[:, [2, 0, 1]] - corners
    length = np.sqrt(dot(edge, edge))
    divisor = np.where(length > 0.0, length, 1.0)
    normal = cross(edge, away)
    x = np.where(length > 0.0, dot(edge, away) / divisor, np.sqrt(dot(away, away)))
    y = np.sqrt(dot(normal, normal)) / divisor
    return length.reshape(-1), x.reshape(-1), y.reshape(-1)


def _meeting(triangles: IntArray, there: BoolArray, vertex_count: int) -> Meeting:
    start, end = triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1)
    exists = np.repeat(there, 3)
    is_edge = exists & (start != end)
    mate = _mates(start, end, is_edge, vertex_count)
    number = np.arange(len(mate))
    # At a border, or where three triangles or more meet.
    is_special = exists & ((mate == number) | (mate[mate] != number))
    own = np.flatnonzero(exists)
    around = own[np.argsort(start[own], kind="stable")]
    count = np.bincount(start[own], minlength=vertex_count)
    is_plain = _fan_counts(start, mate, exists, vertex_count) == 1
    is_plain[start[is_special]] = is_plain[end[is_special]] = False
    return Meeting(there, mate, around, np.concatenate([[0], np.cumsum(count)]), is_plain)


def _mates(start: IntArray, end: IntArray, is_edge: BoolArray, vertex_count: int) -> IntArray:
    """The next half-edge with the same ends, in either order."""
    number = np.arange(len(start))
    key = np.minimum(start, end) * vertex_count + np.maximum(start, end)
    key = np.where(is_edge, key, -1 - number)  # an edge of its own
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=key.min(initial=0) - 1))
    following = number + 1
    following[np.append(begins[1:], len(key))[: len(begins)] - 1] = begins
    mate = np.empty_like(number)
    mate[order] = order[following]
    return mate


def _fan_counts(start: IntArray, mate: IntArray, exists: BoolArray, vertex_count: int) -> IntArray:
    """How many fans of triangles with shared edges there are around each vertex, (V,)."""
    number = np.arange(len(start))
    following = number - number % 3 + (number + 1) % 3
    is_along = start[mate] == start  # The mate has the same direction.
    one = np.concatenate([number, following])
    here, there = (
        np.where(is_along, mate, following[mate]),
        np.where(is_along, following[mate], mate),
    )
    other = np.concatenate([here, there])
    fan, before = number.copy(), number[:0]  # a corner of the same fan, the lowest one in the end
    while not np.array_equal(fan, before):
        before = fan.copy()
        lowest = np.minimum(fan[one], fan[other])
        np.minimum.at(fan, one, lowest)
        np.minimum.at(fan, other, lowest)
        fan = fan[fan]
    return np.bincount(start[(fan == number) & exists], minlength=vertex_count)
