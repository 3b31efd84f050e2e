# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting the face of a hit in edit mode, or its nearest edge or vertex."""

from __future__ import annotations

import math

import bmesh
import bpy
from mathutils import Vector
from mathutils.geometry import intersect_point_line

from ..bridge.hit_objects import object_of
from ..model.hit import PickHit


def edited(context: bpy.types.Context, hit: PickHit) -> bpy.types.Object | None:
    """The object in edit mode whose mesh was hit, or None."""
    found = object_of(hit)
    return found if found in context.objects_in_mode else None


def select(obj: bpy.types.Object, hit: PickHit, element: str) -> bool:
    """Select the face, or its nearest edge or vertex, alone; False if it is not there.

    Parameters
    ----------
    obj : bpy.types.Object
        In edit mode.
    hit : PickHit
        With an original face.
    element : {"FACE", "EDGE", "VERTEX"}
    """
    edited_mesh = bmesh.from_edit_mesh(obj.data)
    edited_mesh.faces.ensure_lookup_table()
    if not 0 <= hit.original_face < len(edited_mesh.faces):
        return False
    face = edited_mesh.faces[hit.original_face]
    if face.hide:
        return False
    bpy.ops.mesh.select_all(action="DESELECT")  # of all objects in edit mode
    mode = {"FACE": "FACE", "EDGE": "EDGE", "VERTEX": "VERT"}[element]
    edited_mesh.select_mode = {mode}
    bpy.context.tool_settings.mesh_select_mode = [name == mode for name in ("VERT", "EDGE", "FACE")]
    found = {"FACE": _whole, "EDGE": _edge, "VERTEX": _vertex}[element](face, hit)
    found.select_set(True)
    edited_mesh.select_history.clear()
    edited_mesh.select_history.add(found)
    if element == "FACE":
        edited_mesh.faces.active = face
    edited_mesh.select_flush_mode()
    bmesh.update_edit_mesh(obj.data, loop_triangles=False, destructive=False)
    return True


def _whole(face: bmesh.types.BMFace, _hit: PickHit) -> bmesh.types.BMFace:
    return face


def _vertex(face: bmesh.types.BMFace, hit: PickHit) -> bmesh.types.BMVert:
    """The face's vertex that is nearest to the place, as it is seen."""
    places = _places(face, hit)
    nearest = min(range(len(places)), key=lambda i: math.dist(places[i], hit.point))
    return face.loops[nearest].vert


def _edge(face: bmesh.types.BMFace, hit: PickHit) -> bmesh.types.BMEdge:
    """The face's edge that is nearest to the place, as it is seen."""
    places, point = _places(face, hit), Vector(hit.point)

    def distance(i: int) -> float:
        start, end = Vector(places[i]), Vector(places[(i + 1) % len(places)])
        foot, share = intersect_point_line(point, start, end)
        if not 0.0 < share < 1.0:
            foot = start if share <= 0.0 else end
        return (foot - point).length

    return face.loops[min(range(len(places)), key=distance)].edge


def _places(face: bmesh.types.BMFace, hit: PickHit) -> list[tuple[float, float, float]]:
    """Where the corners of the edited face are seen, in world space.

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
