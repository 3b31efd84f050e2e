# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that lists the last picks."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import idnames
from ..session import history
from . import history_list
from .rows import SubPanel


class RAYPICK_PT_history(SubPanel):
    """The last picks, to be shown again, saved and exported."""

    bl_label = "History"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        records = history.records()
        for text, count in history.troubles():
            layout.label(text=pgettext_iface(text).format(count), icon="ERROR", translate=False)
        if not records:
            layout.label(text="No picks yet", icon="INFO")
            return
        manager = context.window_manager
        layout.template_list(
            *(idnames.HISTORY_LIST, "", manager, history_list.ROWS),
            *(manager, history_list.ACTIVE),
            item_dyntip_propname="tooltip",
            rows=6,
        )
        row = layout.row(align=True)
        row.operator(idnames.EXPORT_HISTORY_OPERATOR, text="Export", icon="EXPORT")
        row.operator(idnames.SAVE_HISTORY_OPERATOR, text="Save with File", icon="FILE_TICK")
        row.operator(idnames.CLEAR_HISTORY_OPERATOR, text="", icon="TRASH")
