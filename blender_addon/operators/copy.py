# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy what was picked to the clipboard."""

from __future__ import annotations

import json
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt, pgettext_tip
from bpy.props import StringProperty

from .. import idnames
from ..model import rows
from ..present import present
from ..session import current
from .base import RaypickOperator


class RAYPICK_OT_copy(RaypickOperator):
    bl_idname = idnames.COPY_OPERATOR
    bl_label = "Copy Value"
    bl_description = "Copy this value to the clipboard, with all its digits"
    bl_options = {"INTERNAL"}

    text: StringProperty(name="Text", options={"SKIP_SAVE"})
    value: StringProperty(name="Key of the Value", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Say in the tooltip what the value is, and all of it: a line may be too short."""
        about = rows.tooltip(properties.value)
        if not about:
            return ""
        lines = [f"{pgettext_tip(about)}:", properties.text, pgettext_tip(cls.bl_description)]
        label, part = rows.component(properties.value)
        if part:
            form = pgettext_tip("{axis} of {vector}")
            lines.insert(0, form.format(axis=part, vector=pgettext_iface(label)) + ".")
        return "\n".join(lines)

    def run(self, context: bpy.types.Context) -> str:
        context.window_manager.clipboard = self.text
        return pgettext_rpt("Copied: {}").format(self.text)


class RAYPICK_OT_copy_report(RaypickOperator):
    bl_idname = idnames.COPY_REPORT_OPERATOR
    bl_label = "Copy All as JSON"
    bl_description = "Copy all values of all hits of the last pick to the clipboard, as JSON"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.has_hits(current.shown())

    def run(self, context: bpy.types.Context) -> str:
        record = present(current.shown())
        hits = [
            hit.as_dict() | ({"stale": stale} if (stale := record.stale_at(rank)) else {})
            for rank, hit in enumerate(record.hits_now)
        ]
        context.window_manager.clipboard = json.dumps(hits, indent=2, allow_nan=False)
        return pgettext_rpt("Copied {} hits as JSON").format(len(hits))
