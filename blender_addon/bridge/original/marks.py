# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the faces of meshes the numbers that :mod:`.modifiers` reads, and takes them away."""

from __future__ import annotations

from typing import Any, cast

import bmesh
import bpy
import numpy as np

from ...standalone_core import RaypickError
from ...standalone_core.extension import IntArray
from ..mesh.evaluation import has_dynamic_topology
from .modifiers import FACE_NUMBER, numbers_of


def mark(obj: bpy.types.Object) -> None:
    """Number the faces of an object's mesh, unless each has a number of its own already.

    No other mesh of the file has these numbers, so that faces that modifiers take from there are
    told apart. RaypickError if the mesh cannot be changed.
    """
    mesh = _own_mesh(obj)
    now, count = numbers_of(mesh), _face_count(mesh)
    others = [numbers_of(each) for each in bpy.data.meshes if each != mesh]
    taken = np.unique(np.concatenate([[0], *(each for each in others if each is not None)]))
    if now is None or len(np.unique(now)) < count or now.min(initial=1) < 1 or _any_in(now, taken):
        free = np.setdiff1d(np.arange(count + len(taken)), taken, assume_unique=True)
        _write(mesh, free[:count])


def unmark(obj: bpy.types.Object) -> bool:
    """Remove the numbers of an object's faces; return whether there were any."""
    mesh: Any = _own_mesh(obj)
    held = mesh.attributes.get(FACE_NUMBER)
    if held is None:
        return False
    if mesh.is_editmode:
        faces: Any = bmesh.from_edit_mesh(mesh).faces
        faces.layers.int.remove(faces.layers.int[FACE_NUMBER])
    else:
        mesh.attributes.remove(held)
    _changed(mesh)
    return True


def copied(obj: bpy.types.Object) -> bpy.types.Object:
    """A copy of an object with a mesh of its own, in no collection, as edited so far."""
    mesh = _mesh(obj)
    if mesh.is_editmode:
        obj.update_from_editmode()
    copy: Any = obj.copy()
    copy.data = mesh.copy()
    return cast(bpy.types.Object, copy)


def _mesh(obj: bpy.types.Object) -> bpy.types.Mesh:
    """The mesh of an object, whose faces can have numbers."""
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh):
        raise RaypickError(f"the object {obj.name} has no mesh of its own")
    if has_dynamic_topology(obj):
        raise RaypickError(f"dynamic topology keeps no faces of the object {obj.name}")
    held: Any = mesh.attributes.get(FACE_NUMBER)
    if held is not None and (held.domain, held.data_type) != ("FACE", "INT"):
        raise RaypickError(
            f"the mesh of the object {obj.name} has another attribute {FACE_NUMBER}: "
            f"{held.data_type} of the domain {held.domain}"
        )
    return mesh


def _own_mesh(obj: bpy.types.Object) -> bpy.types.Mesh:
    """The mesh of an object, if its numbers can be changed."""
    mesh = _mesh(obj)
    if mesh.library is not None or mesh.override_library is not None:
        raise RaypickError(f"the mesh of the object {obj.name} is linked from a library")
    return mesh


def _any_in(numbers: IntArray, taken: IntArray) -> bool:
    return bool(np.isin(numbers, taken).any())


def _face_count(mesh: bpy.types.Mesh) -> int:
    return len(bmesh.from_edit_mesh(mesh).faces if mesh.is_editmode else mesh.polygons)


def _write(mesh: bpy.types.Mesh, numbers: IntArray) -> None:
    if mesh.is_editmode:
        faces: Any = bmesh.from_edit_mesh(mesh).faces
        layer = faces.layers.int.get(FACE_NUMBER) or faces.layers.int.new(FACE_NUMBER)
        for face, number in zip(faces, numbers.tolist(), strict=True):
            face[layer] = number
    else:
        attributes: Any = mesh.attributes
        held = attributes.get(FACE_NUMBER) or attributes.new(FACE_NUMBER, "INT", "FACE")
        held.data.foreach_set("value", numbers.astype(np.int32))
    _changed(mesh)


def _changed(mesh: bpy.types.Mesh) -> None:
    if mesh.is_editmode:
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    else:
        mesh.update()
