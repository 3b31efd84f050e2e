# SPDX-License-Identifier: GPL-3.0-or-later
"""What all panels of the sidebar's tab have in common."""

from __future__ import annotations

import bpy

from .. import idnames
from ..session import current


class SidebarPanel:
    """Mixin of a panel in Raypick's tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = idnames.SIDEBAR_TAB


class SubPanel(SidebarPanel):
    """Mixin of a panel below the main one."""

    bl_parent_id = idnames.MAIN_PANEL


class HitPanel(SubPanel):
    """Mixin of a panel that is there only for a hit."""

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return current.shown_hit() is not None
