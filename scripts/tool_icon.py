# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the tools' icons: a ray that hits a triangle, and landmarks on one.

Blender draws the icons of its toolbar from triangles, in files of bytes: a header, the corners of
all triangles, and the colors of these corners. It inverts their lightness on a light toolbar.

    python scripts/tool_icon.py
"""

import cmath
from collections.abc import Callable, Iterator
from pathlib import Path

from checkout import ROOT

_ICONS = ROOT / "blender_addon" / "icons"
ICON = _ICONS / "raypick.pick_tool.dat"
LANDMARK_ICON = _ICONS / "raypick.landmark_tool.dat"

_HEADER = b"VCO\x00" + bytes((255, 255, 0, 0))  # version, size, start

Triangle = tuple[complex, complex, complex]
Color = tuple[int, int, int, int]

# The colors of Blender's own icons.
_WHITE = (229, 229, 229, 255)
_GREEN = (117, 255, 175, 255)

# Points x + yi, from 0 to 255, y upward.
_OUTER = (22 + 36j, 222 + 36j, 112 + 208j)
_HIT, _RAY_END = 113 + 96j, 224 + 224j
_EDGE, _RAY, _DOT = 17.0, 8.0, 25.0
_LANDMARKS = (70 + 64j, 172 + 64j, 112 + 140j)


def draw() -> Iterator[tuple[Triangle, Color]]:
    """The triangles of the pick tool's icon, back to front."""
    yield from ((each, _WHITE) for each in _frame(_OUTER, _EDGE))
    yield from ((each, _GREEN) for each in _line(_HIT, _RAY_END, _RAY))
    yield from ((each, _GREEN) for each in _disc(_HIT, _DOT))


def draw_landmarks() -> Iterator[tuple[Triangle, Color]]:
    yield from ((each, _WHITE) for each in _frame(_OUTER, _EDGE))
    for place in _LANDMARKS:
        yield from ((each, _GREEN) for each in _disc(place, _DOT))


def write(path: Path = ICON, drawn: Callable[[], Iterator[tuple[Triangle, Color]]] = draw) -> Path:
    triangles = list(drawn())
    points = [point for each, _ in triangles for point in each]
    corners = bytes(round(part) for point in points for part in (point.real, point.imag))
    colors = bytes(part for _, color in triangles for part in 3 * color)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_HEADER + corners + colors)
    return path


def _frame(outer: Triangle, width: float) -> Iterator[Triangle]:
    """A triangle's border, `width` wide, on its inside."""
    a, b, c = outer
    lengths = abs(c - b), abs(a - c), abs(b - a)
    center = (lengths[0] * a + lengths[1] * b + lengths[2] * c) / sum(lengths)
    radius = abs(((b - a).conjugate() * (c - a)).imag) / sum(lengths)
    inner = [corner + width / radius * (center - corner) for corner in outer]
    for i in range(3):
        yield outer[i - 1], outer[i], inner[i]
        yield outer[i - 1], inner[i], inner[i - 1]


def _line(start: complex, end: complex, half: float) -> Iterator[Triangle]:
    side = 1j * half * (end - start) / abs(end - start)
    yield start + side, start - side, end + side
    yield end + side, start - side, end - side


def _disc(center: complex, radius: float, sides: int = 16) -> Iterator[Triangle]:
    rim = [center + cmath.rect(radius, 2 * cmath.pi * i / sides) for i in range(sides)]
    for i in range(sides):
        yield center, rim[i - 1], rim[i]


if __name__ == "__main__":
    print(write())
    print(write(LANDMARK_ICON, draw_landmarks))
