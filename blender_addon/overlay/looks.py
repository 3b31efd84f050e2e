# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewport has to show: picks that hit something."""

from __future__ import annotations

import bpy

from .. import picked
from ..pick_record import PickRecord


def kept(context: bpy.types.Context) -> PickRecord | None:
    """The kept pick, if this viewport shows its scene."""
    return _here(picked.kept(), context)


def hovered(context: bpy.types.Context) -> PickRecord | None:
    """What is under the mouse, if this viewport shows its scene."""
    return _here(picked.hovered(), context)


def _here(record: PickRecord | None, context: bpy.types.Context) -> PickRecord | None:
    if record is None or record.hit is None or not context.space_data.overlay.show_overlays:
        return None
    return record if record.scene == context.scene.name else None
