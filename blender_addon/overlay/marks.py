# SPDX-License-Identifier: GPL-3.0-or-later
"""Round marks at places of the world, of so many pixels, all drawn at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import bpy
import gpu
import numpy as np

from .. import settings
from ..present import present
from ..standalone_core.extension import FloatArray
from .canvas import BEHIND, in_view_space
from .clipping import is_shown
from .view_space import ViewSpace

_AROUND = np.array([(-(3**0.5), -1.0), (3**0.5, -1.0), (0.0, 2.0)], dtype=np.float32)
"""A triangle around the unit circle: half as many as of squares, which is what takes time."""

_NOWHERE = (0.0, 0.0, 1e30)  # of view space: no view shows that


class Marks:
    """N marks of given colors (N, 4) and kinds (N, 3), as ``mark.frag.glsl`` has them."""

    def __init__(self, colors: FloatArray, kinds: FloatArray) -> None:
        count = len(colors)
        form = gpu.types.GPUVertFormat()
        for name, length in (("corner", 2), ("color", 4), ("kind", 3)):
            form.attr_add(id=name, comp_type="F32", len=length, fetch_mode="FLOAT")
        self._looks = gpu.types.GPUVertBuf(form, 3 * count)
        self._looks.attr_fill("corner", cast(Any, np.tile(_AROUND, (count, 1))))
        for name, values in (("color", colors), ("kind", kinds)):
            self._looks.attr_fill(name, cast(Any, np.repeat(values, 3, 0).astype(np.float32)))

    def draw(
        self,
        context: bpy.types.Context,
        points: FloatArray,
        radius: float,
        *,
        behind: float = BEHIND,
    ) -> None:
        """Draw them at world points (N, 3), their radius so many pixels of the interface.

        What of the opacity is left behind other geometry is `behind`; at 1.0 nothing is.
        """
        scale = settings.ui_scale()
        # As far before the surface as the mark is wide, so that no slope hides part of it.
        view = ViewSpace.of(context, radius * scale)
        shader = _shader()
        batch = self._batch(
            np.where(is_shown(context, points)[:, None], view.points(points), _NOWHERE)
        )
        with in_view_space():
            shader.bind()
            shader.uniform_float("window", present(context.region_data).window_matrix)
            shader.uniform_float("extent", view.size)
            shader.uniform_float("radius", radius * scale)
            shader.uniform_float("line", scale)
            passes = (
                [("ALWAYS", 1.0)] if behind >= 1.0 else [("LESS_EQUAL", 1.0), ("GREATER", behind)]
            )
            for test, opacity in passes:
                if opacity > 0.0:
                    gpu.state.depth_test_set(cast(Any, test))
                    shader.uniform_float("opacity", opacity)
                    batch.draw(shader)

    def _batch(self, centers: FloatArray) -> gpu.types.GPUBatch:
        form = gpu.types.GPUVertFormat()
        form.attr_add(id="center", comp_type="F32", len=3, fetch_mode="FLOAT")
        buffer = gpu.types.GPUVertBuf(form, 3 * len(centers))
        buffer.attr_fill("center", cast(Any, np.repeat(centers.astype(np.float32), 3, axis=0)))
        batch = gpu.types.GPUBatch(type="TRIS", buf=buffer)
        batch.vertbuf_add(self._looks)
        return batch


@cache
def _shader() -> gpu.types.GPUShader:
    """The shader of marks, compiled once."""
    made, passed = gpu.types.GPUShaderCreateInfo(), gpu.types.GPUStageInterfaceInfo("mark")
    passed.smooth("VEC2", "away")
    passed.flat("VEC4", "fill")
    passed.flat("VEC3", "style")
    for slot, (kind, name) in enumerate(
        (("VEC3", "center"), ("VEC2", "corner"), ("VEC4", "color"), ("VEC3", "kind"))
    ):
        made.vertex_in(slot, cast(Any, kind), name)
    for kind, name in (
        ("MAT4", "window"),
        ("VEC2", "extent"),
        ("FLOAT", "radius"),
        ("FLOAT", "line"),
        ("FLOAT", "opacity"),
        ("BOOL", "srgbTarget"),
    ):
        made.push_constant(cast(Any, kind), name)
    made.vertex_out(passed)
    made.fragment_out(0, "VEC4", "frag")
    made.vertex_source(_source("mark.vert.glsl"))
    made.fragment_source(_source("mark.frag.glsl"))
    return gpu.shader.create_from_info(made)


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
