# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the world is hidden in a viewport, by the depths that Blender has drawn."""

from __future__ import annotations

from typing import Any, cast

import bpy
import gpu
import numpy as np

from ..standalone_core.extension import BoolArray, FloatArray


def shows_through(context: bpy.types.Context) -> bool:
    """Whether the viewport shows what is behind geometry as well: by X-ray or as wires."""
    shading = cast(bpy.types.SpaceView3D, context.space_data).shading
    return shading.type == "WIREFRAME" or (shading.type == "SOLID" and shading.show_xray)


def are_hidden(context: bpy.types.Context, pixels: FloatArray, depths: FloatArray) -> BoolArray:
    """Which depths (N,) of a depth buffer are behind what is drawn at pixels (N, 2), (N,).

    The pixels are inside of the region. All are read at once: the GPU has to be waited for.
    """
    columns, rows = pixels.astype(np.int64).T
    left, low = int(columns.min()), int(rows.min())
    width, height = int(columns.max()) - left + 1, int(rows.max()) - low + 1
    read: Any = gpu.state.active_framebuffer_get().read_depth(left, low, width, height)
    read.dimensions = width * height  # Blender 4.3 counts the steps of two dimensions wrong
    drawn = np.asarray(read).reshape(height, width)
    return np.asarray(depths > drawn[rows - low, columns - left])
