# SPDX-License-Identifier: GPL-3.0-or-later
"""From hits of the core to what they are in Blender."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np

from ..model.attributes import AttributeValues
from ..model.hit import Matrix, PickHit, Vector
from ..standalone_core import Hit, triangle
from ..standalone_core.extension import cross, dot
from .attributes import values_at
from .mesh.shown_mesh import draws_multires
from .mesh.source import Source
from .original.trace import original_face
from .scene.snapshot import Snapshot

_NOT_OWN = "The mesh is made for instances or by another type of object"


def pick_hits(hits: Sequence[Hit], snapshot: Snapshot, scene: bpy.types.Scene) -> list[PickHit]:
    """Say in Blender's terms what was hit, in the order of the hits.

    Each mesh is opened once, whatever the number of its hits.
    """
    told: dict[int, PickHit] = {}
    by_mesh: dict[object, list[int]] = {}
    for number, hit in enumerate(hits):
        row = snapshot.listing.rows[snapshot.rows[hit.instance]]
        by_mesh.setdefault(row.mesh, []).append(number)
    for scene_mesh, numbers in by_mesh.items():
        with scene_mesh.opened() as (evaluated, mesh):
            for number in numbers:
                told[number] = _pick_hit(hits[number], snapshot, evaluated, mesh, scene)
    return [told[number] for number in range(len(hits))]


def _pick_hit(
    hit: Hit,
    snapshot: Snapshot,
    evaluated: bpy.types.Object,
    mesh: bpy.types.Mesh,
    scene: bpy.types.Scene,
) -> PickHit:
    number = snapshot.rows[hit.instance]
    row = snapshot.listing.rows[number]
    matrix = snapshot.listing.matrices[number]
    original, source = row.original, row.mesh.source
    own = source.original is not None
    if own:  # of several objects that share the mesh, the one that was hit
        evaluated = source.of(original)
    vertices, corners, local = row.mesh.hit_triangle(hit)
    face_vertices = mesh.polygons[hit.face].vertices[:]
    barycentric = tuple(hit.barycentric.tolist())
    groups = evaluated.vertex_groups.keys() if own else ()
    smooth = None
    if mesh.normals_domain == "POINT" and not mesh.has_custom_normals:
        smooth = row.mesh.smooth_normal(hit, vertices)
    values = values_at(
        mesh,
        hit.face,
        corners.tolist(),
        vertices.tolist(),
        barycentric,
        groups,
        smooth,
    )
    face, reason = _original_face(evaluated, mesh, hit.face, scene, source)
    return PickHit(
        object=original.name,
        library=original.library.filepath if original.library else None,
        instancer=row.instancer,
        instance=snapshot.listing.persistent_id(number),
        matrix_world=_rows(matrix),
        face=hit.face,
        triangle=hit.triangle,
        triangle_of_face=hit.triangle - row.mesh.first_triangle(hit.face),
        vertices=tuple(vertices.tolist()),
        corners=_placed(local, matrix),
        barycentric=barycentric,
        face_vertices=face_vertices,
        face_corners=_placed(row.mesh.polygons.positions(np.array(face_vertices)), matrix),
        point=tuple(hit.point.tolist()),
        point_local=tuple(triangle.interpolate(local, hit.barycentric).tolist()),
        normal=tuple(hit.normal.tolist()),
        smooth_normal=_world_normal(values.smooth_normal, matrix),
        flat_normal=_world_normal(values.flat_normal, matrix),
        distance=hit.distance,
        front=hit.front,
        uv=_active_uv(values),
        uv_maps=values.uv_maps,
        active_uv=values.active_uv,
        colors=values.colors,
        weights=values.weights,
        attributes=values.attributes,
        material=_material(evaluated, mesh, hit.face),
        evaluated=source.is_evaluated,
        original_face=face,
        original_reason=reason,
        is_base_mesh=own and source.is_evaluated and draws_multires(original),
        mesh_size=row.mesh.size,
        session_uid=row.uid,
        instancer_uid=row.instancer_uid,
    )


def _original_face(
    evaluated: bpy.types.Object,
    mesh: bpy.types.Mesh,
    face: int,
    scene: bpy.types.Scene,
    source: Source,
) -> tuple[int | None, str | None]:
    """The face without modifiers, or why there is none."""
    if not source.is_evaluated:
        return face, None
    if source.original is None:
        return None, _NOT_OWN
    return original_face(evaluated, mesh, face, scene)


def _rows(matrix: np.ndarray) -> Matrix:
    return tuple(tuple(row) for row in matrix.tolist())


def _placed(local: np.ndarray, matrix: np.ndarray) -> tuple[Vector, ...]:
    """Points (N, 3) of local space in world space."""
    return tuple(map(tuple, (local @ matrix[:3, :3].T + matrix[:3, 3]).tolist()))


def _world_normal(local: Vector | None, matrix: np.ndarray) -> Vector | None:
    """A normal of local space in world space, by the cofactors: the inverse but for its size.

    They exist for a scale of zero too, and a mirrored object keeps its outside.
    """
    if local is None:
        return None
    columns = np.array(matrix[:3, :3].T, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        cofactors = cross(columns[[1, 2, 0]], columns[[2, 0, 1]])
        sign = -1.0 if dot(cofactors[2], columns[2]) < 0 else 1.0
    yz, zx, xy = cofactors.tolist()
    a, b, c = (sign * component for component in local)
    world = [a * yz[i] + b * zx[i] + c * xy[i] for i in range(3)]
    size = max(map(abs, world))
    length = math.hypot(*(part / size for part in world)) * size if 0 < size < math.inf else 0.0
    return tuple(part / length for part in world) if length else None


def _active_uv(values: AttributeValues) -> tuple[float, float] | None:
    return None if values.active_uv is None else values.uv_maps.get(values.active_uv)


def _material(evaluated: bpy.types.Object, mesh: bpy.types.Mesh, face: int) -> str | None:
    """Blender draws a face whose slot does not exist with the last slot there is."""
    slots = [slot.material for slot in evaluated.material_slots] or mesh.materials
    if not len(slots):
        return None
    material = slots[min(max(mesh.polygons[face].material_index, 0), len(slots) - 1)]
    return material.name if material else None
