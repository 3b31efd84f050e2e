# SPDX-License-Identifier: MIT
"""Open3D's ``RaycastingScene`` in double precision: the same calls, keys, ids and shapes.

Open3D itself is not needed. Calls take arrays of NumPy and tensors of Open3D, and return a
:class:`.Tensor`: an array with the methods that programs written for Open3D call on its tensors.
Cameras are in the conventions of Open3D and OpenCV: x right, y down, z forward.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from .. import arguments, matrices
from ..errors import ArgumentError, DegenerateError, NonFiniteError
from ..mesh import Mesh
from ..numerics import arrays
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.vectors import matmul
from . import reading
from .reading import TensorMesh, count, points_of, rays_of


class Tensor(np.ndarray[Any, np.dtype[Any]]):
    """A NumPy array with methods of an Open3D tensor that arrays lack, such as ``numpy()``.

    All else works as on an array: operators, NumPy's functions, ``item``, ``reshape``, and ``T``
    without parentheses. An element of a tensor is a tensor of shape (), as in Open3D. It hashes
    like its number, so a set or dict finds it; ``item()`` returns the Python number.

    Parameters
    ----------
    values : array_like
        An array's memory is shared, unless it is read-only: then it is copied, as tensors can be
        changed.

    Examples
    --------
    >>> t_hit = Tensor([2.0, np.inf])
    >>> t_hit.isfinite().numpy()
    array([ True, False])
    >>> t_hit[0].cpu().item()
    2.0
    """

    def __new__(cls, values: npt.ArrayLike) -> Tensor:
        """Values of any shape as a tensor."""
        array = np.asarray(values)
        return (array if array.flags.writeable else array.copy()).view(cls)

    def numpy(self) -> npt.NDArray[Any]:
        """The tensor as a plain array that shares its memory."""
        return self.view(np.ndarray)

    def cpu(self) -> Tensor:
        """The tensor itself, which is in the CPU's memory already."""
        return self

    def isfinite(self) -> Tensor:
        """Whether each number is neither infinite nor NaN, of the same shape."""
        return Tensor(np.isfinite(self))

    def isinf(self) -> Tensor:
        """Whether each number is infinite, of the same shape."""
        return Tensor(np.isinf(self))

    def isnan(self) -> Tensor:
        """Whether each number is NaN, of the same shape."""
        return Tensor(np.isnan(self))

    def __getitem__(self, key: Any) -> Any:
        """A part or an element, as a tensor; shares memory where a part of an array would."""
        part = super().__getitem__(key)
        if isinstance(part, np.ndarray):
            return part
        return super().__getitem__((*key, ...) if isinstance(key, tuple) else (key, ...))

    def __hash__(self) -> int:  # type: ignore[override]
        """The hash of the number in a tensor of shape ()."""
        if self.ndim:
            raise TypeError(f"a tensor of shape {self.shape} cannot be hashed, one number can")
        return hash(self.item())


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
        The type of all floats returned: float64, as they are computed, or float32 as in Open3D.

    Notes
    -----
    Answers are :class:`.Tensor` objects: arrays that also have `numpy()`, `isfinite()` and others.
    They are exact, where Open3D rounds to float32. Rays have shape (..., 6): the origin, then the
    direction, whose length is the unit of `t_hit`. An edge that two triangles share is hit once, by
    one of them. ``list_intersections`` sorts the hits of each ray by distance. Points inside of an
    odd number of closed surfaces are inside. The first query after :meth:`add_triangles` joins
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
    """The id where there is no triangle: a ray misses, or no triangle is closest to a point."""

    def __init__(
        self, nthreads: int = 0, device: object = None, *, dtype: npt.DTypeLike = np.float64
    ) -> None:
        del device
        self._threads = count(nthreads, "nthreads", least=0)
        self._dtype = reading.float_type(dtype)
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
            Vertices; or, without `triangle_indices`, a mesh such as Open3D's
            ``t.geometry.TriangleMesh``: an object with ``vertex.positions`` and
            ``triangle.indices``.
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

    def cast_rays(self, rays: ArrayLike, nthreads: int = 0) -> Answer:
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
        return {
            "t_hit": self._floats(t),
            **self._ids(hits.triangle),
            "primitive_uvs": self._floats(np.where(hit[..., None], hits.barycentric[..., 1:], 0.0)),
            "primitive_normals": self._floats(np.where(hit[..., None], hits.normal, 0.0)),
        }

    def test_occlusions(
        self, rays: ArrayLike, tnear: float = 0.0, tfar: float = np.inf, nthreads: int = 0
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
        return Tensor(hit)

    def count_intersections(self, rays: ArrayLike, nthreads: int = 0) -> Tensor:
        """The number of triangles that each ray hits, (...) of int32."""
        origins, directions = rays_of(rays)
        counts = self._joined().count_hits(origins, directions, threads=self._for(nthreads))
        return Tensor(np.asarray(counts, dtype=np.int32))

    def list_intersections(self, rays: ArrayLike, nthreads: int = 0) -> Answer:
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
        return {
            "ray_splits": Tensor(splits.astype(np.uint32)),
            "ray_ids": Tensor(row.astype(np.uint32)),
            "t_hit": self._floats(_in_lengths(hits.distance, directions.reshape(-1, 3)[row])),
            **self._ids(hits.triangle),
            "primitive_uvs": self._floats(hits.barycentric[:, 1:]),
        }

    def compute_closest_points(self, query_points: ArrayLike, nthreads: int = 0) -> Answer:
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
        return {
            "points": self._floats(near.point),
            **self._ids(near.triangle),
            "primitive_uvs": self._floats(near.barycentric[..., 1:]),
            "primitive_normals": self._floats(reading.normals_of(mesh, near.triangle)),
        }

    def compute_distance(self, query_points: ArrayLike, nthreads: int = 0) -> Tensor:
        """The distance (...) of each point (..., 3) from the scene; inf if that is empty."""
        return self._floats(self._distance(points_of(query_points), nthreads))

    def compute_signed_distance(
        self, query_points: ArrayLike, nthreads: int = 0, nsamples: int = 1
    ) -> Tensor:
        """The distance (...) of each point (..., 3) from the scene, negative inside of it.

        :meth:`compute_occupancy` defines inside. `nsamples`, odd, is the number of rays that Open3D
        casts; here one is enough.
        """
        p = points_of(query_points)
        is_inside = self._occupied(p, nthreads, nsamples)
        distance = self._distance(p, nthreads)
        return self._floats(np.where(is_inside, -distance, distance))

    def compute_occupancy(
        self, query_points: ArrayLike, nthreads: int = 0, nsamples: int = 1
    ) -> Tensor:
        """1 for each point (..., 3) that is inside of the scene, else 0; (...) of floats.

        A point is inside if a ray from it crosses the surface an odd number of times; all rays have
        the same direction. Open meshes, which have no inside, are treated like closed ones.
        """
        return self._floats(self._occupied(points_of(query_points), nthreads, nsamples))

    @staticmethod
    def create_rays_pinhole(*values: ArrayLike, **named: ArrayLike) -> Tensor:
        """Rays (height_px, width_px, 6) of float64 through all pixel centers of a camera.

        Takes ``intrinsic_matrix`` (3, 3), ``extrinsic_matrix`` (4, 4, world to camera space),
        ``width_px``, ``height_px``; or ``fov_deg`` (horizontal), ``center`` (the point it looks
        at), ``eye`` (its position), ``up``, ``width_px``, ``height_px``.

        With ``up`` the image is upside down, as in Open3D: row 0 is at the bottom, column 0 at the
        right. ``rays[::-1, ::-1]`` turns it upright. With matrices, row 0 is at the top, as the
        camera's y axis points down.

        Examples
        --------
        >>> rays = RaycastingScene.create_rays_pinhole(90, (2, 0, 0), (0, 0, 0), (0, 0, 1), 4, 3)
        >>> rays.shape, rays[1, 0].round(12).tolist()
        ((3, 4, 6), [0.0, 0.0, 0.0, 1.0, -0.75, 0.0])
        """
        for make in (_rays_by_matrices, _rays_by_view):
            try:
                given = inspect.signature(make).bind(*values, **named).arguments
            except TypeError:
                continue
            return Tensor(
                make(**{name: reading.array_of(value, name) for name, value in given.items()})
            )
        raise ArgumentError(
            "a camera is given by intrinsic_matrix, extrinsic_matrix, width_px, height_px; "
            "or by fov_deg, center, eye, up, width_px, height_px"
        )

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
            self._mesh = Mesh(v, joined, copy=False)
            self._parts = [(self._mesh.vertices, self._mesh.triangles)]
        return self._mesh

    def _ids(self, triangles: IntArray) -> Answer:
        """Geometry and primitive ids (...) of triangles (...) of the joined mesh; -1 for none."""
        starts = np.array([0, *self._starts])
        geometry = np.searchsorted(starts[1:], triangles, side="right")
        ids = {"geometry_ids": geometry - 1, "primitive_ids": triangles - starts[geometry]}
        # -1 as an unsigned integer is INVALID_ID.
        return {name: Tensor(each.astype(np.uint32)) for name, each in ids.items()}

    def _for(self, nthreads: int) -> int | None:
        return count(nthreads, "nthreads", least=0) or self._threads or None

    def _floats(self, values: npt.NDArray[Any]) -> Tensor:
        with np.errstate(over="ignore"):
            return Tensor(values.astype(self._dtype, copy=False))


def _rays_by_matrices(
    intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) in world space through the pixel centers, with directions of depth 1.

    The intrinsic matrix leads from camera space to pixels, the extrinsic one from world to camera.
    """
    intrinsic = arguments.finite_floats(intrinsic_matrix, "intrinsic_matrix", (3, 3))
    extrinsic = matrices.matrix4(extrinsic_matrix, "extrinsic_matrix", takes_convention=False)
    to_camera = matrices.inverse(intrinsic, "intrinsic_matrix")
    to_world = matrices.affine_inverse(extrinsic, "extrinsic_matrix")
    rays = _rays(to_world[:3, 3], to_world[:3, :3], to_camera, width_px, height_px)
    if not np.isfinite(rays).all():
        raise NonFiniteError("intrinsic_matrix and extrinsic_matrix lead to rays beyond float64")
    return rays


def _rays_by_view(
    fov_deg: Any, center: Any, eye: Any, up: Any, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) in world space from an eye through an image centered on a point."""
    fov = float(arguments.finite_floats(fov_deg, "fov_deg", ()))
    if not 0.0 < fov < 180.0:
        raise ArgumentError(f"fov_deg must be above 0 and below 180, not {fov}")
    place, target = arguments.point(eye, "eye"), arguments.point(center, "center")
    forward = arrays.normalized(arrays.scaled_edges(place, target, target)[0])
    upward = arguments.point(up, "up")
    right = arrays.normalized(
        arrays.cross(upward / arrays.power_of_two(np.abs(upward).max()), forward)
    )
    to_world = np.stack([right, arrays.cross(forward, right), forward], axis=1)
    if not np.isfinite(to_world).all():
        raise DegenerateError("center, eye and up must not lie on a line")
    width, height = count(width_px, "width_px"), count(height_px, "height_px")
    half = math.tan(math.radians(fov) / 2)
    pixel = 2 * half / width  # the size of a pixel at depth 1
    to_camera = np.array([[pixel, 0, -half], [0, pixel, -0.5 * height * pixel], [0, 0, 1]])
    return _rays(place, to_world, to_camera, width, height)


def _rays(
    place: FloatArray, to_world: FloatArray, to_camera: FloatArray, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) from a place, by matrices (3, 3) from camera to world and pixel to camera."""
    width, height = count(width_px, "width_px"), count(height_px, "height_px")
    try:
        rays = np.empty((height, width, 6))
    except ValueError:
        raise ArgumentError(f"width_px {width} and height_px {height} are too large") from None
    x, y = np.arange(width) + 0.5, np.arange(height)[:, None] + 0.5
    rays[..., :3] = place
    with np.errstate(over="ignore", invalid="ignore"):
        a, b, c = matmul(to_world, to_camera).T
        rays[..., 3:] = x[..., None] * a + y[..., None] * b + c
    return rays


def _in_lengths(distances: FloatArray, directions: FloatArray) -> FloatArray:
    """Distances (...) in units of the lengths of directions (..., 3); inf beyond float64."""
    scale = arrays.power_of_two(arrays.largest(directions))
    with np.errstate(over="ignore", invalid="ignore"):
        # In two steps, as the length itself may be beyond float64.
        t: FloatArray = distances / arrays.length(directions / scale[..., None]) / scale
    return t
