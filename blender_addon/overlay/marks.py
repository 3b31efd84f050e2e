# SPDX-License-Identifier: GPL-3.0-or-later
"""Round marks of so many pixels, all drawn at once."""

from __future__ import annotations

import bpy
import gpu
import numpy as np

from .. import settings
from ..present import present
from ..standalone_core.extension import FloatArray
from .canvas import in_view_space
from .shaders import buffer, compiled

_NOWHERE = -1e6  # pixels


class Marks:
    """N marks of given colors (N, 3) and kinds (N, 3): 1.0 where selected, in use, locked."""

    def __init__(self, colors: FloatArray, kinds: FloatArray) -> None:
        self._looks = buffer(color=colors, kind=kinds)

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
        places = buffer(center=centers)
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


def _shader() -> gpu.types.GPUShader | None:
    return compiled(
        "mark",
        (("VEC3", "center"), ("VEC3", "color"), ("VEC3", "kind")),
        (("FLOAT", "reach"), ("VEC4", "fill"), ("VEC3", "style")),
        (("VEC2", "extent"), ("FLOAT", "radius"), ("FLOAT", "line"), ("BOOL", "srgbTarget")),
    )
