# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar's panels share: their base, and rows of a label, a value and a copy button."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import bpy
from bpy.app.translations import pgettext_iface

from .. import formatting, idnames, settings
from ..formatting import NONE
from ..model.record import Row
from ..settings import present

_LABEL_SHARE = 0.48
"""The share of a line's width that its label takes."""

_USUAL = 290.0  # pixels: the width of the sidebar as it comes
_NARROW = 220  # pixels: in a narrower sidebar there is no room for labels beside values
EDGES = 56  # pixels that the tabs and the panel's edges take
ICON = 20  # and a button with an icon alone
_SPLIT = 10  # what is between a label and its value, and around that
_UNIT = 20.0  # pixels of a unit of a layout's width
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
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    group: Sequence[Row],
    share: float = _LABEL_SHARE,
) -> None:
    """Draw rows under each other with copy buttons; a vector gets a line below its label."""
    column = layout.column(align=True)
    for row in group:
        if row.field.parts:
            _draw_heading_and_vector(column, context, row)
        else:
            draw_line(column, context, row, pgettext_iface(row.label), share)


def draw_line(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    row: Row,
    label: str,
    share: float = _LABEL_SHARE,
) -> None:
    """Draw a label, right-aligned as in a property split, a text and its copy button.

    A text that has no room beside the label gets lines below it.
    """
    free = width(context) - EDGES
    beside = (free - ICON) * (1.0 - share) - _SPLIT
    text = _shown(context, row, free if is_narrow(context) else beside)
    line = layout.row(align=True)
    is_below = is_narrow(context) or formatting.text_width(text) > beside
    split = line if is_below else line.split(factor=share)
    left = split.row()
    left.alignment = "LEFT" if is_below else "RIGHT"
    left.label(text=label, translate=False)
    if not is_below:
        split.label(text=text, translate=False)
    draw_copy(line, row)
    for part in wrapped(text, free) if is_below else ():
        layout.label(text=part, translate=False)


def _shown(context: bpy.types.Context, row: Row, free: float) -> str:
    """The text of a value; numbers have as many decimals as fit into `free` pixels."""
    value = row.value
    if isinstance(value, tuple) and value and all(isinstance(each, float) for each in value):
        around = free - formatting.text_width(", " * (len(value) - 1))
        return ", ".join(formatting.fitting(value, row.field.unit, context.scene, around))
    return formatting.with_unit(value, row.field.unit, context.scene)


_WORDS = re.compile("[⺀-￮]|[^ ⺀-￮]+")


def wrapped(text: str, free: float) -> list[str]:
    """The lines of a text, each as wide as fits into `free` pixels; Chinese has no spaces."""
    lines, end = [""], 0
    for word in _WORDS.finditer(" ".join(text.split())):
        longer = lines[-1] + (" " if word.start() > end and lines[-1] else "") + word[0]
        if lines[-1] and formatting.text_width(longer) > free:
            lines.append(word[0])
        else:
            lines[-1] = longer
        end = word.end()
    return lines


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
        free = width(context) - EDGES - ICON - formatting.text_width(pgettext_iface(label))
        _draw_components(line, context, row, free)
        draw_copy(line, row)


def _draw_heading_and_vector(
    column: bpy.types.UILayout, context: bpy.types.Context, row: Row
) -> None:
    heading = column.row(align=True)
    heading.label(text=row.label)
    draw_copy(heading, row)
    if not is_narrow(context):
        _draw_components(column.row(align=True), context, row, width(context) - EDGES)
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
    texts = formatting.fitting(values, row.field.unit, context.scene, free)
    needed, share = [*map(formatting.text_width, texts)], free / len(texts)
    for text, own in zip(texts, needed, strict=True):
        cell = line.row()
        cell.ui_units_x = (share if max(needed) <= share else own) / _UNIT
        cell.label(text=text, translate=False)
