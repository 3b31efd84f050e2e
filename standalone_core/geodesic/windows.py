# SPDX-License-Identifier: MIT
"""Windows: the part of an edge that straight lines from one point reach, unfolded into a plane."""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

Window = tuple[float, int, int, float, float, float, float, float, int, int]
"""``bound, entry, leaving, low, high, x, y, far, source, before``

The lines leave a triangle across its half-edge `leaving`, and enter the one of `entry`, in whose
frame they cross the edge between `low` and `high`. They come from the point (x, y) there, y <= 0.
It is the vertex `source`, or the start of all paths if that is -1, and `far` away from the start.
No path through the window is shorter than `bound`. `before` is the number of the window that the
lines come through before, among those followed, or -1.
"""

FROM_VERTEX, FROM_START = -1, -2


class Step(NamedTuple):
    """The last piece of a path. It goes straight to the point (x, y) of a half-edge's frame."""

    window: int  # the number of that it comes through, or FROM_VERTEX or FROM_START
    half_edge: int  # of the triangle where it ends; FROM_VERTEX, it starts at that vertex
    x: float
    y: float


def crossing(window: Window, x: float, y: float) -> float:
    """Where the way from a window's lines' source to the point (x, y) of its frame crosses it."""
    _, _, _, low, high, from_x, from_y, _, _, _ = window
    height = y - from_y
    at = from_x - (x - from_x) * from_y / height if height > 0.0 else x
    return min(max(at, low), high)


def meets(px: float, py: float, qx: float, qy: float, ux: float, uy: float) -> float:
    """How far along (ux, uy) from the origin the line from p through q is."""
    dx, dy = qx - px, qy - py
    divisor = dx * uy - dy * ux
    return (qx * py - qy * px) / divisor if divisor else 0.0


def meets_at(angle: float, ax: float, ay: float, ux: float, uy: float) -> float:
    """How far along (ux, uy) from (ax, ay) the line from the origin at an angle is."""
    return meets(-ax, -ay, cos(angle) - ax, sin(angle) - ay, ux, uy)


def after(half_edge: int) -> int:
    """The next half-edge of the same triangle."""
    return half_edge + 1 if half_edge % 3 < 2 else half_edge - 2


def ahead_of(half_edge: int) -> int:
    """The half-edge before, of the same triangle."""
    return half_edge - 1 if half_edge % 3 else half_edge + 2
