# SPDX-License-Identifier: MIT
"""A mesh at a place of a scene, and the ways between its space and the scene's."""

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from ..cast.rays import LEAST_SQUARE, MOST_SQUARE, LoneRay, RayBatch
from ..hit import Hit, RayHits
from ..numerics import vectors
from ..numerics.arrays import FloatArray, IntArray, dot, moved, normalized
from ..numerics.ray_triangle import dot3
from ..numerics.read_only import read_only
from ..region import Region, Triangles
from .placeable import Placeable


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A mesh at a place.

    Attributes
    ----------
    mesh : Placeable
    matrix : ndarray (4, 4)
        Mesh space to the scene's space, column vectors; read-only.
    inverse : ndarray (3, 3)
        Inverse of the matrix' linear part; read-only.
    name : str or None
    """

    mesh: Placeable
    matrix: FloatArray
    inverse: FloatArray
    name: str | None

    def __post_init__(self) -> None:
        for name in ("matrix", "inverse"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Instance, (self.mesh, self.matrix, self.inverse, self.name)


def to_mesh_many(instance: Instance, rays: RayBatch) -> tuple[IntArray, RayBatch]:
    """Rays of the scene's space in the mesh's space, without those that leave float64 there.

    Returns
    -------
    rows : ndarray (N,)
        Which of the rays these are.
    rays : RayBatch
        N rays.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        origins = _apply(instance.inverse, rays.origins - instance.matrix[:3, 3])
        directions = _apply(instance.inverse, rays.directions)
    inside = np.isfinite(origins).all(axis=1) & np.isfinite(directions).all(axis=1)
    rows = np.flatnonzero(inside & directions.any(axis=1))
    query = rays.query._replace(excluded=None)
    return rows, rays.take(rows).moved(origins[rows], directions[rows], query)


def to_scene_many(instance: Instance, hits: RayHits, identifier: int) -> RayHits:
    """Hits of the mesh's space in the scene's space, under the instance's id."""
    return replace(
        hits,
        point=_apply(instance.matrix[:3, :3], hits.point) + instance.matrix[:3, 3],
        normal=normalized(_apply(instance.inverse.T, hits.normal)),
        instance=np.full(len(hits), identifier, dtype=np.int64),
    )


def to_mesh(instance: Instance, ray: LoneRay, limit: float) -> LoneRay | None:
    """A ray of the scene's space in the mesh's space, ending at the distance `limit`.

    None if it leaves float64 there. The query stays as it is.
    """
    x, y, z = ray.origin
    tx, ty, tz = instance.matrix[:3, 3].tolist()
    first, second, third = instance.inverse.tolist()
    o, d = (x - tx, y - ty, z - tz), ray.direction
    origin = (dot3(o, first), dot3(o, second), dot3(o, third))
    direction = (dot3(d, first), dot3(d, second), dot3(d, third))
    if LEAST_SQUARE < dot3(direction, direction) < MOST_SQUARE and isfinite(sum(origin)):
        return LoneRay(origin, direction, ray.length, limit, ray.query)
    _, moved = to_mesh_many(instance, ray._replace(limit=limit).batch())
    return moved.ray(0) if len(moved) else None


def to_scene(instance: Instance, hit: Hit, identifier: int) -> Hit:
    """A hit of the mesh's space in the scene's space, under the instance's id."""
    p, n = hit.point.tolist(), hit.normal.tolist()
    rows = instance.matrix.tolist()
    x, y, z = (dot3(p, row) + row[3] for row in rows[:3])
    columns = instance.inverse.T.tolist()
    normal = vectors.normalized((dot3(n, columns[0]), dot3(n, columns[1]), dot3(n, columns[2])))
    return replace(hit, point=np.array((x, y, z)), normal=np.array(normal), instance=identifier)


def instance_triangles(instance: Instance, region: Region, identifier: int) -> Triangles:
    """The triangles, in the scene's space, that may reach into a region of it."""
    found = instance.mesh.triangles_in(region.moved(instance.matrix))
    with np.errstate(over="ignore", invalid="ignore"):
        corners = moved(found.corners, instance.matrix[:3])
    return replace(found, corners=corners, instance=np.full(len(found), identifier, dtype=np.int64))


def _apply(matrix: FloatArray, vectors: FloatArray) -> FloatArray:
    """matrix (3, 3) times each of the vectors (N, 3), with a fixed order of the sums."""
    return np.stack([dot(vectors, row) for row in matrix], axis=-1)
