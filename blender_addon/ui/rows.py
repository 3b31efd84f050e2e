# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar's panels share: their base, and rows of a label, a value and a copy button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
from bpy.app.translations import pgettext_iface

from .. import formatting, idnames, settings
from ..formatting import NONE
from ..model.record import Row
from ..settings import present

_LABEL_SHARE = 0.46
"""The share of a line's width that its label takes."""

_USUAL = 290.0  # pixels: the width of the sidebar as it comes
_NARROW = 220  # pixels: in a narrower sidebar there is no room for labels beside values
_MARGINS = 53  # pixels that the tabs, the panel's edges and a copy button take
_LETTER_UNITS = 1.0  # the width of a letter before a vector's component


class SidebarPanel(bpy.types.Panel):
    """Base of a panel in Raypick's tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = idnames.SIDEBAR_TAB


def width(context: bpy.types.Context) -> float:
    """The width of the region that is drawn, in pixels at an interface scale of 1."""
    return present(context.region).width / settings.ui_scale() if context.region else _USUAL


def is_narrow(context: bpy.types.Context) -> bool:
    """Whether the sidebar is so narrow that buttons show icons alone."""
    return width(context) < _NARROW


def draw_group(
    layout: bpy.types.UILayout, context: bpy.types.Context, group: Sequence[Row]
) -> None:
    """Draw rows under each other with copy buttons; a vector gets a line below its label."""
    column = layout.column(align=True)
    for row in group:
        if row.field.parts:
            _draw_heading_and_vector(column, context, row)
        else:
            text = formatting.with_unit(row.value, row.field.unit, context.scene)
            draw_copy(draw_line(column, pgettext_iface(row.label), text), row)


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


def draw_copy(row: bpy.types.UILayout, of: Row) -> None:
    """Draw the button that copies the value of a row, if there is one."""
    if of.value is None:
        row.label(text="", icon="BLANK1")
        return
    button = row.operator(idnames.COPY_OPERATOR, text="", icon="COPYDOWN", emboss=False)
    button.text = formatting.copied(of.value)
    button.value = of.key


def draw_vectors(
    layout: bpy.types.UILayout, context: bpy.types.Context, rows: Mapping[str, Row]
) -> None:
    """Draw vectors in lines with their labels, or in a narrow sidebar in lines below these."""
    for label, row in rows.items():
        if is_narrow(context):
            _draw_heading_and_vector(layout, context, row._replace(label=label))
            continue
        line = layout.row(align=True)
        name = line.row()
        name.alignment = "LEFT"
        name.label(text=label)
        free = width(context) - _MARGINS - formatting.text_width(pgettext_iface(label))
        _draw_components(line, context, row, free)
        draw_copy(line, row)


def _draw_heading_and_vector(
    column: bpy.types.UILayout, context: bpy.types.Context, row: Row
) -> None:
    heading = column.row(align=True)
    heading.label(text=row.label)
    draw_copy(heading, row)
    if not is_narrow(context):
        _draw_components(column.row(align=True), context, row, width(context) - _MARGINS)
        return
    for number, part in enumerate(row.field.parts):
        line = column.row(align=True)
        letter = line.row()
        letter.ui_units_x = _LETTER_UNITS
        letter.label(text=part, translate=False)
        value = None if row.value is None else row.value[number]
        text = NONE if value is None else formatting.with_unit(value, row.field.unit, context.scene)
        line.label(text=text, translate=False)


def _draw_components(
    line: bpy.types.UILayout, context: bpy.types.Context, row: Row, free: float
) -> None:
    """Draw a vector's components side by side, with as many decimals as fit into `free` pixels."""
    values = row.value or (None,) * len(row.field.parts)
    for text in formatting.fitting(values, row.field.unit, context.scene, free):
        line.label(text=text, translate=False)
