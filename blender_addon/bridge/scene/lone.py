# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh objects by themselves, while the list of all objects is out of date."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import bpy

from ..validation import Viewport
from . import changes, instances, snapshot
from .instances import ListedMesh


def lone_meshes(
    context: bpy.types.Context,
    originals: Sequence[bpy.types.Object],
    space: Viewport,
    evaluated: bool,
) -> list[ListedMesh | None] | None:
    """The meshes of objects as a snapshot would list them, but read anew; None for hidden ones.

    None for all if the list is up to date, or if it alone tells what is shown of an object.
    """
    if not all(map(_is_alone, originals)):
        return None
    changes.register()
    if changes.pending.any:
        changes.flush_sculpting(context)
    depsgraph = changes.evaluated_depsgraph(context)
    if snapshot.is_listed(depsgraph, evaluated):
        return None
    if not evaluated:
        depsgraph = changes.flush_edits(context)
    are_shown = [_is_shown(each, context, depsgraph, space) for each in originals]
    rows = iter(instances.unlisted(depsgraph, [*compress(originals, are_shown)], evaluated))
    return [next(rows) if is_shown else None for is_shown in are_shown]


def _is_alone(original: bpy.types.Object) -> bool:
    """Whether nothing but its own visibility decides whether an object's mesh is shown."""
    makers = [original] if original.parent is None else [original, original.parent]
    return (
        original.type == "MESH"
        and all(each.instance_type == "NONE" for each in makers)
        and not original.particle_systems
    )


def _is_shown(
    original: bpy.types.Object,
    context: bpy.types.Context,
    depsgraph: bpy.types.Depsgraph,
    space: Viewport,
) -> bool:
    if not original.visible_get(view_layer=context.view_layer, viewport=space):
        return False
    evaluated = original.evaluated_get(depsgraph)
    return evaluated.is_evaluated and not evaluated.hide_viewport
