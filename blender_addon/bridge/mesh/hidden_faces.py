# SPDX-License-Identifier: GPL-3.0-or-later
"""Which faces of its displayed mesh a viewport leaves out, as the object's mode has it."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...standalone_core.extension import BoolArray
from .arrays import at_corners, face_starts

# In these modes a viewport leaves hidden faces out, whether or not a paint mask is on.
_HIDING_MODES = frozenset({"EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"})

_INDICES_AT_CORNERS = {"POINT": ".corner_vert", "EDGE": ".corner_edge"}


def hidden_faces(evaluated: bpy.types.Object, mesh: bpy.types.Mesh) -> BoolArray | None:
    """A mask (F,) of the faces of an object's displayed mesh that are not drawn; None if all are.

    In object mode all are: two objects may share a mesh and be in different modes. Modifiers pass
    the flag on, so that the faces that they make of a hidden one are hidden too.
    """
    if evaluated.mode not in _HIDING_MODES:
        return None
    attribute: Any = mesh.attributes.get(".hide_poly")
    if attribute is None or attribute.data_type != "BOOLEAN":
        return None
    hidden = np.empty(len(attribute.data), dtype=np.bool_)
    attribute.data.foreach_get("value", hidden)
    if len(hidden) == 1:  # one value may stand for all elements, from Blender 5.0
        hidden = np.repeat(hidden, len(mesh.polygons))
    elif attribute.domain != "FACE":
        hidden = _of_faces(hidden, attribute.domain, mesh)
    return hidden if hidden.any() else None


def _of_faces(flags: BoolArray, domain: str, mesh: bpy.types.Mesh) -> BoolArray:
    """Flags of points, edges or corners as flags of faces: as Blender, those where all have it.

    Nodes that make meshes of instances leave on points what was on the faces instanced on.
    """
    if domain in _INDICES_AT_CORNERS:
        flags = flags[at_corners(mesh, _INDICES_AT_CORNERS[domain])]
    return np.logical_and.reduceat(flags, face_starts(mesh))
