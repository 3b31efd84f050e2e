# SPDX-License-Identifier: MIT
"""The half-edges of triangles: which triangles meet at each, and how they unfold there.

Half-edge ``3 * t + k`` is the edge of triangle t from its corner k to the next. Its frame has the
origin at that corner, x along the edge, and the triangle at y >= 0; the third corner is its apex.
A place at an edge or a vertex has weights in all triangles that share it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..cast.rays import Geometry
from ..errors import ArgumentError, ShapeError
from ..hit import place_of
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, cross, dot, power_of_two
from ..numerics.reading import described, iterable
from ..numerics.vectors import matmul
from .windows import after, previous

_FLAT = 1e-9
"""Vertices whose angles exceed a full turn by no more than this, in radians, count as flat."""

_THIN = 4 * EPS
"""A triangle no higher than this share of its largest coordinate counts as without area."""

_ROUNDING = 1e-6
"""How far given weights may be below 0, and their sum away from 1."""

Weights = tuple[float, float, float]
Row = tuple[int, Weights]
"""A triangle, and the weights of its corners."""


class Meeting(NamedTuple):
    """How triangles meet, whatever their shapes; triangles with stand-ins meet no others."""

    stand_in: IntArray  # (T,), the triangle that counts in place of each, see _stand_ins
    mate: IntArray  # (3 T,), the next half-edge at the same edge, in a circle; itself at a border
    is_shared: BoolArray  # (3 T,), whether three triangles or more meet at the edge
    around: IntArray  # half-edges, by the vertex that they start at
    first: IntArray  # (V + 1,), where those of each vertex begin in `around`
    is_plain: BoolArray  # (V,), whether the triangles around a vertex are one closed fan

    def corners_at(self, vertex: IntArray) -> tuple[IntArray, IntArray]:
        """The rows (K,) of vertices (N,), and the half-edges (K,) that start at each."""
        first, count = self.first[vertex], self.first[vertex + 1] - self.first[vertex]
        row = np.repeat(np.arange(len(vertex)), count)
        skipped = np.repeat(first - (np.cumsum(count) - count), count)
        return row, self.around[np.arange(len(row)) + skipped]


class HalfEdges(NamedTuple):
    """Three half-edges a triangle; lengths and places are divided by `unit`, a power of two."""

    vertices: FloatArray  # (V, 3)
    unit: float
    vertex: IntArray  # (3 T,), where each starts
    length: FloatArray  # (3 T,)
    apex_x: FloatArray  # (3 T,)
    apex_y: FloatArray  # (3 T,)
    turn: FloatArray  # (V,), the angle around a vertex; inf where there is not one closed fan
    bends: BoolArray  # (V,), whether a shortest path may bend at a vertex
    between: BoolArray  # (V,), whether a vertex lies on the edge across a triangle without area
    meeting: Meeting


def half_edges(geometry: Geometry, known: HalfEdges | None = None) -> HalfEdges:
    """The half-edges of all triangles; `known` are those before the vertices moved."""
    triangles = geometry.triangles.astype(np.int64)
    finite = np.asarray(np.isfinite(geometry.vertices).all(axis=1))
    there = np.asarray(finite[triangles].all(axis=1))
    used = np.zeros(len(finite), dtype=np.bool_)
    used[triangles[there]] = True
    vertices = np.where(used[:, None], geometry.vertices, 0.0)
    unit = float(power_of_two(np.abs(vertices).max(initial=0.0)))
    vertices = vertices / unit
    vertex = triangles.reshape(-1)
    length, x, y = _frames(vertices, triangles)
    thin = is_thin(vertices, triangles, y)
    stand_in = _stand_ins(triangles, there, thin, length)
    if known is not None and np.array_equal(known.meeting.stand_in, stand_in):
        meeting = known.meeting
    else:
        meeting = _meeting(triangles, stand_in, len(vertices))
    own = meeting.around
    angles = np.arctan2(y, x)[own]
    turn = np.bincount(vertex[own], angles, len(vertices)).astype(np.float64)
    is_plain = meeting.is_plain.copy()
    # Where an edge has no length, a path goes from one fan to another.
    has_none = np.any(length.reshape(-1, 3) == 0.0, axis=1)
    is_own = stand_in == np.arange(len(triangles))
    is_plain[triangles[has_none & is_own]] = False
    turn[~is_plain] = np.inf
    bends = np.asarray(turn > 2.0 * np.pi + _FLAT)
    between = np.zeros(len(vertices), dtype=np.bool_)
    rows = np.flatnonzero(thin & is_own)
    longest = 3 * rows + np.argmax(length.reshape(-1, 3)[rows], axis=1)
    longest = longest[meeting.mate[longest] != longest]
    between[vertex[previous(longest)]] = True
    return HalfEdges(vertices, unit, vertex, length, x, y, turn, bends, between, meeting)


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


def is_thin(vertices: FloatArray, triangles: IntArray, apex_y: FloatArray) -> BoolArray:
    """Whether triangles (T,) have no area, up to rounding."""
    size = np.abs(vertices[triangles]).max(axis=(1, 2), initial=0.0)
    return np.asarray(apex_y.reshape(-1, 3).min(axis=1) <= _THIN * size)


def _stand_ins(
    triangles: IntArray, there: BoolArray, thin: BoolArray, length: FloatArray
) -> IntArray:
    """The stand-in of each triangle (T,), its own number if it counts; a stand-in may have one too.

    -1 if a vertex is not finite. The first of triangles with the same vertices stands for the
    others, and a triangle at an edge for one without area that lies on the edge. Such covered
    triangles never shorten a path, but a search would go through all of them.
    """
    number, vertex_count = np.arange(len(triangles)), int(triangles.max(initial=-1)) + 1
    low, middle, high = np.sort(triangles, axis=1).T
    pair = pairs(low, high, vertex_count)
    order = np.lexsort((middle, pair))
    is_other = (np.diff(pair[order]) != 0) | (np.diff(middle[order]) != 0)
    is_first = np.append(True, is_other)[: len(order)]
    stand_in = np.empty_like(number)
    stand_in[order] = order[is_first][np.cumsum(is_first) - 1]
    stand_in[~there] = -1
    counts = stand_in == number
    # Triangles may lie on triangles that lie on edges: the outermost are covered first.
    while (rows := np.flatnonzero(counts & thin)).size:
        cover = _cover(triangles, counts, thin, rows, length, vertex_count)
        is_covered = cover >= 0
        if not is_covered.any():
            break
        stand_in[rows[is_covered]] = cover[is_covered]
        counts[rows[is_covered]] = False
    return stand_in


def _cover(
    triangles: IntArray,
    counts: BoolArray,
    thin: BoolArray,
    rows: IntArray,
    length: FloatArray,
    vertex_count: int,
) -> IntArray:
    """The triangles (N,) that cover some without area; -1 for those that join other triangles.

    A cover has the longest edge of the triangle that it covers. The third corner of that, between
    the other two, must belong to no other triangle, or be one of the two.
    """
    vertex, size = triangles.reshape(-1), length.reshape(-1, 3).max(axis=1)
    longest = 3 * rows + np.argmax(length.reshape(-1, 3)[rows], axis=1)
    one, other, third = (vertex[longest - longest % 3 + (longest + k) % 3] for k in range(3))
    # Wide triangles, then thin ones, the longest first: each may be covered by those before it.
    order = np.lexsort((-size, thin))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    is_whole = (triangles != triangles[:, [1, 2, 0]]).all(axis=1)
    able = order[(counts & is_whole)[order]]
    start, end = triangles[able].reshape(-1), triangles[able][:, [1, 2, 0]].reshape(-1)
    # A vertex counts as an edge from itself to itself.
    edges = pairs(start, end, vertex_count), pairs(start, start, vertex_count)
    known, first = np.unique(np.concatenate(edges), return_index=True)
    if not len(known):
        return np.full(len(rows), -1)
    wanted = pairs(one, other, vertex_count)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    cover = able[first[at] % len(start) // 3]
    use = np.bincount(triangles[counts].reshape(-1), minlength=vertex_count)
    is_covered = (third == one) | (third == other) | (use[third] == 1)
    is_covered &= (known[at] == wanted) & ((rank[cover] < rank[rows]) | ~is_whole[rows])
    return np.where(is_covered, cover, -1)


def pairs(one: IntArray, other: IntArray, vertex_count: int) -> IntArray:
    """A number for each pair of vertices, the same in either order."""
    return np.minimum(one, other) * vertex_count + np.maximum(one, other)


def _meeting(triangles: IntArray, stand_in: IntArray, vertex_count: int) -> Meeting:
    start, end = triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1)
    exists = np.repeat(stand_in == np.arange(len(triangles)), 3)
    # A triangle with one vertex twice is a segment, on which paths go from vertex to vertex.
    is_segment = (start == end).reshape(-1, 3).any(axis=1)
    mate = _mates(start, end, exists & np.repeat(~is_segment, 3), vertex_count)
    number = np.arange(len(mate))
    # At a border, or where three triangles or more meet.
    is_shared = mate[mate] != number
    is_special = exists & ((mate == number) | is_shared)
    own = np.flatnonzero(exists)
    around = own[np.argsort(start[own], kind="stable")]
    count = np.bincount(start[own], minlength=vertex_count)
    is_plain = _fan_counts(start, mate, exists, vertex_count) == 1
    is_plain[start[is_special]] = is_plain[end[is_special]] = False
    return Meeting(stand_in, mate, is_shared, around, np.append(0, np.cumsum(count)), is_plain)


def _mates(start: IntArray, end: IntArray, is_edge: BoolArray, vertex_count: int) -> IntArray:
    """The next half-edge with the same ends, in either order."""
    number = np.arange(len(start))
    key = np.where(is_edge, pairs(start, end, vertex_count), -1 - number)  # an edge of its own
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
    following = after(number)
    is_along = start[mate] == start  # The mate has the same direction.
    one = np.concatenate([number, following])
    other = np.append(
        np.where(is_along, mate, following[mate]), np.where(is_along, following[mate], mate)
    )
    fan, before = number.copy(), number[:0]  # a corner of the same fan, the lowest one in the end
    while not np.array_equal(fan, before):
        before = fan.copy()
        lowest = np.minimum(fan[one], fan[other])
        np.minimum.at(fan, one, lowest)
        np.minimum.at(fan, other, lowest)
        fan = fan[fan]
    return np.bincount(start[(fan == number) & exists], minlength=vertex_count)


class Place(NamedTuple):
    """A place of a surface."""

    triangle: int
    weights: Weights
    everywhere: dict[int, Weights]  # its weights in each triangle that contains it and counts
    point: tuple[float, float, float]  # in units of the half-edges

    def half_edges(self) -> tuple[IntArray, FloatArray]:
        """The half-edges (N,) of all its triangles, and its weights (N, 3) there."""
        triangles = np.array(list(self.everywhere), dtype=np.int64)
        weights = np.array(list(self.everywhere.values())).reshape(-1, 3)
        return (3 * triangles[:, None] + np.arange(3)).ravel(), weights.repeat(3, axis=0)

    def weights_in(self, triangle: IntArray) -> FloatArray:
        """Its weights (N, 3) in triangles that contain it."""
        return np.array([self.everywhere[each] for each in triangle.tolist()])


def read_place(value: Any, triangle_count: int, name: str) -> Row:
    """Read a triangle and three weights, which become 0 or more, with the sum 1."""
    parts = iterable(place_of(value), name)
    if len(parts) != 2:
        raise ShapeError(
            f"{name} must be a hit, or a triangle and three weights, not {described(value)}"
        )
    triangle = arguments.row(parts[0], triangle_count, f"triangle of {name}")
    weights = arguments.finite_floats(parts[1], f"the weights of {name}", (3,))
    if weights.min() < -_ROUNDING or not abs(weights.sum() - 1.0) <= _ROUNDING:
        wanted = f"the weights of {name} must be 0 or more, with the sum 1"
        raise ArgumentError(f"{wanted}, not {weights.tolist()}")
    weights = np.maximum(weights, 0.0)
    a, b, c = (weights / weights.sum()).tolist()
    return triangle, (a, b, c)


def place_at(surface: HalfEdges, triangle: int, weights: Weights) -> Place:
    """A place in all triangles that share its edge or vertex, not in others at the same point."""
    corners = surface.vertices[surface.vertex[3 * triangle : 3 * triangle + 3]]
    x, y, z = matmul(np.array(weights), corners).tolist()
    counted, inside = triangle, weights
    while (following := int(surface.meeting.stand_in[counted])) not in (counted, -1):
        inside = _weights_in(surface, following, counted, inside)
        counted = following
    everywhere = dict[int, Weights]()
    waiting = [(counted, inside)] if following >= 0 else []
    while waiting:
        each, own = waiting.pop()
        if each in everywhere:
            continue
        everywhere[each] = own
        if own.count(0.0) < 2:
            waiting += _across(surface, each, own)
        else:
            vertex = surface.vertex[[3 * each + own.index(max(own))]]
            for corner in surface.meeting.corners_at(vertex)[1].tolist():
                everywhere.setdefault(corner // 3, along(corner, 0.0))
                if surface.between[vertex[0]]:
                    waiting += _across(surface, corner // 3, along(corner, 0.0))
    return Place(triangle, weights, everywhere, (x, y, z))


def _weights_in(surface: HalfEdges, cover: int, triangle: int, weights: Weights) -> Weights:
    """The weights of a triangle's place in the triangle that covers it."""
    own = surface.vertex[3 * cover : 3 * cover + 3].tolist()
    found = [0.0, 0.0, 0.0]
    for half_edge, weight in enumerate(weights, 3 * triangle):
        vertex = int(surface.vertex[half_edge])
        if vertex in own:
            found[own.index(vertex)] += weight
        else:  # It is between the others, on an edge.
            side = after(half_edge)
            share = _share_of_apex(surface, side)
            found[own.index(int(surface.vertex[side]))] += (1.0 - share) * weight
            found[own.index(int(surface.vertex[after(side)]))] += share * weight
    return found[0], found[1], found[2]


def _share_of_apex(surface: HalfEdges, half_edge: int) -> float:
    """Where the apex of a triangle without area is, as a share of its longest edge."""
    length = float(surface.length[half_edge])
    return min(max(float(surface.apex_x[half_edge]) / length, 0.0), 1.0) if length else 0.0


def _across(surface: HalfEdges, triangle: int, weights: Weights) -> list[Row]:
    """A place on edges of a triangle, given as rows of the other triangles that share them."""
    first = 3 * triangle
    zeros = [k for k in range(3) if weights[k] == 0.0]
    edges = [(after(first + k), weights[(k + 2) % 3]) for k in zeros if len(zeros) == 1]
    corners = slice(first, first + 3)
    rows = surface.vertex[None, corners]
    if is_thin(surface.vertices, rows, surface.apex_y[corners]).all():
        edges = _edges_of_thin(surface, first, weights)
    found: list[Row] = []
    for edge, share in edges:
        mate = int(surface.meeting.mate[edge])
        while mate != edge:
            same = surface.vertex[mate] == surface.vertex[edge]
            found.append((mate // 3, along(mate, share if same else 1.0 - share)))
            mate = int(surface.meeting.mate[mate])
    return found


def _edges_of_thin(surface: HalfEdges, first: int, weights: Weights) -> list[tuple[int, float]]:
    """The edges of a triangle without area that a place is on, and its share along each."""
    longest = first + int(np.argmax(surface.length[first : first + 3]))
    if not surface.length[longest]:
        return []
    apex = _share_of_apex(surface, longest)
    at = weights[after(longest) % 3] + apex * weights[previous(longest) % 3]
    edges = [(longest, at)]
    if at >= apex < 1.0:
        edges.append((after(longest), (1.0 - at) / (1.0 - apex)))
    if at <= apex > 0.0:
        edges.append((previous(longest), 1.0 - at / apex))
    return edges


def along(half_edge: int, share: float) -> Weights:
    """The weights at a share of the length of a half-edge, from its start."""
    weights = [0.0, 0.0, 0.0]
    weights[half_edge % 3], weights[after(half_edge) % 3] = 1.0 - share, share
    return weights[0], weights[1], weights[2]


def offsets_in(
    surface: HalfEdges, half_edge: IntArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Coordinates of places in the frames of half-edges (N,), from weights (N, 3) of corners."""
    row, k = np.arange(len(half_edge)), half_edge % 3
    apex, end = weights[row, (k + 2) % 3], weights[row, (k + 1) % 3]
    along_edge = end * surface.length[half_edge]
    return along_edge + apex * surface.apex_x[half_edge], apex * surface.apex_y[half_edge]
