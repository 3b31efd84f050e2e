# SPDX-License-Identifier: MIT
"""Exact answers behind trimesh's ``mesh.ray`` and ``mesh.nearest``.

    mesh.ray = RayMeshIntersector(mesh)
    mesh.nearest = ProximityQuery(mesh)

trimesh itself is not imported: any object will do that has `vertices` and `faces` as its meshes.
"""

from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..mesh import Mesh
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from .follower import MeshFollower


class RayMeshIntersector:
    """What ``trimesh.Trimesh.ray`` is asked, answered exactly.

    Takes the arguments of both of trimesh's classes of this name, those after the rays by keyword.
    Changes of the mesh are followed: vertices that moved refit the tree, other faces build another.

    Parameters
    ----------
    geometry : trimesh.Trimesh
        The mesh; `mesh` is another name for it.
    scale_to_box : bool
        For trimesh's signature; answers are as good at any scale.

    Notes
    -----
    A ray hits each triangle that it goes through, one through an edge only one of those that share
    it, so nothing is missed or counted twice. A hit at the origin itself counts. All hits are
    found, unless `max_hits` is given, and sorted by ray and distance. Directions may have any
    length.

    Examples
    --------
    With trimesh: ``mesh.ray = RayMeshIntersector(mesh)``. With any object like its meshes:

    >>> class Triangle:
    ...     vertices, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
    >>> ray = RayMeshIntersector(Triangle())
    >>> locations, index_ray, index_tri = ray.intersects_location(
    ...     [[5, 5, 1], [0.25, 0.5, 1]], [[0, 0, -1], [0, 0, -1]]
    ... )
    >>> locations.tolist(), index_ray.tolist(), index_tri.tolist()
    ([[0.25, 0.5, 0.0]], [1], [0])
    """

    def __init__(
        self, geometry: Any = None, scale_to_box: bool = True, *, mesh: Any = None
    ) -> None:
        del scale_to_box
        if (geometry is None) == (mesh is None):
            raise ArgumentError("one mesh is needed")
        self._follower = MeshFollower(mesh if geometry is None else geometry)

    @property
    def mesh(self) -> Any:
        """The mesh of trimesh."""
        return self._follower.mesh

    @property
    def exact(self) -> Mesh:
        """The mesh that answers, for all that it can be asked beside trimesh's questions."""
        return self._follower.exact

    def intersects_id(
        self,
        ray_origins: Any,
        ray_directions: Any,
        *,
        return_locations: bool = False,
        multiple_hits: bool = True,
        max_hits: int | None = None,
    ) -> tuple[IntArray, IntArray] | tuple[IntArray, IntArray, FloatArray]:
        """Which triangles are hit.

        Parameters
        ----------
        ray_origins, ray_directions : array_like (R, 3)
        return_locations : bool
            Whether to return the places too.
        multiple_hits : bool
            All hits, or only the first of each ray.
        max_hits : int, optional
            At most so many of each ray, the nearest.

        Returns
        -------
        index_tri, index_ray : ndarray (N,) of int64
            Faces, and the rays that hit them.
        locations : ndarray (N, 3)
            If asked for.
        """
        hits, splits = self.exact.cast_rays_all(
            ray_origins, ray_directions, max_hits=max_hits if multiple_hits else 1
        )
        index_ray = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        if return_locations:
            return hits.triangle.copy(), index_ray, hits.point.copy()
        return hits.triangle.copy(), index_ray

    def intersects_location(
        self, ray_origins: Any, ray_directions: Any, **options: Any
    ) -> tuple[FloatArray, IntArray, IntArray]:
        """The places (N, 3) of hits, with their rays (N,) and faces (N,).

        Options are those of :meth:`intersects_id`, `multiple_hits` and `max_hits`.
        """
        found = self.intersects_id(ray_origins, ray_directions, return_locations=True, **options)
        index_tri, index_ray, locations = found  # type: ignore[misc]
        return locations, index_ray, index_tri

    def intersects_first(self, ray_origins: Any, ray_directions: Any) -> IntArray:
        """The face that each ray hits first, (R,) of int64; -1 where it hits nothing."""
        return self.exact.cast_rays(ray_origins, ray_directions).triangle.copy()

    def intersects_any(self, ray_origins: Any, ray_directions: Any) -> BoolArray:
        """Whether each ray hits anything, (R,)."""
        return self.exact.any_hit(ray_origins, ray_directions)

    def contains_points(self, points: Any) -> BoolArray:
        """Whether each point (N, 3) is inside of the mesh, (N,); the mesh is to be closed."""
        return _contains(self.exact, points)


class ProximityQuery:
    """What ``trimesh.Trimesh.nearest`` is asked, answered exactly.

    Parameters
    ----------
    mesh : trimesh.Trimesh
        Its changes are followed, as by :class:`RayMeshIntersector`.

    Examples
    --------
    >>> class Triangle:
    ...     vertices, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
    >>> closest, distance, triangle_id = ProximityQuery(Triangle()).on_surface([[3, 0, 0]])
    >>> closest.tolist(), distance.tolist(), triangle_id.tolist()
    ([[1.0, 0.0, 0.0]], [2.0], [0])
    """

    def __init__(self, mesh: Any) -> None:
        self._follower = MeshFollower(mesh)

    @property
    def exact(self) -> Mesh:
        """The mesh that answers."""
        return self._follower.exact

    def on_surface(self, points: Any) -> tuple[FloatArray, FloatArray, IntArray]:
        """The nearest places (N, 3) to points (N, 3), their distances (N,) and triangles (N,)."""
        near = self.exact.closest_point(points)
        return near.point, near.distance, near.triangle

    def vertex(self, points: Any) -> tuple[FloatArray, IntArray]:
        """The distance (N,) of the nearest vertex from points (N, 3), and its index (N,)."""
        vertices = self.exact.vertices
        # A triangle with all its corners at a vertex is as far away as that.
        each = np.repeat(np.arange(len(vertices))[:, None], 3, axis=1)
        near = Mesh(vertices, each).closest_point(points)
        return near.distance, near.triangle

    def signed_distance(self, points: Any) -> FloatArray:
        """The distance (N,) of points (N, 3) from the mesh, positive inside; that is closed."""
        near = self.exact.closest_point(points)
        inside = _contains(self.exact, points)
        return np.where(inside | (near.distance == 0.0), near.distance, -near.distance)


def _contains(mesh: Mesh, points: Any) -> BoolArray:
    return np.asarray(mesh.count_hits(points, (0.3, 0.5, 0.8)) % 2 == 1)
