# SPDX-License-Identifier: GPL-3.0-or-later
"""From a hit, or a point near the surface, to an anchor: original where the modifiers allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...model.hit import PickHit, Vector
from ...model.landmarks.landmark import Anchor
from ...model.record import vector
from ...present import present
from ...standalone_core import ClosestPoints, RaypickError, Scene, triangle
from ...standalone_core.extension import FloatArray, affine_inverse, moved
from ..hit_objects import object_of
from ..mesh.scene_mesh import SceneMesh
from ..original.trace import original_face
from ..reading import asked_again_if_outdated, reading
from ..relocation import HIDDEN, REMOVED, TOPOLOGY
from ..scene import snapshot
from ..scene.instances import ListedMesh
from ..scene.visibility import Rule
from .locating import original_mesh
from .rows import rows_of

NO_SURFACE = "The object has no faces"


@dataclass(frozen=True, slots=True)
class Anchored:
    """An anchor, and where its place is."""

    anchor: Anchor
    point: Vector  # in the local space of the object
    last: Vector  # in the local space of the mesh of `anchor`
    distance: float = 0.0  # in world space, from the point that was put onto the surface


@asked_again_if_outdated
def anchored_hit(context: bpy.types.Context, hit: PickHit) -> Anchored:
    """The anchor of a hit's place; RaypickError, in English, where its mesh is another by now."""
    obj = object_of(hit)
    if obj is None:
        raise RaypickError(REMOVED)
    with context.temp_override(area=None), reading():
        row = _row(context, obj, hit.evaluated, hit.instancer, hit.instance)
        if row.mesh.size != hit.mesh_size or not hit.triangle < row.mesh.polygons.triangle_count:
            raise RaypickError(TOPOLOGY)
        if row.mesh.polygons.triangle_vertices(hit.triangle).tolist() != [*hit.vertices]:
            raise RaypickError(TOPOLOGY)
        return _anchored(context, obj, row, hit.triangle, hit.barycentric)


@asked_again_if_outdated
def anchored_points(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    points: FloatArray,
    *,
    world: bool = True,
    evaluated: bool = True,
) -> list[Anchored]:
    """The nearest places of a visible object to points (N, 3) of world space, or of local space."""
    with context.temp_override(area=None), reading():
        row = _row(context, obj, evaluated, None, None)
        local = (
            moved(points, affine_inverse(row.matrix, "the matrix of the object")[:3])
            if world
            else points
        )
        # The surface as it stands in the world: a scale of its own changes what is nearest.
        near = _nearest(row, points, world)
        if len(points) and not np.all(near.triangle >= 0):
            raise RaypickError(NO_SURFACE)
        rows = zip(near.triangle.tolist(), near.barycentric.tolist(), strict=True)
        placed = [_anchored(context, obj, row, number, weights) for number, weights in rows]
        ways = moved(np.array([each.point for each in placed]).reshape(-1, 3), row.matrix[:3])
        away = np.linalg.norm(ways - moved(local, row.matrix[:3]), axis=1)
        return [
            replace(each, distance=distance)
            for each, distance in zip(placed, away.tolist(), strict=True)
        ]


def same_place(
    context: bpy.types.Context, obj: bpy.types.Object, anchor: Anchor
) -> Anchored | None:
    """The place of the same triangle on another object of the same topology; None for another."""
    with context.temp_override(area=None), reading():
        row = _row(context, obj, anchor.evaluated, None, None)
        if row.mesh.polygons.topology != anchor.topology:
            return None
        own = replace(anchor, instancer=None, instance=None)
        rest = _interpolated(row.mesh, own.vertices, own.barycentric)
        return Anchored(own, rest, rest)


def _row(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    evaluated: bool,
    instancer: str | None,
    instance: tuple[int, ...] | None,
) -> ListedMesh:
    """The visible mesh of an object or instance; RaypickError if there is none."""
    shown = snapshot.of_context(context, None, Rule(evaluated=evaluated))
    row = rows_of(shown, [obj])[obj].find(instancer, instance)
    if row is None:
        raise RaypickError(HIDDEN)
    return row


def _anchored(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    row: ListedMesh,
    number: int,
    barycentric: Sequence[float],
) -> Anchored:
    """The anchor of a place on a mesh that is shown."""
    mesh, polygons = row.mesh, row.mesh.polygons
    face = polygons.face_of(number)
    first, size = (int(part[0]) for part in polygons.face_corners([face]))
    corners = polygons.triangle_corners(number)
    a, b, c = (corners - first).tolist()
    p, q, r = polygons.corner_vertices(corners).tolist()
    u, v, w = map(float, barycentric)
    anchor = Anchor(
        face=face,
        corners=(a, b, c),
        vertices=(p, q, r),
        barycentric=(u, v, w),
        topology=polygons.topology,
        evaluated=mesh.source.is_evaluated,
        triangle=number,
        instancer=row.instancer,
        instance=row.persistent_id,
    )
    point = _interpolated(mesh, anchor.vertices, anchor.barycentric)
    if not anchor.evaluated:
        return Anchored(anchor, point, point)
    original = original_mesh(context, obj)
    if original is None:
        return Anchored(anchor, point, point)
    own = _on_original(anchor, mesh, size, original, context.scene)
    last = point if own.evaluated else _interpolated(original, own.vertices, own.barycentric)
    return Anchored(own, point, last)


def _on_original(
    anchor: Anchor, mesh: SceneMesh, size: int, original: SceneMesh, scene: bpy.types.Scene
) -> Anchor:
    """An evaluated anchor on the original mesh, where that has its face; or else as it is."""
    topology = original.polygons.topology
    if topology == anchor.topology:
        return replace(anchor, evaluated=False)
    own = replace(anchor, original_topology=topology)
    if anchor.face >= original.polygons.face_count:
        return own
    first, sizes = original.polygons.face_corners([anchor.face])
    with mesh.opened() as (evaluated, opened):
        face, _ = original_face(evaluated, opened, anchor.face, scene)
    if face != anchor.face or sizes[0] != size:  # no face of the first copy of all faces
        return own
    corners = int(first[0]) + np.array(anchor.corners)
    a, b, c = original.polygons.corner_vertices(corners).tolist()
    return replace(anchor, topology=topology, evaluated=False, vertices=(a, b, c), triangle=None)


def _nearest(row: ListedMesh, points: FloatArray, in_world: bool) -> ClosestPoints:
    """The nearest places of a mesh as it stands in world space, or in its local space."""
    if not in_world:
        return row.mesh.polygons.closest_point(points)
    scene = Scene()
    scene.add(row.mesh.polygons, row.matrix)
    return scene.closest_point(points)


def _interpolated(mesh: SceneMesh, vertices: Sequence[int], weights: Sequence[float]) -> Vector:
    """The local place of weights (3,) of vertices (3,)."""
    point = vector(triangle.interpolate(mesh.polygons.positions(vertices), weights).tolist())
    return present(point)
