# SPDX-License-Identifier: MIT
"""How thick a solid is at places on its surface: along a ray, or by the largest sphere inside.

The sphere touches the place, so its center is on the inward normal. It is found by the shrinking
ball of Ma, Bae and Choi ("3D medial axis point approximation using nearest neighbors and the
normal field", 2012): begin with a sphere that is too large; while it has a point of the surface
inside, go on to the sphere through the inside point that is nearest to its center. A sphere with no
point inside is free; none on the way is smaller than the largest free one, so the search never goes
back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from .. import arguments
from ..cast.hits import put
from ..cast.rays import Geometry, Query, RayBatch
from ..closest.places import Find
from ..closest.surface import MeshSurface
from ..concurrency.threads import ThreadLimit
from ..errors import ArgumentError
from ..hit import OnTriangles, RayHits, place_of
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, dot, finite_bounds, length
from ..numerics.columns import Columns, run_starts
from ..numerics.values import record, sealed
from ..types import Integers, Reals
from .places import Places

# Rays cast at a time; all their hits are in memory until the first beyond the place is chosen.
_BLOCK = 1 << 14

# A place is on an edge or a corner if its other weights are no larger than this.
_ON_EDGE = 2.0**-40

# How far a computed place may be from its triangle, relative to the triangle's largest coordinate.
# A sphere counts as free if no point is deeper inside than this times (radius + coordinate).
_ROUNDING = 32 * EPS

# Points nearer than this count as the same place, so that a step of the search never underflows.
_LEAST = 2.0**-1000

# The first radius if the ray hits nothing, in diagonals of the bounds; and an upper limit for it.
_FLAT, _MOST = 2.0**20, 2.0**1021


@record
@dataclass(frozen=True, eq=False, repr=False)
class Thickness(Columns):
    """How thick a solid is at places, one row each, in the shape (...) of the places.

    :meth:`.Mesh.thickness` makes it. Where nothing is opposite, thickness is inf, triangle -1 and
    the rest NaN. Where there is no place, or its triangle has no area, thickness is NaN too. The
    columns are read-only.

    Attributes
    ----------
    thickness : ndarray (...)
        The distance along the ray, or the diameter of the sphere.
    center : ndarray (..., 3)
        Half-way to `point` along the ray, or the center of the sphere.
    point : ndarray (..., 3)
        The point opposite, where the ray ends, or the sphere touches the surface again.
    triangle : ndarray (...) of int64
        The triangle it is on.
    barycentric : ndarray (..., 3)
        The weights of that triangle's vertices, in their order.

    Examples
    --------
    >>> import standalone_core as sc
    >>> slab = sc.Mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 2], [9, 0, 2], [0, 9, 2]],
    ...                [[0, 2, 1], [3, 4, 5]])
    >>> found = slab.thickness(slab.places(1, [0.5, 0.25, 0.25]))
    >>> found.thickness.item(), found.point.tolist(), found.triangle.item()
    (2.0, [2.25, 2.25, 0.0], 0)
    """

    thickness: FloatArray
    center: FloatArray
    point: FloatArray
    triangle: IntArray
    barycentric: FloatArray

    @property
    def hit(self) -> BoolArray:
        """Mask (...) of the rows with something opposite, a new array.

        Examples
        --------
        >>> import standalone_core as sc
        >>> leaf = sc.Mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]])
        >>> leaf.thickness(leaf.places([0], [0.5, 0.25, 0.25])).hit.tolist()
        [False]
        """
        return np.asarray(self.triangle >= 0)


Cast = Callable[[RayBatch], tuple[IntArray, RayHits]]
"""Casts rays: the ray (N,) of each hit, and the hits, sorted by ray and distance."""


@dataclass(frozen=True, eq=False)
class _Starts(Columns):
    """The places with a normal, where thickness is measured."""

    row: IntArray  # (N,), the row in the places asked for
    weights: FloatArray  # (N, 3)
    points: FloatArray  # (N, 3)
    inward: FloatArray  # (N, 3), unit vectors
    corners: FloatArray  # (N, 3, 3), of the triangles
    sizes: FloatArray  # (N,), the largest absolute values of their coordinates


def along_rays(geometry: Geometry, places: Places, cast: Cast) -> Thickness:
    """Thickness at places (N,) along the inward normals, up to the first hit beyond the place."""
    found = _nothing(len(places))
    starts = _starts(geometry, places)
    found.thickness[starts.row] = np.inf
    for first in range(0, len(starts), _BLOCK):
        part = starts.take(slice(first, first + _BLOCK))
        # Inward rays that begin where rounding no longer matters.
        lengths = np.sqrt(dot(part.inward, part.inward))
        least, most = _ROUNDING * part.sizes, np.full(len(part), np.inf)
        query = Query(every=True)
        row, hits = cast(RayBatch(part.points, part.inward, lengths, least, most, query))
        beyond = ~_are_at(geometry, hits.triangle, part, row)
        row, hits = row[beyond], hits.take(beyond)
        nearest = run_starts(row)
        row, hits = row[nearest] + first, hits.take(nearest)
        middle = starts.points[row] + starts.inward[row] * (0.5 * hits.distance)[:, None]
        ends = Thickness(hits.distance, middle, hits.point, hits.triangle, hits.barycentric)
        put(found, starts.row[row], ends)
    return found


def of_spheres(geometry: Geometry, places: Places, cast: Cast, closest: Find) -> Thickness:
    """Thickness at places (N,) as the diameter of the largest sphere inside that touches them."""
    # A ray ends on the surface, so no free sphere is larger than the one that also ends there.
    found = along_rays(geometry, places, cast)
    starts = _starts(geometry, places)
    ends = found.take(starts.row)
    lower, upper = finite_bounds(geometry.vertices)
    with np.errstate(all="ignore"):
        diagonal = float(np.nan_to_num(length(upper - lower), posinf=_MOST))
    widest = min(_FLAT * diagonal, _MOST)
    radius = np.where(np.isinf(ends.thickness), widest, 0.5 * ends.thickness)
    active = np.arange(len(starts))
    while len(active):
        p, inward, r = starts.points[active], starts.inward[active], radius[active]
        slack = np.maximum(_ROUNDING * (r + starts.sizes[active]), _LEAST)
        near = closest(p + r[:, None] * inward, np.maximum(r - slack, 0.0))
        inside = near.hit & (r > slack)
        active, near, p, inward = active[inside], near.take(inside), p[inside], inward[inside]
        way = near.point - p
        size, depth = length(way), dot(way, inward)
        with np.errstate(all="ignore"):  # NaN where no sphere on this side goes through the point
            through = np.where(depth > 0.0, 0.5 * size * (size / depth), np.nan)
        # The sphere through a point that is inside by s is smaller by at least s / 4.
        radius[active] = np.fmin(r[inside] - 0.25 * slack[inside], through)
        ends.point[active], ends.triangle[active] = near.point, near.triangle
        ends.barycentric[active] = near.barycentric
    there = ends.triangle >= 0
    ends.thickness[there] = 2.0 * radius[there]
    center = starts.points + radius[:, None] * starts.inward
    ends.center[there] = center[there]
    put(found, starts.row, ends)
    return found


def _nothing(count: int) -> Thickness:
    return Thickness(
        thickness=np.full(count, np.nan),
        center=np.full((count, 3), np.nan),
        point=np.full((count, 3), np.nan),
        triangle=np.full(count, -1, dtype=np.int64),
        barycentric=np.full((count, 3), np.nan),
    )


def _starts(geometry: Geometry, places: Places) -> _Starts:
    points, normals = places.points(geometry.vertices), places.normals(geometry.vertices)
    there = np.isfinite(points).all(axis=1) & np.isfinite(normals).all(axis=1)
    row = np.flatnonzero(there)
    corners = geometry.vertices.take(places.vertices[row], axis=0)
    sizes = np.abs(corners).max(axis=(1, 2), initial=0.0)
    return _Starts(row, places.weights[row], points[row], -normals[row], corners, sizes)


def _are_at(geometry: Geometry, triangles: IntArray, starts: _Starts, row: IntArray) -> BoolArray:
    """Whether the place of each row (M,) is on the triangle (M,) hit: such hits do not count.

    It is if the triangle has all corners of the place whose weight exceeds _ON_EDGE in size: a
    place inside a triangle is on that one alone, a place on an edge or a corner is on all triangles
    there. Corners are compared by position, as triangles may share none of their vertices.
    """
    own, other = starts.corners[row], geometry.corners(triangles)
    shared = (own[:, :, None] == other[:, None]).all(axis=-1).any(axis=-1)
    left_out = np.abs(starts.weights[row]) <= _ON_EDGE
    return np.asarray((shared | left_out).all(axis=-1))


Method = Literal["ray", "sphere"]
"""How thickness is measured."""


class MeasuredMesh(MeshSurface):
    """A mesh with places on it, and the thickness there."""

    def places(self, triangle: Integers | OnTriangles, weights: Reals | None = None) -> Places:
        """Places on triangles, which follow the mesh as it deforms.

        Parameters
        ----------
        triangle : array_like (...) of int
            The triangle of each place; -1, as for a miss, means no place. Or alone, without
            `weights`: a hit, a closest point, or many of them.
        weights : array_like (..., 3)
            Barycentric weights of its vertices, in their order, with the sum 1; NaN for no place.
            Negative weights put the place beside the triangle. The shapes (...) of both arguments
            broadcast against each other.

        Returns
        -------
        Places
            In the shape (...).

        Raises
        ------
        ShapeError, DtypeError, IndexRangeError
            If there are no such triangles, or the arrays do not fit each other.
        ArgumentError
            If weights do not add up to 1, within a rounding to float32 or to six decimals.

        Notes
        -----
        A :class:`.PolygonMesh` splits all its faces for this.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast_rays([(0.25, 0.5, 2), (0.5, 0.25, 2)], (0, 0, -1))
        >>> places = mesh.places(hits)
        >>> places.points(mesh.vertices * 2).tolist()
        [[0.5, 1.0, 0.0], [1.0, 0.5, 0.0]]
        """
        if weights is None:
            if (given := place_of(triangle)) is triangle:
                raise ArgumentError("weights must stand beside triangles, not beside hits alone")
            triangle, weights = given
        triangles = self._geometry(self._now()).triangles
        t = arguments.indices(triangle, "triangle")
        there = t != -1
        arguments.indices_below(t[there], len(triangles), "triangle", "triangles")
        vertices = np.full((*t.shape, 3), -1, dtype=np.int64)
        vertices[there] = triangles[t[there]]
        return Places(vertices, weights, t)

    def thickness(
        self, places: Places, method: Method = "ray", threads: int | None = None
    ) -> Thickness:
        """How thick the mesh is at places on it, measured inward, against the normals.

        Parameters
        ----------
        places : Places
            Made by :meth:`places` of this mesh.
        method : {"ray", "sphere"}
            What is measured: the distance along the inward normal of the triangle to the first hit
            beyond the place, or the diameter of the largest sphere inside that touches the surface
            at the place.
        threads : int, optional
            How many threads search, this one included; see :func:`.set_threads`.

        Returns
        -------
        Thickness
            In the shape of the places, with the points opposite.

        Raises
        ------
        ArgumentError
            If the places are not of this mesh, or do not know their triangles.

        Notes
        -----
        The ray begins at the point that :meth:`.Places.points` computes. It does not hit the
        triangle of the place, nor others that the place is on: those that share its edge or corner,
        if all other weights are at most 2**-40 in size. Hits nearer than 2**-47 of the triangle's
        largest coordinate do not count either. On a sharp edge the ray may run along the surface,
        and so miss the opposite side.

        The sphere fits between the flat triangles, not the smooth surface that they stand for: next
        to a convex edge it is small, and on the edge it is 0 up to rounding, or up to 2**-46 / a**2
        if the edge turns by a small angle a. No point of the surface is inside it by more than
        2**-47 of the sum of the radius and the triangle's largest coordinate, and it is no smaller
        than the largest sphere with no point inside. If the radius of that one is above 2**20
        diagonals of the mesh's bounds, nothing is opposite; spheres of a radius below 2**-1000 may
        be too large.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]],
        ...             [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
        >>> places = mesh.places([0], [[0.5, 0.25, 0.25]])
        >>> mesh.thickness(places).point.tolist()
        [[1.0, 1.0, 2.0]]
        >>> mesh.thickness(places, "sphere").center.round(6).tolist()
        [[1.0, 1.0, 0.732051]]
        """
        arguments.instance_of(places, Places, "places")
        arguments.one_of(method, "method", "ray", "sphere")
        now = self._now()
        geometry, flat = self._geometry(now), places.reshape(-1)
        _check_places(flat, geometry)
        cast = partial(self._cast_many, now=now)
        with ThreadLimit(threads):
            if method == "ray":
                found = along_rays(geometry, flat, cast)
            else:
                closest = partial(self._closest_points, excluded=None, now=now)
                found = of_spheres(geometry, flat, cast, closest)
        sealed(found._columns())
        return found._in_shape(places.shape)

    @abstractmethod
    def _geometry(self, now: Any) -> Geometry:
        """The current triangles, or those in the state `now`."""


def _check_places(places: Places, geometry: Geometry) -> None:
    """ArgumentError if places (N,) are not on triangles of a mesh."""
    there = places.hit
    triangle = places.triangle[there]
    if (triangle < 0).any():
        raise ArgumentError("places must know their triangles: make them by the mesh's `places`")
    of_mesh = triangle < len(geometry.triangles)
    own = geometry.triangles.take(triangle[of_mesh], axis=0)
    if not of_mesh.all() or not np.array_equal(own, places.vertices[there]):
        raise ArgumentError("places must be of this mesh, but their triangles have other vertices")
