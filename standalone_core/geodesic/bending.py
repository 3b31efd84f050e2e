# SPDX-License-Identifier: MIT
"""Where shortest paths go on from vertices at which they bend.

On both sides they have at least half a turn there: else they would be shorter beside the vertex.
"""

from __future__ import annotations

from math import pi

import numpy as np

from ..numerics.arrays import FloatArray, IntArray
from .half_edges import HalfEdges
from .windows import after, ahead_of

_MARGIN = 1e-6
"""How much less than half a turn, in radians, counts as that."""

Ways = tuple[IntArray, IntArray, FloatArray, FloatArray]


def ways_on(surface: HalfEdges, corner: IntArray, angle: FloatArray, turn: FloatArray) -> Ways:
    """The corners that N paths may go on into, and between which angles from their first sides.

    A corner is named by the half-edge that starts there, its first side. Each path comes in through
    one (N,) at an angle from that side; all around its vertex are one closed fan, with `turn` there
    together. The numbers of the paths and their corners (K,) come first, then the angles.
    """
    row, vertex = np.arange(len(corner)), surface.vertex[corner]
    most = turn - pi + _MARGIN
    # How far to turn to the side where a corner is entered.
    ahead, is_turned = -angle, np.zeros(len(corner), dtype=np.bool_)
    none = np.empty(0)
    found: list[Ways] = [(row[:0], corner[:0], none, none)]
    while len(row := row[(goes_on := ahead <= most[row])]):
        corner, ahead, is_turned = corner[goes_on], ahead[goes_on], is_turned[goes_on]
        size = np.arctan2(surface.apex_y[corner], surface.apex_x[corner])
        low, high = pi - _MARGIN - ahead, most[row] - ahead
        first, last = np.where(is_turned, (size - high, size - low), (low, high))
        seen = low <= size
        found.append((row[seen], corner[seen], first[seen], last[seen]))
        ahead = ahead + size
        across = surface.meeting.mate[np.where(is_turned, corner, ahead_of(corner))]
        is_turned = surface.vertex[across] != vertex[row]
        corner = np.where(is_turned, after(across), across)
    rows, corners, lows, highs = map(np.concatenate, zip(*found, strict=True))
    return rows, corners, lows, highs


def angle_at(
    surface: HalfEdges, corner: IntArray, half_edge: IntArray, x: FloatArray, y: FloatArray
) -> FloatArray:
    """The angles between the first sides of corners and the ways to points of half-edges' frames.

    Both are of the same triangle, the point in it or across the half-edge.
    """
    length = surface.length[half_edge]
    ax, ay = surface.apex_x[half_edge], surface.apex_y[half_edge]
    is_at_start, is_at_end = corner == half_edge, corner == after(half_edge)
    # The corner's own place, and its first side.
    px, py = (
        np.where(is_at_start, 0.0, np.where(is_at_end, length, ax)),
        np.where(is_at_start | is_at_end, 0.0, ay),
    )
    ux = np.where(is_at_start, length, np.where(is_at_end, ax - length, -ax))
    uy = np.where(is_at_start, 0.0, np.where(is_at_end, ay, -ay))
    x, y = x - px, y - py
    size = np.arctan2(surface.apex_y[corner], surface.apex_x[corner])
    return np.minimum(np.maximum(np.arctan2(ux * y - uy * x, x * ux + y * uy), 0.0), size)
