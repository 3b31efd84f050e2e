# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting the face of a hit in edit mode, or its nearest edge or vertex."""

from __future__ import annotations

import math
from typing import Any, Literal, cast

import bmesh
import bpy
from mathutils import Vector
from mathutils.geometry import intersect_point_line

from ..bridge.hit_objects import object_of
from ..model.hit import PickHit
from ..present import present

_Mode = Literal["VERT", "EDGE", "FACE"]
_MODES: dict[str, _Mode] = {"FACE": "FACE", "EDGE": "EDGE", "VERTEX": "VERT"}


def edited(context: bpy.types.Context, hit: PickHit) -> bpy.types.Object | None:
    """The object in edit mode whose mesh was hit, or None."""
    found = object_of(hit)
    return found if found in context.objects_in_mode else None


def select(obj: bpy.types.Object, hit: PickHit, element: str) -> bool:
    """Select the original face of a hit, or its nearest edge or vertex, alone.

    The object is in edit mode, the element ``"FACE"``, ``"EDGE"`` or ``"VERTEX"``. Return False if
    the face is not there.
    """
    mesh = cast(bpy.types.Mesh, obj.data)
    edited_mesh = bmesh.from_edit_mesh(mesh)
    edited_mesh.faces.ensure_lookup_table()
    index = present(hit.original_face)
    if not 0 <= index < len(edited_mesh.faces) or edited_mesh.faces[index].hide:
        return False
    face = edited_mesh.faces[index]
    bpy.ops.mesh.select_all(action="DESELECT")  # of all objects in edit mode
    mode = _MODES[element]
    edited_mesh.select_mode = {mode}
    settings: Any = bpy.context.tool_settings
    settings.mesh_select_mode = [name == mode for name in ("VERT", "EDGE", "FACE")]
    found: Any = face if element == "FACE" else _nearest(face, hit, element)
    found.select_set(True)
    edited_mesh.select_history.clear()
    edited_mesh.select_history.add(found)
    if element == "FACE":
        edited_mesh.faces.active = face
    edited_mesh.select_flush_mode()
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return True


def _nearest(face: bmesh.types.BMFace, hit: PickHit, element: str) -> Any:
    """The face's edge or vertex that is nearest to the place in world space."""
    places, point = _places(face, hit), Vector(hit.point)

    def to_vertex(i: int) -> float:
        return math.dist(places[i], hit.point)

    def to_edge(i: int) -> float:
        start, end = Vector(places[i]), Vector(places[(i + 1) % len(places)])
        foot, share = intersect_point_line(point, start, end)
        if not 0.0 < share < 1.0:
            foot = start if share <= 0.0 else end
        return float((foot - point).length)

    is_edge = element == "EDGE"
    loop: Any = face.loops[min(range(len(places)), key=to_edge if is_edge else to_vertex)]
    return loop.edge if is_edge else loop.vert


def _places(face: bmesh.types.BMFace, hit: PickHit) -> list[tuple[float, float, float]]:
    """Where the corners of the edited face are displayed, in world space.

    Modifiers that keep a face keep the order of its corners. Where they made several faces of it,
    its corners are taken from the edited mesh.
    """
    if len(hit.face_corners) == len(face.loops) and hit.face == hit.original_face:
        return list(hit.face_corners)
    rows = hit.matrix_world
    return [
        tuple(sum(row[i] * loop.vert.co[i] for i in range(3)) + row[3] for row in rows[:3])
        for loop in face.loops
    ]
