# SPDX-License-Identifier: GPL-3.0-or-later
"""From anchors to the triangles of a mesh that have the places, or why that is not known.

The same fingerprint says that faces have not changed. Where the original mesh has it and the
evaluated one has not, the modifiers make other faces, and tell which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core.extension import FloatArray, IntArray
from ..mesh.scene_mesh import SceneMesh
from ..original.trace import original_face
from ..relocation import TOPOLOGY

MODIFIERS = "The modifiers have changed the faces"


class Carried(NamedTuple):
    """Places on one mesh: of N anchors, the vertices (N, 3) and weights (N, 3), and reasons."""

    vertices: IntArray
    weights: FloatArray
    reasons: list[str | None]  # why a place is not known, in English; its vertices are 0 then


def carried(
    mesh: SceneMesh,
    anchors: Sequence[Anchor],
    original: Callable[[], SceneMesh | None],
    scene: bpy.types.Scene,
) -> Carried:
    """The places of anchors on a mesh; `original` reads that of the object without modifiers."""
    vertices = np.array([each.vertices for each in anchors], np.int64).reshape(-1, 3)
    weights = np.array([each.barycentric for each in anchors], np.float64).reshape(-1, 3)
    topology = mesh.polygons.topology
    reasons: list[str | None] = [None] * len(anchors)
    other = [i for i, each in enumerate(anchors) if each.topology != topology]
    if other:
        base = original()
        base_topology = None if base is None else base.polygons.topology
        for i in other:
            place = _through_modifiers(mesh, anchors[i], base_topology, scene)
            if isinstance(place, str):
                reasons[i], vertices[i] = place, 0
            else:
                vertices[i] = place
    return Carried(vertices, weights, reasons)


def _through_modifiers(
    mesh: SceneMesh, anchor: Anchor, topology: str | None, scene: bpy.types.Scene
) -> IntArray | str:
    """The vertices (3,) of a place on a mesh whose faces the modifiers make, or why not."""
    if anchor.evaluated:
        same = topology is not None and anchor.original_topology == topology
        return MODIFIERS if same else TOPOLOGY
    if anchor.topology != topology:
        return TOPOLOGY
    # Modifiers that copy faces leave the first copy where it was.
    if not 0 <= anchor.face < mesh.polygons.face_count:
        return MODIFIERS
    with mesh.opened() as (evaluated, opened):
        face, _ = original_face(evaluated, opened, anchor.face, scene)
    first, size = mesh.polygons.face_corners([anchor.face])
    if face != anchor.face or size[0] <= max(anchor.corners):
        return MODIFIERS
    return mesh.polygons.corner_vertices(first[0] + np.array(anchor.corners))
