# SPDX-License-Identifier: MIT
"""Instances of meshes, the base of all that scenes can place, and changes between spaces."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np

from .. import arguments
from ..arguments import Border
from ..box import Box
from ..bvh import Tree
from ..bvh.build import unit_space
from ..cast.caster import Castable
from ..cast.rays import LEAST_SQUARE, MOST_SQUARE, Geometry, LoneRay, RayBatch
from ..closest.places import ClosestPoints
from ..engines import Engine
from ..errors import ArgumentError, DtypeError
from ..hit import Hit, RayHits
from ..numerics import vectors
from ..numerics.arrays import (
    EPS,
    BoolArray,
    FloatArray,
    IntArray,
    dot,
    finite_bounds,
    moved,
    normalized,
)
from ..numerics.ray_triangle import dot3
from ..numerics.reading import kind_of
from ..numerics.values import deprecated_alias, frozen, immutable, vector
from ..region import Region, Triangles
from ..types import Reals

# How far a matrix may be from a rotation with one scale, and still count as that.
_SIMILAR = 64 * EPS


@immutable
@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A mesh at a place: immutable, and compared by its mesh, matrices and name.

    Attributes
    ----------
    mesh : Placeable
    matrix : ndarray (4, 4)
        Mesh space to the scene's space, column vectors; read-only.
    linear_inverse : ndarray (3, 3)
        Inverse of the matrix' linear part; read-only.
    name : str or None

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> scene = sc.Scene()
    >>> instance = scene[scene.add(mesh, name="floor")]
    >>> instance.name, instance.mesh is mesh, instance.matrix.diagonal().tolist()
    ('floor', True, [1.0, 1.0, 1.0, 1.0])
    """

    mesh: Placeable
    matrix: FloatArray
    linear_inverse: FloatArray
    name: str | None

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, Placeable):
            raise DtypeError(f"mesh must be a Placeable, not {kind_of(self.mesh)}")
        if self.name is not None:
            arguments.instance_of(self.name, str, "name")
        for name, size in (("matrix", 4), ("linear_inverse", 3)):
            object.__setattr__(self, name, _square(getattr(self, name), name, size))

    inverse = deprecated_alias("inverse", "linear_inverse", since="0.2")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        return (
            self.mesh is other.mesh
            and self.name == other.name
            and np.array_equal(self.matrix, other.matrix)
            and np.array_equal(self.linear_inverse, other.linear_inverse)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Instance, (self.mesh, self.matrix, self.linear_inverse, self.name)


def to_mesh_many(
    matrices: FloatArray, inverses: FloatArray, rays: RayBatch
) -> tuple[IntArray, RayBatch]:
    """Rays moved from the scene's space to meshes', without those that are beyond float64 there.

    The matrices (R, 4, 4) and inverses (R, 3, 3) are of the instance that each of the R rays goes
    to. Returns the rows (N,) of the rays that are left, and these rays.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        origins = applied(inverses, rays.origins - matrices[..., :3, 3])
        directions = applied(inverses, rays.directions)
    inside = np.isfinite(origins).all(axis=1) & np.isfinite(directions).all(axis=1)
    inside &= directions.any(axis=1)
    query = rays.query._replace(excluded=None)
    if inside.all():
        return np.arange(len(rays)), rays.moved(origins, directions, query)
    rows = np.flatnonzero(inside)
    return rows, rays.take(rows).moved(origins[rows], directions[rows], query)


def to_scene_many(
    matrices: FloatArray, inverses: FloatArray, identifiers: IntArray, hits: RayHits
) -> RayHits:
    """Hits (N,) moved from meshes' spaces to the scene's, each by its instance."""
    return replace(
        hits,
        point=applied(matrices[..., :3, :3], hits.point) + matrices[..., :3, 3],
        normal=normalized(applied(inverses.swapaxes(-2, -1), hits.normal)),
        instance=identifiers,
    )


def to_mesh(instance: Instance, ray: LoneRay, limit: float) -> LoneRay | None:
    """A ray moved from the scene's space to the mesh's, ending at the distance `limit`.

    None if it is beyond float64 there. The query stays as it is.
    """
    x, y, z = ray.origin
    tx, ty, tz = instance.matrix[:3, 3].tolist()
    first, second, third = instance.linear_inverse.tolist()
    o, d = (x - tx, y - ty, z - tz), ray.direction
    origin = (dot3(o, first), dot3(o, second), dot3(o, third))
    direction = (dot3(d, first), dot3(d, second), dot3(d, third))
    if LEAST_SQUARE < dot3(direction, direction) < MOST_SQUARE and isfinite(sum(origin)):
        return LoneRay(origin, direction, ray.length, ray.start, limit, ray.query)
    batch = ray._replace(limit=limit).batch()
    _, moved = to_mesh_many(instance.matrix, instance.linear_inverse, batch)
    return moved.ray(0) if len(moved) else None


def to_scene(instance: Instance, hit: Hit, identifier: int) -> Hit:
    """A hit moved from the mesh's space to the scene's, with the instance's id."""
    p, n = hit.point.tolist(), hit.normal.tolist()
    rows = instance.matrix.tolist()
    x, y, z = (dot3(p, row) + row[3] for row in rows[:3])
    columns = instance.linear_inverse.T.tolist()
    normal = vectors.normalized((dot3(n, columns[0]), dot3(n, columns[1]), dot3(n, columns[2])))
    return replace(hit, point=vector((x, y, z)), normal=vector(normal), instance=identifier)


def instance_triangles(instance: Instance, region: Region, identifier: int) -> Triangles:
    """The triangles, in the scene's space, that may reach into a region of it."""
    found = instance.mesh.triangles_in(region.moved(instance.matrix))
    with np.errstate(over="ignore", invalid="ignore"):
        corners = moved(found.corners, instance.matrix[:3])
    return replace(found, corners=corners, instance=np.full(len(found), identifier, dtype=np.int64))


def _square(value: Reals, name: str, size: int) -> FloatArray:
    """Read a square matrix; an array of the right form is not checked, as scenes have thousands."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.shape == (size, size):
        return frozen(value)
    return frozen(arguments.finite_floats(value, name, (size, size)))


def moved_geometry(geometry: Geometry, matrix: FloatArray) -> tuple[Geometry, FloatArray, float]:
    """Triangles with their vertices moved by a matrix (4, 4), and center and scale for a tree."""
    with np.errstate(over="ignore", invalid="ignore"):
        vertices = moved(geometry.vertices, matrix[:3])
    return geometry._replace(vertices=vertices), *unit_space(*finite_bounds(vertices))


def scales_of(linear: FloatArray) -> FloatArray:
    """The scale of each matrix (N, 3, 3); NaN if it also shears or scales unevenly."""
    size = np.abs(linear).max(axis=(1, 2))
    unit = linear / size[:, None, None]
    square = vectors.matmul(unit.swapaxes(1, 2), unit)
    mean = np.trace(square, axis1=1, axis2=2) / 3
    off = np.abs(square - mean[:, None, None] * np.eye(3)).max(axis=(1, 2))
    return np.where(off > _SIMILAR * mean, np.nan, np.sqrt(mean) * size)


def applied(matrices: FloatArray, vectors: FloatArray) -> FloatArray:
    """Matrices (..., 3, 3) times vectors (N, 3), with a fixed order of the sums."""
    return np.stack([dot(vectors, matrices[..., row, :]) for row in range(3)], axis=-1)


class Placeable(Castable):
    """Something that has a box, and answers rays and regions that meet it, all in its own space.

    A scene asks only when a ray or a region meets the box: a subclass may load its mesh then. A
    subclass has `bounds`, `revision`, `engine`, and methods ``_cast`` for one ray and
    ``_cast_many`` for a batch, as its base ``Castable`` describes them. Their types are in
    ``standalone_core.extension``. The `instance` of its hits and triangles is 0.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> isinstance(mesh, sc.Placeable)
    True
    >>> mesh.bounding_box.upper.tolist()
    [1.0, 1.0, 0.0]
    """

    __slots__ = ()

    _latest_change: ClassVar[object] = object()
    _announces: ClassVar[bool] = False
    _hidden: BoolArray | None = None  # triangles (T,) that do not count, of those of `_shape_for`

    def __init_subclass__(cls) -> None:
        """A class with its own `revision` is asked for it, unless it announces its changes."""
        super().__init_subclass__()
        if "revision" in vars(cls):
            cls._announces = vars(cls).get("_announces", False)

    @staticmethod
    def _announce() -> None:
        """Tell all scenes, after a change, that there may be new revisions."""
        Placeable._latest_change = object()

    def _plain_shape(
        self,
        rays: int,  # noqa: ARG002
        engine: Engine,  # noqa: ARG002
        border: Border | None = None,  # noqa: ARG002
    ) -> tuple[Geometry, Tree] | None:
        """Triangles and tree for code that casts about so many rays in place of the mesh.

        None without a tree, if it has another engine, or if the triangles do not say it all: of an
        open mesh whose `border` is to be hit, they do not.
        """
        return None

    def _shape_for(self, queries: int) -> tuple[Geometry, Tree | None]:
        """Triangles, and the tree over them if there is one, for so many queries."""
        raise NotImplementedError(f"{type(self).__name__} cannot be asked for its triangles")

    def _closest_points(
        self, p: FloatArray, limits: FloatArray, excluded: BoolArray | None
    ) -> ClosestPoints:
        """The nearest places to finite points (N, 3) within limits (N,)."""
        raise NotImplementedError(f"{type(self).__name__} cannot be asked for closest points")

    def _closest_vertices(
        self,
        p: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
        matrix: FloatArray | None = None,
    ) -> ClosestPoints:
        """The nearest vertices, moved by a matrix (4, 4) if given, in place of triangles."""
        raise NotImplementedError(f"{type(self).__name__} cannot be asked for its vertices")

    def _winding(self, points: FloatArray, tolerance: float) -> FloatArray:
        """The winding numbers of finite points (N, 3), see :func:`.winding_numbers`."""
        raise NotImplementedError(f"{type(self).__name__} cannot be asked for winding numbers")

    def _area(self) -> float:
        """At least the area of all that has a winding number."""
        return inf

    def _check_closed(self, now: Any = None) -> None:
        """Raise OpenMeshError if nothing can be inside."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all that can be hit; NaN where there is nothing."""

    @property
    def bounding_box(self) -> Box:
        """The bounds as a box; ArgumentError if there is nothing to bound."""
        lower, upper = self.bounds
        if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
            raise ArgumentError("there is no finite vertex to bound")
        return Box(lower, upper)

    @property
    @abstractmethod
    def revision(self) -> int:
        """A number that changes whenever the bounds may change; scenes follow it."""

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """The engine that answers, "auto" if that is not known."""

    @property
    def wanted_engine(self) -> Engine:
        """The engine that was asked for, by default the one that answers."""
        return self.engine

    def triangles_in(self, region: Region) -> Triangles:
        """All triangles that reach into a region, and perhaps some that are near it.

        A class that is only cast at need not implement this.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot list the triangles in a region")
