# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active object's measures: a list of them, and all digits of the active one."""

from __future__ import annotations

from typing import Any

import bpy

from .. import formatting, idnames
from ..model.hit_field import HitField
from ..model.rows import Row
from ..model.serialization import NAME
from ..operators.measures import KIND_ITEMS
from ..session import active_landmarks, measures
from ..session.measures import ShownMeasure
from ..translations import reasons
from . import measure_rows
from .numbered_rows import flags
from .rows import draw_group
from .sidebar import SubPanel

_NAME_SHARE = 0.55


class RAYPICK_UL_measures(bpy.types.UIList):
    """The measures of the active object."""

    bl_idname = idnames.MEASURE_LIST

    def draw_item(
        self,
        context: bpy.types.Context | None,
        layout: bpy.types.UILayout,
        _data: object,
        row: Any,
        _icon: int | None,
        _active_data: object,
        _active_property: str | None,
        *_: object,
    ) -> None:
        measure = measure_rows.measure_of(row)
        if measure is None or context is None:
            return
        line = layout.row(align=True)
        split = line.split(factor=_NAME_SHARE)
        split.prop(row, "name", text="", emboss=False)
        found = _shown(context, measure.id)
        value = split.row()
        value.active = found is not None and found.is_current
        if found is not None and found.measured.reason is not None:
            value.label(text="", icon="ERROR")
        elif found is not None:
            value.label(text=formatting.measured(found.measured, context.scene), translate=False)
        icon: Any = "HIDE_ON" if measure.hidden else "HIDE_OFF"
        button = line.operator(idnames.HIDE_MEASURE_OPERATOR, text="", icon=icon, emboss=False)
        button.measure = measure.id

    def filter_items(self, _context: object, data: object, name: str) -> Any:
        """Keep what the user searches for, and no row that is left of another object."""
        names = (each.name for each in measure_rows.measures())
        return flags(self, names, len(getattr(data, name))), []


class RAYPICK_MT_add_measure(bpy.types.Menu):
    """What can be measured between the selected landmarks."""

    bl_idname = idnames.MEASURE_MENU
    bl_label = "Add Measure"

    def draw(self, _context: bpy.types.Context | None) -> None:
        for kind, label, _ in KIND_ITEMS:
            button = self.layout.operator(idnames.ADD_MEASURE_OPERATOR, text=label)
            button.kind = kind


class RAYPICK_PT_measures(SubPanel):
    """The measures between landmarks."""

    bl_label = "Measures"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        document = active_landmarks.document(context)
        if document is None or not document.measures:
            layout.label(text="Select landmarks to measure", icon="INFO")
            layout.menu(idnames.MEASURE_MENU, icon="ADD")
            return
        measure_rows.follow_soon(context)
        row = layout.row()
        manager = context.window_manager
        row.template_list(
            *(idnames.MEASURE_LIST, "", manager, measure_rows.ROWS),
            *(manager, measure_rows.ACTIVE),
            rows=4,
        )
        column = row.column(align=True)
        column.menu(idnames.MEASURE_MENU, text="", icon="ADD")
        column.operator(idnames.REMOVE_MEASURE_OPERATOR, text="", icon="REMOVE")
        column.separator()
        column.operator(idnames.SELECT_MEASURED_OPERATOR, text="", icon="RESTRICT_SELECT_OFF")
        column.operator(idnames.EXPORT_MEASURES_OPERATOR, text="", icon="EXPORT")
        if document.active_measure < len(document.measures):
            found = _shown(context, document.measures[document.active_measure].id)
            if found is not None:
                _draw_active(layout, context, found)


def _draw_active(
    layout: bpy.types.UILayout, context: bpy.types.Context, found: ShownMeasure
) -> None:
    """Draw the value with its copy button, and the parts of a distance along the axes."""
    value = found.measured
    if value.reason is not None:
        text = reasons.translated(value.reason)
        layout.label(text=text, icon="ERROR", translate=False)
        return
    column = layout.column()
    column.active = found.is_current
    label = {kind: label for kind, label, _ in KIND_ITEMS}[value.kind]
    unit: Any = "angle" if value.is_angle else "length"
    draw_group(column, [_row(label, value.value, unit)], context.scene)
    if value.per_axis is not None:
        draw_group(column, [_row("Along Axes", value.per_axis, "length", "XYZ")], context.scene)
    if not value.exact:
        column.label(text="At most this: the search was ended", icon="INFO")


def _row(label: str, value: object, unit: Any, parts: str = "") -> Row:
    return Row("", label, HitField("", NAME, parts=parts, unit=unit), value)


def _shown(context: bpy.types.Context, measure: str) -> ShownMeasure | None:
    obj = active_landmarks.holder(context)
    if obj is None:
        return None
    every = measures.shown_to_draw(context)
    return next((each for each in every if each.key == (obj.session_uid, measure)), None)
