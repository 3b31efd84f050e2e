# SPDX-License-Identifier: GPL-3.0-or-later
"""The letters of the triangle's vertices, in the order of the barycentric weights."""

from __future__ import annotations

import math
from collections.abc import Sequence

import blf
import bpy

from ..model.hit import PickHit
from . import projection

FONT = 0
_AWAY = 12.0
_FARTHEST = 60.0
_STEP = 4.0
_APART = 5.0

Pixel = Sequence[float]

Box = tuple[float, float, float, float]
"""Left, lower, right and upper side, in pixels of the region."""


def draw(context: bpy.types.Context, hit: PickHit, scale: float) -> list[Box]:
    """Draw A, B, C and the vertex numbers outside of the triangle's corners, where there is room.

    Return where they are.
    """
    corners = projection.pixels(context, hit.corners)
    if corners is None:
        return []
    named = [f"{letter} {vertex}" for letter, vertex in zip("ABC", hit.vertices, strict=True)]
    margin = _APART / 2 * scale
    for shown in (named, [*"ABC"]):
        sizes = [[side + 2 * margin for side in blf.dimensions(FONT, text)] for text in shown]
        boxes = placed(corners, sizes, scale)
        if boxes:
            _draw_texts(shown, boxes, margin)
            return boxes
    return []


def placed(corners: Sequence[Pixel], sizes: Sequence[Pixel], scale: float) -> list[Box]:
    """Boxes of given sizes beside a triangle's corners, clear of the triangle and of each other.

    Each is moved away from the middle of the triangle until it is clear of it. Where that leads too
    far from a corner, as beside a triangle of no size, there are none.
    """
    boxes: list[Box] = []
    for corner, way, (width, height) in zip(corners, _outward(corners), sizes, strict=True):
        away = _AWAY
        box = _around(corner, way, away * scale, width, height)
        while _covers(box, corners) or any(overlap(box, other) for other in boxes):
            away += _STEP
            if away > _FARTHEST:
                return []
            box = _around(corner, way, away * scale, width, height)
        boxes.append(box)
    return boxes


def overlap(box: Box, other: Box) -> float:
    """The area (in square pixels) that two boxes share."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _outward(corners: Sequence[Pixel]) -> list[tuple[float, float]]:
    """Directions from a triangle's middle to its corners, shorter than 1 within a pixel."""
    middle_x = sum(x for x, _ in corners) / 3.0
    middle_y = sum(y for _, y in corners) / 3.0
    ways = [(x - middle_x, y - middle_y) for x, y in corners]
    return [(x / max(math.hypot(x, y), 1.0), y / max(math.hypot(x, y), 1.0)) for x, y in ways]


def _around(corner: Pixel, way: Pixel, away: float, width: float, height: float) -> Box:
    x, y = corner[0] + way[0] * away, corner[1] + way[1] * away
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _covers(box: Box, triangle: Sequence[Pixel]) -> bool:
    """Whether a box has part of a triangle in it: no line separates the two."""
    left, low, right, top = box
    corners = [(left, low), (right, low), (left, top), (right, top)]
    sides = [
        (b[1] - a[1], a[0] - b[0]) for a, b in ((triangle[i - 1], triangle[i]) for i in range(3))
    ]
    for across_x, across_y in ((1.0, 0.0), (0.0, 1.0), *sides):
        of_box = [x * across_x + y * across_y for x, y in corners]
        of_triangle = [x * across_x + y * across_y for x, y in triangle]
        if max(of_box) < min(of_triangle) or max(of_triangle) < min(of_box):
            return False
    return True


def _draw_texts(shown: Sequence[str], boxes: Sequence[Box], margin: float) -> None:
    blf.enable(FONT, blf.SHADOW)
    blf.shadow(FONT, 0, 0.0, 0.0, 0.0, 0.9)
    blf.shadow_offset(FONT, 1, -1)
    blf.color(FONT, 1.0, 1.0, 1.0, 1.0)
    for text, (left, low, _, _) in zip(shown, boxes, strict=True):
        blf.position(FONT, left + margin, low + margin, 0.0)
        blf.draw(FONT, text)
    blf.disable(FONT, blf.SHADOW)
