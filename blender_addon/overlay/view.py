# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the viewport that is being drawn shows the world.

View space is in double precision, and a little nearer to the eye than the world: so things on a
surface are drawn in front of it, at the same pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import bpy
import numpy as np

from ..settings import present
from ..standalone_core import Camera
from ..standalone_core.extension import FloatArray

_NEARER = 1.0 - 3e-4  # factor of distances from the eye, to draw in front of faces
_NEARER_PIXELS = 2.0  # shift toward the eye in an orthographic view

_Rows = tuple[tuple[float, ...], ...]


def space(context: bpy.types.Context) -> bpy.types.SpaceView3D:
    """The 3D viewport of the context."""
    return cast(bpy.types.SpaceView3D, context.space_data)


def camera(context: bpy.types.Context) -> Camera:
    """The camera of the context's region, made once for each view: there are many redraws."""
    view, window, size = _matrices_and_size(context)
    return _camera(view, window, *size)


_camera = lru_cache(maxsize=8)(Camera)


def _matrices_and_size(context: bpy.types.Context) -> tuple[_Rows, _Rows, tuple[int, int]]:
    """The view and window matrix of the context's region, and its size in pixels."""
    data, region = present(context.region_data), present(context.region)
    matrices = data.view_matrix[:], data.window_matrix[:]
    view, window = (tuple(row[:] for row in matrix) for matrix in matrices)
    return view, window, (region.width, region.height)


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


@dataclass(frozen=True, slots=True, eq=False)
class ViewSpace:
    """The transform from the world to view space, and the one from there to a region."""

    turned: FloatArray  # (3, 3)
    moved: FloatArray  # (3,)
    clip: FloatArray  # (4, 4), from view space to clip space, for column vectors
    to_clip: FloatArray  # (4, 4), from the world to clip space, for row vectors
    size: tuple[int, int]  # of the region, in pixels

    @classmethod
    def of(cls, context: bpy.types.Context, nearer: float = 0.0) -> ViewSpace:
        """The view space of the context's region, nearer by at least `nearer` pixels.

        It is made once for each view: there are many redraws.
        """
        return _view_space(*_matrices_and_size(context), nearer)

    def points(self, world: FloatArray) -> FloatArray:
        """World points (N, 3) in view space."""
        return world @ self.turned + self.moved

    def seen(self, world: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The pixels (N, 2) of world points (N, 3) in the region, and their depths (N,).

        Depths run from 0 (near) to 1 (far), as in a depth buffer. Points behind the eye are NaN.
        """
        clipped = world @ self.to_clip[:3] + self.to_clip[3]
        weights = clipped[:, 3]
        weights[weights <= 0.0] = np.nan
        shares = clipped[:, :3] * (0.5 / weights)[:, None] + 0.5
        return shares[:, :2] * self.size, shares[:, 2]


@lru_cache(maxsize=16)
def _view_space(view: _Rows, window: _Rows, size: tuple[int, int], nearer: float) -> ViewSpace:
    of_view, clip = np.array(view), np.array(window)
    turned, moved = of_view[:3, :3].T, of_view[:3, 3]
    pixel = 2.0 / (clip[0, 0] * size[0])  # its width; in a perspective, at the distance 1
    if clip[3, 2] != 0.0:  # a perspective
        share = min(_NEARER, 1.0 - nearer * pixel)
        turned, moved = turned * share, moved * share
    else:
        moved = moved + (0.0, 0.0, max(_NEARER_PIXELS, nearer) * pixel)
    to_clip = np.vstack([turned, moved]) @ clip[:, :3].T
    to_clip[3] += clip[:, 3]
    return ViewSpace(turned, moved, clip, to_clip, size)
