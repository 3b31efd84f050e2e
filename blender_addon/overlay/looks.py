# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewport has to show: picks that hit something."""

from __future__ import annotations

import bpy

from .. import following, live, picked
from ..owners import object_of
from ..pick_record import PickRecord


def kept(context: bpy.types.Context) -> PickRecord | None:
    """The kept pick, if this viewport shows its scene and its object."""
    record = _here(picked.kept(), context)
    if record is None or following.stale(record, context) == following.LOOKING:
        return None
    obj = object_of(record.hit_now)
    if obj is None or (record.hit.instancer is None and _is_only_elsewhere(obj, context)):
        return None
    return record


def hovered(context: bpy.types.Context) -> PickRecord | None:
    """What is under the mouse, if this viewport shows its scene."""
    return None if live.is_behind() else _here(picked.hovered(), context)


def _here(record: PickRecord | None, context: bpy.types.Context) -> PickRecord | None:
    if record is None or record.hit is None or not context.space_data.overlay.show_overlays:
        return None
    return record if record.scene == context.scene.name else None


def _is_only_elsewhere(obj: bpy.types.Object, context: bpy.types.Context) -> bool:
    """Whether other viewports show an object and this one does not, as in a local view."""
    return obj.visible_get() and not obj.visible_get(viewport=context.space_data)
