# SPDX-License-Identifier: MIT
"""Open3D's ``RaycastingScene``: the same calls, keys, ids and shapes, and exact answers.

    from standalone_core.adapters.open3d import RaycastingScene

or, in place of Open3D's own for the whole program, ``install()``. Open3D itself is not needed but
for that. Calls take arrays of NumPy and tensors of Open3D. In a program that has imported Open3D
the answers are its tensors; otherwise they are :class:`.Tensor` objects. Cameras are in the
conventions of Open3D and OpenCV: x right, y down, z forward.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import Border
from ..concurrency import forks
from ..errors import ArgumentError, MissingPackageError
from ..mesh import Mesh
from ..numerics import arrays
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..other_meshes import OtherMesh
from ..types import Reals
from . import reading
from .pinhole import pinhole_rays
from .reading import count, points_of, rays_of
from .tensor import Tensor, answer_of

__all__ = ["RaycastingScene", "Tensor", "install", "uninstall"]


Answer = dict[str, Tensor]


class RaycastingScene:
    """Meshes for ray and distance queries, with the API of ``open3d.t.geometry.RaycastingScene``.

    Parameters
    ----------
    nthreads : int
        How many threads a call uses by default; 0 for all of them, see :func:`.set_threads`.
    device : object
        Ignored; it is in Open3D's signature. The CPU computes all answers.
    dtype : dtype
        The type of all floats returned, of NumPy or Open3D: float32 as in Open3D, or float64 as
        they are computed. Open3D's tensors do not mix the two in one operation.
    border : {"open", "closed"}
        What happens to rays exactly through the border, as for :class:`.Mesh`.

    Notes
    -----
    Answers are tensors of Open3D in a program that has imported Open3D, else :class:`.Tensor`
    objects, which have the methods that programs call on them. All is computed in float64 and then
    rounded to `dtype`: ids, counts and sides are exact either way. Rays have shape (..., 6): the
    origin, then the direction, whose length is the unit of `t_hit`. An edge that two triangles
    share is hit once, by one of them. ``list_intersections`` sorts the hits of each ray by
    distance. Points inside of an odd number of closed surfaces are inside. The first query after
    :meth:`add_triangles` joins all meshes.

    Examples
    --------
    >>> scene = RaycastingScene()
    >>> scene.add_triangles([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    0
    >>> answer = scene.cast_rays([[0.25, 0.5, 2, 0, 0, -1], [5, 5, 2, 0, 0, -1]])
    >>> answer["t_hit"].numpy().tolist(), answer["primitive_uvs"][0].numpy().tolist()
    ([2.0, inf], [0.25, 0.5])
    >>> answer["geometry_ids"].numpy().tolist() == [0, scene.INVALID_ID]
    True
    """

    INVALID_ID: ClassVar[int] = 2**32 - 1
    """The id where there is no triangle: a ray misses, or no triangle is closest to a point."""

    def __init__(
        self,
        nthreads: int = 0,
        device: object = None,
        *,
        dtype: object = np.float32,
        border: Border = "open",
    ) -> None:
        del device
        self._threads = count(nthreads, "nthreads", least=0)
        self._dtype = reading.float_type(dtype)
        self._border: Border = arguments.one_of(border, "border", "open", "closed")
        self._parts: list[tuple[FloatArray, npt.NDArray[Any]]] = []
        self._starts: list[int] = []  # the first triangle of each geometry, once joined
        self._count = 0
        self._mesh: Mesh | None = None

    def add_triangles(
        self,
        vertex_positions: Reals | OtherMesh | None = None,
        triangle_indices: Reals | None = None,
        *,
        mesh: OtherMesh | None = None,
    ) -> int:
        """Add a mesh, and return its geometry id: 0 for the first, and so on.

        Parameters
        ----------
        vertex_positions : array_like (V, 3), or object
            Vertices; or, without `triangle_indices`, a mesh of Open3D, of either kind, or of
            another library, as for :class:`.Mesh`.
        triangle_indices : array_like (T, 3) of int
            Vertex indices.
        mesh : object
            The mesh, given by keyword.

        Raises
        ------
        ShapeError, DtypeError, IndexRangeError
            If the arguments are not a mesh.
        """
        if triangle_indices is None and mesh is not None:
            vertex_positions = mesh
        v, t = reading.mesh_of(vertex_positions, triangle_indices)
        self._parts.append((v.copy(), t.copy()))
        self._starts.append(self._count)
        self._count += len(t)
        self._mesh = None
        return len(self._starts) - 1

    def cast_rays(self, rays: Reals, nthreads: int = 0) -> Answer:
        """The nearest hit of each ray.

        Parameters
        ----------
        rays : array_like (..., 6)
        nthreads : int

        Returns
        -------
        dict
            ``t_hit`` (...); ``geometry_ids`` and ``primitive_ids`` (...) of uint32;
            ``primitive_uvs`` (..., 2), the weights of the triangle's second and third vertex;
            ``primitive_normals`` (..., 3). A miss has inf, :attr:`INVALID_ID`, 0 and 0.

        Notes
        -----
        The direction's length is the unit of ``t_hit``. With a tiny length such as 1e-320, the
        ``t_hit`` of a hit may overflow to inf; only the ids then tell it from a miss.
        """
        origins, directions = rays_of(rays)
        hits = self._joined().cast_rays(origins, directions, threads=self._for(nthreads))
        hit = hits.hit
        t = np.where(hit, _in_lengths(hits.distance, directions), np.inf)
        answer: dict[str, npt.NDArray[Any]] = {
            "t_hit": t,
            **self._ids(hits.triangle),
            "primitive_uvs": np.where(hit[..., None], hits.barycentric[..., 1:], 0.0),
            "primitive_normals": np.where(hit[..., None], hits.normal, 0.0),
        }
        return self._tensors(answer)

    def test_occlusions(
        self, rays: Reals, tnear: float = 0.0, tfar: float = np.inf, nthreads: int = 0
    ) -> Tensor:
        """Whether each ray hits anything from `tnear` to `tfar`, (...).

        Both are 0 or more, in units of the direction's length; the range includes them.
        """
        near, far = arguments.distance(tnear, "tnear"), arguments.distance(tfar, "tfar")
        origins, directions = rays_of(rays)
        # A direction that is zero or not finite hits nothing.
        with np.errstate(invalid="ignore", over="ignore"):
            unit = arrays.length(directions)
            limits = np.inf if far == np.inf else far * unit
            begin = near * unit if near > 0.0 else None
        hit = self._joined().any_hit(
            origins, directions, limits, threads=self._for(nthreads), min_distance=begin
        )
        return self._tensor(hit)

    def count_intersections(self, rays: Reals, nthreads: int = 0) -> Tensor:
        """The number of triangles that each ray hits, (...) of int32."""
        origins, directions = rays_of(rays)
        counts = self._joined().count_hits(origins, directions, threads=self._for(nthreads))
        return self._tensor(np.asarray(counts, dtype=np.int32))

    def list_intersections(self, rays: Reals, nthreads: int = 0) -> Answer:
        """All N hits of R rays, sorted by ray and distance.

        Returns
        -------
        dict
            ``ray_splits`` (R + 1,): ray i has the hits ``ray_splits[i]:ray_splits[i + 1]``;
            ``ray_ids`` (N,), the ray of each hit; ``geometry_ids`` and ``primitive_ids`` (N,), all
            of uint32; ``t_hit`` (N,), which may be inf as in :meth:`cast_rays`, and
            ``primitive_uvs`` (N, 2).
        """
        origins, directions = rays_of(rays)
        hits, splits = self._joined().cast_rays_all(
            origins, directions, threads=self._for(nthreads)
        )
        row = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        answer: dict[str, npt.NDArray[Any]] = {
            "ray_splits": splits.astype(np.uint32),
            "ray_ids": row.astype(np.uint32),
            "t_hit": _in_lengths(hits.distance, directions.reshape(-1, 3)[row]),
            **self._ids(hits.triangle),
            "primitive_uvs": hits.barycentric[:, 1:],
        }
        return self._tensors(answer)

    def compute_closest_points(self, query_points: Reals, nthreads: int = 0) -> Answer:
        """The point of the scene's surface closest to each query point (..., 3).

        Returns
        -------
        dict
            ``points`` (..., 3), ``geometry_ids`` and ``primitive_ids`` (...) of uint32,
            ``primitive_uvs`` (..., 2) and ``primitive_normals`` (..., 3). Where there is no closest
            point, as in an empty scene, ids are :attr:`INVALID_ID` and the rest is NaN.
        """
        mesh = self._joined()
        near = mesh.closest_point(points_of(query_points), threads=self._for(nthreads))
        answer: dict[str, npt.NDArray[Any]] = {
            "points": near.point,
            **self._ids(near.triangle),
            "primitive_uvs": near.barycentric[..., 1:],
            "primitive_normals": reading.normals_of(mesh, near.triangle),
        }
        return self._tensors(answer)

    def compute_distance(self, query_points: Reals, nthreads: int = 0) -> Tensor:
        """The distance (...) of each point (..., 3) from the scene; inf if that is empty."""
        return self._tensor(self._distance(points_of(query_points), nthreads))

    def compute_signed_distance(
        self, query_points: Reals, nthreads: int = 0, nsamples: int = 1
    ) -> Tensor:
        """The distance (...) of each point (..., 3) from the scene, negative inside of it.

        :meth:`compute_occupancy` defines inside. `nsamples`, odd, is the number of rays that Open3D
        casts; here one is enough.
        """
        p = points_of(query_points)
        is_inside = self._occupied(p, nthreads, nsamples)
        distance = self._distance(p, nthreads)
        return self._tensor(np.where(is_inside, -distance, distance))

    def compute_occupancy(
        self, query_points: Reals, nthreads: int = 0, nsamples: int = 1
    ) -> Tensor:
        """1 for each point (..., 3) that is inside of the scene, else 0; (...) of floats.

        A point is inside if a ray from it crosses the surface an odd number of times; all rays have
        the same direction. Open meshes, which have no inside, are treated like closed ones.
        """
        is_inside = self._occupied(points_of(query_points), nthreads, nsamples)
        return self._tensor(is_inside.astype(self._dtype))

    @staticmethod
    def create_rays_pinhole(*values: Reals, dtype: object = np.float32, **named: Reals) -> Tensor:
        """Rays (height_px, width_px, 6) through all pixel centers of a camera.

        Takes ``intrinsic_matrix`` (3, 3), ``extrinsic_matrix`` (4, 4, world to camera space),
        ``width_px``, ``height_px``; or ``fov_deg`` (horizontal), ``center`` (the point it looks
        at), ``eye`` (its position), ``up``, ``width_px``, ``height_px``. They are of `dtype`,
        float32 as in Open3D or float64.

        With ``up`` the image is upside down, as in Open3D: row 0 is at the bottom, column 0 at the
        right. ``rays[::-1, ::-1]`` turns it upright. With matrices, row 0 is at the top, as the
        camera's y axis points down.

        Examples
        --------
        >>> rays = RaycastingScene.create_rays_pinhole(90, (2, 0, 0), (0, 0, 0), (0, 0, 1), 4, 3)
        >>> tuple(rays.shape), rays.numpy()[1, 0].round(6).tolist()
        ((3, 4, 6), [0.0, 0.0, 0.0, 1.0, -0.75, 0.0])
        """
        return answer_of(pinhole_rays(values, named, reading.float_type(dtype)))

    def __repr__(self) -> str:
        return f"<RaycastingScene {len(self._starts)} geometries, {self._count} triangles>"

    def _distance(self, points: FloatArray, nthreads: int) -> FloatArray:
        return reading.distances(self._joined(), points, self._for(nthreads))

    def _occupied(self, points: FloatArray, nthreads: int, nsamples: int) -> BoolArray:
        if count(nsamples, "nsamples") % 2 == 0:
            raise ArgumentError(f"nsamples must be odd, not {nsamples}")
        return reading.inside(self._joined(), points, self._for(nthreads))

    def _joined(self) -> Mesh:
        """All meshes as one, in the order in which they were added."""
        if self._mesh is None:
            first = np.cumsum([0] + [len(v) for v, _ in self._parts])
            v = np.concatenate([np.empty((0, 3)), *(v for v, _ in self._parts)])
            t = [t + start for (_, t), start in zip(self._parts, first, strict=False)]
            joined = np.concatenate([np.empty((0, 3), dtype=np.int64), *t])
            self._mesh = Mesh(v, joined, border=self._border, copy=False)
            self._parts = [(self._mesh.vertices, self._mesh.triangles)]
        return self._mesh

    def _ids(self, triangles: IntArray) -> dict[str, npt.NDArray[Any]]:
        """Geometry and primitive ids (...) of triangles (...) of the joined mesh; -1 for none."""
        starts = np.array([0, *self._starts])
        geometry = np.searchsorted(starts[1:], triangles, side="right")
        ids = {"geometry_ids": geometry - 1, "primitive_ids": triangles - starts[geometry]}
        # -1 as an unsigned integer is INVALID_ID.
        return {name: each.astype(np.uint32) for name, each in ids.items()}

    def _for(self, nthreads: int) -> int | None:
        return count(nthreads, "nthreads", least=0) or self._threads or None

    def _tensors(self, answer: dict[str, npt.NDArray[Any]]) -> Answer:
        return {name: self._tensor(values) for name, values in answer.items()}

    def _tensor(self, values: npt.NDArray[Any]) -> Tensor:
        """Values as a tensor of the kind that the program uses, floats in the scene's type."""
        if values.dtype.kind == "f":
            with np.errstate(over="ignore"):
                values = values.astype(self._dtype, copy=False)
        return answer_of(values)


_replaced: list[tuple[Any, Any]] = []  # the module and its own class, while ours is there


def install() -> None:
    """Put our class in the place of ``open3d.t.geometry.RaycastingScene``, for the whole program.

    To do it again does nothing. Scenes that exist, and names that were imported with
    ``from open3d.t.geometry import RaycastingScene``, stay as they are.

    Raises
    ------
    MissingPackageError
        If Open3D is not installed.

    Examples
    --------
    >>> import open3d  # doctest: +SKIP
    >>> install()  # doctest: +SKIP
    >>> open3d.t.geometry.RaycastingScene()  # doctest: +SKIP
    <RaycastingScene 0 geometries, 0 triangles>
    """
    try:
        geometry = forks.imported("open3d.t.geometry")
    except (ImportError, OSError) as error:  # OSError: a library that it is linked with is missing
        raise MissingPackageError(f"this needs Open3D (pip install open3d): {error}") from error
    with forks.changing.here:
        if not _replaced:
            _replaced.append((geometry, geometry.RaycastingScene))
            geometry.RaycastingScene = RaycastingScene  # type: ignore[attr-defined]


def uninstall() -> None:
    """Put Open3D's own class back; without :func:`install` before, nothing happens.

    Examples
    --------
    >>> uninstall()
    """
    with forks.changing.here:
        if _replaced:
            geometry, theirs = _replaced.pop()
            geometry.RaycastingScene = theirs


def _in_lengths(distances: FloatArray, directions: FloatArray) -> FloatArray:
    """Distances (...) in units of the lengths of directions (..., 3); inf beyond float64."""
    scale = arrays.power_of_two(arrays.largest(directions))
    with np.errstate(over="ignore", invalid="ignore"):
        # In two steps, as the length itself may be beyond float64.
        t: FloatArray = distances / arrays.length(directions / scale[..., None]) / scale
    return t


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
