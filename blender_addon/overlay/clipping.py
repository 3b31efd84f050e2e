# SPDX-License-Identifier: GPL-3.0-or-later
"""What the clipping region of a viewport leaves of the world."""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np

from ..bridge.view.clip import region_planes
from ..present import present
from ..standalone_core.extension import BoolArray, FloatArray


def is_shown(context: bpy.types.Context, points: FloatArray) -> BoolArray:
    """Which world points (N, 3) are inside of the clipping region, (N,); all where there is none."""
    space = cast(bpy.types.SpaceView3D, context.space_data)
    planes = region_planes(present(context.region_data), space)
    return np.asarray((points @ planes[:, :3].T + planes[:, 3] >= 0.0).all(axis=1))
