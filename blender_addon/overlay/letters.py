# SPDX-License-Identifier: GPL-3.0-or-later
"""The letters of the triangle's vertices, in the order of the barycentric weights."""

from __future__ import annotations

import math
from collections.abc import Sequence

import blf
import bpy

from ..pick_hit import PickHit
from . import seen

FONT = 0
_AWAY = 12.0
_APART = 5.0


Box = tuple[float, float, float, float]
"""Left, lower, right and upper side, in pixels of the region."""


def draw(context: bpy.types.Context, hit: PickHit, scale: float) -> list[Box]:
    """Draw A, B, C and the vertex numbers outside of the triangle's corners, where there is room.

    Returns
    -------
    list of Box
        Where they are.
    """
    corners = seen.pixels(context, hit.corners)
    if corners is None:
        return []
    places = _outside(corners, _AWAY * scale)
    named = [f"{letter} {vertex}" for letter, vertex in zip("ABC", hit.vertices, strict=True)]
    for shown in (named, [*"ABC"]):
        boxes = [
            _around(place, *blf.dimensions(FONT, text), _APART / 2 * scale)
            for place, text in zip(places, shown, strict=True)
        ]
        if not any(overlap(boxes[i], boxes[i - 1]) for i in range(3)):
            _draw_texts(shown, boxes, _APART / 2 * scale)
            return boxes
    return []


def overlap(box: Box, other: Box) -> float:
    """The area (in square pixels) that two boxes share."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _outside(corners: Sequence[Sequence[float]], away: float) -> list[tuple[float, float]]:
    """Places so many pixels farther away from the middle than a triangle's corners."""
    middle_x = sum(x for x, _ in corners) / 3.0
    middle_y = sum(y for _, y in corners) / 3.0
    places = []
    for x, y in corners:
        share = away / max(math.hypot(x - middle_x, y - middle_y), 1.0)
        places.append((x + (x - middle_x) * share, y + (y - middle_y) * share))
    return places


def _around(place: tuple[float, float], width: float, height: float, margin: float) -> Box:
    x, y = place
    half, up = width / 2 + margin, height / 2 + margin
    return x - half, y - up, x + half, y + up


def _draw_texts(shown: Sequence[str], boxes: Sequence[Box], margin: float) -> None:
    blf.enable(FONT, blf.SHADOW)
    blf.shadow(FONT, 0, 0.0, 0.0, 0.0, 0.9)
    blf.shadow_offset(FONT, 1, -1)
    blf.color(FONT, 1.0, 1.0, 1.0, 1.0)
    for text, (left, low, _, _) in zip(shown, boxes, strict=True):
        blf.position(FONT, left + margin, low + margin, 0.0)
        blf.draw(FONT, text)
    blf.disable(FONT, blf.SHADOW)
