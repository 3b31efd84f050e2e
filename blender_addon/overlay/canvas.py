# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing into a 3D viewport by world coordinates: fills, lines and discs.

All is brought into view space in double precision before the GPU has it in single precision, so
that what is far from the world's origin stays in place. What is behind other geometry is dimmed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal, cast

import bpy
import gpu
import numpy as np
from mathutils import Matrix

from .. import settings
from ..model.hit import Color
from ..standalone_core.extension import FloatArray
from . import projection
from .view_space import ViewSpace

BEHIND = 0.3  # of the opacity, behind other geometry
_HALO = (0.0, 0.0, 0.0, 0.45)  # around lines, so that they are visible on any background
_HALO_WIDTH = 2.0

_ANGLES = np.linspace(0.0, 2 * np.pi, 17)
_RING = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(17)], axis=1)
_DISC = np.stack([np.zeros((16, 3)), _RING[:-1], _RING[1:]], axis=1).reshape(-1, 3)
"""Triangles that fill a circle around the origin, whose radius is 1."""


class Canvas:
    """Draws into the viewport of a context, in its ``POST_VIEW`` callback."""

    def __init__(self, context: bpy.types.Context) -> None:
        self.scale = settings.ui_scale()
        self._camera = projection.camera(context)
        self._view = ViewSpace.of(context)
        self._near = self._view.clip[2] + self._view.clip[3]

    def fill(self, triangles: FloatArray, color: Color) -> None:
        """Fill triangles (T, 3, 3)."""
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        points = self._view.points(triangles.reshape(-1, 3))
        shader.bind()
        self._draw(shader, flat_batch("TRIS", points), color)

    def lines(self, segments: FloatArray, color: Color, width: float) -> None:
        """Draw lines (N, 2, 3), as wide as so many pixels of the interface."""
        ends = self._before_the_eye(self._view.points(segments.reshape(-1, 3)).reshape(-1, 2, 3))
        if not len(ends):
            return
        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        batch = flat_batch("LINES", ends.reshape(-1, 3))
        shader.bind()
        shader.uniform_float("viewportSize", self._view.size)
        shader.uniform_float("lineWidth", (width + _HALO_WIDTH) * self.scale)
        self._draw_before(shader, batch, _halo(color))
        shader.uniform_float("lineWidth", width * self.scale)
        self._draw(shader, batch, color)

    def disc(self, center: FloatArray, color: Color, radius: float) -> None:
        """Draw a disc around a point (3,), its radius so many pixels of the interface."""
        if not self._camera.is_in_front(center):
            return
        middle = self._view.points(center[None])
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        for shade, extra, draw in (
            (_halo(color), _HALO_WIDTH / 2, self._draw_before),
            (color, 0.0, self._draw),
        ):
            reach = self.length_of(radius + extra, center)
            draw(shader, flat_batch("TRIS", middle + reach * _DISC), shade)

    def length_of(self, pixels: float, point: FloatArray) -> float:
        """The length in world space of so many pixels of the interface, at a point (3,)."""
        return pixels * self.scale * projection.pixel_size(self._camera, tuple(point.tolist()))

    def _before_the_eye(self, ends: FloatArray) -> FloatArray:
        """Segments (N, 2, 3) of view space without what is behind the near clip plane."""
        if not self._camera.is_perspective:
            return ends
        depths = ends @ self._near[:3] + self._near[3]
        if depths.min(initial=1.0) > 0.0:
            return ends
        kept = (depths > 0.0).any(axis=1)
        ends, depths = ends[kept], depths[kept]
        for here, there in ((0, 1), (1, 0)):
            cut = np.flatnonzero(depths[:, here] <= 0.0)
            share = depths[cut, there] / (depths[cut, there] - depths[cut, here]) * (1.0 - 1e-6)
            ends[cut, here] = ends[cut, there] + share[:, None] * (
                ends[cut, here] - ends[cut, there]
            )
        return ends

    def _draw(self, shader: gpu.types.GPUShader, batch: gpu.types.GPUBatch, color: Color) -> None:
        """Draw before other geometry, and dimmed behind it."""
        self._draw_before(shader, batch, color)
        gpu.state.depth_test_set("GREATER")
        shader.uniform_float("color", (*color[:3], color[3] * BEHIND))
        batch.draw(shader)

    def _draw_before(
        self, shader: gpu.types.GPUShader, batch: gpu.types.GPUBatch, color: Color
    ) -> None:
        """Draw before other geometry alone."""
        gpu.state.depth_test_set("LESS_EQUAL")
        shader.uniform_float("color", color)
        batch.draw(shader)


def _halo(color: Color) -> Color:
    """The color around what has a color: as faint as that."""
    return (*_HALO[:3], _HALO[3] * color[3])


def flat_batch(kind: Literal["TRIS", "LINES"], points: FloatArray) -> gpu.types.GPUBatch:
    """Points (N, 3), to be drawn as triangles or as lines of one color."""
    buffer = gpu.types.GPUVertBuf(_format(), len(points))
    buffer.attr_fill("pos", cast(Any, points.astype(np.float32)))
    return gpu.types.GPUBatch(type=kind, buf=buffer)


@cache
def _format() -> gpu.types.GPUVertFormat:
    """Positions alone, which is all that the shaders take."""
    positions = gpu.types.GPUVertFormat()
    positions.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    return positions


@contextmanager
def blended() -> Iterator[None]:
    """Blend what is drawn within the context by its opacity."""
    before = gpu.state.blend_get()
    gpu.state.blend_set("ALPHA")
    try:
        yield
    finally:
        gpu.state.blend_set(cast(Any, before))


@contextmanager
def in_view_space() -> Iterator[None]:
    """Draw by coordinates of view space within the context, and leave all as it was."""
    depth_test, depth_mask = gpu.state.depth_test_get(), gpu.state.depth_mask_get()
    with blended():
        gpu.state.depth_mask_set(False)
        gpu.matrix.push()
        gpu.matrix.load_matrix(Matrix.Identity(4))
        try:
            yield
        finally:
            gpu.matrix.pop()
            gpu.state.depth_test_set(cast(Any, depth_test))
            gpu.state.depth_mask_set(depth_mask)
