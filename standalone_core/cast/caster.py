# SPDX-License-Identifier: MIT
"""The queries that a mesh and a scene answer alike."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from .. import arguments
from ..arguments import Cull
from ..concurrency.thread_count import ThreadLimit
from ..errors import ShapeError
from ..hit import Hit, RayHits
from ..numerics.arrays import BoolArray, FloatArray, IntArray, repeated
from .hits import scattered
from .rays import (
    LEAST_SQUARE,
    MOST_SQUARE,
    LoneRay,
    Query,
    RayBatch,
    lengthened,
    lengthened_many,
    ordinary,
    ordinary_many,
)


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


class Caster(Castable):
    """Something that rays can be cast at: the nearest hit or all hits, of one ray or of many."""

    __slots__ = ()

    def ray_cast(
        self,
        origin: Any,
        direction: Any,
        max_distance: Any = np.inf,
        cull: Cull = None,
        exclude: Any = None,
    ) -> Hit | None:
        """The nearest hit of one ray, or None.

        Parameters
        ----------
        origin, direction : array_like (3,)
            The ray, in the space of the mesh or scene; the direction may have any length above 0.
        max_distance : float, optional
            Hits beyond it do not count. It is a length, as all distances, whatever the
            direction's.
        cull : {None, "back", "front"}
            Which side of the triangles is not hit.
        exclude : array_like, optional
            What is not hit, and hides nothing. Of a mesh its triangles, as indices or as a mask
            (T,); of a scene its instances, as a list of ids.

        Raises
        ------
        RaypickError
            One of :mod:`standalone_core.errors`, for bad input.

        Notes
        -----
        The ray is taken exactly as given: its direction is not made a unit vector first. (One
        longer than 1e20 or shorter than 1e-20 is scaled by a power of two, and loses what is below
        1e-308 of its length.) A distance that is finite is found, up to the ends of float64; below
        1e-323 times the direction's length it may be rounded to 0. Of hits at the same distance
        that of the first instance, and of the first triangle there, counts as the nearest.
        """
        if cull is None and exclude is None:
            hit: Hit | None = self._cast_quickly(origin, direction, max_distance)
            if hit is not NotImplemented:
                return hit
        query = self._query(cull, exclude, every=False)
        hits = self._cast(_one_ray(origin, direction, max_distance, query))
        return hits[0] if hits else None

    def ray_cast_all(
        self,
        origin: Any,
        direction: Any,
        max_distance: Any = np.inf,
        cull: Cull = None,
        exclude: Any = None,
    ) -> list[Hit]:
        """All hits of one ray, the nearest first; parameters as for :meth:`ray_cast`.

        Hits at the same distance are ordered by instance, then by triangle.
        """
        query = self._query(cull, exclude, every=True)
        return self._cast(_one_ray(origin, direction, max_distance, query))

    def cast_rays(
        self,
        origins: Any,
        directions: Any,
        max_distance: Any = np.inf,
        cull: Cull = None,
        exclude: Any = None,
        threads: int | None = None,
    ) -> RayHits:
        """The nearest hit of each of R rays.

        Parameters
        ----------
        origins, directions : array_like (R, 3)
            One of them may be a single (3,) that all rays share.
        max_distance : float or array_like (R,), optional
        cull, exclude
            As for :meth:`ray_cast`.
        threads : int, optional
            How many threads cast, this one included; see :func:`.set_threads`.

        Returns
        -------
        RayHits
            R rows, some of them misses: distance inf, triangle -1.
        """
        query = self._query(cull, exclude, every=False)
        with ThreadLimit(threads):
            return self._cast_nearest(self._many_rays(origins, directions, max_distance, query))

    def cast_rays_all(
        self,
        origins: Any,
        directions: Any,
        max_distance: Any = np.inf,
        cull: Cull = None,
        exclude: Any = None,
        threads: int | None = None,
    ) -> tuple[RayHits, IntArray]:
        """All hits of each of R rays; parameters as for :meth:`cast_rays`.

        Returns
        -------
        hits : RayHits
            The hits of ray 0, nearest first, then those of ray 1, and so on.
        splits : ndarray (R + 1,) of int64
            The hits of ray i are ``hits[splits[i] : splits[i + 1]]``.
        """
        query = self._query(cull, exclude, every=True)
        batch = self._many_rays(origins, directions, max_distance, query)
        with ThreadLimit(threads):
            rows, hits = self._cast_many(batch)
        return hits, np.searchsorted(rows, np.arange(len(batch) + 1)).astype(np.int64)

    def any_hit(
        self,
        origins: Any,
        directions: Any,
        max_distance: Any = np.inf,
        cull: Cull = None,
        exclude: Any = None,
        threads: int | None = None,
    ) -> BoolArray:
        """Whether each of R rays hits anything, (R,); parameters as for :meth:`cast_rays`.

        Usually faster than the nearest hits, and never slower, as any hit ends the search.
        """
        query = self._query(cull, exclude, every=False)
        with ThreadLimit(threads):
            return self._any_hit(self._many_rays(origins, directions, max_distance, query))

    def count_hits(
        self,
        origins: Any,
        directions: Any,
        max_distance: Any = np.inf,
        cull: Cull = None,
        exclude: Any = None,
        threads: int | None = None,
    ) -> IntArray:
        """The number of hits of each of R rays, (R,); parameters as for :meth:`cast_rays`.

        As many as :meth:`cast_rays_all` finds. A closed mesh is crossed an even number of times by
        a ray from outside, and an odd number from inside.
        """
        query = self._query(cull, exclude, every=True)
        with ThreadLimit(threads):
            return self._count_hits(self._many_rays(origins, directions, max_distance, query))

    def _cast_quickly(
        self,
        origin: Any,  # noqa: ARG002
        direction: Any,  # noqa: ARG002
        max_distance: Any,  # noqa: ARG002
    ) -> Any:
        """As :meth:`ray_cast`, with a short way for usual rays; NotImplemented for all others."""
        return NotImplemented

    def _query(self, cull: Cull, exclude: Any, every: bool) -> Query:
        excluded = None if exclude is None else self._excluded(exclude)
        return Query(arguments.cull_sign(cull), every, excluded)

    def _many_rays(
        self, origins: Any, directions: Any, max_distance: Any, query: Query
    ) -> RayBatch:
        o, d = arguments.points(origins, "origins"), arguments.points(directions, "directions")
        if o.ndim > 2 or d.ndim > 2 or (o.ndim == d.ndim == 2 and len(o) != len(d)):
            raise ShapeError(
                f"origins and directions must have shape (R, 3), or one of them (3,), "
                f"not {o.shape} and {d.shape}"
            )
        lengths = self._lengths(o, d)
        if lengths is None:
            arguments.finite(o, "origins")
            d, lengths = lengthened_many(*ordinary_directions(d))
        count = len(d if d.ndim == 2 else np.atleast_2d(o))
        if d.ndim == 1:
            d, lengths = repeated(d, count), repeated(lengths, count)
        if o.ndim == 1:
            o = repeated(o, count)
        return RayBatch(o, d, lengths, arguments.distances(max_distance, count), query)

    def _lengths(
        self,
        origins: FloatArray,  # noqa: ARG002
        directions: FloatArray,  # noqa: ARG002
    ) -> FloatArray | None:
        """The lengths (R,) of directions, if that is soon known and all rays are ordinary."""
        return None

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        """The nearest hit of each ray, misses included."""
        rows, hits = self._cast_many(rays)
        return scattered(rows, hits, len(rays))

    def _any_hit(self, rays: RayBatch) -> BoolArray:
        """Whether each ray hits anything, (R,)."""
        return self._cast_nearest(rays).hit

    def _count_hits(self, rays: RayBatch) -> IntArray:
        """The number of hits of each ray, (R,)."""
        return np.bincount(self._cast_many(rays)[0], minlength=len(rays))

    @abstractmethod
    def _excluded(self, exclude: Any) -> BoolArray:
        """A mask of what is not hit."""


def _one_ray(origin: Any, direction: Any, max_distance: Any, query: Query) -> LoneRay:
    o = arguments.three_floats(origin, "origin")
    if not (math.isfinite(o[0]) and math.isfinite(o[1]) and math.isfinite(o[2])):
        arguments.point(origin, "origin")
    d = arguments.three_floats(direction, "direction")
    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    limit = math.inf if max_distance is np.inf else arguments.distance(max_distance)
    if not LEAST_SQUARE < square < MOST_SQUARE:
        arguments.unit_directions(np.array(d), "direction")
    d, length = lengthened(*ordinary(d))
    return LoneRay(o, d, length, limit, query)


def ordinary_directions(d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Checked directions (..., 3) of ordinary length, and those lengths (...)."""
    d, square, _ = ordinary_many(d)
    if not ((square > 0.0) & (square < np.inf)).all():
        arguments.unit_directions(d, "directions")
    return d, np.sqrt(square)
