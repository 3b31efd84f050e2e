# SPDX-License-Identifier: GPL-3.0-or-later
"""From a hit of the core to what it is in Blender."""

from __future__ import annotations

from ..pick_hit import PickHit
from ..standalone_core import Hit, triangle
from .geometry import EvaluatedMesh
from .instances import Placed


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
    uv = triangle.interpolate(source.uv[source.corners_of(hit.triangle)], hit.barycentric)
    return float(uv[0]), float(uv[1])


def _material(placed: Placed, face: int) -> str | None:
    """Blender draws a face whose slot does not exist with the last slot there is."""
    if not placed.materials:
        return None
    indices = placed.mesh.material_index
    slot = 0 if indices is None else int(indices[face])
    return placed.materials[min(max(slot, 0), len(placed.materials) - 1)]
