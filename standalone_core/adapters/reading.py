# SPDX-License-Identifier: MIT
"""Shared by the adapters: reading of arguments, queries, and a mesh that follows another."""

from functools import partial
from typing import Any, Protocol
from weakref import ref

import numpy as np

from .. import arguments
from ..arguments import Border
from ..border import Outline
from ..cast.hits import misses
from ..cast.rays import Geometry, Query
from ..cast.read_rays import many_rays
from ..closest.surface import INSIDE_DIRECTION
from ..concurrency.forks import cached
from ..errors import ArgumentError, DtypeError, ShapeError
from ..hit import RayHits
from ..mesh import Mesh
from ..numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray
from ..numerics.point_triangle import triangle_normals
from ..numerics.reading import MOST_ROWS, described, kind_of
from ..other_meshes import vertices_and_triangles
from ..types import Reals


def array_of(value: Any, name: str) -> Any:
    """Convert a tensor to an array; return anything else as it is."""
    try:
        return value.numpy() if hasattr(value, "numpy") else value
    except MemoryError:
        raise
    except Exception as error:  # whatever the other library raises
        reason = described(error)
        raise DtypeError(f"{name} is {kind_of(value)} whose numpy() fails: {reason}") from error


def mesh_of(vertices: Any, triangles: Any) -> tuple[FloatArray, IndexArray]:
    """Read vertices (V, 3) and triangles (T, 3), or an :obj:`.OtherMesh` passed as vertices."""
    if triangles is None:
        vertices, triangles = vertices_and_triangles(vertices)
    name = "vertex_positions"
    v = arguments.floats(array_of(vertices, name), name, (None, 3))
    name = "triangle_indices"
    return v, arguments.triangle_indices(array_of(triangles, name), len(v), name)


def rays_of(value: Any) -> tuple[FloatArray, FloatArray]:
    """Read rays (..., 6) as origins and directions (..., 3)."""
    rays = arguments.floats(array_of(value, "rays"), "rays")
    if rays.shape == (0,):
        rays = rays.reshape(0, 6)
    if rays.ndim == 0 or rays.shape[-1] != 6:
        raise ShapeError(f"rays must have shape (..., 6), not {rays.shape}")
    return rays[..., :3], rays[..., 3:]


def points_of(value: Any) -> FloatArray:
    """Read points (..., 3)."""
    return arguments.points(array_of(value, "query_points"), "query_points")


def point_rows(points: Any) -> FloatArray:
    """Read points (N, 3); one point (3,) makes one row."""
    return arguments.points(points, "points").reshape(-1, 3)


def count(value: Any, name: str, least: int = 1) -> int:
    """Read `value` as an integer that is at least `least`."""
    number = arguments.integer(value, name)
    if number < least or isinstance(value, bool):
        raise ArgumentError(f"{name} must be {least} or more, not {described(value)}")
    if number > MOST_ROWS:
        raise ArgumentError(f"{name} must be {MOST_ROWS} or less, not {described(value)}")
    return number


def is_of_open3d(value: Any) -> bool:
    """Whether `value` is a tensor, mesh, device or type of Open3D."""
    return type(value).__module__.partition(".")[0] == "open3d"


def dtype_of(value: Any, wanted: str = "a type of NumPy or Open3D") -> np.dtype[Any]:
    """Read `value` as a type of numbers."""
    try:
        # Open3D's have the names of NumPy's, with capitals.
        return np.dtype(str(value).lower() if is_of_open3d(value) else value)
    except Exception as error:  # whatever NumPy raises
        raise DtypeError(f"dtype must be {wanted}, not {described(value)}") from error


def float_type(value: Any) -> np.dtype[Any]:
    """Read `value` as float64 or float32."""
    given = dtype_of(value, "float64 or float32")
    if given not in (np.float64, np.float32):
        raise DtypeError(f"dtype must be float64 or float32, not {given}")
    return given


def inside(
    mesh: Mesh, points: Any, threads: int | None = None, opposite: bool = False
) -> BoolArray:
    """Whether a ray from each point (..., 3) goes through the mesh an odd number of times, (...).

    For a closed mesh the answer is that of :meth:`.Mesh.contains`; for an open one it depends on
    the ray's direction, or the `opposite` one. Points that are not finite are outside.
    """
    origins = arguments.points(points, "points")
    direction = -INSIDE_DIRECTION if opposite else INSIDE_DIRECTION
    return np.asarray(mesh.count_hits(origins, direction, threads=threads) % 2 == 1)


def distances(mesh: Mesh, points: Any, threads: int | None = None) -> FloatArray:
    """The distance of each point (..., 3) from the mesh, (...); NaN for those not finite."""
    near = mesh.closest_point(points, threads=threads)
    return np.where(near.invalid, np.nan, near.distance)


def normals_of(mesh: Mesh, triangles: IntArray) -> FloatArray:
    """Unit normals (..., 3) of triangles (...) by their winding; NaN for index -1 or no area."""
    result = np.full((*triangles.shape, 3), np.nan)
    found = triangles >= 0
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles[triangles[found]]], 1, 0)
    result[found] = triangle_normals(a, b, c)
    return result


class MeshLike(Protocol):
    """A mesh such as trimesh's, whose hash changes with it."""

    @property
    def vertices(self) -> Reals:
        """Positions (V, 3)."""

    @property
    def faces(self) -> Reals:
        """Vertex indices (T, 3)."""


class MeshFollower:
    """The :class:`.Mesh` of a trimesh mesh, made anew or refitted when the latter changes.

    Any object with `vertices` (V, 3) and `faces` (T, 3) will do, if its hash changes with them.
    All followers of an object share one mesh, as long as the object lives.
    """

    def __init__(self, mesh: MeshLike, border: Border = "open") -> None:
        if isinstance(mesh, Mesh):
            raise DtypeError("mesh must be one like trimesh's; a Mesh answers by itself")
        for name in ("vertices", "faces"):
            # The class is checked too: trimesh's primitives lack these before they are set up.
            if not (hasattr(type(mesh), name) or hasattr(mesh, name)):
                raise DtypeError(f"mesh must have {name}; {kind_of(mesh)} has none")
        border = arguments.one_of(border, "border", "open", "closed")
        self.__setstate__({"mesh": mesh, "border": border})

    def __getstate__(self) -> dict[str, Any]:
        return {"mesh": self.mesh, "border": self.border}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.mesh: MeshLike = state["mesh"]
        self.border: Border = state["border"]
        self._shared = _shared_by_followers_of(self.mesh, self.border)

    @property
    def exact(self) -> Mesh:
        """The mesh, up to date."""
        return self._now().mesh

    def touched(
        self, origins: FloatArray, directions: FloatArray, most: int | None
    ) -> tuple[IntArray, RayHits]:
        """Where rays (N, 3) without hits exactly touch the mesh: rows of the rays, and hits.

        They are sorted by row and distance, at most `most` for each ray.
        """
        outline = self._now().outline
        if outline is None:
            return np.empty(0, dtype=np.int64), misses(0)
        query = Query(every=True)
        rays, *_ = many_rays(origins, directions, np.inf, None, query, "miss", lambda o, d: None)
        return outline.touched(rays, most)

    def _now(self) -> "_Followed":
        try:
            key = hash(self.mesh)
        except TypeError as error:
            raise DtypeError(f"mesh must have a hash: {error}") from error
        now = self._shared.now
        if now is None or now.key != key:
            now = self._shared.now = _Followed(key, self._read(None if now is None else now.mesh))
        return now

    def _read(self, before: Mesh | None) -> Mesh:
        # Copies, as trimesh changes its arrays in place.
        vertices = arguments.positions(self.mesh.vertices, "vertices", copy=True)
        faces = arguments.triangle_indices(self.mesh.faces, len(vertices), "faces", copy=True)
        if (
            before is None
            or before.vertices.shape != vertices.shape
            or not np.array_equal(before.triangles, faces)
        ):
            return Mesh(vertices, faces, border=self.border, copy=False)
        before.refit(vertices, copy=False)
        return before


class _Followed:
    """A mesh as it was when it was followed last, and what was computed of it."""

    def __init__(self, key: int, mesh: Mesh) -> None:
        self.key, self.mesh = key, mesh

    @cached
    def outline(self) -> Outline | None:
        mesh = self.mesh
        mesh.build()
        if mesh.tree is None:
            return None
        return Outline(Geometry(mesh.vertices, mesh.triangles, None), mesh.tree)


class _Shared:
    """What the followers of one mesh share."""

    now: _Followed | None = None


# By identity: the hash of a mesh, which a WeakKeyDictionary would ask for, changes with it.
_shared: dict[tuple[int, Border], tuple[ref[MeshLike], _Shared]] = {}


def _shared_by_followers_of(mesh: MeshLike, border: Border) -> _Shared:
    key = id(mesh), border
    known = _shared.get(key)
    if known is None:
        forget = partial(_shared.pop, key)  # the reference that died is its default
        try:
            known = _shared.setdefault(key, (ref(mesh, forget), _Shared()))
        except TypeError:  # its class has slots, and none for references
            return _Shared()
    return known[1]


def forget_followed() -> None:
    """Let new followers begin anew; those that there are keep what they share."""
    _shared.clear()
