# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts as images, so that any number of them are drawn at once.

Each is drawn once into a texture; Blender takes as long for one text as for all their images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from mathutils import Matrix

from ..present import present
from ..standalone_core.extension import FloatArray
from .canvas import blended
from .shaders import buffer, compiled
from .vertex_labels import FONT

_SIDE = 2048  # of the texture, in pixels
_LINE = 1.5  # of the size of the font: height of a text's image
_BASE = 0.45  # of that size: from the lower side of the image to the line that the text stands on
_MARGIN = 2.0  # left and right of a text, for its rim
_RIM = ((-1, -1), (1, 1), (-1, 1), (1, -1))
"""Where a text stands once more, black, so that it is seen on white."""

_MOST_CHARACTERS = 40
_AHEAD = 32  # so many texts are drawn before they are needed, after a redraw

_AROUND = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)], dtype=np.float64)
"""Two triangles that are a square."""

_PIXELS = Matrix(((2 / _SIDE, 0, 0, -1), (0, 2 / _SIDE, 0, -1), (0, 0, -1, 0), (0, 0, 0, 1)))
"""From pixels of the texture to clip space."""


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
        """Free the texture; nothing can be drawn any more."""
        del self._image

    def sizes(self, texts: Sequence[str]) -> FloatArray:
        """Widths and heights (N, 2) of the images of texts, in pixels."""
        unknown = [text for text in texts if text not in self._widths]
        if unknown:
            blf.size(FONT, self._size)
            for text in unknown:
                width = blf.dimensions(FONT, _shortened(text))[0] + 2 * _MARGIN
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
        """Draw texts into a region, their lower left corners (N, 2) at its pixels.

        Their opacities are (N,).
        """
        missing = [text for text in dict.fromkeys(texts) if text not in self._corners]
        if missing and not self._add(missing):
            self._clear()
            self._add(list(dict.fromkeys(texts)))
        shader = _shader()
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
        """Draw some of the texts that are not there yet into the texture, for later.

        What is drawn into a texture is to be waited for where the texture is used at once.
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
        shown = _shortened(text)
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
        """A way to draw into the texture, from whatever window.

        A GPUOffScreen that is made while Blender draws leaves another framebuffer active: the rest
        would be drawn there, and depths be read from it.
        """
        return gpu.types.GPUFrameBuffer(color_slots=self._image)


_held: dict[tuple[float, str], TextImages] = {}


def of_size(context: bpy.types.Context, size: float) -> TextImages:
    """The images of a font size in pixels, in the font of the interface."""
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


def _shortened(text: str) -> str:
    """A text without its end, where it is long, and in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_CHARACTERS else line[: _MOST_CHARACTERS - 1] + "…"


def _batch(
    corners: FloatArray, inside: FloatArray, sizes: FloatArray, opacities: FloatArray
) -> gpu.types.GPUBatch:
    """Images at pixels (N, 2) of the region, and (N, 2) of the texture, as triangles."""
    reach = sizes[:, None] * _AROUND
    texels = np.empty((len(corners), len(_AROUND), 3))
    texels[:, :, :2] = inside[:, None] + reach
    texels[:, :, 2] = opacities[:, None]
    places = (corners[:, None] + reach).reshape(-1, 2)
    values = buffer(corner=places, inside=texels.reshape(-1, 3))
    return gpu.types.GPUBatch(type="TRIS", buf=values)


def _shader() -> gpu.types.GPUShader | None:
    return compiled(
        "text",
        (("VEC2", "corner"), ("VEC3", "inside")),
        (("VEC2", "at"), ("FLOAT", "opacity")),
        (("VEC2", "extent"),),
        ("image",),
    )
