# SPDX-License-Identifier: GPL-3.0-or-later
"""What all panels of the sidebar's tab have in common."""

from __future__ import annotations

import bpy

from .. import idnames
from ..model.record import PickRecord
from ..present import present
from ..session import current, following


class SidebarPanel(bpy.types.Panel):
    """Base of a panel in Raypick's tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = idnames.SIDEBAR_TAB


class SubPanel(SidebarPanel):
    """Base of a panel below the main one."""

    bl_parent_id = idnames.MAIN_PANEL


class HitPanel(SubPanel):
    """Base of a panel that is there only for a hit."""

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return current.shown_hit() is not None


def record_to_draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> PickRecord:
    """The pick that a hit's panel draws, grayed out where its values may no longer hold."""
    record = present(current.shown())
    layout.active = not following.stale(record, context)
    return record
