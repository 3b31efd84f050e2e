# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluated depsgraph of a context, and what must be evaluated before it is listed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .changes import pending

_drawing = False


class NotWhileDrawingError(Exception):
    """Blender has to evaluate something first: to be asked again when it does not draw."""


@contextmanager
def while_drawing() -> Iterator[None]:
    """Take the depsgraph as it is being drawn: nothing may be evaluated under Blender's drawing.

    NotWhileDrawingError where something has to be.
    """
    global _drawing
    _drawing = True
    try:
        yield
    finally:
        _drawing = False


def evaluated_depsgraph(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """The depsgraph of the context's scene and view layer, up to date.

    Before 4.5 Blender tags what a context returns with the scene whose tool settings it read last.
    If that scene is gone with its file, Blender reads freed memory when it is handed the depsgraph.
    Reading the tool settings again tags with the current scene.
    """
    _ = context.tool_settings
    drawn = context.view_layer.depsgraph if _drawing else None
    if drawn is not None:
        return drawn
    _refuse_while_drawing()
    return context.evaluated_depsgraph_get()


def is_sculpted_dynamically(context: bpy.types.Context) -> bool:
    """Whether a mesh is sculpted with dynamic topology."""
    active = context.view_layer.objects.active
    return active is not None and active.mode == "SCULPT" and active.use_dynamic_topology_sculpting


def flush_sculpting(context: bpy.types.Context) -> None:
    """Have Blender write what was sculpted with dynamic topology into the mesh.

    Until then no mesh has it. Blender then evaluates the mesh again: to be called where something
    changed, before the depsgraph is taken.
    """
    if is_sculpted_dynamically(context):
        _refuse_while_drawing()
        bpy.ops.ed.flush_edits()


def edited_meshes(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The mesh objects in edit mode."""
    if context.mode != "EDIT_MESH":
        return []
    return [obj for obj in context.view_layer.objects if obj.type == "MESH" and obj.mode == "EDIT"]


def flush_edits(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """Have Blender write what is being edited into objects' own meshes; return the depsgraph.

    Blender then evaluates them again, to what they were.
    """
    with pending.quietly():
        for obj in edited_meshes(context):
            _refuse_while_drawing()
            obj.update_from_editmode()
        return evaluated_depsgraph(context)


def stale_instancers(depsgraph: bpy.types.Depsgraph) -> Iterator[bpy.types.Object]:
    """Objects with Geometry Nodes that were not evaluated since something was removed.

    They may be in instanced collections alone.
    """
    evaluated = pending.evaluated.get(depsgraph.as_pointer(), ())
    for obj in bpy.data.objects:
        if obj.as_pointer() not in evaluated and any(
            modifier.type == "NODES" for modifier in obj.modifiers
        ):
            yield obj


def evaluate_instancers(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """Have the stale instancers evaluated again; return the depsgraph.

    Blender leaves instances of what was removed in what they made before, and crashes when it
    lists them (4.2 and 5.0 do).
    """
    for obj in stale_instancers(evaluated_depsgraph(context)):
        _refuse_while_drawing()
        obj.update_tag(refresh={"DATA"})
    return evaluated_depsgraph(context)


def _refuse_while_drawing() -> None:
    if _drawing:
        raise NotWhileDrawingError("nothing can be evaluated while Blender draws")
