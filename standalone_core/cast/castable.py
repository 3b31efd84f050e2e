# SPDX-License-Identifier: MIT
"""What rays can be cast at."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..hit import Hit, RayHits
from ..numerics.arrays import IntArray
from .rays import LoneRay, RayBatch


class Castable(ABC):
    """Something that answers rays in its own space."""

    __slots__ = ()

    @abstractmethod
    def _cast(self, ray: LoneRay) -> list[Hit]:
        """Hits of one ray, sorted by distance, instance and triangle.

        Only the first, unless the ray's query asks for every hit.
        """

    @abstractmethod
    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits with the row of the ray of each, sorted by ray, distance, instance and triangle.

        Only the first of each ray, unless the rays' query asks for every hit.
        """
