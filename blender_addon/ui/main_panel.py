# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that holds the others: it starts the inspector, and says how to begin."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import api, formatting, idnames
from ..model.record import PickRecord
from ..operators import inspect, survey_view
from ..session import current, following, survey
from ..settings import present
from ..translations import reasons
from . import keymap
from .rows import SidebarPanel


class RAYPICK_PT_main(SidebarPanel):
    """What a pick hit, or how to pick."""

    bl_idname = idnames.MAIN_PANEL
    bl_label = "Raypick"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True, but first update what decides which panels there are and what they show."""
        following.update_to_draw(context)
        return True

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        row = layout.row(align=True)
        running = inspect.is_running()
        row.operator(
            idnames.INSPECT_OPERATOR,
            text="End Inspection" if running else "Inspect",
            icon="EYEDROPPER",
            depress=running,
        )
        row.menu(idnames.SURVEY_MENU, text="", icon="IMAGE_DATA")
        row.operator(idnames.PLACE_OPERATOR, text="", icon="VIEWZOOM")
        row.operator(idnames.CLEAR_OPERATOR, text="", icon="X")
        if survey.running is not None:
            line = layout.row(align=True)
            survey_view.draw_progress(line, survey.running)
            line.operator(idnames.STOP_SURVEY_OPERATOR, text="", icon="X")
        share = api.indexing()
        if share is not None:
            layout.progress(factor=share, text=pgettext_iface("Indexing"))
        record = current.shown()
        if record is None:
            _draw_hint(layout, context)
        elif record.hit is None:
            column = layout.column(align=True)
            column.label(text="Nothing hit", icon="INFO")
            column.label(text="There is no visible face there.")
            column.label(text="Hidden objects are not picked.")
            _draw_unpickable(layout, record)
            _draw_hint(layout, context)
        else:
            row = layout.row()
            text = pgettext_iface("Hit {} of {} in {:.2f} ms")
            text = text.format(record.rank + 1, len(record.hits), record.seconds * 1e3)
            row.label(text=text, translate=False)
            row.operator(idnames.COPY_REPORT_OPERATOR, text="", icon="COPYDOWN")
            _draw_unpickable(layout, record)
            if present(record.hit_now).is_base_mesh:
                layout.label(text="Base mesh, not the sculpted level", icon="INFO")
            stale = following.stale(record, context)
            if stale:
                column = layout.column(align=True)
                column.label(text=reasons.translated(stale), icon="ERROR", translate=False)
                column.label(text="Values are as picked")


def _draw_unpickable(layout: bpy.types.UILayout, record: PickRecord) -> None:
    if record.unpickable and record.now is None:  # unknown once the scene has changed
        text = formatting.not_picked(record.unpickable)
        layout.label(text=text, icon="INFO", translate=False)


def _draw_hint(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    column = layout.column(align=True)
    hotkey = keymap.shown(context, idnames.PICK_OPERATOR)
    column.label(text="Point at anything", icon="MOUSE_LMB")
    if hotkey:
        column.label(text=pgettext_iface("and press {}").format(hotkey), translate=False)
        column.label(text="or click with the Raypick tool")
    else:
        column.label(text="and click with the Raypick tool")
