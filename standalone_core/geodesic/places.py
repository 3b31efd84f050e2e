# SPDX-License-Identifier: MIT
"""Places on triangles, as weights of their corners: at an edge or a vertex, in all triangles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import arguments, integers
from ..errors import ArgumentError, ShapeError
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.linear import matmul
from ..numerics.reading import described, iterable
from .half_edges import HalfEdges, is_thin
from .windows import after, ahead_of

_ROUNDING = 1e-6
"""How far weights may be from numbers of 0 or more with the sum 1."""

Weights = tuple[float, float, float]
Row = tuple[int, Weights]
"""A triangle, and the weights of its corners."""


class Place(NamedTuple):
    """A place of a surface."""

    triangle: int
    weights: Weights
    everywhere: dict[int, Weights]  # its weights in each triangle that contains it and counts
    point: tuple[float, float, float]  # in units of the half-edges

    def half_edges(self) -> tuple[IntArray, FloatArray]:
        """Those (N,) of all its triangles, and its weights (N, 3) there."""
        triangles = np.array(list(self.everywhere), dtype=np.int64)
        weights = np.array(list(self.everywhere.values())).reshape(-1, 3)
        return (3 * triangles[:, None] + np.arange(3)).ravel(), weights.repeat(3, axis=0)

    def weights_in(self, triangle: IntArray) -> FloatArray:
        """Its weights (N, 3) in triangles that contain it."""
        return np.array([self.everywhere[each] for each in triangle.tolist()])


def read_place(value: Any, triangle_count: int, name: str) -> Row:
    """Read a triangle and three weights, which become 0 or more, with the sum 1."""
    parts = iterable(value, name)
    if len(parts) != 2:
        raise ShapeError(f"{name} must be a triangle and three weights, not {described(value)}")
    triangle = integers.row(parts[0], triangle_count, f"triangle of {name}")
    weights = arguments.finite_floats(parts[1], f"the weights of {name}", (3,))
    if weights.min() < -_ROUNDING or not abs(weights.sum() - 1.0) <= _ROUNDING:
        raise ArgumentError(
            f"the weights of {name} must be 0 or more, with the sum 1, not {weights.tolist()}"
        )
    weights = np.maximum(weights, 0.0)
    a, b, c = (weights / weights.sum()).tolist()
    return triangle, (a, b, c)


def place_at(surface: HalfEdges, triangle: int, weights: Weights) -> Place:
    """A place, in the triangles that share its edge or its vertex, not those at the same point."""
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
    """The weights of a place of a triangle in the one that stands for it."""
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
    """A place of a triangle in others that share the edges on which it is, not just their ends."""
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
    """The edges of a triangle without area on which a place is, and at which shares of them."""
    longest = first + int(np.argmax(surface.length[first : first + 3]))
    if not surface.length[longest]:
        return []
    apex = _share_of_apex(surface, longest)
    at = weights[after(longest) % 3] + apex * weights[ahead_of(longest) % 3]
    edges = [(longest, at)]
    if at >= apex < 1.0:
        edges.append((after(longest), (1.0 - at) / (1.0 - apex)))
    if at <= apex > 0.0:
        edges.append((ahead_of(longest), 1.0 - at / apex))
    return edges


def along(half_edge: int, share: float) -> Weights:
    """The weights at a share of the length of a half-edge, from its start."""
    weights = [0.0, 0.0, 0.0]
    weights[half_edge % 3], weights[after(half_edge) % 3] = 1.0 - share, share
    return weights[0], weights[1], weights[2]


def offsets_in(
    surface: HalfEdges, half_edge: IntArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where places of their triangles (N, 3) are in the frames of half-edges (N,)."""
    row, k = np.arange(len(half_edge)), half_edge % 3
    apex, end = weights[row, (k + 2) % 3], weights[row, (k + 1) % 3]
    along_edge = end * surface.length[half_edge]
    return along_edge + apex * surface.apex_x[half_edge], apex * surface.apex_y[half_edge]
