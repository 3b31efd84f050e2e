# SPDX-License-Identifier: MIT
"""The four questions that can be asked of a mesh and of a scene alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from . import arguments
from .arguments import Cull
from .arrays import IntArray
from .errors import ShapeError
from .hit import Hit, RayHits
from .ray_batch import RayBatch


class Caster(ABC):
    """Something that rays can be cast at.

    Common parameters of the four methods, in the space of the mesh or scene:

    origin, direction : array_like (3,)
        The ray; the direction may have any length above 0.
    origins, directions : array_like (R, 3)
        Many rays; one of them may be a single (3,) that all rays share.
    max_distance : float, optional
        Hits beyond it are none; for batches also an array (R,). A length, as all distances.
    cull : {None, "back", "front"}
        Which side of the triangles is not hit.

    Hits at the same distance are ordered by instance, then by triangle. Bad input raises one of
    :mod:`standalone_core.errors`.
    """

    __slots__ = ()

    def ray_cast(
        self, origin: Any, direction: Any, max_distance: Any = np.inf, cull: Cull = None
    ) -> Hit | None:
        """The nearest hit of one ray, or None."""
        _, hits = self._cast(_one_ray(origin, direction, max_distance, cull, every=False))
        return hits[0] if len(hits) else None

    def ray_cast_all(
        self, origin: Any, direction: Any, max_distance: Any = np.inf, cull: Cull = None
    ) -> list[Hit]:
        """All hits of one ray, the nearest first."""
        _, hits = self._cast(_one_ray(origin, direction, max_distance, cull, every=True))
        return [hit for hit in hits if hit is not None]

    def cast_rays(
        self, origins: Any, directions: Any, max_distance: Any = np.inf, cull: Cull = None
    ) -> RayHits:
        """The nearest hit of each of R rays: R rows, some of them misses."""
        batch = _many_rays(origins, directions, max_distance, cull, every=False)
        rays, hits = self._cast(batch)
        return hits.scattered(rays, len(batch))

    def cast_rays_all(
        self, origins: Any, directions: Any, max_distance: Any = np.inf, cull: Cull = None
    ) -> tuple[RayHits, IntArray]:
        """All hits of each of R rays.

        Returns
        -------
        hits : RayHits
            The hits of ray 0, nearest first, then those of ray 1, and so on.
        splits : ndarray (R + 1,) of int64
            The hits of ray i are the rows ``splits[i] : splits[i + 1]``.
        """
        batch = _many_rays(origins, directions, max_distance, cull, every=True)
        rays, hits = self._cast(batch)
        return hits, np.searchsorted(rays, np.arange(len(batch) + 1)).astype(np.int64)

    @abstractmethod
    def _cast(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits of rays whose directions are unit vectors, with the row of the ray of each.

        Sorted by ray, distance, instance and triangle.
        """


def _one_ray(origin: Any, direction: Any, max_distance: Any, cull: Cull, every: bool) -> RayBatch:
    o = arguments.point(origin, "origin")
    d = arguments.unit_directions(arguments.floats(direction, "direction", (3,)), "direction")
    limits = np.array([arguments.distance(max_distance)])
    return RayBatch(o[None], d[None], limits, arguments.cull_sign(cull), every)


def _many_rays(
    origins: Any, directions: Any, max_distance: Any, cull: Cull, every: bool
) -> RayBatch:
    o = arguments.finite(arguments.points(origins, "origins"), "origins")
    d = arguments.points(directions, "directions")
    if o.ndim > 2 or d.ndim > 2 or (o.ndim == d.ndim == 2 and len(o) != len(d)):
        raise ShapeError(
            f"origins and directions must have shape (R, 3), or one of them (3,), "
            f"not {o.shape} and {d.shape}"
        )
    d = arguments.unit_directions(d, "directions")
    o, d = np.broadcast_arrays(np.atleast_2d(o), np.atleast_2d(d))
    if np.ndim(max_distance) == 0:
        limits = np.full(len(o), arguments.distance(max_distance))
    else:
        limits = arguments.distances(max_distance, len(o))
    return RayBatch(o, d, limits, arguments.cull_sign(cull), every)
