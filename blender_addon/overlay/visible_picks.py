# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewport has to show: picks that hit something."""

from __future__ import annotations

from typing import cast

import bpy

from ..bridge import relocation
from ..bridge.hit_objects import object_of
from ..model.record import PickRecord
from ..present import present
from ..session import current, following, hover

_UNSEEN = (following.UPDATING, relocation.REMOVED)


def kept(context: bpy.types.Context) -> PickRecord | None:
    """The kept pick, if this viewport shows its scene and its object."""
    record = _here(current.kept(), context)
    if record is None or following.stale(record, context) in _UNSEEN:
        return None
    hit = present(record.hit_now)
    if record.stale or hit.instancer is not None:
        return record
    obj = object_of(hit)  # which a local view may leave out
    return record if obj and obj.visible_get(viewport=_space(context)) else None


def hovered(context: bpy.types.Context) -> PickRecord | None:
    """What is under the mouse, if this viewport shows its scene."""
    return None if hover.is_outdated() else _here(current.hovered(), context)


def unpickable(context: bpy.types.Context) -> tuple[str, ...]:
    """Where nothing is hit under the mouse in this region: what is met there without faces."""
    record = current.hovered()
    if record is None or record.hits or hover.is_outdated():
        return ()
    is_here = current.has_mouse(context.region) and _space(context).overlay.show_overlays
    return record.unpickable if is_here else ()


def _here(record: PickRecord | None, context: bpy.types.Context) -> PickRecord | None:
    if record is None or not record.hits or not _space(context).overlay.show_overlays:
        return None
    return record if record.is_of(context.scene) else None


def _space(context: bpy.types.Context) -> bpy.types.SpaceView3D:
    return cast(bpy.types.SpaceView3D, context.space_data)
