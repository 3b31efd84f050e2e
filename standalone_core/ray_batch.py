# SPDX-License-Identifier: MIT
"""Checked rays with what is asked of them, as they go from scene to mesh to engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RayBatch:
    """R rays and the question they ask; finite, in one space.

    Attributes
    ----------
    origins, directions : ndarray (R, 3)
        The directions have any length above 0, and all that counts along a ray counts in it.
    limits : ndarray (R,)
        Farther crossings are none, in lengths of each ray's direction.
    cull_sign : int
        1 keeps front-facing hits, -1 back-facing ones, 0 both.
    every : bool
        All crossings of each ray are wanted, or the first.
    """

    origins: FloatArray
    directions: FloatArray
    limits: FloatArray
    cull_sign: int
    every: bool

    def __len__(self) -> int:
        return len(self.origins)

    def take(self, rows: Any) -> RayBatch:
        """The rays of the given rows (indices, mask or slice)."""
        return self.moved(self.origins[rows], self.directions[rows], self.limits[rows])

    def moved(self, origins: FloatArray, directions: FloatArray, limits: FloatArray) -> RayBatch:
        """The same question of other rays."""
        return replace(self, origins=origins, directions=directions, limits=limits)
