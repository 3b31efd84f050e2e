# SPDX-License-Identifier: MIT
"""Rays that touch a mesh exactly, on its outline as they see it, and go through none of it.

They hit or miss it as if they were moved a little, also where the mesh is closed. For those who
count a touch as a hit.
"""

import numpy as np

from ..cast.hits import misses, nearest_of_each
from ..cast.rays import RayBatch
from ..hit import RayHits
from ..numerics.arrays import IntArray
from .touches import Touchable


class Outline(Touchable):
    """All triangles of a mesh, which rays hit that touch them; with the tree over them."""

    def touched(self, rays: RayBatch, most: int | None = None) -> tuple[IntArray, RayHits]:
        """The places (N,) that rays touch which hit nothing, each with the row of its ray.

        They are sorted by row and distance; of each ray there are no more than `most`, if given.
        """
        return self._all(rays) if most is None else nearest_of_each(self._all, rays, most)

    def _all(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        return self.with_touches(rays, np.empty(0, dtype=np.int64), misses(0))

    def _met(self, _: RayBatch, row: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
        return row, item
