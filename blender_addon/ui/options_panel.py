# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of picking, in a panel and in the tool's header; the panel of time and memory."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import api, idnames, settings
from ..options import flags_of
from ..session import current
from ..settings import present
from .rows import SubPanel, draw_line


class RAYPICK_PT_options(SubPanel):
    """What is picked, and how."""

    bl_label = "Options"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return settings.preferences() is not None

    def draw(self, _context: bpy.types.Context) -> None:
        layout, options = self.layout, present(settings.preferences()).options
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        for name in ("mesh", "cull", "snap"):
            column.prop(options, name)
        if options.snap != "NONE":
            column.prop(options, "snap_radius", text="Radius")
        column.prop(options, "tolerance")
        column.prop(options, "max_distance")
        column = layout.column()
        column.use_property_split = False
        for name in flags_of(options):
            column.prop(options, name)
        _draw_excluded(layout)


def draw_tool_settings(
    context: bpy.types.Context, layout: bpy.types.UILayout, _tool: object
) -> None:
    """Draw, in the tool's header, the options that are changed most."""
    preferences = settings.preferences()
    if preferences is None:
        return
    options = preferences.options
    layout.operator(idnames.INSPECT_OPERATOR, icon="EYEDROPPER")
    layout.prop(options, "all_hits")
    layout.prop(options, "clip")
    is_header = context.region is not None and context.region.type == "TOOL_HEADER"
    row = layout.row() if is_header else layout.column()
    row.prop(options, "cull")
    row.prop(options, "mesh")
    row.prop(options, "snap")
    if options.snap != "NONE":
        row.prop(options, "snap_radius", text="Radius")
    row.prop(options, "tolerance")


def _draw_excluded(layout: bpy.types.UILayout) -> None:
    """Draw the excluded objects; those that no longer exist are marked."""
    row = layout.row()
    row.label(text="Excluded Objects")
    row.operator(idnames.LEAVE_OUT_OPERATOR, text="", icon="ADD")
    excluded = current.excluded_names()
    column = layout.box().column(align=True) if excluded else layout
    for uid, (name, is_there) in excluded.items():
        row = column.row(align=True)
        row.label(text=name, icon="OBJECT_DATA" if is_there else "ERROR", translate=False)
        button = row.operator(idnames.TAKE_IN_OPERATOR, text="", icon="X", emboss=False)
        button.uid = uid


class RAYPICK_PT_performance(SubPanel):
    """Time and memory."""

    bl_label = "Performance"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context: bpy.types.Context) -> None:
        column = self.layout.column(align=True)
        record, share = current.shown(), api.indexing()
        time = "-" if record is None else f"{record.seconds * 1e3:.2f} ms"
        indexed = pgettext_iface("None" if share is None else "{:.0%}").format(share)
        memory, limit = api.memory(), settings.cache_bytes()
        for label, shown in (
            ("Time", time),
            ("Engine", settings.engine_name()),
            ("Indexing", indexed),
            ("Cached Meshes", str(memory.meshes)),
            ("Cache Memory", f"{memory.bytes / 2**20:.1f} / {limit / 2**20:.0f} MiB"),
        ):
            draw_line(column, pgettext_iface(label), shown)
