# SPDX-License-Identifier: GPL-3.0-or-later
"""From a hit of the core to what it is in Blender."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..standalone_core import Hit, triangle
from .geometry import EvaluatedMesh
from .instances import Matrix, Placed

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class PickHit:
    """What a ray hit, in plain Python values of full precision.

    Attributes
    ----------
    object : str
        Name of the object whose mesh was hit.
    instancer : str or None
        Name of the object that made the instance; None where `object` itself stands there.
    instance : tuple of int or None
        The depsgraph's persistent id of the instance, the innermost level first.
    matrix_world : 4 x 4 floats
        Local to world space of the object or instance.
    face : int
        Index of the face (polygon) in the evaluated mesh.
    triangle : int
        Index of the triangle in the evaluated mesh, that of Blender's ``loop_triangles``.
    vertices : (int, int, int)
        The triangle's vertices in the evaluated mesh.
    barycentric : (float, float, float)
        Weights of these vertices, in their order; the sum is 1.
    point, point_local : (float, float, float)
        The place hit, in world space and in the object's local space.
    normal : (float, float, float)
        The triangle's unit normal in world space.
    distance : float
        From the ray's origin to `point`, in world space.
    front : bool
        Whether the front of the face was hit.
    uv : (float, float) or None
        The active UV map there; None without a UV map.
    material : str or None
        Name of the face's material.
    evaluated : bool
        True: `face`, `triangle` and `vertices` count in the evaluated mesh.
    original_face : int or None
        The same face in ``object.data``, where the modifiers surely keep the faces; else None.
    """

    object: str
    instancer: str | None
    instance: tuple[int, ...] | None
    matrix_world: Matrix
    face: int
    triangle: int
    vertices: tuple[int, int, int]
    barycentric: Vector
    point: Vector
    point_local: Vector
    normal: Vector
    distance: float
    front: bool
    uv: tuple[float, float] | None
    material: str | None
    evaluated: bool
    original_face: int | None

    def as_dict(self) -> dict[str, Any]:
        """All values by name, of types that JSON knows."""
        return asdict(self)


def pick_hit(hit: Hit, placed: Placed) -> PickHit:
    """Say in Blender's terms what was hit."""
    source = placed.mesh
    vertices = source.mesh.triangles[hit.triangle]
    local = triangle.interpolate(source.mesh.vertices[vertices], hit.barycentric)
    return PickHit(
        object=placed.object,
        instancer=placed.instancer,
        instance=placed.persistent_id,
        matrix_world=placed.matrix_world,
        face=hit.face,
        triangle=hit.triangle,
        vertices=tuple(vertices.tolist()),
        barycentric=tuple(hit.barycentric.tolist()),
        point=tuple(hit.point.tolist()),
        point_local=tuple(local.tolist()),
        normal=tuple(hit.normal.tolist()),
        distance=hit.distance,
        front=hit.front,
        uv=_uv(source, hit),
        material=_material(placed, hit.face),
        evaluated=True,
        original_face=hit.face if placed.keeps_faces else None,
    )


def _uv(source: EvaluatedMesh, hit: Hit) -> tuple[float, float] | None:
    if source.uv is None:
        return None
    uv = triangle.interpolate(
        source.uv[source.corners_of(hit.triangle)].astype(np.float64), hit.barycentric
    )
    return float(uv[0]), float(uv[1])


def _material(placed: Placed, face: int) -> str | None:
    """Blender draws a face whose slot does not exist with the last slot there is."""
    if not placed.materials:
        return None
    indices = placed.mesh.material_index
    slot = 0 if indices is None else int(indices[face])
    return placed.materials[min(max(slot, 0), len(placed.materials) - 1)]
