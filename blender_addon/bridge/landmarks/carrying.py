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
from ..relocation import TOPOLOGY
from .through_modifiers import on_evaluated

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
    # Those on a copy count in the original mesh, and stand in none that has the same faces.
    other = [i for i, each in enumerate(anchors) if each.topology != topology or each.copies]
    if other:
        base = original()
        base_topology = None if base is None else base.polygons.topology
        for i in other:
            reasons[i] = _reason(anchors[i], base_topology)
        through = [i for i in other if reasons[i] is None]
        if through and base is not None:
            places, known = on_evaluated(mesh, base, [anchors[i] for i in through], scene)
            for i in np.array(through)[~known].tolist():
                reasons[i] = MODIFIERS
            found = places.take(known)
            vertices[np.array(through)[known]] = found.vertices(mesh.polygons)
            weights[np.array(through)[known]] = found.weights
        vertices[[i for i in other if reasons[i] is not None]] = 0
    return Carried(vertices, weights, reasons)


def _reason(anchor: Anchor, topology: str | None) -> str | None:
    """Why modifiers cannot lead from an original mesh of a topology to a place; None if they may.

    `topology` is None where there is no original mesh.
    """
    if anchor.evaluated:
        same = topology is not None and anchor.original_topology == topology
        return MODIFIERS if same else TOPOLOGY
    return None if anchor.topology == topology else TOPOLOGY
