# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar's panels share: their bases, and rows of a label, a value and a copy button."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.app.translations import pgettext_iface

from .. import formatting, idnames
from ..model.record import PickRecord, Row
from ..session import current, following
from ..settings import present

# The share of a line's width that its label takes.
_LABEL_SHARE = 0.5
_NAME_SHARE = 0.4

_LETTER_UNITS = 1.4
"""The width of a letter before a vector's component, whatever the width of the sidebar."""


def draw_group(layout: bpy.types.UILayout, group: Sequence[Row], scene: bpy.types.Scene) -> None:
    """Draw rows under each other with copy buttons; a vector gets a line for each component."""
    column = layout.column(align=True)
    for row in group:
        label = pgettext_iface(row.label)
        if row.field.parts and row.value is not None:
            _draw_vector(column, row, label, scene)
        else:
            text = formatting.with_unit(row.value, row.field.unit, scene)
            draw_copy(draw_line(column, label, text), row.key, row.value)


def draw_stored(layout: bpy.types.UILayout, row: Row) -> None:
    """Draw a value with the name that it has in the mesh."""
    line = draw_line(layout, row.label, formatting.shown(row.value), _NAME_SHARE)
    draw_copy(line, row.key, row.value)


def draw_line(
    layout: bpy.types.UILayout, label: str, shown: str, share: float = _LABEL_SHARE
) -> bpy.types.UILayout:
    """Draw a label, right-aligned as in a property split, and a text; return the row."""
    row = layout.row(align=True)
    split = row.split(factor=share)
    left = split.row()
    left.alignment = "RIGHT"
    left.label(text=label, translate=False)
    split.label(text=shown, translate=False)
    return row


def draw_copy(row: bpy.types.UILayout, key: str, value: object) -> None:
    """Draw the button that copies a value, if there is one."""
    if value is None:
        row.label(text="", icon="BLANK1")
        return
    button = row.operator(idnames.COPY_OPERATOR, text="", icon="COPYDOWN", emboss=False)
    button.text = formatting.copied(value)
    button.value = key


def _draw_vector(column: bpy.types.UILayout, row: Row, label: str, scene: bpy.types.Scene) -> None:
    heading = column.row(align=True)
    heading.label(text=label, translate=False)
    draw_copy(heading, row.key, row.value)
    for part, component in zip(row.field.parts, row.value, strict=True):
        line = column.row(align=True)
        letter = line.row()
        letter.ui_units_x = _LETTER_UNITS
        letter.label(text=part, translate=False)
        text = formatting.with_unit(component, row.field.unit, scene)
        line.label(text=text, translate=False)
        draw_copy(line, f"{row.key}.{part}", component)


class SidebarPanel(bpy.types.Panel):
    """Base of a panel in Raypick's tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = idnames.SIDEBAR_TAB


class SubPanel(SidebarPanel):
    """Base of a panel below the main one."""

    bl_parent_id = idnames.MAIN_PANEL


class HitPanel(SubPanel):
    """Base of a panel that is shown only if something was hit."""

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return current.shown_hit() is not None


def record_to_draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> PickRecord:
    """The pick that a hit's panel draws, grayed out where its values may no longer hold."""
    record = present(current.shown())
    layout.active = not following.stale(record, context)
    return record
