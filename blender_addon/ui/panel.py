# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar: what the last pick hit."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import declarations, picked
from ..picked import Picked
from . import keymap, values


class RAYPICK_PT_hit(bpy.types.Panel):
    """What the last pick hit."""

    bl_idname = declarations.HIT_PANEL
    bl_label = "Raypick"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = declarations.SIDEBAR_TAB

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the answer, or how to get one."""
        last = picked.last()
        if last is None:
            _draw_hint(self.layout, context)
        elif not last.hits:
            _draw_miss(self.layout, context)
            _draw_time(self.layout, last)
        else:
            _draw_hit(self.layout, context)
            _draw_time(self.layout, last)
            self.layout.operator(declarations.COPY_REPORT_OPERATOR, icon="COPYDOWN")


def _draw_hint(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    column = layout.column(align=True)
    hotkey = keymap.shown(context)
    column.label(text="Point at anything", icon="EYEDROPPER")
    if hotkey:
        column.label(text=pgettext_iface("and press {}").format(hotkey), translate=False)
        column.label(text="or click with the Raypick tool")
    else:
        column.label(text="and click with the Raypick tool")


def _draw_miss(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    column = layout.column(align=True)
    column.label(text="Nothing hit", icon="INFO")
    column.label(text="No visible face is on the ray.")
    column.label(text="Hidden objects are not picked.")
    _draw_hint(layout, context)


def _draw_hit(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    layout.use_property_split = True
    layout.use_property_decorate = False
    texts = getattr(context.window_manager, declarations.WINDOW_MANAGER_PROPERTY)
    for group in values.GROUPS:
        column = layout.column(align=True)
        for value in group:
            row = column.row(align=True)
            row.prop(texts, value.key)
            copy = row.operator(declarations.COPY_OPERATOR, text="", icon="COPYDOWN")
            copy.text = getattr(texts, value.key)


def _draw_time(layout: bpy.types.UILayout, last: Picked) -> None:
    message = pgettext_iface("{} hits in {:.2f} ms").format(len(last.hits), last.seconds * 1e3)
    layout.label(text=message, icon="TIME", translate=False)


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(RAYPICK_PT_hit)


def unregister() -> None:
    """Take the panel back."""
    bpy.utils.unregister_class(RAYPICK_PT_hit)
