# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface of an object in world space, for measures along it and through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core import Mesh, RaypickError, SurfacePath
from ...standalone_core.extension import FloatArray
from ..reading import reading
from ..relocation import HIDDEN
from ..scene import snapshot
from ..scene.instances import ListedMesh
from .carrying import carried
from .locating import original_mesh
from .rows import rows_of

NOTHING_OPPOSITE = "Nothing is opposite"
NOT_CONNECTED = "The surface does not connect the landmarks"


@dataclass(frozen=True, slots=True, eq=False)
class WorldSurface:
    """The evaluated triangles of an object or instance, with their vertices in world space."""

    context: bpy.types.Context
    object: bpy.types.Object
    row: ListedMesh
    mesh: Mesh
    is_mirrored: bool  # whether the matrix turns the triangles' outside in

    def path(self, start: Anchor, end: Anchor) -> SurfacePath:
        """The shortest path along the surface; RaypickError where there is none."""
        path = self.mesh.surface_path(self._place(start), self._place(end))
        if not np.isfinite(path.distance):
            raise RaypickError(NOT_CONNECTED)
        return path

    def thickness(
        self, anchor: Anchor, method: Literal["ray", "sphere"]
    ) -> tuple[float, FloatArray]:
        """How thick it is at a place, and the point opposite (3,)."""
        mesh, (triangle, weights) = self.mesh, self._place(anchor)
        if self.is_mirrored:
            mesh = Mesh(mesh.vertices, mesh.triangles[:, ::-1], copy=False)
            weights = weights[::-1]
        found = mesh.thickness(mesh.places(triangle, weights), method)
        if not np.isfinite(found.thickness):
            raise RaypickError(NOTHING_OPPOSITE)
        return float(found.thickness), found.point

    def _place(self, anchor: Anchor) -> tuple[int, FloatArray]:
        """The triangle of a place, and the weights (3,) of its vertices."""
        places = carried(
            self.row.mesh,
            [anchor],
            lambda: original_mesh(self.context, self.object),
            self.context.scene,
        )
        if places.reasons[0] is not None:
            raise RaypickError(places.reasons[0])
        vertices, weights = places.vertices[0], places.weights[0]
        triangles = self.mesh.triangles
        same = np.flatnonzero((np.sort(triangles) == np.sort(vertices)).all(axis=1))
        if len(same):
            order = [vertices.tolist().index(vertex) for vertex in triangles[same[0]].tolist()]
            return int(same[0]), weights[order]
        # The face is split differently by now: what is nearest stands for the place.
        point = weights @ self.mesh.vertices[vertices]
        near = self.mesh.closest_point(point)
        return int(near.triangle), np.asarray(near.barycentric)


def surface_of(context: bpy.types.Context, obj: bpy.types.Object, anchor: Anchor) -> WorldSurface:
    """The surface that an anchor is on; RaypickError, in English, where it is not shown."""
    return _surface(context, obj, anchor.instancer, anchor.instance)


def nearest(
    context: bpy.types.Context, obj: bpy.types.Object, point: FloatArray
) -> tuple[float, FloatArray]:
    """The distance from a point (3,) of world space to an object, and the place there (3,)."""
    near = _surface(context, obj, None, None).mesh.closest_point(point)
    if near.triangle < 0:
        raise RaypickError(HIDDEN)
    return float(near.distance), np.asarray(near.point)


def _surface(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    instancer: str | None,
    instance: tuple[int, ...] | None,
) -> WorldSurface:
    with context.temp_override(area=None), reading():
        row = rows_of(snapshot.of_context(context), [obj])[obj].find(instancer, instance)
        if row is None:
            raise RaypickError(HIDDEN)
        linear = row.matrix[:3, :3]
        mesh = row.mesh.in_world(row.matrix)
        return WorldSurface(context, obj, row, mesh, bool(np.linalg.det(linear) < 0.0))
