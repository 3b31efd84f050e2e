# SPDX-License-Identifier: MIT
"""Open3D's ``RaycastingScene`` in double precision: the same calls, keys, ids and shapes.

Open3D itself is not needed. Arrays of NumPy and tensors of Open3D go in. What comes out are arrays
that can be asked what Open3D's programs ask its tensors, see :class:`.Tensor`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from .. import arguments
from ..errors import ArgumentError
from ..mesh import Mesh
from ..numerics.arrays import BoolArray, FloatArray, IntArray, length
from . import pinhole
from .inside import distances, inside
from .lengths import in_lengths
from .normals import normals_of
from .reading import TensorMesh, count, float_type, mesh_of, parts_of, points_of, rays_of
from .tensor import Tensor

Answer = dict[str, Tensor]


class RaycastingScene:
    """Meshes that rays and points are asked about, as ``open3d.t.geometry.RaycastingScene`` has it.

    Parameters
    ----------
    nthreads : int
        How many threads answer where a call does not say, 0 or more; 0 for as many as there are,
        see :func:`.set_threads`.
    device : object
        For Open3D's signature; the answers are computed by the processor.
    dtype : dtype
        Of all floats that come out: float64, in which they are computed, or float32 as in Open3D.

    Notes
    -----
    Answers are :class:`.Tensor` objects: arrays that also have `numpy()`, `isfinite()` and others.
    All is exact where Open3D rounds to float32. Rays have shape (..., 6): the origin, then the
    direction, whose length is the unit of `t_hit`. An edge that two triangles share is hit once, by
    one of them. ``list_intersections`` sorts the hits of each ray by distance. Points inside of an
    odd number of closed surfaces are inside. The first question after :meth:`add_triangles` joins
    all meshes.

    Examples
    --------
    >>> scene = RaycastingScene()
    >>> scene.add_triangles([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    0
    >>> answer = scene.cast_rays([[0.25, 0.5, 2, 0, 0, -1], [5, 5, 2, 0, 0, -1]])
    >>> answer["t_hit"].tolist(), answer["primitive_uvs"][0].tolist()
    ([2.0, inf], [0.25, 0.5])
    >>> answer["geometry_ids"].tolist() == [0, scene.INVALID_ID]
    True
    """

    INVALID_ID: ClassVar[int] = 2**32 - 1
    """The id of what is not there: a ray's miss, the closest triangle of an empty scene."""

    def __init__(
        self, nthreads: int = 0, device: object = None, *, dtype: npt.DTypeLike = np.float64
    ) -> None:
        del device
        self._threads = count(nthreads, "nthreads", least=0)
        self._dtype = float_type(dtype)
        self._parts: list[tuple[FloatArray, npt.NDArray[Any]]] = []
        self._starts: list[int] = []  # the first triangle of each geometry, once joined
        self._count = 0
        self._mesh: Mesh | None = None

    def add_triangles(
        self,
        vertex_positions: ArrayLike | TensorMesh | None = None,
        triangle_indices: ArrayLike | None = None,
        *,
        mesh: TensorMesh | None = None,
    ) -> int:
        """Add a mesh, and return its geometry id: 0 for the first, and so on.

        Parameters
        ----------
        vertex_positions : array_like (V, 3), or object
            Or, alone, a mesh such as Open3D's ``t.geometry.TriangleMesh``: an object with
            ``vertex.positions`` and ``triangle.indices``.
        triangle_indices : array_like (T, 3) of int
            Rows of the vertices.
        mesh : object
            The same mesh by its own name.

        Raises
        ------
        ShapeError, DtypeError, IndexRangeError
            For what is no mesh.
        """
        if triangle_indices is None:
            given: Any = vertex_positions if mesh is None else mesh
            vertex_positions, triangle_indices = parts_of(given)
        v, t = mesh_of(vertex_positions, triangle_indices)
        self._parts.append((v.copy(), t.copy()))
        self._starts.append(self._count)
        self._count += len(t)
        self._mesh = None
        return len(self._starts) - 1

    def cast_rays(self, rays: ArrayLike, nthreads: int = 0) -> Answer:
        """The nearest hit of each ray.

        Parameters
        ----------
        rays : array_like (..., 6)
        nthreads : int

        Returns
        -------
        dict
            ``t_hit`` (...), inf where a ray hits nothing; ``geometry_ids`` and ``primitive_ids``
            (...) of uint32, there :attr:`INVALID_ID`; ``primitive_uvs`` (..., 2), the weights of
            the triangle's second and third vertex, and ``primitive_normals`` (..., 3), there 0.

        Notes
        -----
        The direction's length is the unit of ``t_hit``. Where that is so short that the number is
        beyond the floats, such as 1e-320, a hit has inf too; the ids tell that it is one.
        """
        origins, directions = rays_of(rays)
        hits = self._joined().cast_rays(origins, directions, threads=self._for(nthreads))
        hit = hits.hit
        t = np.where(hit, in_lengths(hits.distance, directions), np.inf)
        geometries, primitives = self._ids(hits.triangle)
        return {
            "t_hit": self._floats(t),
            "geometry_ids": geometries,
            "primitive_ids": primitives,
            "primitive_uvs": self._floats(np.where(hit[..., None], hits.barycentric[..., 1:], 0.0)),
            "primitive_normals": self._floats(np.where(hit[..., None], hits.normal, 0.0)),
        }

    def test_occlusions(
        self, rays: ArrayLike, tnear: float = 0.0, tfar: float = np.inf, nthreads: int = 0
    ) -> Tensor:
        """Whether each ray hits anything from `tnear` to `tfar`, (...).

        Both are 0 or more, in units of the direction's length, and included.
        """
        near, far = arguments.distance(tnear, "tnear"), arguments.distance(tfar, "tfar")
        origins, directions = rays_of(rays)
        with np.errstate(
            invalid="ignore", over="ignore"
        ):  # what has no length, or no end, is no ray
            unit = length(directions)
            limits = np.inf if far == np.inf else far * unit
            begin = near * unit if near > 0.0 else None
        hit = self._joined().any_hit(
            origins, directions, limits, threads=self._for(nthreads), min_distance=begin
        )
        return Tensor(hit)

    def count_intersections(self, rays: ArrayLike, nthreads: int = 0) -> Tensor:
        """The number of triangles that each ray hits, (...) of int32."""
        origins, directions = rays_of(rays)
        counts = self._joined().count_hits(origins, directions, threads=self._for(nthreads))
        return Tensor(np.asarray(counts, dtype=np.int32))

    def list_intersections(self, rays: ArrayLike, nthreads: int = 0) -> Answer:
        """All hits of all R rays, sorted by ray and distance.

        Returns
        -------
        dict
            ``ray_splits`` (R + 1,): the hits of ray i are those from ``ray_splits[i]`` to before
            ``ray_splits[i + 1]``; ``ray_ids`` (N,), the ray of each hit; ``geometry_ids`` and
            ``primitive_ids`` (N,), all of uint32; ``t_hit`` (N,), which may be inf as in
            :meth:`cast_rays`, and ``primitive_uvs`` (N, 2).
        """
        origins, directions = rays_of(rays)
        hits, splits = self._joined().cast_rays_all(
            origins, directions, threads=self._for(nthreads)
        )
        row = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        geometries, primitives = self._ids(hits.triangle)
        return {
            "ray_splits": Tensor(splits.astype(np.uint32)),
            "ray_ids": Tensor(row.astype(np.uint32)),
            "t_hit": self._floats(in_lengths(hits.distance, directions.reshape(-1, 3)[row])),
            "geometry_ids": geometries,
            "primitive_ids": primitives,
            "primitive_uvs": self._floats(hits.barycentric[:, 1:]),
        }

    def compute_closest_points(self, query_points: ArrayLike, nthreads: int = 0) -> Answer:
        """The nearest place of the scene for each point (..., 3).

        Returns
        -------
        dict
            ``points`` (..., 3), ``geometry_ids`` and ``primitive_ids`` (...) of uint32,
            ``primitive_uvs`` (..., 2) and ``primitive_normals`` (..., 3). Where there is no place,
            as in an empty scene, ids are :attr:`INVALID_ID` and the rest is NaN.
        """
        mesh = self._joined()
        near = mesh.closest_point(points_of(query_points), threads=self._for(nthreads))
        geometries, primitives = self._ids(near.triangle)
        return {
            "points": self._floats(near.point),
            "geometry_ids": geometries,
            "primitive_ids": primitives,
            "primitive_uvs": self._floats(near.barycentric[..., 1:]),
            "primitive_normals": self._floats(normals_of(mesh, near.triangle)),
        }

    def compute_distance(self, query_points: ArrayLike, nthreads: int = 0) -> Tensor:
        """The distance (...) of each point (..., 3) from the scene; inf if that is empty."""
        return self._floats(self._distance(points_of(query_points), nthreads))

    def compute_signed_distance(
        self, query_points: ArrayLike, nthreads: int = 0, nsamples: int = 1
    ) -> Tensor:
        """The distance (...) of each point (..., 3) from the scene, negative inside of it.

        What is inside is as for :meth:`compute_occupancy`. `nsamples` is the number of rays that
        Open3D asks, odd; here one is enough.
        """
        p = points_of(query_points)
        is_inside = self._occupied(p, nthreads, nsamples)
        distance = self._distance(p, nthreads)
        return self._floats(np.where(is_inside, -distance, distance))

    def compute_occupancy(
        self, query_points: ArrayLike, nthreads: int = 0, nsamples: int = 1
    ) -> Tensor:
        """1 for each point (..., 3) that is inside of the scene, else 0; (...) of floats.

        Those are inside from which a ray, always in the same direction, goes through the scene an
        odd number of times. Open meshes, which have no inside, are counted like closed ones.
        """
        return self._floats(self._occupied(points_of(query_points), nthreads, nsamples))

    @staticmethod
    def create_rays_pinhole(*values: ArrayLike, **named: ArrayLike) -> Tensor:
        """Rays (height_px, width_px, 6) of float64 through all pixel centers of a camera.

        Takes ``intrinsic_matrix`` (3, 3), ``extrinsic_matrix`` (4, 4, world to camera space),
        ``width_px``, ``height_px``; or ``fov_deg`` (horizontal), ``center`` (that the camera looks
        at), ``eye`` (its place), ``up``, ``width_px``, ``height_px``.

        By ``up`` the picture stands on its head, as in Open3D: row 0 is the lowest one, furthest
        against ``up``, and column 0 the rightmost. ``rays[::-1, ::-1]`` are those of the upright
        picture. By matrices, row 0 is the first along the camera's y axis, which points down.

        Examples
        --------
        >>> rays = RaycastingScene.create_rays_pinhole(90, (2, 0, 0), (0, 0, 0), (0, 0, 1), 4, 3)
        >>> rays.shape, rays[1, 0].round(12).tolist()
        ((3, 4, 6), [0.0, 0.0, 0.0, 1.0, -0.75, 0.0])
        """
        return Tensor(pinhole.rays(*values, **named))

    def __repr__(self) -> str:
        geometries, triangles = len(self._starts), self._count
        return f"<RaycastingScene {geometries} geometries, {triangles} triangles>"

    def _distance(self, points: FloatArray, nthreads: int) -> FloatArray:
        return distances(self._joined(), points, self._for(nthreads))

    def _occupied(self, points: FloatArray, nthreads: int, nsamples: int) -> BoolArray:
        if count(nsamples, "nsamples") % 2 == 0:
            raise ArgumentError(f"nsamples must be odd, not {nsamples}")
        return inside(self._joined(), points, self._for(nthreads))

    def _joined(self) -> Mesh:
        """All meshes as one, with the triangles of each after those of the one before."""
        if self._mesh is None:
            first = np.cumsum([0] + [len(v) for v, _ in self._parts])
            v = np.concatenate([np.empty((0, 3)), *(v for v, _ in self._parts)])
            t = [t + start for (_, t), start in zip(self._parts, first, strict=False)]
            joined = np.concatenate([np.empty((0, 3), dtype=np.int64), *t])
            self._mesh = Mesh(v, joined, copy=False)
            self._parts = [(self._mesh.vertices, self._mesh.triangles)]
        return self._mesh

    def _ids(self, triangles: IntArray) -> tuple[Tensor, Tensor]:
        """The geometry and primitive ids (N,) of triangles (N,) of the joined mesh, or -1."""
        starts = np.array([0, *self._starts])
        geometry = np.searchsorted(starts[1:], triangles, side="right")
        primitive = triangles - starts[geometry]
        # -1 as an unsigned integer is INVALID_ID.
        return Tensor((geometry - 1).astype(np.uint32)), Tensor(primitive.astype(np.uint32))

    def _for(self, nthreads: int) -> int | None:
        return count(nthreads, "nthreads", least=0) or self._threads or None

    def _floats(self, values: npt.NDArray[Any]) -> Tensor:
        with np.errstate(over="ignore"):
            return Tensor(values.astype(self._dtype, copy=False))
