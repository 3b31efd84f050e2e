# SPDX-License-Identifier: GPL-3.0-or-later
"""Round marks of so many pixels, all drawn at once."""

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
from .canvas import in_view_space

_NOWHERE = -1e6  # pixels


class Marks:
    """N marks of given colors (N, 3) and kinds (N, 3): 1.0 where selected, in use, locked."""

    def __init__(self, colors: FloatArray, kinds: FloatArray) -> None:
        self._looks = _buffer(("color", colors), ("kind", kinds))

    def draw(
        self, context: bpy.types.Context, pixels: FloatArray, opacities: FloatArray, radius: float
    ) -> None:
        """Draw them at pixels (N, 2) of a region, before all else, in a ``POST_VIEW`` callback.

        Their opacities are (N,), and their radius so many pixels of the interface. Those at NaN
        are nowhere.
        """
        shader = _shader()
        if shader is None:
            return
        region, scale = present(context.region), settings.ui_scale()
        centers = np.column_stack([np.nan_to_num(pixels, nan=_NOWHERE), opacities])
        places = _buffer(("center", centers))
        batch = gpu.types.GPUBatch(type="POINTS", buf=places)
        batch.vertbuf_add(self._looks)
        with in_view_space():
            gpu.state.depth_test_set("NONE")
            gpu.state.program_point_size_set(True)
            shader.bind()
            shader.uniform_float("extent", (region.width, region.height))
            shader.uniform_float("radius", radius * scale)
            shader.uniform_float("line", scale)
            batch.draw(shader)
            gpu.state.program_point_size_set(False)


def _buffer(*columns: tuple[str, FloatArray]) -> gpu.types.GPUVertBuf:
    """Values for each vertex, (V, n), by name."""
    form = gpu.types.GPUVertFormat()
    for name, values in columns:
        form.attr_add(id=name, comp_type="F32", len=values.shape[1], fetch_mode="FLOAT")
    buffer = gpu.types.GPUVertBuf(form, len(columns[0][1]))
    for name, values in columns:
        buffer.attr_fill(name, cast(Any, values.astype(np.float32)))
    return buffer


@cache
def _shader() -> gpu.types.GPUShader | None:
    """The shader of marks, compiled once; None where that fails, which Blender then has printed."""
    made, passed = gpu.types.GPUShaderCreateInfo(), gpu.types.GPUStageInterfaceInfo("mark")
    passed.flat("FLOAT", "reach")
    passed.flat("VEC4", "fill")
    passed.flat("VEC3", "style")
    for slot, (kind, name) in enumerate((("VEC3", "center"), ("VEC3", "color"), ("VEC3", "kind"))):
        made.vertex_in(slot, cast(Any, kind), name)
    for kind, name in (
        ("VEC2", "extent"),
        ("FLOAT", "radius"),
        ("FLOAT", "line"),
        ("BOOL", "srgbTarget"),
    ):
        made.push_constant(cast(Any, kind), name)
    made.vertex_out(passed)
    made.fragment_out(0, "VEC4", "frag")
    made.vertex_source(_source("mark.vert.glsl"))
    made.fragment_source(_source("mark.frag.glsl"))
    try:
        return gpu.shader.create_from_info(made)
    except Exception:  # all that Blender tells of its kind
        return None


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
