# SPDX-License-Identifier: GPL-3.0-or-later
"""View space, in double precision, a little nearer to the eye than the world is drawn.

So what lies on a surface is drawn before it, at the pixels where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import bpy
import numpy as np

from ..present import present
from ..standalone_core.extension import FloatArray

_NEARER = 1.0 - 3e-4  # at this share of its distance all is drawn, before the faces it lies on
_NEARER_PIXELS = 2.0  # where all distances are the same

_Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ViewSpace:
    """World to view space, and from there to a region."""

    turned: FloatArray  # (3, 3)
    moved: FloatArray  # (3,)
    clip: FloatArray  # (4, 4), from view space to clip space, for column vectors
    to_clip: FloatArray  # (4, 4), from the world to clip space, for row vectors
    size: tuple[int, int]  # of the region, in pixels

    @classmethod
    def of(cls, context: bpy.types.Context, nearer: float = 0.0) -> ViewSpace:
        """That of the context's region, nearer by at least so many pixels at the place drawn.

        It is made once for each view: redraws are many.
        """
        shown, region = present(context.region_data), present(context.region)
        view, window = (
            tuple(row[:] for row in matrix)
            for matrix in (shown.view_matrix[:], shown.window_matrix[:])
        )
        return _view_space(view, window, (region.width, region.height), nearer)

    def points(self, world: FloatArray) -> FloatArray:
        """World points (N, 3) in view space."""
        return world @ self.turned + self.moved

    def seen(self, world: FloatArray) -> tuple[FloatArray, FloatArray]:
        """World points (N, 3) in the region: pixels (N, 2), and what a depth buffer has, (N,).

        Depths run from 0 (near) to 1 (far). Behind the eye all is NaN.
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
    pixel = 2.0 / (clip[0, 0] * size[0])  # in a perspective, at the distance 1
    if clip[3, 2] != 0.0:  # a perspective
        share = min(_NEARER, 1.0 - nearer * pixel)
        turned, moved = turned * share, moved * share
    else:
        moved = moved + (0.0, 0.0, max(_NEARER_PIXELS, nearer) * pixel)
    to_clip = np.vstack([turned, moved]) @ clip[:, :3].T
    to_clip[3] += clip[:, 3]
    return ViewSpace(turned, moved, clip, to_clip, size)
