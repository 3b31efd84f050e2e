# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewport has to show: picks that hit something."""

from __future__ import annotations

import bpy

from ..bridge import relocation
from ..bridge.hit_objects import object_of
from ..model.record import PickRecord
from ..session import current, following, hover


def kept(context: bpy.types.Context) -> PickRecord | None:
    """The kept pick, if this viewport shows its scene and its object."""
    record = _here(current.kept(), context)
    if record is None or following.stale(record, context) in (
        following.LOOKING,
        relocation.REMOVED,
    ):
        return None
    obj = object_of(record.hit_now)
    is_instance = record.hit.instancer is not None
    if not (record.stale or is_instance or (obj and _is_shown(obj, context))):
        return None
    return record


def hovered(context: bpy.types.Context) -> PickRecord | None:
    """What is under the mouse, if this viewport shows its scene."""
    return None if hover.is_outdated() else _here(current.hovered(), context)


def misses(context: bpy.types.Context) -> bool:
    """Whether nothing is hit under the mouse in this region, but something without faces is met."""
    record = current.hovered()
    if record is None or record.hit is not None or not record.unpickable or hover.is_outdated():
        return False
    return current.has_mouse(context.region) and context.space_data.overlay.show_overlays


def _here(record: PickRecord | None, context: bpy.types.Context) -> PickRecord | None:
    if record is None or record.hit is None or not context.space_data.overlay.show_overlays:
        return None
    return record if record.is_of(context.scene) else None


def _is_shown(obj: bpy.types.Object, context: bpy.types.Context) -> bool:
    """Whether this viewport shows an object: its local view may leave it out."""
    return obj.visible_get(viewport=context.space_data)
