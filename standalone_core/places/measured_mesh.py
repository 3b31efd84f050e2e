# SPDX-License-Identifier: MIT
"""What a mesh answers about places on it."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments, integers
from ..cast.geometry import Geometry
from ..closest.surface import MeshSurface
from ..concurrency.thread_count import ThreadLimit
from ..errors import ArgumentError
from ..numerics.arrays import FloatArray
from ..numerics.read_only import sealed
from ..numerics.reading import described
from .places import Places
from .thickness import Thickness, along_rays, of_spheres

Method = Literal["ray", "sphere"]
"""How thickness is measured."""


class MeasuredMesh(MeshSurface):
    """A mesh with places on it, which are measured from."""

    __slots__ = ()

    def places(self, triangle: ArrayLike, weights: ArrayLike) -> Places:
        """Places on triangles, which stay there whatever shape the mesh takes.

        Of hits and closest points these are ``places(hits.triangle, hits.barycentric)``.

        Parameters
        ----------
        triangle : array_like (...) of int
            The triangle of each place; -1, that of a miss, for no place.
        weights : array_like (..., 3)
            Barycentric weights of its vertices, in their order, with the sum 1; NaN for no place.
            Negative ones are taken as they are: the place is then beside the triangle. The shapes
            (...) of both broadcast against each other.

        Returns
        -------
        Places
            Of the shape (...).

        Raises
        ------
        ShapeError, DtypeError, IndexRangeError
            If there are no such triangles, or the arrays do not fit each other.
        ArgumentError
            If weights do not add up to 1, up to a rounding to float32 or to six decimals.

        Notes
        -----
        A :class:`.PolygonMesh` splits all its faces for this.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast_rays([(0.25, 0.5, 2), (0.5, 0.25, 2)], (0, 0, -1))
        >>> places = mesh.places(hits.triangle, hits.barycentric)
        >>> places.points(mesh.vertices * 2).tolist()
        [[0.5, 1.0, 0.0], [1.0, 0.5, 0.0]]
        """
        triangles = self._geometry(self._now()).triangles
        t = integers.indices(triangle, "triangle")
        there = t != -1
        integers.indices_below(t[there], len(triangles), "triangle", "triangles")
        vertices = np.full((*t.shape, 3), -1, dtype=np.int64)
        vertices[there] = triangles[t[there]]
        return Places(vertices, weights, t)

    def thickness(
        self, places: Places, method: Method = "ray", threads: int | None = None
    ) -> Thickness:
        """How thick the mesh is at places on it, inward: away from where the normals point to.

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
        The ray begins at the place as :meth:`.Places.points` has it. It does not hit the triangle
        of the place, nor others that the place is on: those that share its edge or corner, where
        all other weights are at most 2**-40 in size. What is nearer than 2**-47 of the triangle's
        largest coordinate counts as the place too. On a sharp edge the ray may run along the
        surface, and so past what is opposite.

        The sphere is the one that triangles leave free, not the surface they stand for: next to a
        convex edge it is small, and on one it is 0 up to rounding, or up to 2**-46 / a**2 where the
        edge turns by an angle a that is small. No point of the surface is inside it by more than
        2**-47 of the radius and the triangle's largest coordinate together, and it is no smaller
        than the largest sphere that is free. Where that is above 2**20 diagonals of the mesh's
        bounds, nothing is opposite; spheres of a radius below 2**-1000 may be too large.

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
        if not arguments.is_one_of(method, "ray", "sphere"):
            raise ArgumentError(f'method must be "ray" or "sphere", not {described(method)}')
        now = self._now()
        geometry, flat = self._geometry(now), places.reshape(-1)
        _check_places(flat, geometry)
        cast = partial(self._cast_many, now=now)
        with ThreadLimit(threads):
            if method == "ray":
                found = along_rays(geometry, flat, cast)
            else:
                closest = partial(self._closest_within, now=now)
                found = of_spheres(geometry, flat, cast, closest)
        sealed(found._columns())
        return found._in_shape(places.shape)

    def _closest_within(self, points: FloatArray, limits: FloatArray, now: Any) -> Any:
        return self._closest_points(points, limits, None, now)

    @abstractmethod
    def _geometry(self, now: Any) -> Geometry:
        """The triangles that are there, or were at `now`."""


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
