# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of picking: a popover, and those in the pick tool's header."""

from __future__ import annotations

from typing import Any

import bpy

from .. import idnames, settings
from ..options import flags_of
from ..session import current
from ..settings import present

_WIDTH = 13  # of the popover, in units of a button's height
_WIDE = 850  # from this width on, in pixels at a scale of 1, a header has room for all


class RAYPICK_PT_options(bpy.types.Panel):
    """What is picked, and how."""

    bl_idname = idnames.OPTIONS_PANEL
    bl_label = "Options"
    bl_description = "What is picked, and how"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"  # so that it is no panel of the sidebar
    bl_ui_units_x = _WIDTH

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return settings.preferences() is not None

    def draw(self, _context: bpy.types.Context) -> None:
        layout, options = self.layout, present(settings.preferences()).options
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(options, "mesh")
        column.prop(options, "cull")
        draw_snap(column, options)
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
    """Draw, in the pick tool's header, the options that are changed most, and all the others."""
    preferences = settings.preferences()
    if preferences is None:
        return
    options = preferences.options
    layout.prop(options, "cull")
    draw_snap(layout, options)
    if is_wide(context):
        layout.prop(options, "tolerance")
    layout.popover(panel=idnames.OPTIONS_PANEL)


def is_wide(context: bpy.types.Context) -> bool:
    """Whether the header that is drawn has room for all words and options."""
    return context.region is None or context.region.width >= _WIDE * settings.ui_scale()


def draw_snap(layout: bpy.types.UILayout, options: Any) -> None:
    """Draw what hits are snapped to and, where they are, over how many pixels."""
    layout.prop(options, "snap")
    if options.snap != "NONE":
        layout.prop(options, "snap_radius", text="Radius")


def _draw_excluded(layout: bpy.types.UILayout) -> None:
    """Draw the excluded objects; those that no longer exist are marked."""
    layout.label(text="Excluded Objects")
    row, hit = layout.row(align=True), current.shown_hit()
    row.operator(idnames.LEAVE_OUT_OPERATOR, text="Selected", icon="ADD")
    if hit is not None:
        button = row.operator(
            idnames.LEAVE_OUT_OPERATOR, text=hit.object, icon="ADD", translate=False
        )
        button.hit = True
    excluded = current.excluded_names()
    column = layout.box().column(align=True) if excluded else layout
    for uid, (name, is_there) in excluded.items():
        row = column.row(align=True)
        row.label(text=name, icon="OBJECT_DATA" if is_there else "ERROR", translate=False)
        button = row.operator(idnames.TAKE_IN_OPERATOR, text="", icon="X", emboss=False)
        button.uid = uid
