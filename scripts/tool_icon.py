# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the tool's icon: a ray that hits a triangle.

Blender draws the icons of its toolbar from triangles, in files of bytes: a header, the corners of
all triangles, and the colors of these corners. It inverts their lightness on a light toolbar.

    python scripts/tool_icon.py
"""

import math
from collections.abc import Iterator
from pathlib import Path

from checkout import ROOT

ICON = ROOT / "blender_addon" / "icons" / "raypick.pick_tool.dat"

_HEADER = b"VCO\x00" + bytes((255, 255, 0, 0))  # version, size, start

Point = tuple[float, float]
Color = tuple[int, int, int, int]
Triangle = tuple[Point, Point, Point]

# The colors of Blender's own icons.
_WHITE = (229, 229, 229, 255)
_GREEN = (117, 255, 175, 255)

_OUTER = ((22.0, 36.0), (222.0, 36.0), (112.0, 208.0))
_HIT = (113.0, 96.0)
_RAY_END = (224.0, 224.0)
_EDGE = 17.0
_RAY = 8.0
_DOT = 25.0


def draw() -> Iterator[tuple[Triangle, Color]]:
    """The icon's triangles, the hindmost first; coordinates from 0 to 255, upward."""
    inner = _shrunk(_OUTER, _EDGE)
    yield from ((each, _WHITE) for each in _frame(_OUTER, inner))
    yield from ((each, _GREEN) for each in _line(_HIT, _RAY_END, _RAY))
    yield from ((each, _GREEN) for each in _disc(_HIT, _DOT))


def write(path: Path = ICON) -> Path:
    """Write the icon's file; return its path."""
    triangles = list(draw())
    corners = bytes(round(part) for each, _ in triangles for point in each for part in point)
    colors = bytes(part for _, color in triangles for part in 3 * color)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_HEADER + corners + colors)
    return path


def _shrunk(triangle: Triangle, width: float) -> Triangle:
    """A triangle inside another, its sides so far from those."""
    lengths = [math.dist(triangle[i - 2], triangle[i - 1]) for i in range(3)]
    center = [
        sum(length * corner[axis] for length, corner in zip(lengths, triangle, strict=True))
        / sum(lengths)
        for axis in (0, 1)
    ]
    (ax, ay), (bx, by), (cx, cy) = triangle
    radius = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / sum(lengths)
    share = 1.0 - width / radius
    (ax, ay), (bx, by), (cx, cy) = (
        tuple(middle + share * (part - middle) for part, middle in zip(corner, center, strict=True))
        for corner in triangle
    )
    return (ax, ay), (bx, by), (cx, cy)


def _frame(outer: Triangle, inner: Triangle) -> Iterator[Triangle]:
    for i in range(3):
        yield outer[i - 1], outer[i], inner[i]
        yield outer[i - 1], inner[i], inner[i - 1]


def _line(start: Point, end: Point, half: float) -> Iterator[Triangle]:
    (x, y), length = start, math.dist(start, end)
    along = (end[0] - x) / length, (end[1] - y) / length
    side = -along[1] * half, along[0] * half
    corners = [(px + s * side[0], py + s * side[1]) for px, py in (start, end) for s in (1, -1)]
    yield corners[0], corners[1], corners[2]
    yield corners[2], corners[1], corners[3]


def _disc(center: Point, radius: float, sides: int = 16) -> Iterator[Triangle]:
    angles = [2 * math.pi * i / sides for i in range(sides)]
    rim = [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in angles]
    for i in range(sides):
        yield center, rim[i - 1], rim[i]


if __name__ == "__main__":
    print(write())
