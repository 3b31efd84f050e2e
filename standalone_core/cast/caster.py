# SPDX-License-Identifier: MIT
"""The queries that a mesh and a scene answer alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, overload

import numpy as np

from .. import arguments
from ..arguments import EXCLUDED, Border, Culls, Invalid, Selection
from ..concurrency.threads import ThreadLimit
from ..hit import Hit, RayHits
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.columns import Shape, splits_of
from ..ray import Ray
from ..types import OnePoint, Reals
from .hits import nearest_of_each, scattered
from .rays import LoneRay, Measured, Query, RayBatch, SideArray
from .read_rays import ManyRays, OneRay, many_rays, one_ray


class Castable(ABC):
    """Base of things that rays can be cast at, in their own space."""

    __slots__ = ()

    @abstractmethod
    def _cast(self, ray: LoneRay) -> list[Hit]:
        """Hits of one ray, sorted by distance, instance and triangle.

        Only the first, unless the ray's query asks for every hit.
        """

    @abstractmethod
    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """The row of each hit's ray, and the hits, sorted by ray, distance, instance and triangle.

        Only the first hit of each ray, unless the query asks for every one.
        """


class Caster(Castable):
    """Something that rays can be cast at: the nearest hit or all hits, of one ray or of many."""

    __slots__ = ()

    def ray_cast(
        self,
        origin: OneRay,
        direction: Reals | None = None,
        max_distance: float = np.inf,
        cull: Culls = None,
        exclude: Selection = None,
        *,
        only: Selection = None,
        min_distance: float | None = None,
        border: Border | None = None,
    ) -> Hit | None:
        """The nearest hit of one ray, or None.

        Parameters
        ----------
        origin, direction : array_like (3,)
            The ray, in the space of the mesh or scene; the direction may have any length above 0.
            A :class:`.Ray`, or the six numbers (6,) of both, may stand in the place of both.
        max_distance, min_distance : float, optional
            Hits beyond `max_distance`, or before `min_distance`, do not count. Like all
            distances they are lengths, not multiples of the direction.
        cull : {None, "back", "front"}, or array_like (T,) of these
            Which side of the triangles is not hit. A mesh also takes one for each triangle, or a
            mask (T,) of the triangles whose back is not hit.
        exclude : array_like or set, optional
            Parts that rays pass through: triangles of a mesh, as indices or as a mask (T,), or
            instances of a scene, as ids or as a mask in the order of the scene.
        only : array_like or set, optional
            The only parts that rays can hit, in the same forms, except those in `exclude`.
        border : {"open", "closed"}, optional
            Whether a ray exactly through the border of a surface, such as the outer nodes of a
            terrain, always hits; see :class:`.Mesh`. By default as each mesh was made.

        Raises
        ------
        RaypickError
            One of :mod:`standalone_core.errors`, for bad input.

        Notes
        -----
        The ray is taken exactly as given: its direction is not normalized first. (A direction
        longer than 1e20 or shorter than 1e-20 is scaled by a power of two, and loses digits below
        1e-308 of its length.) A distance that is finite is found, up to the ends of float64; below
        1e-323 times the direction's length it may be rounded to 0. Of hits whose distances round to
        the same number, that of the first instance, and of the first triangle there, counts as the
        nearest.

        Of triangles that share an edge, a ray exactly through it hits one. Which one is decided
        before `cull`, `exclude` and `only`: if these leave it out, the ray misses the others there.

        Examples
        --------
        >>> from standalone_core import Mesh, Ray
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.ray_cast((0.2, 0.2, 5), (0, 0, -1)).distance
        5.0
        >>> mesh.ray_cast(Ray((0.2, 0.2, 5), (0, 0, -1)), max_distance=4) is None
        True
        """
        if cull is exclude is only is min_distance is None and border is None:
            hit: Hit | None = self._cast_quickly(origin, direction, max_distance)
            if hit is not NotImplemented:
                return hit
        query = self._query(cull, exclude, only, border)
        hits = self._cast(one_ray(origin, direction, max_distance, min_distance, query))
        return hits[0] if hits else None

    def ray_cast_all(
        self,
        origin: OneRay,
        direction: Reals | None = None,
        max_distance: float = np.inf,
        cull: Culls = None,
        exclude: Selection = None,
        *,
        only: Selection = None,
        min_distance: float | None = None,
        border: Border | None = None,
        max_hits: int | None = None,
    ) -> list[Hit]:
        """All hits of one ray, the nearest first, or the nearest `max_hits` of them.

        Parameters are those of :meth:`ray_cast`. Hits whose distances round to the same number are
        ordered by instance, then by triangle.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]]
        >>> mesh = Mesh(corners, [[0, 1, 2], [3, 4, 5]])
        >>> [hit.distance for hit in mesh.ray_cast_all((0.2, 0.2, 5), (0, 0, -1))]
        [4.0, 5.0]
        """
        most = arguments.most(max_hits, "max_hits")
        query = self._query(cull, exclude, only, border, every=most != 1)
        return self._cast(one_ray(origin, direction, max_distance, min_distance, query))[:most]

    def cast_rays(
        self,
        origins: ManyRays,
        directions: Reals | None = None,
        max_distance: Reals = np.inf,
        cull: Culls = None,
        exclude: Selection = None,
        threads: int | None = None,
        *,
        only: Selection = None,
        min_distance: Reals | None = None,
        border: Border | None = None,
        invalid: Invalid = "miss",
    ) -> RayHits:
        """The nearest hit of each of many rays.

        Parameters
        ----------
        origins, directions : array_like (..., 3)
            Of any shape, broadcast against each other: one of them may be a single (3,) that all
            rays share. In the place of both may stand :class:`.Rays`, as a camera makes them, a
            list of :class:`.Ray`, or one array (..., 6) with the origins before the directions.
        max_distance, min_distance : float or array_like (...), optional
            One number for all rays must be 0 or more. In an array, a negative value or NaN
            makes its ray invalid, see `invalid`.
        cull, exclude, only, border
            As for :meth:`ray_cast`, and for all rays alike.
        threads : int, optional
            How many threads cast, this one included; see :func:`.set_threads`.
        invalid : {"miss", "raise"}
            What becomes of invalid rays, such as those with NaN or without a direction: they miss,
            and :attr:`.RayHits.invalid` marks them; or the first of them is an error.

        Returns
        -------
        RayHits
            Rows of the shape (...), some of them misses: distance inf, triangle -1.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast_rays([(0.2, 0.2, 5), (9, 9, 5), (0, 0, float("nan"))], (0, 0, -1))
        >>> hits.distance.tolist(), hits.invalid.tolist()
        ([5.0, inf, inf], [False, False, True])
        """
        query = self._query(cull, exclude, only, border)
        rays, shape, faults = many_rays(
            origins, directions, max_distance, min_distance, query, invalid, self._measured
        )
        with ThreadLimit(threads):
            return self._cast_nearest(rays)._finished(shape, faults)

    def cast_rays_all(
        self,
        origins: ManyRays,
        directions: Reals | None = None,
        max_distance: Reals = np.inf,
        cull: Culls = None,
        exclude: Selection = None,
        threads: int | None = None,
        *,
        only: Selection = None,
        min_distance: Reals | None = None,
        border: Border | None = None,
        invalid: Invalid = "miss",
        max_hits: int | None = None,
    ) -> tuple[RayHits, IntArray]:
        """All hits of each of R rays, or the nearest `max_hits` of each.

        Parameters are those of :meth:`cast_rays`. Invalid rays have no hits, like those that miss;
        ``invalid="raise"`` and :meth:`cast_rays` tell the difference. `max_hits`, 1 or more, bounds
        the memory too: more hits than these are held only for one block of rays at a time.

        Returns
        -------
        hits : RayHits
            The hits (N,) of ray 0, nearest first, then those of ray 1, and so on.
        splits : ndarray (R + 1,) of int64
            The hits of ray i are ``hits[splits[i] : splits[i + 1]]``; the ray of each hit is
            ``np.repeat(np.arange(R), np.diff(splits))``. Rays of a shape of several axes are
            counted in the order of :meth:`numpy.ndarray.ravel`.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 1, 2]])
        >>> hits, splits = mesh.cast_rays_all([(9, 9, 5), (0.2, 0.2, 5)], (0, 0, -1))
        >>> splits.tolist(), hits.triangle.tolist()
        ([0, 0, 2], [0, 1])
        """
        most = arguments.most(max_hits, "max_hits")
        query = self._query(cull, exclude, only, border, every=most != 1)
        rays, _, _ = many_rays(
            origins, directions, max_distance, min_distance, query, invalid, self._measured
        )
        with ThreadLimit(threads):
            cast = partial(self._cast_many, now=self._now())
            if most is None or most == 1:
                rows, hits = cast(rays)
            else:
                rows, hits = nearest_of_each(cast, rays, most)
        hits._seal()
        return hits, splits_of(rows, len(rays))

    @overload
    def any_hit(  # type: ignore[overload-overlap]
        self,
        origins: Ray | OnePoint,
        directions: OnePoint | None = ...,
        max_distance: float = ...,
        cull: Culls = ...,
        exclude: Selection = ...,
        threads: int | None = ...,
        *,
        only: Selection = ...,
        min_distance: float | None = ...,
        border: Border | None = ...,
        invalid: Invalid = ...,
    ) -> bool: ...

    @overload
    def any_hit(
        self,
        origins: ManyRays,
        directions: Reals | None = ...,
        max_distance: Reals = ...,
        cull: Culls = ...,
        exclude: Selection = ...,
        threads: int | None = ...,
        *,
        only: Selection = ...,
        min_distance: Reals | None = ...,
        border: Border | None = ...,
        invalid: Invalid = ...,
    ) -> BoolArray: ...

    def any_hit(
        self,
        origins: ManyRays,
        directions: Reals | None = None,
        max_distance: Reals = np.inf,
        cull: Culls = None,
        exclude: Selection = None,
        threads: int | None = None,
        *,
        only: Selection = None,
        min_distance: Reals | None = None,
        border: Border | None = None,
        invalid: Invalid = "miss",
    ) -> bool | BoolArray:
        """Whether each of many rays hits anything; parameters as for :meth:`cast_rays`.

        Usually faster than the nearest hits, and never slower, as any hit ends the search.

        Returns
        -------
        bool, or ndarray (...) of bool
            False for invalid rays.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.any_hit([(9, 9, 5), (0.2, 0.2, 5)], (0, 0, -1)).tolist()
        [False, True]
        """
        query = self._query(cull, exclude, only, border)
        rays, shape, _ = many_rays(
            origins, directions, max_distance, min_distance, query, invalid, self._measured
        )
        with ThreadLimit(threads):
            return in_shape(self._any_hit(rays), shape)

    @overload
    def count_hits(  # type: ignore[overload-overlap]
        self,
        origins: Ray | OnePoint,
        directions: OnePoint | None = ...,
        max_distance: float = ...,
        cull: Culls = ...,
        exclude: Selection = ...,
        threads: int | None = ...,
        *,
        only: Selection = ...,
        min_distance: float | None = ...,
        border: Border | None = ...,
        invalid: Invalid = ...,
    ) -> int: ...

    @overload
    def count_hits(
        self,
        origins: ManyRays,
        directions: Reals | None = ...,
        max_distance: Reals = ...,
        cull: Culls = ...,
        exclude: Selection = ...,
        threads: int | None = ...,
        *,
        only: Selection = ...,
        min_distance: Reals | None = ...,
        border: Border | None = ...,
        invalid: Invalid = ...,
    ) -> IntArray: ...

    def count_hits(
        self,
        origins: ManyRays,
        directions: Reals | None = None,
        max_distance: Reals = np.inf,
        cull: Culls = None,
        exclude: Selection = None,
        threads: int | None = None,
        *,
        only: Selection = None,
        min_distance: Reals | None = None,
        border: Border | None = None,
        invalid: Invalid = "miss",
    ) -> int | IntArray:
        """The number of hits of each of many rays; parameters as for :meth:`cast_rays`.

        As many as :meth:`cast_rays_all` finds. A closed mesh is crossed an even number of times by
        a ray from outside, and an odd number from inside.

        Returns
        -------
        int, or ndarray (...) of int64
            0 for invalid rays.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 1, 2]])
        >>> mesh.count_hits([(9, 9, 5), (0.2, 0.2, 5)], (0, 0, -1)).tolist()
        [0, 2]
        """
        query = self._query(cull, exclude, only, border, every=True)
        rays, shape, _ = many_rays(
            origins, directions, max_distance, min_distance, query, invalid, self._measured
        )
        with ThreadLimit(threads):
            return in_shape(self._count_hits(rays), shape)

    def _cast_quickly(self, _origin: Any, _direction: Any, _max_distance: Any) -> Any:
        """As :meth:`ray_cast`, but faster, for ordinary rays; NotImplemented for all others."""
        return NotImplemented

    def _query(
        self,
        cull: Any,
        exclude: Selection,
        only: Selection,
        border: Border | None,
        every: bool = False,
    ) -> Query:
        arguments.border_or_none(border)
        is_for_all = cull is None or isinstance(cull, str)
        if is_for_all:
            return Query(arguments.cull_sign(cull), every, self._excluded(exclude, only), border)
        sides, excluded = self._cull_sides(cull), self._excluded(exclude, only)
        if excluded is not None:
            sides[excluded] = EXCLUDED
        return Query(0, every, sides, border)

    def _excluded(self, exclude: Selection, only: Selection) -> BoolArray | None:
        """A mask of what is not hit. In a scene, its last row is for instances added later."""
        excluded = None if exclude is None else self._mask(exclude, "exclude")
        if only is None:
            return excluded
        others = ~self._mask(only, "only")
        if excluded is not None:
            others[: len(excluded)] |= excluded  # a scene may have got more instances in between
        return others

    def _measured(self, _origins: FloatArray, _directions: FloatArray) -> Measured | None:
        """Directions and lengths, if they are quick to get; see :func:`.many_rays`."""
        return None

    def _now(self) -> Any:
        """The present state, which all steps of a query are to use."""
        return None

    @abstractmethod
    def _cast_many(self, rays: RayBatch, now: Any = None) -> tuple[IntArray, RayHits]:
        """As for any :class:`Castable`, in the state `now`, by default the present one."""

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        """The nearest hit of each ray, misses included."""
        rows, hits = self._cast_many(rays)
        return scattered(rows, hits, len(rays))

    def _any_hit(self, rays: RayBatch) -> BoolArray:
        return self._cast_nearest(rays).hit

    def _count_hits(self, rays: RayBatch, now: Any = None) -> IntArray:
        return np.bincount(self._cast_many(rays, now)[0], minlength=len(rays))

    @abstractmethod
    def _mask(self, value: Any, name: str) -> BoolArray:
        """A mask of triangles or instances that are named by `value`."""

    @abstractmethod
    def _cull_sides(self, cull: Any) -> SideArray:
        """Which side of each triangle is not hit."""


@overload
def in_shape(values: BoolArray, shape: Shape) -> bool | BoolArray: ...


@overload
def in_shape(values: IntArray, shape: Shape) -> int | IntArray: ...


@overload
def in_shape(values: FloatArray, shape: Shape) -> float | FloatArray: ...


def in_shape(values: Any, shape: Shape) -> Any:
    """Values (N,) in the shape (...) of a query; a single one as a plain value."""
    return values.reshape(shape) if shape else values.item()
