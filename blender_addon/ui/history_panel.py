# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that lists the last picks."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import declarations, history, picked
from ..pick_record import PickRecord
from .sidebar import SubPanel

MOST = 24
"""So many picks are listed."""


class RAYPICK_PT_history(SubPanel, bpy.types.Panel):
    """The last picks, to be shown again, saved and exported."""

    bl_label = "History"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw a row for each pick, the newest first; a click shows it again."""
        records = history.records()
        layout = self.layout
        if not records:
            layout.label(text="Nothing was picked yet", icon="INFO")
            return
        column = layout.column(align=True)
        for number, record in enumerate(records[:MOST]):
            _draw_record(column, number, record)
        if len(records) > MOST:
            more = pgettext_iface("and {} more").format(len(records) - MOST)
            layout.label(text=more, translate=False)
        row = layout.row(align=True)
        row.operator(declarations.EXPORT_HISTORY_OPERATOR, text="Export", icon="EXPORT")
        row.operator(declarations.SAVE_HISTORY_OPERATOR, text="Save with File", icon="FILE_TICK")
        row.operator(declarations.CLEAR_HISTORY_OPERATOR, text="", icon="TRASH")


def _draw_record(layout: bpy.types.UILayout, number: int, record: PickRecord) -> None:
    what = f"{record.hit.object}  {record.hit.face}"
    if record.rank:
        what += "  " + pgettext_iface("{} of {}").format(record.rank + 1, len(record.hits))
    button = layout.operator(
        declarations.SHOW_RECORD_OPERATOR,
        text=f"{record.when:%H:%M:%S}  {what}",
        translate=False,
        icon="HIDE_OFF" if picked.kept() is record else "BLANK1",
    )
    button.number = number


CLASSES = (RAYPICK_PT_history,)
