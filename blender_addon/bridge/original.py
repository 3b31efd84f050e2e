# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a face of an evaluated mesh is the same face of the object's own mesh."""

from __future__ import annotations

import bpy

# Modifiers that move vertices or change attributes, and leave vertices, edges and faces alone.
_TOPOLOGY_KEEPING = frozenset(
    {
        "ARMATURE",
        "CAST",
        "CLOTH",
        "COLLISION",
        "CORRECTIVE_SMOOTH",
        "CURVE",
        "DATA_TRANSFER",
        "DISPLACE",
        "HOOK",
        "LAPLACIANDEFORM",
        "LAPLACIANSMOOTH",
        "LATTICE",
        "MESH_CACHE",
        "MESH_DEFORM",
        "NORMAL_EDIT",
        "SHRINKWRAP",
        "SIMPLE_DEFORM",
        "SMOOTH",
        "SOFT_BODY",
        "SURFACE",
        "SURFACE_DEFORM",
        "UV_PROJECT",
        "UV_WARP",
        "VERTEX_WEIGHT_EDIT",
        "VERTEX_WEIGHT_MIX",
        "VERTEX_WEIGHT_PROXIMITY",
        "WARP",
        "WAVE",
        "WEIGHTED_NORMAL",
    }
)


def keeps_faces(evaluated: bpy.types.Object) -> bool:
    """Whether face i of the evaluated mesh is face i of ``object.data``.

    True only where that follows from the modifiers themselves: none that is switched on in the
    viewport can change the topology. Equal numbers of faces would prove nothing.
    """
    return evaluated.type == "MESH" and all(
        modifier.type in _TOPOLOGY_KEEPING or not modifier.show_viewport
        for modifier in evaluated.modifiers
    )
