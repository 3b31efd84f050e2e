# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender evaluates of an object's modifiers and modes: for a viewport, or for a render.

The rules were read off Blender 4.2 to 5.0. A render has switches and levels of its own, and
ignores sculpt mode and what a mode hides. It shows a mesh that is being edited as edited, with the
modifiers that a viewport shows in edit mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

# Blender skips these modifiers in edit mode, even if they are set to be shown there.
_NOT_IN_EDIT_MODE = frozenset({"BUILD", "DECIMATE", "EXPLODE", "MULTIRES"})


def is_render(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether a depsgraph is evaluated for a render, and not for a viewport."""
    return depsgraph.mode == "RENDER"


def is_sculpted(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether a depsgraph shows an object as sculpt mode does."""
    return obj.mode == "SCULPT" and not is_render(depsgraph)


def shown_modifiers(evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[Any]:
    """The modifiers that Blender evaluates; in sculpt mode it may skip some of them."""
    modifiers: Any = evaluated.modifiers
    if not modifiers:
        return
    edited = _is_edited(evaluated)
    rendered = not edited and is_render(depsgraph)
    for modifier in modifiers:
        is_shown = modifier.show_render if rendered else modifier.show_viewport
        if edited:
            is_shown &= modifier.show_in_editmode and modifier.type not in _NOT_IN_EDIT_MODE
        if is_shown:
            yield modifier


def levels_of(modifier: Any, depsgraph: bpy.types.Depsgraph) -> int:
    """How often a shown Subdivision Surface or Multiresolution modifier divides the faces."""
    scene: Any = depsgraph.scene_eval
    render, levels = scene.render, modifier.levels
    is_limited: bool = render.use_simplify
    if is_limited:
        levels = min(levels, render.simplify_subdivision)
    if not is_render(depsgraph):
        # Sculpt mode draws the levels from grids, and does not subdivide the mesh.
        is_drawn = modifier.type == "MULTIRES" and modifier.id_data.mode == "SCULPT"
        return 0 if is_drawn else int(levels)
    if levels == 0 and _is_edited(modifier.id_data):
        return 0  # what edit mode leaves out of viewports, it leaves out of renders
    levels = modifier.render_levels
    return int(min(levels, render.simplify_subdivision_render) if is_limited else levels)


def draws_multires(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether a viewport draws the levels of multiresolution sculpting, not their base mesh."""
    modifiers: Any = obj.modifiers
    return is_sculpted(obj, depsgraph) and any(
        modifier.type == "MULTIRES" and modifier.show_viewport and modifier.sculpt_levels > 0
        for modifier in modifiers
    )


def has_dynamic_topology(original: bpy.types.Object) -> bool:
    """Whether an object is being sculpted with dynamic topology."""
    return original.mode == "SCULPT" and original.use_dynamic_topology_sculpting


def shows_dynamic_topology(evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether dynamic topology shows other faces than modifiers make of the own mesh's."""
    return is_sculpted(evaluated, depsgraph) and has_dynamic_topology(evaluated.original)


def _is_edited(evaluated: bpy.types.Object) -> bool:
    """Whether the mesh of an object is in edit mode, be it by another object that shares it."""
    own = evaluated.original.data
    return isinstance(own, bpy.types.Mesh) and own.is_editmode
