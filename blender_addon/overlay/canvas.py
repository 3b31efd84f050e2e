# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing into a 3D viewport by world coordinates: fills, lines, discs, and many marks at once.

Points are moved into view space in double precision before the GPU gets them in single precision,
so that things far from the world's origin are drawn in place. Things behind geometry are dimmed.

Marks have their own shaders, in files next to this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import bpy
import gpu
import numpy as np
from mathutils import Matrix

from .. import settings
from ..model.hit import Color
from ..settings import present
from ..standalone_core.extension import FloatArray
from . import view
from .view import ViewSpace

BEHIND = 0.3  # share of the opacity behind other geometry
_HALO = (0.0, 0.0, 0.0, 0.45)  # around lines, so that they are visible on any background
_HALO_WIDTH = 2.0

_ANGLES = np.linspace(0.0, 2 * np.pi, 17)
_RING = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(17)], axis=1)
_DISC = np.stack([np.zeros((16, 3)), _RING[:-1], _RING[1:]], axis=1).reshape(-1, 3)
"""Triangles that fill a circle around the origin, whose radius is 1."""

_Typed = tuple[tuple[str, str], ...]  # pairs of a type of Blender and a name

_NOWHERE = -1e6  # a pixel that is never visible


class Canvas:
    """Draws into the viewport of a context, in its ``POST_VIEW`` callback."""

    def __init__(self, context: bpy.types.Context) -> None:
        self.scale = settings.ui_scale()
        self._camera = view.camera(context)
        self._view = ViewSpace.of(context)
        self._near = self._view.clip[2] + self._view.clip[3]

    def fill(self, triangles: FloatArray, color: Color) -> None:
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        points = self._view.points(triangles.reshape(-1, 3))
        shader.bind()
        self._draw(shader, _batch("TRIS", points), color)

    def lines(self, segments: FloatArray, color: Color, width: float) -> None:
        """Draw lines (N, 2, 3) with a width in pixels of the interface."""
        ends = self._in_front_of_eye(self._view.points(segments.reshape(-1, 3)).reshape(-1, 2, 3))
        if not len(ends):
            return
        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        batch = _batch("LINES", ends.reshape(-1, 3))
        shader.bind()
        shader.uniform_float("viewportSize", self._view.size)
        shader.uniform_float("lineWidth", (width + _HALO_WIDTH) * self.scale)
        self._draw_in_front(shader, batch, _halo(color))
        shader.uniform_float("lineWidth", width * self.scale)
        self._draw(shader, batch, color)

    def disc(self, center: FloatArray, color: Color, radius: float) -> None:
        """Draw a disc around a point (3,), with a radius in pixels of the interface."""
        if not self._camera.is_in_front(center):
            return
        middle, pixel = self._view.points(center[None]), self.length_of(1.0, center)
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        for shade, extra, draw in (
            (_halo(color), _HALO_WIDTH / 2, self._draw_in_front),
            (color, 0.0, self._draw),
        ):
            draw(shader, _batch("TRIS", middle + (radius + extra) * pixel * _DISC), shade)

    def length_of(self, pixels: float, point: FloatArray) -> float:
        """The world length of some pixels of the interface, at a point (3,)."""
        return pixels * self.scale * view.pixel_size(self._camera, tuple(point.tolist()))

    def _in_front_of_eye(self, ends: FloatArray) -> FloatArray:
        """Segments (N, 2, 3) of view space, cut off at the near clip plane."""
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
        """Draw in front of other geometry, and dimmed behind it."""
        self._draw_in_front(shader, batch, color)
        gpu.state.depth_test_set("GREATER")
        shader.uniform_float("color", (*color[:3], color[3] * BEHIND))
        batch.draw(shader)

    def _draw_in_front(
        self, shader: gpu.types.GPUShader, batch: gpu.types.GPUBatch, color: Color
    ) -> None:
        """Draw only in front of other geometry."""
        gpu.state.depth_test_set("LESS_EQUAL")
        shader.uniform_float("color", color)
        batch.draw(shader)


def _halo(color: Color) -> Color:
    """The halo's color for lines and discs of a color, as transparent as that."""
    return (*_HALO[:3], _HALO[3] * color[3])


def _batch(kind: Literal["TRIS", "LINES"], points: FloatArray) -> gpu.types.GPUBatch:
    """Points (N, 3) as triangles or lines of one color."""
    return gpu.types.GPUBatch(type=kind, buf=buffer(pos=points))


def fill_pixels(triangles: FloatArray, color: Color) -> None:
    """Fill triangles whose corners are pixels (N, 2) of the region, three after three."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    with blended():
        shader.bind()
        shader.uniform_float("color", color)
        _batch("TRIS", np.column_stack([triangles, np.zeros(len(triangles))])).draw(shader)


@contextmanager
def blended() -> Iterator[None]:
    """Blend by opacity what is drawn within the context."""
    before = gpu.state.blend_get()
    gpu.state.blend_set("ALPHA")
    try:
        yield
    finally:
        gpu.state.blend_set(cast(Any, before))


@contextmanager
def in_view_space() -> Iterator[None]:
    """Draw in coordinates of view space within the context, and restore the state afterwards."""
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


@cache
def compiled(
    name: str, vertex: _Typed, passed: _Typed, constants: _Typed, images: tuple[str, ...] = ()
) -> gpu.types.GPUShader | None:
    """A shader, compiled once; None if that fails, and Blender has printed why.

    `name` is that of its two files, `vertex` has the inputs of each vertex, and `passed` the values
    from vertices to pixels: only one named ``"at"`` is interpolated. `constants` are set for each
    drawing, and `images` are names of textures.
    """
    made, passing = gpu.types.GPUShaderCreateInfo(), gpu.types.GPUStageInterfaceInfo(name)
    for kind, each in passed:
        (passing.smooth if each == "at" else passing.flat)(cast(Any, kind), each)
    for slot, (kind, each) in enumerate(vertex):
        made.vertex_in(slot, cast(Any, kind), each)
    for kind, each in constants:
        made.push_constant(cast(Any, kind), each)
    for slot, each in enumerate(images):
        made.sampler(slot, "FLOAT_2D", each)
    made.vertex_out(passing)
    made.fragment_out(0, "VEC4", "frag")
    files = Path(__file__).parent
    made.vertex_source((files / f"{name}.vert.glsl").read_text(encoding="utf-8"))
    made.fragment_source((files / f"{name}.frag.glsl").read_text(encoding="utf-8"))
    try:
        return gpu.shader.create_from_info(made)
    except Exception:  # Blender raises no more specific type
        return None


def buffer(**columns: FloatArray) -> gpu.types.GPUVertBuf:
    """A buffer of vertices with values (V, n), by name."""
    form = gpu.types.GPUVertFormat()
    for name, values in columns.items():
        form.attr_add(id=name, comp_type="F32", len=values.shape[1], fetch_mode="FLOAT")
    made = gpu.types.GPUVertBuf(form, len(next(iter(columns.values()))))
    for name, values in columns.items():
        made.attr_fill(name, cast(Any, np.ascontiguousarray(values, dtype=np.float32)))
    return made


def draw_marks(
    context: bpy.types.Context,
    looks: gpu.types.GPUVertBuf,
    pixels: FloatArray,
    opacities: FloatArray,
    radius: float,
) -> None:
    """Draw marks at pixels (N, 2) of a region, over all else, in a ``POST_VIEW`` callback.

    Their looks are colors (N, 3) and kinds (N, 3): 1.0 where selected, active, locked. They have
    opacities (N,), and a radius in pixels of the interface. Those at NaN are left out.
    """
    shader = compiled(
        "mark",
        (("VEC3", "center"), ("VEC3", "color"), ("VEC3", "kind")),
        (("FLOAT", "reach"), ("VEC4", "fill"), ("VEC3", "style")),
        (("VEC2", "extent"), ("FLOAT", "radius"), ("FLOAT", "line"), ("BOOL", "srgbTarget")),
    )
    if shader is None:
        return
    region, scale = present(context.region), settings.ui_scale()
    centers = np.column_stack([np.nan_to_num(pixels, nan=_NOWHERE), opacities])
    batch = gpu.types.GPUBatch(type="POINTS", buf=buffer(center=centers))
    batch.vertbuf_add(looks)
    with in_view_space():
        gpu.state.depth_test_set("NONE")
        gpu.state.program_point_size_set(True)
        shader.bind()
        shader.uniform_float("extent", (region.width, region.height))
        shader.uniform_float("radius", radius * scale)
        shader.uniform_float("line", scale)
        batch.draw(shader)
        gpu.state.program_point_size_set(False)
