# SPDX-License-Identifier: GPL-3.0-or-later
"""Back from a hit to Blender's objects, as far as they are still there."""

from __future__ import annotations

import bpy

from .pick_hit import PickHit


def object_of(hit: PickHit) -> bpy.types.Object | None:
    """The object whose mesh was hit; None if it was removed or renamed since."""
    return bpy.data.objects.get((hit.object, hit.library))


def owner_of(hit: PickHit, view_layer: bpy.types.ViewLayer) -> bpy.types.Object | None:
    """The object that a click there selects; None if the view layer shows it no more."""
    found = view_layer.objects.get(hit.instancer) if hit.instancer else object_of(hit)
    if found is None or view_layer.objects.get(found.name) is None:
        return None
    return found if found.visible_get(view_layer=view_layer) else None
