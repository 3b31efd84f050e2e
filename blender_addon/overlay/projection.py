# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the viewport that is being drawn shows the world."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import bpy
import numpy as np

from ..present import present
from ..standalone_core import Camera

_Rows = tuple[tuple[float, ...], ...]


def camera(context: bpy.types.Context) -> Camera:
    """The camera of the context's region, made once for each view: redraws are many."""
    view, region = present(context.region_data), present(context.region)
    view_rows, window_rows = (
        tuple(row[:] for row in matrix) for matrix in (view.view_matrix[:], view.window_matrix[:])
    )
    return _camera(view_rows, window_rows, region.width, region.height)


def pixels(
    context: bpy.types.Context, points: Sequence[Sequence[float]]
) -> list[tuple[float, float]] | None:
    """The pixels (N, 2) of world points (N, 3) in the region; None if one is behind the eye."""
    of_region = camera(context)
    if not np.all(of_region.is_in_front(points)):
        return None
    x, y, _ = of_region.project(points)
    return list(zip(x.tolist(), y.tolist(), strict=True))


@lru_cache(maxsize=16)
def pixel_size(of_region: Camera, point: tuple[float, ...]) -> float:
    """The length in world space of a pixel at a world point (3,)."""
    return float(of_region.pixel_size(point))


@lru_cache(maxsize=8)
def _camera(view: _Rows, projection: _Rows, width: int, height: int) -> Camera:
    return Camera(view, projection, width, height)
