# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert hits of the core to hits in Blender's terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import bpy
import numpy as np

from ..model.hit import PickHit, Vector, as_vector, known_vector
from ..model.survey_numbers import Name
from ..standalone_core import Hit, triangle
from ..standalone_core.extension import FloatArray, IntArray, cross3, dot3, moved, normalized
from .attributes import unit, values_at
from .hit_objects import name_of
from .mesh.scene_mesh import SceneMesh
from .original.trace import original_face
from .scene.instances import ListedMesh
from .scene.snapshot import ShownRow

_NOT_OWN = "The mesh is made for instances or by another type of object"


class ListedMeshes(Protocol):
    """What the instances of hits are in Blender now."""

    @property
    def listed(self) -> Mapping[int, ListedMesh]:
        """By the hits' instances."""


def pick_hits(
    hits: Sequence[Hit], snapshot: ListedMeshes, snaps: Sequence[str | None] | None = None
) -> list[PickHit]:
    """Report hits in Blender's terms, in their order, with the kinds that they snapped to.

    Each mesh is opened once, however many of the hits are on it.
    """
    kinds = snaps or [None] * len(hits)
    reports: dict[int, PickHit] = {}
    by_mesh: dict[SceneMesh, list[int]] = {}
    for number, hit in enumerate(hits):
        by_mesh.setdefault(snapshot.listed[hit.instance].mesh, []).append(number)
    for scene_mesh, numbers in by_mesh.items():
        with scene_mesh.opened() as opened:
            for number in numbers:
                hit = hits[number]
                row = snapshot.listed[hit.instance]
                reports[number] = _pick_hit(hit, row, *opened, kinds[number])
    return [reports[number] for number in range(len(hits))]


def _pick_hit(
    hit: Hit, row: ListedMesh, evaluated: bpy.types.Object, mesh: bpy.types.Mesh, snap: str | None
) -> PickHit:
    original, source, matrix = row.original, row.mesh.source, row.matrix
    if source.original is not None:  # of several objects that share the mesh, take the one hit
        evaluated = source.of(original)
    corners, vertices = triangle_of(hit, row)
    polygon = row.mesh.opened_face(mesh, hit.face, corners, vertices)
    smooth = None
    if row.mesh.knows_smooth_normals(mesh):
        smooth = known_vector(row.mesh.smooth_normals(vertices[None], hit.barycentric[None])[0])
    values = values_at(
        mesh,
        hit.face,
        corners.tolist(),
        vertices.tolist(),
        as_vector(hit.barycentric),
        () if source.original is None else evaluated.vertex_groups.keys(),
        smooth,
    )
    if not source.is_evaluated:
        own_face, reason = hit.face, None
    elif source.original is None:
        own_face, reason = None, _NOT_OWN
    else:
        traced = evaluated, mesh, hit.face, source.depsgraph, row.mesh.kept
        own_face, reason = original_face(*traced)
    loops: Any = mesh.loops
    face = Face(polygon.loop_start, polygon.vertices[:], lambda corner: loops[corner].edge_index)
    return PickHit(
        **where(hit, row, name_of(original), face, vertices, snap),
        smooth_normal=_world_normal(values.smooth_normal, matrix),
        flat_normal=_world_normal(values.flat_normal, matrix),
        uv=None if values.active_uv is None else values.uv_maps.get(values.active_uv),
        uv_maps=values.uv_maps,
        active_uv=values.active_uv,
        colors=values.colors,
        weights=values.weights,
        attributes=values.attributes,
        material=_material(evaluated, mesh, polygon),
        evaluated=source.is_evaluated,
        original_face=own_face,
        original_reason=reason,
        is_base_mesh=source.is_base_mesh(original),
    )


class Face(NamedTuple):
    """A face of a mesh."""

    start: int  # its first corner
    vertices: tuple[int, ...]
    edge_after: Callable[[int], int]  # the edge from a corner to the next


def triangle_of(hit: Hit, row: ShownRow) -> tuple[IntArray, IntArray]:
    """The face corners (3,) of the triangle hit, and its vertices (3,)."""
    corners = row.mesh.polygons.triangle_corners(hit.triangle)
    return corners, row.mesh.polygons.corner_vertices(corners)


def where(
    hit: Hit, row: ShownRow, name: Name, face: Face, vertices: IntArray, snap: str | None
) -> dict[str, Any]:
    """The fields of a hit that say where it is, for which nothing of Blender's is read."""
    matrix, three = row.matrix, vertices.tolist()
    positions = row.mesh.polygons.positions(face.vertices)
    face_corners = [as_vector(corner) for corner in moved(positions, matrix[:3]).tolist()]
    own = [face.vertices.index(vertex) for vertex in three]
    a, b, c = (face_corners[row] for row in own)
    return {
        "object": name[0],
        "library": name[1],
        "instancer": row.instancer,
        "instance": row.persistent_id,
        "matrix_world": tuple(map(tuple, matrix.tolist())),
        "face": hit.face,
        "triangle": hit.triangle,
        "triangle_of_face": hit.triangle - (face.start - 2 * hit.face),
        "vertices": tuple(three),
        "corners": (a, b, c),
        "barycentric": as_vector(hit.barycentric),
        "face_vertices": face.vertices,
        "face_corners": tuple(face_corners),
        "point": as_vector(hit.point),
        "point_local": as_vector(triangle.interpolate(positions[own].tolist(), hit.barycentric)),
        "normal": as_vector(hit.normal),
        "distance": hit.distance,
        "front": hit.front,
        "mesh_size": row.mesh.size,
        "snapped": None if snap is None else (snap, _element(snap, hit, face, own)),
        "session_uid": row.uid,
        "instancer_uid": row.instancer_uid,
    }


def _element(kind: str, hit: Hit, face: Face, own: list[int]) -> int:
    """The vertex, edge or face that a hit snapped to; its triangle has the face's corners `own`."""
    if kind == "face":
        return hit.face
    first, second = map(int, np.argsort(-hit.barycentric, kind="stable")[:2])
    if kind == "vertex":
        return face.vertices[own[first]]
    # The edge between two neighboring corners belongs to the one before.
    before, after = sorted([own[first], own[second]])
    if hit.barycentric[second] == 0.0:
        before = own[first]
    elif after - before > 1:
        before = after
    return int(face.edge_after(face.start + before))


def _world_normal(local: Vector | None, matrix: FloatArray) -> Vector | None:
    return None if local is None else unit(_outward(local, *matrix[:3, :3].T.tolist()))


def world_normals(local: FloatArray, matrices: FloatArray) -> FloatArray:
    """Local normals (N, 3) in world space, by matrices (N, 4, 4); NaN where there is none."""
    with np.errstate(all="ignore"):
        columns = matrices[:, :3, :3].transpose(2, 1, 0)
        return normalized(np.stack(_outward(local.T, *columns), axis=-1))


def _outward(local: Any, x: Any, y: Any, z: Any) -> Any:
    """Normals in world space, of any length, by the columns of their matrices; floats or arrays.

    They are multiplied by the matrix of cofactors, which is the inverse transpose up to a factor,
    but exists for a scale of zero too. Normals of a mirrored object still point outward.
    """
    a, b, c = cross3(y, z), cross3(z, x), cross3(x, y)
    side = 1.0 - 2.0 * (dot3(c, z) < 0.0)
    u, v, w = side * local[0], side * local[1], side * local[2]
    return [u * a[i] + v * b[i] + w * c[i] for i in range(3)]


def _material(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, polygon: bpy.types.MeshPolygon
) -> str | None:
    """The material of a face; if its slot was removed, the last one, as Blender draws it."""
    slots = [slot.material for slot in evaluated.material_slots] or mesh.materials[:]
    material = slots[min(max(polygon.material_index, 0), len(slots) - 1)] if slots else None
    return material.name if material else None
