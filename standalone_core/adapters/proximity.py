# SPDX-License-Identifier: MIT
"""Exact answers behind trimesh's ``mesh.nearest``."""

import numpy as np

from .. import arguments
from ..arguments import Border
from ..closest.places import ClosestPoints
from ..mesh import Mesh
from ..numerics.arrays import FloatArray, IntArray, cross, dot, length
from ..numerics.columns import run_starts
from ..numerics.reading import described
from ..types import Reals
from .reading import MeshFollower, MeshLike, distances, inside, normals_of, point_rows

_ON_AN_EDGE = 2.0**-48  # weights up to this may be rounding errors


class ProximityQuery:
    """An exact replacement of ``trimesh.Trimesh.nearest``.

    Parameters
    ----------
    mesh : trimesh.Trimesh
        Its changes are followed, as by :class:`.RayMeshIntersector`.
    border : {"open", "closed"}
        As for :class:`.RayMeshIntersector`, of the rays that tell what is inside.

    Examples
    --------
    >>> class Triangle:
    ...     vertices, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
    >>> closest, distance, triangle_id = ProximityQuery(Triangle()).on_surface([[3, 0, 0]])
    >>> closest.tolist(), distance.tolist(), triangle_id.tolist()
    ([[1.0, 0.0, 0.0]], [2.0], [0])
    """

    def __init__(self, mesh: MeshLike, *, border: Border = "open") -> None:
        self._follower = MeshFollower(mesh, border)

    @property
    def exact(self) -> Mesh:
        """The :class:`.Mesh` that answers."""
        return self._follower.exact

    def on_surface(self, points: Reals) -> tuple[FloatArray, FloatArray, IntArray]:
        """The nearest places (N, 3) to points (N, 3), their distances (N,) and triangles (N,).

        Where an edge or a corner is nearest, the triangle is the one there that faces the point
        most. A single point (3,) gives one row, as in :meth:`signed_distance`.
        """
        p = point_rows(points)
        near = self.exact.closest_point(p)
        place, distance, triangle = near.point.copy(), near.distance.copy(), near.triangle.copy()
        shared = np.flatnonzero((near.barycentric <= _ON_AN_EDGE).any(axis=1))
        others, splits = self.exact.closest_point_all(p[shared])
        row = np.repeat(shared, np.diff(splits))
        normals = normals_of(self.exact, others.triangle)
        with np.errstate(over="ignore", invalid="ignore"):
            facing = dot(normals, p[row] - others.point)
        order = np.lexsort((-facing, row))
        first = run_starts(row)  # only rows with places: near the limits of float64 some have none
        best = order[first]
        place[row[first]], triangle[row[first]] = others.point[best], others.triangle[best]
        return place, distance, triangle

    def vertex(self, points: Reals) -> tuple[FloatArray, IntArray]:
        """The distance (...) of the nearest vertex from points (..., 3), and its index (...).

        Those of a single point (3,) are two numbers, as in trimesh.
        """
        vertex, distance = self.exact.nearest_vertex(arguments.points(points, "points"))
        return distance, vertex

    def signed_distance(self, points: Reals) -> FloatArray:
        """The distance (N,) of points (N, 3) from the mesh, positive inside.

        Of an open mesh, which has no inside, it is positive behind the nearest triangles, whose
        front is where they are wound counter-clockwise.
        """
        p = point_rows(points)
        if not self.exact.is_closed:
            return self._behind(p)
        away = distances(self.exact, p)
        return np.where(inside(self.exact, p) | (away == 0.0), away, -away)

    def _behind(self, points: FloatArray) -> FloatArray:
        """The distance (N,) of points (N, 3), positive behind the mesh.

        At a vertex normals count by the angles there: J. A. Baerentzen and H. Aanaes, Signed
        Distance Computation Using the Angle Weighted Pseudonormal (2005).
        """
        near, splits = self.exact.closest_point_all(points)
        row = np.repeat(np.arange(len(points)), np.diff(splits))
        with np.errstate(over="ignore", invalid="ignore"):
            ahead = dot(normals_of(self.exact, near.triangle), points[row] - near.point)
            ahead = np.nan_to_num(ahead * _angles(self.exact, near))
        away = distances(self.exact, points)
        return np.where(np.bincount(row, ahead, len(points)) > 0.0, -away, away)

    def __repr__(self) -> str:
        return f"<ProximityQuery of {described(self._follower.mesh)}>"


def _angles(mesh: Mesh, near: ClosestPoints) -> FloatArray:
    """The angles (N,) of triangles at places: those of their corners, else pi."""
    order = (near.barycentric.argmax(axis=1)[:, None] + np.arange(3)) % 3
    triangles = np.take_along_axis(mesh.triangles[near.triangle], order, axis=1)
    a, b, c = np.moveaxis(mesh.vertices[triangles], 1, 0)
    angles = np.arctan2(length(cross(b - a, c - a)), dot(b - a, c - a))
    is_corner = np.count_nonzero(near.barycentric <= _ON_AN_EDGE, axis=1) == 2
    return np.where(is_corner, angles, np.pi)
