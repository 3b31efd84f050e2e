# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of the panels: a label, a value, and a button that copies it."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.app.translations import pgettext_iface

from .. import formatting, idnames
from ..model.fields import Value
from ..model.hit import PickHit
from ..translations import reasons

# Of a line's width, for its label.
_LABEL_SHARE = 0.5
_NAME_SHARE = 0.4

_LETTER_UNITS = 1.4
"""The width of a letter before a vector's component, whatever the width of the sidebar."""


def draw_group(
    layout: bpy.types.UILayout, group: Sequence[Value], hit: PickHit, scene: bpy.types.Scene
) -> None:
    """Draw values under each other, each with its copy button; a vector as a line a component."""
    column = layout.column(align=True)
    for value in group:
        found = value.read(hit)
        if value.is_optional and not found:
            continue
        label = pgettext_iface(value.label)
        if value.parts and found is not None:
            _draw_vector(column, value, label, found, scene)
        else:
            shown = _shown(value, found, scene)
            draw_copy(draw_line(column, label, shown), value.key, found)


def draw_stored(layout: bpy.types.UILayout, value: Value, hit: PickHit) -> None:
    """Draw a value under the name that the mesh has for it."""
    found = value.read(hit)
    draw_copy(
        draw_line(layout, value.label, formatting.shown(found), _NAME_SHARE), value.key, found
    )


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


def _draw_vector(
    column: bpy.types.UILayout,
    value: Value,
    label: str,
    found: Sequence[float],
    scene: bpy.types.Scene,
) -> None:
    heading = column.row(align=True)
    heading.label(text=label, translate=False)
    draw_copy(heading, value.key, found)
    for part, component in zip(value.parts, found, strict=True):
        row = column.row(align=True)
        letter = row.row()
        letter.ui_units_x = _LETTER_UNITS
        letter.label(text=part, translate=False)
        row.label(text=_shown(value, component, scene), translate=False)
        draw_copy(row, f"{value.key}.{part}", component)


def _shown(value: Value, found: object, scene: bpy.types.Scene) -> str:
    if found is None:
        return pgettext_iface("None")
    if value.is_length and isinstance(found, float):
        return formatting.shown_length(found, scene)
    if value.key == "pixels_away":
        return f"{formatting.shown(found)} px"
    if value.key == "side":
        return pgettext_iface(str(found))
    if value.key == "original_face" and isinstance(found, str):
        return reasons.translated(found)
    return formatting.shown(found)
