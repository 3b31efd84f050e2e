# SPDX-License-Identifier: MIT
"""Places on triangles, as weights of their corners: at an edge or a vertex, in all triangles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import arguments, integers
from ..errors import ArgumentError, ShapeError
from ..numerics.reading import described, iterable
from .half_edges import HalfEdges
from .windows import after

_ROUNDING = 1e-6
"""How far weights may be from numbers of 0 or more with the sum 1."""

Weights = tuple[float, float, float]
Row = tuple[int, Weights]
"""A triangle, and the weights of its corners."""


class Place(NamedTuple):
    """A place of a surface."""

    triangle: int
    weights: Weights
    everywhere: dict[int, Weights]  # its weights in each triangle that contains it
    point: tuple[float, float, float]  # in units of the half-edges


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
    first = 3 * triangle
    corners = surface.vertices[surface.vertex[first : first + 3]]
    x, y, z = (np.array(weights) @ corners).tolist()
    everywhere = {triangle: weights} if surface.meeting.there[triangle] else {}
    if everywhere and weights.count(0.0) == 2:
        vertex = int(surface.vertex[first + weights.index(max(weights))])
        begin, end = surface.meeting.first[vertex : vertex + 2].tolist()
        for corner in surface.meeting.around[begin:end].tolist():
            everywhere.setdefault(corner // 3, along(corner, 0.0))
    elif everywhere and 0.0 in weights:
        edge = after(first + weights.index(0.0))
        share = weights[after(edge) % 3]
        mate = int(surface.meeting.mate[edge])
        while mate != edge:
            same = surface.vertex[mate] == surface.vertex[edge]
            everywhere.setdefault(mate // 3, along(mate, share if same else 1.0 - share))
            mate = int(surface.meeting.mate[mate])
    return Place(triangle, weights, everywhere, (x, y, z))


def along(half_edge: int, share: float) -> Weights:
    """The weights at a share of the length of a half-edge, from its start."""
    weights = [0.0, 0.0, 0.0]
    weights[half_edge % 3], weights[after(half_edge) % 3] = 1.0 - share, share
    return weights[0], weights[1], weights[2]


def offset_in(surface: HalfEdges, half_edge: int, weights: Weights) -> tuple[float, float]:
    """Where a place of its triangle is in the frame of a half-edge."""
    apex = weights[(half_edge + 2) % 3]
    along_edge = weights[(half_edge + 1) % 3] * surface.length.data[half_edge]
    return along_edge + apex * surface.apex_x.data[half_edge], apex * surface.apex_y.data[half_edge]
