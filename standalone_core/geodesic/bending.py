# SPDX-License-Identifier: MIT
"""Where a shortest path goes on from a vertex at which it bends.

On both sides it has at least half a turn there: else it would be shorter beside the vertex.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, pi

from .half_edges import HalfEdges
from .windows import after, ahead_of

_MARGIN = 1e-6
"""How much less than half a turn, in radians, counts as that."""


def ways_on(
    surface: HalfEdges, corner: int, angle: float, turn: float
) -> Iterator[tuple[int, float, float]]:
    """The corners that a path may go on into, and between which angles from their first sides.

    A corner is named by the half-edge that starts there, its first side. The path comes in through
    one at an angle from that side; all of them are one closed fan, with `turn` around the vertex.
    """
    vertex = surface.vertex[corner]
    ahead, is_turned = -angle, False  # how far to turn to the side where a corner is entered
    least, most = pi - _MARGIN, turn - pi + _MARGIN
    while ahead <= most:
        size = atan2(surface.apex_y[corner], surface.apex_x[corner])
        low, high = least - ahead, most - ahead
        if low <= size:
            yield (corner, size - high, size - low) if is_turned else (corner, low, high)
        ahead += size
        across = int(surface.meeting.mate[corner if is_turned else ahead_of(corner)])
        is_turned = bool(surface.vertex[across] != vertex)
        corner = after(across) if is_turned else across


def angle_at(surface: HalfEdges, corner: int, half_edge: int, x: float, y: float) -> float:
    """The angle between a corner's first side and the way to a point of a half-edge's frame.

    Both are of the same triangle, the point in it or across the half-edge.
    """
    length = float(surface.length[half_edge])
    ax, ay = float(surface.apex_x[half_edge]), float(surface.apex_y[half_edge])
    if corner == half_edge:
        ux, uy = length, 0.0
    elif corner == after(half_edge):
        ux, uy, x = ax - length, ay, x - length
    else:
        ux, uy, x, y = -ax, -ay, x - ax, y - ay
    size = atan2(surface.apex_y[corner], surface.apex_x[corner])
    return min(max(atan2(ux * y - uy * x, x * ux + y * uy), 0.0), size)
