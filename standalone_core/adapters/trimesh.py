# SPDX-License-Identifier: MIT
"""trimesh's ``RayMeshIntersector``, exact: ``mesh.ray = RayMeshIntersector(mesh)``.

trimesh itself is not imported: any object will do that has `vertices` and `faces` as its meshes.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, DtypeError
from ..mesh import Mesh
from ..numerics.arrays import BoolArray, FloatArray, IntArray


class MeshFollower:
    """The :class:`.Mesh` of a trimesh mesh, made anew or refitted when that changes.

    Parameters
    ----------
    mesh : trimesh.Trimesh
        Or an object with `vertices` (V, 3) and `faces` (T, 3), whose hash is another when these
        change.
    """

    def __init__(self, mesh: Any) -> None:
        for name in ("vertices", "faces"):
            # Asked of the class too, as a primitive of trimesh has none before it is set up.
            if not (hasattr(type(mesh), name) or hasattr(mesh, name)):
                raise DtypeError(f"mesh must have {name}; {type(mesh).__name__} has none")
        self.mesh = mesh
        self._known: tuple[int, Mesh] | None = None

    @property
    def exact(self) -> Mesh:
        """The mesh as it is now."""
        key, known = hash(self.mesh), self._known
        if known is None or known[0] != key:
            known = self._known = key, self._followed(None if known is None else known[1])
        return known[1]

    def _followed(self, before: Mesh | None) -> Mesh:
        # A copy, as trimesh changes its arrays in place.
        vertices = np.array(self.mesh.vertices, dtype=np.float64)
        faces = np.asarray(self.mesh.faces)
        if before is None or before.vertices.shape != vertices.shape:
            return Mesh(vertices, faces)
        if not np.array_equal(before.triangles, faces):
            return Mesh(vertices, faces)
        before.refit(vertices)
        return before

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_known": None}


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
        if not multiple_hits:
            max_hits = 1
        hits, splits = self.exact.cast_rays_all(ray_origins, ray_directions)
        index_ray = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        if max_hits is not None:
            kept = np.arange(len(index_ray)) - splits[index_ray] < max_hits
            hits, index_ray = hits.take(kept), index_ray[kept]
        if return_locations:
            return hits.triangle, index_ray, hits.point
        return hits.triangle, index_ray

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
        return self.exact.cast_rays(ray_origins, ray_directions).triangle

    def intersects_any(self, ray_origins: Any, ray_directions: Any) -> BoolArray:
        """Whether each ray hits anything, (R,)."""
        return self.exact.any_hit(ray_origins, ray_directions)

    def contains_points(self, points: Any) -> BoolArray:
        """Whether each point (N, 3) is inside of the mesh, (N,); the mesh is to be closed."""
        counts: npt.NDArray[np.int64] = self.exact.count_hits(points, (0.3, 0.5, 0.8))
        return np.asarray(counts % 2 == 1)
