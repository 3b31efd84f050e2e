# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy what was picked to the clipboard."""

from __future__ import annotations

import json

import bpy
from bpy.props import StringProperty

from .. import idnames
from ..model import rows
from ..session import current
from .polls import has_hits


class RAYPICK_OT_copy(bpy.types.Operator):
    """Copy one value of the panel."""

    bl_idname = idnames.COPY_OPERATOR
    bl_label = "Copy Value"
    bl_description = "Copy this value to the clipboard, with all its digits"
    bl_options = {"INTERNAL"}

    text: StringProperty(name="Text", options={"SKIP_SAVE"})
    value: StringProperty(name="Key of the Value", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: RAYPICK_OT_copy) -> str:
        """Say in the tooltip what the value is, and all of it: a line may be too short."""
        translated = bpy.app.translations.pgettext_tip
        about = rows.tooltip(properties.value)
        if not about:
            return ""
        lines = [f"{translated(about)}:", properties.text, translated(cls.bl_description)]
        label, part = rows.component(properties.value)
        if part:
            vector = bpy.app.translations.pgettext_iface(label)
            lines.insert(0, translated("{axis} of {vector}").format(axis=part, vector=vector) + ".")
        return "\n".join(lines)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put the text on the clipboard."""
        context.window_manager.clipboard = self.text
        self.report({"INFO"}, bpy.app.translations.pgettext_rpt("Copied: {}").format(self.text))
        return {"FINISHED"}


class RAYPICK_OT_copy_report(bpy.types.Operator):
    """Copy the last pick."""

    bl_idname = idnames.COPY_REPORT_OPERATOR
    bl_label = "Copy All as JSON"
    bl_description = "Copy all values of all hits of the last pick to the clipboard, as JSON"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Only after a pick that hit something."""
        return has_hits(cls, current.shown())

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put all hits on the clipboard."""
        record = current.shown()
        hits = [
            hit.as_dict() | ({"stale": stale} if (stale := record.stale_at(rank)) else {})
            for rank, hit in enumerate(record.hits_now)
        ]
        context.window_manager.clipboard = json.dumps(hits, indent=2, allow_nan=False)
        message = bpy.app.translations.pgettext_rpt("Copied {} hits as JSON")
        self.report({"INFO"}, message.format(len(hits)))
        return {"FINISHED"}
