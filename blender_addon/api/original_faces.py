# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks on faces, by which hits know their original face through all modifiers."""

from __future__ import annotations

import bpy

from ..bridge.original import marks
from ..bridge.validation import flag, original_object


def mark_faces(object: str | bpy.types.Object, *, copy: bool = False) -> bpy.types.Object:
    """Mark the faces of an object, so that hits know their original face through any modifiers.

    Without marks, `original_face` is known through modifiers that keep, subdivide, triangulate,
    mirror or repeat faces. Marks lead through most others: booleans, bevels, collapsing, Geometry
    Nodes. They are numbers in the mesh's integer attribute ``raypick_face``, which Blender copies
    to the faces that it makes; no other mesh of the file has the same.

        api.mark_faces(context.object)  # in an operator with the option "UNDO"

        marked = api.mark_faces("Rock", copy=True)  # leaves the object and its mesh alone
        context.collection.objects.link(marked)
        hits = api.ray_cast(context, origin, direction, only=marked)
        bpy.data.meshes.remove(marked.data)  # and the copy with it

    Marks stay right when the mesh is edited; mark again to mark new faces, and those made of one.
    Where all marks are good already, nothing changes.

    Parameters
    ----------
    object : str or bpy.types.Object
        In any mode. In edit mode, references to elements of its BMesh become invalid, as Blender
        moves them to store the marks.
    copy : bool
        Mark a copy of the object, with a mesh of its own. By default the mesh itself is changed,
        for all objects that share it. This adds no undo step: call it in an operator with the
        option ``"UNDO"``, or call ``bpy.ops.ed.undo_push`` afterwards.

    Returns
    -------
    bpy.types.Object
        The object that was marked; a copy is in no collection yet.

    Raises
    ------
    RaypickError
        If the object has no mesh of its own or dynamic topology, the mesh is linked from a library,
        or it has another attribute of that name. Copies of linked objects can be marked.
    """
    obj = original_object(object)
    if flag(copy, "copy"):
        obj = marks.copied(obj)
    marks.mark(obj)
    return obj


def unmark_faces(object: str | bpy.types.Object) -> bool:
    """Remove the marks of :func:`mark_faces` from an object's mesh.

    Parameters
    ----------
    object : str or bpy.types.Object
        In any mode.

    Returns
    -------
    bool
        Whether there were any.

    Raises
    ------
    RaypickError
        As for :func:`mark_faces`.
    """
    return marks.unmark(original_object(object))
