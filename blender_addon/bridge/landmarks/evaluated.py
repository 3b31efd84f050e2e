# SPDX-License-Identifier: GPL-3.0-or-later
"""Where landmarks are in a depsgraph, which may be that of a render.

:mod:`.locating` looks at what the context shows. Here it is what a handler is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core import triangle
from ...standalone_core.extension import FloatArray, IntArray, cross, moved, normalized
from ..mesh.cache import MeshCache
from ..mesh.scene_mesh import SceneMesh
from ..mesh.source import Source
from ..relocation import HIDDEN, NO_INSTANCE
from ..scene.instances import listing
from .carrying import carried


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """N places of an object on its evaluated mesh; NaN where that is not known."""

    vertices: IntArray  # (N, 3), of the evaluated mesh
    weights: FloatArray  # (N, 3)
    points: FloatArray  # (N, 3), in world space
    normals: FloatArray  # (N, 3), in world space, of unit length
    reasons: list[str | None]  # why a place is not known, in English


def evaluated_places(
    depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object, anchors: Sequence[Anchor]
) -> Evaluated:
    """The places of anchors of an original object; nothing is evaluated for it."""
    count = len(anchors)
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated or not count:  # the depsgraph does not have it
        unknown = np.full((count, 3), np.nan)
        return Evaluated(
            np.zeros((count, 3), np.int64), unknown, unknown, unknown, [HIDDEN] * count
        )
    mesh = _mesh(depsgraph, obj, True)
    places = carried(mesh, anchors, lambda: _mesh(depsgraph, obj, False), depsgraph.scene)
    matrices = _matrices(depsgraph, evaluated, anchors)
    reasons = [
        reason or (None if np.isfinite(matrix).all() else NO_INSTANCE)
        for reason, matrix in zip(places.reasons, matrices, strict=True)
    ]
    known = [i for i, reason in enumerate(reasons) if reason is None]
    points, normals = np.full((2, count, 3), np.nan)
    if known:
        matrices, weights = matrices[known], places.weights[known]
        corners = moved(mesh.polygons.positions(places.vertices[known]), matrices[:, None, :3])
        points[known] = triangle.interpolate(corners, weights)
        a, b, c = corners.swapaxes(0, 1)
        side = np.where(np.linalg.det(matrices[:, :3, :3]) < 0.0, -1.0, 1.0)
        normals[known] = side[:, None] * normalized(cross(b - a, c - a))
    return Evaluated(places.vertices, places.weights, points, normals, reasons)


def _mesh(depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object, evaluated: bool) -> SceneMesh:
    source = Source(depsgraph, obj, 0, evaluated)
    with source.opened() as (_, mesh):
        return SceneMesh(source, mesh)


def _matrices(
    depsgraph: bpy.types.Depsgraph, evaluated: bpy.types.Object, anchors: Sequence[Anchor]
) -> FloatArray:
    """Local to world space (N, 4, 4), of the object or of instances; NaN where there is none."""
    own = np.array(evaluated.matrix_world, np.float64)
    if all(each.instancer is None for each in anchors):
        return np.repeat(own[None], len(anchors), axis=0)
    uid = evaluated.original.session_uid
    instances = {
        (row.instancer, row.persistent_id): row.matrix
        for row in listing(depsgraph, MeshCache(), True).meshes
        if row.uid == uid and row.instancer is not None
    }
    none = np.full((4, 4), np.nan)
    return np.stack(
        [
            own if each.instancer is None else instances.get((each.instancer, each.instance), none)
            for each in anchors
        ]
    )
