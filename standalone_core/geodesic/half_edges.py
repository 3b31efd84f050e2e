# SPDX-License-Identifier: MIT
"""The edges of triangles as paths cross them: what meets at each, and how triangles unfold there.

Half-edge ``3 * t + k`` is the edge of triangle t from its corner k to the next. Its frame has the
origin at that corner, x along the edge, and the triangle at y > 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..cast.geometry import Geometry
from ..numerics.arrays import BoolArray, FloatArray, IntArray, cross, dot, power_of_two

_FLAT = 1e-9
"""Angles around a vertex that exceed a full turn by less than this do not let paths bend there."""


class HalfEdges(NamedTuple):
    """Three half-edges a triangle, over vertices that are divided by `scale`, a power of two."""

    vertices: FloatArray  # (V, 3)
    scale: float
    vertex: IntArray  # (3 T,), where each starts
    mate: IntArray  # (3 T,), the next one at the same edge, around in a circle; itself at a border
    length: FloatArray  # (3 T,)
    apex_x: FloatArray  # (3 T,), the opposite corner in the frame
    apex_y: FloatArray  # (3 T,)
    around: IntArray  # (3 T - those of no vertex,), half-edges by the vertex where they start
    first: IntArray  # (V + 1,), where those of each vertex begin in `around`
    bends: BoolArray  # (V,), whether a shortest path may bend at a vertex
    there: BoolArray  # (T,), whether all corners are finite


def half_edges(geometry: Geometry) -> HalfEdges:
    """The half-edges of all triangles; those with a corner that is not finite meet no other."""
    finite = np.isfinite(geometry.vertices).all(axis=1)
    vertices = np.where(finite[:, None], geometry.vertices, 0.0)
    scale = float(power_of_two(np.abs(vertices).max(initial=0.0))) * 4.0
    vertices = np.ascontiguousarray(vertices / scale)
    triangles = geometry.triangles.astype(np.int64)
    there = np.asarray(finite[triangles].all(axis=1))
    vertex = triangles.reshape(-1)
    exists = np.repeat(there, 3)
    mate, is_border = _mates(triangles, exists, len(vertices))
    length, x, y = _frames(vertices, triangles)
    own = np.flatnonzero(exists)
    around = own[np.argsort(vertex[own], kind="stable")]
    count = np.bincount(vertex[own], minlength=len(vertices))
    first = np.concatenate([[0], np.cumsum(count)])
    turn = np.bincount(vertex[own], np.arctan2(y, x)[own], minlength=len(vertices))
    bends = turn > 2.0 * np.pi + _FLAT
    ends = triangles[:, [1, 2, 0]].reshape(-1)
    for special in (is_border, mate[mate] != np.arange(len(mate)), length == 0.0):
        bends[vertex[special & exists]] = True
        bends[ends[special & exists]] = True
    bends |= _fans(vertex, ends, mate, exists, len(vertices)) > 1
    return HalfEdges(vertices, scale, vertex, mate, length, x, y, around, first, bends, there)


def _mates(
    triangles: IntArray, exists: BoolArray, vertex_count: int
) -> tuple[IntArray, BoolArray]:
    """The next half-edge at the same edge, in a circle, and which are alone."""
    a, b = triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1)
    key = np.minimum(a, b) * vertex_count + np.maximum(a, b)
    pairs = exists & (a != b)
    key = np.where(pairs, key, -1 - np.arange(len(key)))  # an edge of its own
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    is_first = np.ones(len(key), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    following = np.arange(1, len(key) + 1)
    lasts = np.append(starts[1:], len(key)) - 1 if len(key) else starts
    following[lasts] = starts
    mate = np.empty(len(key), dtype=np.int64)
    mate[order] = order[following] if len(key) else order
    return mate, (mate == np.arange(len(mate))) & pairs


def _frames(vertices: FloatArray, triangles: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The length of each half-edge, and the opposite corner in its frame."""
    corners = vertices[triangles]
    edge = corners[:, [1, 2, 0]] - corners
    away = corners[:, [2, 0, 1]] - corners
    length = np.sqrt(dot(edge, edge))
    divisor = np.where(length > 0.0, length, 1.0)
    x = np.where(length > 0.0, dot(edge, away) / divisor, np.sqrt(dot(away, away)))
    normal = cross(edge, away)
    y = np.sqrt(dot(normal, normal)) / divisor
    return length.reshape(-1), x.reshape(-1), y.reshape(-1)


def _fans(
    vertex: IntArray, ends: IntArray, mate: IntArray, exists: BoolArray, vertex_count: int
) -> npt.NDArray[np.int64]:
    """How many fans of triangles that share edges each vertex has, (V,)."""
    number = np.arange(len(vertex))
    following = number - number % 3 + (number + 1) % 3  # the corner where a half-edge ends
    turned = vertex[mate] != vertex
    one = np.concatenate([number, following])
    other = np.concatenate(
        [np.where(turned, following[mate], mate), np.where(turned, mate, following[mate])]
    )
    fan = number.copy()  # a corner of the same fan, the lowest in the end
    while True:
        before = fan.copy()
        lowest = np.minimum(fan[one], fan[other])
        np.minimum.at(fan, one, lowest)
        np.minimum.at(fan, other, lowest)
        fan = fan[fan]
        if np.array_equal(fan, before):
            break
    own = (fan == number) & exists
    return np.bincount(vertex[own], minlength=vertex_count)
