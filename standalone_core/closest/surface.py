# SPDX-License-Identifier: MIT
"""Queries about points: the nearest place on a mesh or scene, and whether they are inside."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, overload

import numpy as np

from .. import arguments
from ..arguments import Invalid, Selection
from ..cast.caster import Caster, in_shape
from ..cast.rays import Query, RayBatch
from ..concurrency.threads import ThreadLimit
from ..numerics.arrays import BoolArray, FloatArray, IntArray, repeated
from ..numerics.columns import splits_of
from ..numerics.values import sealed
from ..numerics.vectors import matmul
from ..types import ManyPoints, OnePoint, Reals
from .places import ClosestPoints, GivenPoints, read_points
from .winding import INSIDE

Rule = Literal["crossings", "winding"]
"""What inside means, see :meth:`Surface.contains`."""

INSIDE_DIRECTION = np.array((0.5377139, 0.3188765, 0.7805238))
"""The direction of the rays that tell whether points are inside; few edges are parallel to it."""

# Instead of an infinite error, with which points on triangles have the number 0.
_MOST = 2.0**1000


class Surface(Caster):
    """Something with a surface: rays meet it, points have a nearest place on it."""

    __slots__ = ()

    def closest_point(
        self,
        points: Reals,
        max_distance: Reals = np.inf,
        exclude: Selection = None,
        threads: int | None = None,
        *,
        only: Selection = None,
        invalid: Invalid = "miss",
    ) -> ClosestPoints:
        """The nearest place on the surface for each of many points.

        Parameters
        ----------
        points : array_like (..., 3)
            One point or many, in any shape.
        max_distance : float or array_like (...), optional
            Places beyond it do not count.
        exclude, only : array_like or set, optional
            What does not count, or counts alone; as for :meth:`ray_cast`.
        threads : int, optional
            How many threads search, this one included; see :func:`.set_threads`.
        invalid : {"miss", "raise"}
            What becomes of points that are not finite: they have no place, and
            :attr:`.ClosestPoints.invalid` marks them, or the first of them raises.

        Returns
        -------
        ClosestPoints
            Rows of the shape (...), some of them without a place.

        Notes
        -----
        Both sides of a triangle count, and a triangle without area counts as the segment or the
        point that it is. Triangles at vertices that are not finite never do.

        With D the distance of the triangle's furthest corner, L its longest edge and h its least
        height, a distance d is off by at most EPS d + 2**-96 D L / h, a weight by
        2**-50 + 2**-96 D L / h**2, and the point by 4 EPS of the largest coordinate and
        2**-96 D L / h. A triangle of h < 2**-50 L may count as its edges; d is then off by at most
        EPS d + 2**-50 D. Distances that differ by less than 2**-82 of themselves count as the same.
        This holds for coordinates up to 2**1022, half of what float64 has at most.

        In a scene, the triangles' vertices are moved by the instance's matrix, which adds its own
        rounding. An instance whose matrix is a rotation with one scale for all axes is searched in
        the mesh's own space; the vertices of others are moved, once.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> near = mesh.closest_point([(0.25, 0.25, 2), (3, 0, 0)])
        >>> near.distance.tolist(), near.point.tolist()
        ([2.0, 2.0], [[0.25, 0.25, 0.0], [1.0, 0.0, 0.0]])
        """
        given = read_points(points, max_distance, invalid)
        excluded = self._excluded(exclude, only)
        with ThreadLimit(threads):
            found = self._closest_to(given, excluded, self._now())
        return found._finished(given.shape, given.faults)

    @overload
    def contains(
        self, points: OnePoint, threads: int | None = ..., *, rule: Rule = ...
    ) -> bool: ...

    @overload
    def contains(
        self, points: ManyPoints, threads: int | None = ..., *, rule: Rule = ...
    ) -> BoolArray: ...

    def contains(
        self, points: Reals, threads: int | None = None, *, rule: Rule = "crossings"
    ) -> bool | BoolArray:
        """Whether points are inside of a mesh, or of a mesh of a scene; decided exactly.

        Parameters
        ----------
        points : array_like (..., 3)
            One point or many, in any shape.
        threads : int, optional
            How many threads count, this one included.
        rule : {"crossings", "winding"}
            What inside means. With "crossings", a ray from the point crosses the surface an odd
            number of times: no crossing is missed or counted twice, also where the ray meets an
            edge or a corner. Meshes must be closed. With "winding", the surface goes around the
            point more than half a time, either way round: the size of its
            :meth:`winding_number` is above a half. Meshes may be open, overlap themselves, and have
            triangles twice.

        Returns
        -------
        bool, or ndarray (...) of bool
            False for points that are not finite.

        Raises
        ------
        OpenMeshError
            If a mesh has a border, and so no inside by crossings.

        Notes
        -----
        By crossings, a point on the surface counts as one that is a little before it on the ray,
        whose direction is always the same: of meshes that fill space without a gap, exactly one
        contains it. A triangle that is there twice is crossed twice, so a mesh with all of them
        doubled is closed but contains nothing.

        By winding, a point on a triangle is outside. The answers are those of the sum over all
        triangles, though most take far fewer; numbers up to 0.5 + 2**-30 count as a half. A mesh
        that is closed, and whose triangles are all turned outward or all inward, contains the same
        by both rules, but for points on it. In a scene one instance must be around the point by
        itself.

        Both hold for coordinates up to 2**1022, half of what float64 has at most.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        ...             [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
        >>> mesh.contains((0.1, 0.1, 0.1)), mesh.contains([(1, 1, 1), (0.2, 0.2, 0.2)]).tolist()
        (True, [False, True])
        >>> open_mesh = Mesh(mesh.vertices, mesh.triangles[:3])
        >>> open_mesh.contains([(0.1, 0.1, 0.1), (1, 1, 1)], rule="winding").tolist()
        [True, False]
        """
        _check_rule(rule)
        given = read_points(points, np.inf, "miss")
        with ThreadLimit(threads):
            return in_shape(self._inside(given, rule, self._now()), given.shape)

    @overload
    def winding_number(
        self, points: OnePoint, max_error: float = ..., threads: int | None = ...
    ) -> float: ...

    @overload
    def winding_number(
        self, points: ManyPoints, max_error: float = ..., threads: int | None = ...
    ) -> FloatArray: ...

    def winding_number(
        self, points: Reals, max_error: float = 0.01, threads: int | None = None
    ) -> float | FloatArray:
        """How many times the surface goes around points: the generalized winding number.

        It is the share of all directions in which the backs of triangles are seen from the point,
        less that in which fronts are, each triangle by itself. Where all fronts are outside, it is
        1 inside of a closed mesh, 2 where two parts overlap, and 0 outside. An open mesh has
        fractions near its holes.

        Parameters
        ----------
        points : array_like (..., 3)
            One point or many, in any shape.
        max_error : float, optional
            How far off the numbers may be, which is proven and hardly ever reached: they are
            usually a hundred times nearer. With 0 all triangles are added up. What is left is the
            rounding: below 2**-30 for each triangle, and below 2**-48 for those whose edges are all
            seen under at most a right angle.
        threads : int, optional
            How many threads count, this one included.

        Returns
        -------
        float, or ndarray (...)
            NaN for points that are not finite. Errors may depend on the engine that built the tree,
            unless they are to be 0; what :meth:`contains` tells never does. Whatever the error, the
            size is above a half where ``contains(points, rule="winding")`` is true of a mesh. On a
            triangle it is the mean of the numbers on both sides: a half on most of a closed mesh.

        Notes
        -----
        From Jacobson, Kavan, Sorkine-Hornung, "Robust inside-outside segmentation using
        generalized winding numbers" (2013), and Barill, Dickson, Schmidt, Levin, Jacobson, "Fast
        winding numbers for soups and clouds" (2018), with a bound of the error.

        Triangles without area do not count, nor do those at vertices that are not finite. In a
        scene the numbers of all instances add up. A mirrored instance keeps the fronts of its mesh.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        ...             [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
        >>> mesh.winding_number([(0.1, 0.1, 0.1), (1, 1, 1), (0.2, 0.2, 0)], max_error=0).round(6)
        array([1. , 0. , 0.5])
        """
        most = min(arguments.distance(max_error, "max_error"), _MOST)
        given = read_points(points, np.inf, "miss")
        with ThreadLimit(threads):
            numbers: FloatArray = np.full(len(given.points), np.nan)
            good = _good(given)
            numbers[good] = self._winding(given.points[good], most, now=self._now())
        return in_shape(numbers, given.shape)

    @overload
    def signed_distance(
        self, points: OnePoint, threads: int | None = ..., *, rule: Rule = ...
    ) -> float: ...

    @overload
    def signed_distance(
        self, points: ManyPoints, threads: int | None = ..., *, rule: Rule = ...
    ) -> FloatArray: ...

    def signed_distance(
        self, points: Reals, threads: int | None = None, *, rule: Rule = "crossings"
    ) -> float | FloatArray:
        """Distances from the surface of a mesh, or a scene of them; negative inside.

        Parameters
        ----------
        points : array_like (..., 3)
            One point or many, in any shape.
        threads : int, optional
            How many threads search, this one included.
        rule : {"crossings", "winding"}
            What inside means, see :meth:`contains`; by crossings, meshes must be closed.

        Returns
        -------
        float, or ndarray (...)
            Those of :meth:`closest_point`, negative where :meth:`contains` is true; NaN for
            points that are not finite, inf where there is no triangle. In a scene the nearest
            surface counts, even if it is inside of another instance.

        Raises
        ------
        OpenMeshError
            If a mesh has a border, and so no inside by crossings.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]],
        ...             [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
        >>> mesh.signed_distance([(1, 1, -2), (1, 1, 0.5)]).tolist()
        [2.0, -0.5]
        """
        _check_rule(rule)
        given = read_points(points, np.inf, "miss")
        with ThreadLimit(threads):
            now = self._now()
            inside = self._inside(given, rule, now)
            away = self._closest_to(given, None, now).distance
        signed = np.where(inside, -away, away) + 0.0
        if given.faults is not None:
            signed[given.faults > 0] = np.nan
        return in_shape(signed, given.shape)

    def _closest_to(
        self, given: GivenPoints, excluded: BoolArray | None, now: Any
    ) -> ClosestPoints:
        return given.answered(lambda p, limits: self._closest_points(p, limits, excluded, now))

    def _inside(self, given: GivenPoints, rule: Rule, now: Any) -> BoolArray:
        if rule == "crossings":
            return self._contains(given, now)
        inside, good = np.zeros(len(given.points), dtype=np.bool_), _good(given)
        inside[good] = self._is_wound(given.points[good], now)
        return inside

    def _contains(self, given: GivenPoints, now: Any) -> BoolArray:
        self._check_closed(now)
        points, limits, _, faults = given
        count = len(points)
        if faults is not None:
            bad = faults > 0
            points, limits = np.where(bad[:, None], 0.0, points), np.where(bad, -1.0, limits)
        length = np.sqrt(matmul(INSIDE_DIRECTION, INSIDE_DIRECTION))
        of_all = (INSIDE_DIRECTION, np.array(length), np.array(0.0))
        ways, lengths, starts = (repeated(value, count) for value in of_all)
        rays = RayBatch(points, ways, lengths, starts, limits, Query(every=True))
        return self._is_inside(rays, now)

    @abstractmethod
    def _closest_points(
        self, p: FloatArray, limits: FloatArray, excluded: BoolArray | None, now: Any = None
    ) -> ClosestPoints:
        """The nearest places to finite points (N, 3), not beyond limits (N,)."""

    @abstractmethod
    def _check_closed(self, now: Any = None) -> None:
        """Raise OpenMeshError if nothing can be inside."""

    @abstractmethod
    def _winding(self, points: FloatArray, tolerance: float, *, now: Any = None) -> FloatArray:
        """The winding numbers of finite points (N, 3), see :func:`.winding_numbers`."""

    def _is_wound(self, points: FloatArray, now: Any) -> BoolArray:
        """Whether the surface is around finite points (N, 3)."""
        return np.asarray(np.abs(self._winding(points, np.inf, now=now)) > INSIDE)

    def _is_inside(self, rays: RayBatch, now: Any) -> BoolArray:
        """Whether the origins of rays that ask for every hit are inside, (R,)."""
        return np.asarray(self._count_hits(rays, now) % 2 == 1)


def _check_rule(rule: Any) -> None:
    arguments.one_of(rule, "rule", "crossings", "winding")


def _good(given: GivenPoints) -> Any:
    """The rows of the points that are finite."""
    return slice(None) if given.faults is None else np.flatnonzero(given.faults == 0)


class MeshSurface(Surface):
    """The surface of one mesh, whose triangles may be equally near to a point."""

    __slots__ = ()

    @overload
    def nearest_vertex(
        self, points: OnePoint, max_distance: float = ..., threads: int | None = ...
    ) -> tuple[int, float]: ...

    @overload
    def nearest_vertex(
        self, points: ManyPoints, max_distance: Reals = ..., threads: int | None = ...
    ) -> tuple[IntArray, FloatArray]: ...

    def nearest_vertex(
        self, points: Reals, max_distance: Reals = np.inf, threads: int | None = None
    ) -> tuple[int, float] | tuple[IntArray, FloatArray]:
        """The nearest vertex to each of many points, and how far away it is.

        Parameters
        ----------
        points : array_like (..., 3)
            One point or many, in any shape.
        max_distance : float or array_like (...), optional
            Vertices beyond it do not count.
        threads : int, optional
            How many threads search, this one included; see :func:`.set_threads`.

        Returns
        -------
        vertex : int, or ndarray (...) of int64
            Of those at the same distance the one with the smallest index. All vertices count,
            also those of no triangle; those that are not finite never do. -1 where none is near
            enough, and for points that are not finite.
        distance : float, or ndarray (...)
            Right to the last digit; inf where there is no vertex.

        Notes
        -----
        Distances that differ by less than 2**-82 of themselves count as the same. The first call
        for many points builds a tree over the vertices, which is kept until these change.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.nearest_vertex((0.75, 0, 1))
        (1, 1.0307764064044151)
        >>> vertex, distance = mesh.nearest_vertex([(0.5, 0, 0), (0, 3, 0)], max_distance=1)
        >>> vertex.tolist(), distance.tolist()
        ([0, -1], [0.5, inf])
        """
        given = read_points(points, max_distance, "miss")
        with ThreadLimit(threads):
            found = given.answered(lambda p, limits: self._closest_vertices(p, limits, None))
        if not given.shape:
            return int(found.triangle[0]), float(found.distance[0])
        return found.triangle.reshape(given.shape), found.distance.reshape(given.shape)

    def closest_point_all(
        self,
        points: Reals,
        max_distance: Reals = np.inf,
        exclude: Selection = None,
        threads: int | None = None,
        *,
        only: Selection = None,
        invalid: Invalid = "miss",
    ) -> tuple[ClosestPoints, IntArray]:
        """All places that are nearest to each of N points, one per triangle.

        A point has several where its nearest place is on an edge or a corner, or where several
        triangles are equally far away. Parameters are those of :meth:`closest_point`. A scene does
        not answer this: matrices round, so places there are hardly ever equally far away.

        Returns
        -------
        places : ClosestPoints
            The places (M,) of point 0, by their triangles, then those of point 1, and so on.
        splits : ndarray (N + 1,) of int64
            The places of point i are ``places[splits[i] : splits[i + 1]]``.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
        >>> places, splits = mesh.closest_point_all([(0.5, 0.5, 1), (0, 0, 1)])
        >>> places.triangle.tolist(), splits.tolist()
        ([0, 1, 0], [0, 2, 3])
        """
        given = read_points(points, max_distance, invalid)
        excluded = self._excluded(exclude, only)
        with ThreadLimit(threads):
            now = self._now()
            nearest = self._closest_to(given, excluded, now)
            row, places = self._ties(given.points, nearest, excluded, now)
        sealed(places._columns())
        return places, splits_of(row, len(given.points))

    @abstractmethod
    def _ties(
        self, points: FloatArray, nearest: ClosestPoints, excluded: BoolArray | None, now: Any
    ) -> tuple[IntArray, ClosestPoints]:
        """The rows of points (N, 3) and all their nearest places, sorted by row and triangle."""

    @abstractmethod
    def _closest_vertices(
        self, p: FloatArray, limits: FloatArray, excluded: BoolArray | None
    ) -> ClosestPoints:
        """The vertices nearest to finite points (N, 3), in place of triangles.

        They are within limits (N,), and not among the excluded (V,).
        """
