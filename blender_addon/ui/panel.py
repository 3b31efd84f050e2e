# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar: what the last pick hit."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import api, declarations, picked
from ..pick_hit import PickHit
from ..values import GROUPS, Value, text
from . import keymap

# Of a line's width, for its label; a float with its 17 digits needs the rest of the default width.
_LABEL_SHARE = 0.4
_FLOAT_LABEL_SHARE = 0.3
_PART_SHARE = 0.12


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
            return
        self.layout.operator(declarations.COPY_REPORT_OPERATOR, icon="COPYDOWN")
        column = self.layout.column(align=True)
        _draw_line(column, pgettext_iface("Hits"), str(len(last.hits)), _LABEL_SHARE)
        _draw_line(column, pgettext_iface("Time"), f"{last.seconds * 1e3:.2f} ms", _LABEL_SHARE)
        share = api.indexing()
        if share is not None:
            self.layout.progress(factor=share, text=pgettext_iface("Indexing"))
        if not last.hits:
            _draw_miss(self.layout, context)
            return
        for group in GROUPS:
            _draw_group(self.layout, group, last.hits[0])


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
    column.label(text="There is no visible face there.")
    column.label(text="Hidden objects are not picked.")
    _draw_hint(layout, context)


def _draw_group(layout: bpy.types.UILayout, group: tuple[Value, ...], hit: PickHit) -> None:
    column = layout.column(align=True)
    for value in group:
        found = value.read(hit)
        if not value.parts or found is None:
            share = _FLOAT_LABEL_SHARE if isinstance(found, float) else _LABEL_SHARE
            row = _draw_line(column, pgettext_iface(value.label), text(found), share)
            _draw_copy(row, value, text(found))
            continue
        heading = column.row(align=True)
        heading.label(text=value.label)
        _draw_copy(heading, value, text(found))
        for part, component in zip(value.parts, found, strict=True):
            row = _draw_line(column, part, text(component), _PART_SHARE)
            _draw_copy(row, value, text(component))


def _draw_line(
    layout: bpy.types.UILayout, label: str, shown: str, share: float
) -> bpy.types.UILayout:
    """Draw a label, right-aligned as in a property split, and a text; return the row."""
    row = layout.row(align=True)
    split = row.split(factor=share)
    left = split.row()
    left.alignment = "RIGHT"
    left.label(text=label, translate=False)
    split.label(text=shown, translate=False)
    return row


def _draw_copy(row: bpy.types.UILayout, value: Value, copied: str) -> None:
    button = row.operator(declarations.COPY_OPERATOR, text="", icon="COPYDOWN", emboss=False)
    button.text = copied
    button.value = value.key


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(RAYPICK_PT_hit)


def unregister() -> None:
    """Take the panel back."""
    bpy.utils.unregister_class(RAYPICK_PT_hit)
