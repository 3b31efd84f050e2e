# SPDX-License-Identifier: GPL-3.0-or-later
"""View space, in double precision, a little nearer to the eye than the world is drawn.

So what lies on a surface is drawn before it, at the pixels where it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ..present import present
from ..standalone_core.extension import FloatArray

_NEARER = 1.0 - 3e-4  # at this share of its distance all is drawn, before the faces it lies on
_NEARER_PIXELS = 2.0  # where all distances are the same


@dataclass(frozen=True, slots=True, eq=False)
class ViewSpace:
    """World to view space and from there to clip space, in a region."""

    turned: FloatArray  # (3, 3)
    moved: FloatArray  # (3,)
    clip: FloatArray  # (4, 4), of column vectors
    size: tuple[int, int]  # of the region, in pixels

    @classmethod
    def of(cls, context: bpy.types.Context, nearer: float = 0.0) -> ViewSpace:
        """That of the context's region, nearer by at least so many pixels of the place drawn at."""
        shown, region = present(context.region_data), present(context.region)
        view = np.array(shown.view_matrix, dtype=np.float64)
        clip = np.array(shown.window_matrix, dtype=np.float64)
        turned, moved = view[:3, :3].T, view[:3, 3]
        pixel = 2.0 / (clip[0, 0] * region.width)  # in a perspective, at the distance 1
        if clip[3, 2] != 0.0:  # a perspective
            share = min(_NEARER, 1.0 - nearer * pixel)
            turned, moved = turned * share, moved * share
        else:
            moved = moved + (0.0, 0.0, max(_NEARER_PIXELS, nearer) * pixel)
        return cls(turned, moved, clip, (region.width, region.height))

    def points(self, world: FloatArray) -> FloatArray:
        """World points (N, 3) in view space."""
        return world @ self.turned + self.moved

    @np.errstate(all="ignore")
    def depths(self, world: FloatArray) -> FloatArray:
        """What a depth buffer has for world points (N, 3): from 0 (near) to 1 (far), (N,)."""
        seen = self.points(world)
        along, across = (seen @ self.clip[row, :3] + self.clip[row, 3] for row in (2, 3))
        return np.asarray(along / across / 2.0 + 0.5)
