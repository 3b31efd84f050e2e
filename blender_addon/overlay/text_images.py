# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts as images in one texture, all drawn at once, and the letters of the vertices.

Each text is drawn once into a texture: drawing all images takes as long as drawing one text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from mathutils import Matrix

from ..model.hit import PickHit
from ..session.viewports import Box
from ..settings import present
from ..standalone_core.extension import FloatArray
from . import view
from .canvas import blended, buffer, compiled
from .layout import overlap

_SIDE = 2048  # of the texture, in pixels
_LINE = 1.5  # height of a text's image, in sizes of the font
_BASE = 0.45  # from the lower side of the image to the baseline, in sizes of the font
_MARGIN = 2.0  # pixels left and right of a text, for its rim
_RIM = ((-1, -1), (1, 1), (-1, 1), (1, -1))
"""Offsets at which a text is drawn in black, so that it is visible on white."""

_MOST_CHARACTERS = 40
_AHEAD = 32  # texts drawn into the texture in advance, after each redraw

SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)], dtype=np.float64)
"""Two triangles that are a square, from (0, 0) to (1, 1)."""

_PIXELS = Matrix(((2 / _SIDE, 0, 0, -1), (0, 2 / _SIDE, 0, -1), (0, 0, -1, 0), (0, 0, 0, 1)))
"""From pixels of the texture to clip space."""

FONT = 0
_AWAY = 12.0
_FARTHEST = 60.0
_STEP = 4.0
_APART = 5.0
Pixel = Sequence[float]


class TextImages:
    """Images of white texts with dark rims, of one font size in pixels."""

    def __init__(self, size: float) -> None:
        self._size = size
        self.height = float(np.ceil(size * _LINE))
        self._image: Any = gpu.types.GPUTexture((_SIDE, _SIDE), format="RGBA8")
        self._widths: dict[str, float] = {}
        self._corners: dict[str, tuple[float, float]] = {}
        self._next = 0.0, 0.0
        self._is_full = False
        self._clear()

    def free(self) -> None:
        """Free the texture; afterwards nothing can be drawn."""
        del self._image

    def sizes(self, texts: Sequence[str]) -> FloatArray:
        """Widths and heights (N, 2) of the images of texts, in pixels."""
        unknown = [text for text in texts if text not in self._widths]
        if unknown:
            blf.size(FONT, self._size)
            for text in unknown:
                width = blf.dimensions(FONT, shortened(text))[0] + 2 * _MARGIN
                self._widths[text] = float(min(np.ceil(width), _SIDE))
        sizes = np.full((len(texts), 2), self.height)
        sizes[:, 0] = [self._widths[text] for text in texts]
        return sizes

    def draw(
        self,
        context: bpy.types.Context,
        texts: Sequence[str],
        corners: FloatArray,
        opacities: FloatArray,
    ) -> None:
        """Draw texts into a region, with lower left corners (N, 2) in pixels and opacities (N,)."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._corners]
        if missing and not self._add(missing):
            self._clear()
            self._add(list(dict.fromkeys(texts)))
        shader = compiled(
            "text",
            (("VEC2", "corner"), ("VEC3", "inside")),
            (("VEC2", "at"), ("FLOAT", "opacity")),
            (("VEC2", "extent"),),
            ("image",),
        )
        if shader is None:
            return
        nowhere = (0.0, float(_SIDE))
        inside = np.array([self._corners.get(text, nowhere) for text in texts]).reshape(-1, 2)
        batch = _batch(np.floor(corners), inside, self.sizes(texts), opacities)
        region = present(context.region)
        with blended():
            shader.bind()
            shader.uniform_sampler("image", self._image)
            shader.uniform_float("extent", (region.width, region.height))
            batch.draw(shader)

    def prepare(self, texts: Sequence[str]) -> None:
        """Draw some of the missing texts into the texture, for later.

        If the texture were used at once, Blender would have to wait for the drawing to end.
        """
        if self._is_full or len(self._corners) >= len(texts):
            return
        missing = [text for text in texts if text not in self._corners]
        if missing:
            self._is_full = not self._add(missing[:_AHEAD])

    def _add(self, texts: Sequence[str]) -> bool:
        """Draw texts into the texture; return whether there was room for all."""
        widths = self.sizes(texts)[:, 0].tolist()
        matrices: Any = gpu.matrix
        with self._framebuffer().bind(), matrices.push_pop(), matrices.push_pop_projection():
            gpu.matrix.load_matrix(Matrix.Identity(4))
            gpu.matrix.load_projection_matrix(_PIXELS)
            blf.size(FONT, self._size)
            return all(map(self._add_one, texts, widths))

    def _add_one(self, text: str, width: float) -> bool:
        left, low = self._next
        if left + width > _SIDE:
            left, low = 0.0, low + self.height
        if low + self.height > _SIDE:
            return False
        self._next = left + width, low
        self._corners[text] = left, low
        shown = shortened(text)
        for x, y, shade in (*((*way, 0.0) for way in _RIM), (0, 0, 1.0)):
            blf.color(FONT, shade, shade, shade, 1.0)
            blf.position(FONT, left + _MARGIN + x, low + _BASE * self._size + y, 0.0)
            blf.draw(FONT, shown)
        return True

    def _clear(self) -> None:
        self._corners.clear()
        self._next = 0.0, 0.0
        framebuffer = self._framebuffer()
        with framebuffer.bind():
            framebuffer.clear(color=(0.0, 0.0, 0.0, 0.0))

    def _framebuffer(self) -> Any:
        """A framebuffer for the texture, in any window.

        Making a GPUOffScreen while Blender draws would leave another framebuffer active: all else
        would be drawn into that, and depths read from it.
        """
        return gpu.types.GPUFrameBuffer(color_slots=self._image)


_held: dict[tuple[float, str], TextImages] = {}


def of_size(context: bpy.types.Context, size: float) -> TextImages:
    """The images of texts of a font size in pixels, in the font of the interface."""
    key = size, context.preferences.view.font_path_ui
    if key not in _held:
        free()
        _held[key] = TextImages(size)
    return _held[key]


def free() -> None:
    """Free all images."""
    for images in _held.values():
        images.free()
    _held.clear()


def shortened(text: str) -> str:
    """A text in one line, without the end of a long one."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_CHARACTERS else line[: _MOST_CHARACTERS - 1] + "…"


def _batch(
    corners: FloatArray, inside: FloatArray, sizes: FloatArray, opacities: FloatArray
) -> gpu.types.GPUBatch:
    """Images as triangles, by corners (N, 2) in the region and in the texture."""
    reach = sizes[:, None] * SQUARE
    texels = np.empty((len(corners), len(SQUARE), 3))
    texels[:, :, :2] = inside[:, None] + reach
    texels[:, :, 2] = opacities[:, None]
    places = (corners[:, None] + reach).reshape(-1, 2)
    values = buffer(corner=places, inside=texels.reshape(-1, 3))
    return gpu.types.GPUBatch(type="TRIS", buf=values)


def draw_vertex_labels(context: bpy.types.Context, hit: PickHit, scale: float) -> list[Box]:
    """Draw A, B, C and the vertex numbers outside of the triangle's corners; return their boxes.

    If the triangle is not wider than their texts, or there is no room, the numbers are left out,
    and then the letters too: they would hide the surface around a small triangle.
    """
    corners = view.pixels(context, hit.corners)
    if corners is None:
        return []
    columns = [x for x, _ in corners]
    named = [f"{letter} {vertex}" for letter, vertex in zip("ABC", hit.vertices, strict=True)]
    margin = _APART / 2 * scale
    for shown in (named, [*"ABC"]):
        sizes = [[side + 2 * margin for side in blf.dimensions(FONT, text)] for text in shown]
        is_wider = max(columns) - min(columns) > max(width for width, _ in sizes)
        boxes = placed(corners, sizes, scale) if is_wider else []
        if boxes:
            _draw_shadowed(shown, boxes, margin)
            return boxes
    return []


def _draw_shadowed(texts: Sequence[str], boxes: Sequence[Box], margin: float) -> None:
    blf.enable(FONT, blf.SHADOW)
    blf.shadow(FONT, 0, 0.0, 0.0, 0.0, 0.9)
    blf.shadow_offset(FONT, 1, -1)
    blf.color(FONT, 1.0, 1.0, 1.0, 1.0)
    for text, (left, low, _, _) in zip(texts, boxes, strict=True):
        blf.position(FONT, left + margin, low + margin, 0.0)
        blf.draw(FONT, text)
    blf.disable(FONT, blf.SHADOW)


def placed(corners: Sequence[Pixel], sizes: Sequence[Pixel], scale: float) -> list[Box]:
    """Boxes of given sizes beside a triangle's corners, clear of the triangle and of each other.

    Each is moved away from the triangle's middle until it is clear. If one gets too far from its
    corner, as for a triangle of no size, there are no boxes.
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


def _outward(corners: Sequence[Pixel]) -> list[tuple[float, float]]:
    """Unit vectors from a triangle's middle to its corners; shorter if nearer than a pixel."""
    middle_x = sum(x for x, _ in corners) / 3.0
    middle_y = sum(y for _, y in corners) / 3.0
    ways = [(x - middle_x, y - middle_y) for x, y in corners]
    return [(x / max(math.hypot(x, y), 1.0), y / max(math.hypot(x, y), 1.0)) for x, y in ways]


def _around(corner: Pixel, way: Pixel, away: float, width: float, height: float) -> Box:
    x, y = corner[0] + way[0] * away, corner[1] + way[1] * away
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _covers(box: Box, triangle: Sequence[Pixel]) -> bool:
    """Whether a box and a triangle overlap: no line separates the two."""
    left, low, right, top = box
    corners = [(left, low), (right, low), (left, top), (right, top)]
    pairs = ((triangle[i - 1], triangle[i]) for i in range(3))
    sides = [(b[1] - a[1], a[0] - b[0]) for a, b in pairs]
    for across_x, across_y in ((1.0, 0.0), (0.0, 1.0), *sides):
        of_box = [x * across_x + y * across_y for x, y in corners]
        of_triangle = [x * across_x + y * across_y for x, y in triangle]
        if max(of_box) < min(of_triangle) or max(of_triangle) < min(of_box):
            return False
    return True
