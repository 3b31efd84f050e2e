# SPDX-License-Identifier: MIT
"""Places on a mesh, as triangles and weights: at an edge or a vertex in several triangles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import arguments, integers
from ..errors import ArgumentError, ShapeError
from ..numerics.arrays import FloatArray
from .half_edges import HalfEdges

_ROUNDING = 1e-6
Weights = tuple[float, float, float]


class Place(NamedTuple):
    """One place of a surface, in the scaled coordinates of its half-edges."""

    triangle: int
    weights: Weights
    everywhere: dict[int, Weights]  # each triangle that contains it, and its weights there
    point: tuple[float, float, float]


def read_place(value: Any, triangle_count: int, name: str) -> tuple[int, Weights]:
    """Read a triangle and three weights, which become 0 or more with the sum 1."""
    parts = arguments.iterable(value, name)
    if len(parts) != 2:
        raise ShapeError(f"{name} must be a triangle and three weights, not {len(parts)} things")
    triangle = integers.row(parts[0], triangle_count, f"{name}'s triangle")
    weights = arguments.finite_floats(parts[1], f"{name}'s weights", (3,))
    if weights.min() < -_ROUNDING or abs(weights.sum() - 1.0) > _ROUNDING:
        raise ArgumentError(
            f"{name}'s weights must be 0 or more, with the sum 1, not {weights.tolist()}"
        )
    kept = np.maximum(weights, 0.0)
    a, b, c = (kept / kept.sum()).tolist()
    return triangle, (a, b, c)


def place_at(surface: HalfEdges, triangle: int, weights: Weights) -> Place:
    """A place with all triangles that contain it: by shared vertices, not by position."""
    rows = surface.vertices[surface.vertex[3 * triangle : 3 * triangle + 3]]
    x, y, z = (np.array(weights) @ rows).tolist()
    return Place(triangle, weights, _everywhere(surface, triangle, weights), (x, y, z))


def _everywhere(surface: HalfEdges, triangle: int, weights: Weights) -> dict[int, Weights]:
    found = {triangle: weights}
    zeros = [corner for corner in range(3) if weights[corner] == 0.0]
    if not surface.there[triangle]:
        return {}
    if len(zeros) == 1:
        own = 3 * triangle + (zeros[0] + 1) % 3
        share = weights[(zeros[0] + 1) % 3]
        other = int(surface.mate[own])
        while other != own:
            is_turned = surface.vertex[other] != surface.vertex[own]
            found[other // 3] = along(other, 1.0 - share if not is_turned else share)
            other = int(surface.mate[other])
    elif len(zeros) == 2:
        corner = weights.index(max(weights))
        vertex = int(surface.vertex[3 * triangle + corner])
        for other in surface.around[surface.first[vertex] : surface.first[vertex + 1]].tolist():
            found.setdefault(other // 3, along(other, 0.0))
    return found


def along(half_edge: int, share: float) -> Weights:
    """The weights of what lies on a half-edge, at a share of its length from its start."""
    weights = [0.0, 0.0, 0.0]
    weights[half_edge % 3] = 1.0 - share
    weights[(half_edge + 1) % 3] = share
    return weights[0], weights[1], weights[2]


def offset_in(surface: Any, half_edge: int, weights: Weights) -> tuple[float, float]:
    """Where the weights of its triangle are in the frame of a half-edge."""
    along_edge = weights[(half_edge + 1) % 3]
    apex = weights[(half_edge + 2) % 3]
    x = along_edge * surface.length[half_edge] + apex * surface.apex_x[half_edge]
    return x, apex * surface.apex_y[half_edge]
