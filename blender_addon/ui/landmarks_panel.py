# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of the active object's landmarks and measures: their lists, and the active item."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface
from mathutils import Vector

from .. import formatting, idnames, settings
from ..bridge.placing import TOPOLOGY
from ..model.hit import HitField
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkSet
from ..model.record import Row, vector
from ..model.serialization import NAME
from ..operators.measures import KIND_ITEMS
from ..session import active_landmarks, following, undo
from ..session.landmarks import Shown
from ..session.measures import ShownMeasure
from ..translations import reasons
from . import lists
from .rows import SidebarPanel, draw_group

_LETTER_PIXELS = 6.5  # about the width of a letter, at a scale of 1
_MARGIN_PIXELS = 60
_MOST_NAMES = 8  # of missing landmarks, to be listed
_MOST_LETTERS = 1000  # of a text, which may come from an untrusted file


class RAYPICK_PT_landmarks(SidebarPanel):
    """The landmarks of the active object."""

    bl_label = "Landmarks"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        active_landmarks.look_again(context)
        obj, document = active_landmarks.holder(context), active_landmarks.document(context)
        why = active_landmarks.why_not_editable(context)
        if why is not None:
            icon = "ERROR" if obj is not None and document is None else "INFO"
            _draw_text(layout, context, reasons.translated(why), icon)
        lists.follow_soon(context)
        if document is None:
            return
        if not undo.covers(context):
            _draw_text(layout, context, pgettext_iface("No undo for landmarks here"), "INFO")
        if document.lost:
            text = pgettext_iface("{} rows cannot be read, and stay as they are")
            _draw_text(layout, context, text.format(document.lost), "ERROR")
        _draw_sets(layout, context, document)
        if document.set is not None:
            _draw_landmarks(layout, context)
            _draw_template(layout, context, document.set)
        if document.landmark is not None:
            _draw_landmark(layout, context, document.landmark)


def _draw_sets(layout: bpy.types.UILayout, context: bpy.types.Context, document: Document) -> None:
    if not document.sets:
        column = layout.column(align=True)
        column.operator(idnames.ADD_LANDMARK_OPERATOR, icon="ADD")
        column.operator(idnames.ADD_LANDMARK_SET_OPERATOR)
        column.operator(idnames.LOAD_TEMPLATE_OPERATOR)
        return
    row = layout.row()
    lists.RAYPICK_UL_landmark_sets.add_to(row, context, rows=2)
    column = row.column(align=True)
    column.operator(idnames.ADD_LANDMARK_SET_OPERATOR, text="", icon="ADD")
    column.operator(idnames.REMOVE_LANDMARK_SET_OPERATOR, text="", icon="REMOVE")
    if len(document.sets) > 1:
        _draw_up_and_down(column, idnames.MOVE_LANDMARK_SET_OPERATOR)


def _draw_landmarks(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    row = layout.row()
    lists.RAYPICK_UL_landmarks.add_to(row, context, rows=5)
    column = row.column(align=True)
    column.operator(idnames.ADD_LANDMARK_OPERATOR, text="", icon="ADD")
    column.operator(idnames.REMOVE_LANDMARKS_OPERATOR, text="", icon="REMOVE")
    column.separator()
    column.menu(idnames.LANDMARK_MENU, text="", icon="DOWNARROW_HLT")
    column.separator()
    _draw_up_and_down(column, idnames.ORDER_LANDMARKS_OPERATOR)


def _draw_up_and_down(column: bpy.types.UILayout, operator: str) -> None:
    column.operator(operator, text="", icon="TRIA_UP").way = "UP"
    column.operator(operator, text="", icon="TRIA_DOWN").way = "DOWN"


def _draw_template(layout: bpy.types.UILayout, context: bpy.types.Context, of: LandmarkSet) -> None:
    """Draw the landmark that the template asks for next, and the names of other missing ones."""
    if not of.asks:
        return
    number = of.next_number
    if number is None:
        row = layout.row(align=True)
        text = pgettext_iface("All {} landmarks are placed").format(len(of.landmarks))
        row.label(text=text, icon="CHECKMARK", translate=False)
        row.operator(idnames.CLEAR_TEMPLATE_OPERATOR, text="", icon="X")
        return
    asked = of.landmarks[number]
    text = pgettext_iface("Next: {} ({} of {})").format(asked.name, number + 1, len(of.landmarks))
    _draw_text(layout, context, text, "FORWARD")
    if asked.description:
        _draw_text(layout, context, asked.description)
    rest = [each.name for each in of.missing if each != asked]
    if rest:
        text = pgettext_iface("Missing: {}").format(formatting.few(rest, _MOST_NAMES))
        _draw_text(layout, context, text)
    row, step = layout.row(align=True), idnames.STEP_TEMPLATE_OPERATOR
    row.operator(step, text="Back", icon="TRIA_LEFT").step = -1
    row.operator(step, text="Skip", icon="TRIA_RIGHT").step = 1
    row.operator(idnames.CLEAR_TEMPLATE_OPERATOR, text="", icon="X")


def _draw_landmark(layout: bpy.types.UILayout, context: bpy.types.Context, one: Landmark) -> None:
    """Draw where the active landmark is now, and where it was placed."""
    shown = active_landmarks.shown(context)
    why = following.UPDATING if shown is None else active_landmarks.reason(context, one.id)
    if why is not None:
        _draw_text(layout, context, reasons.translated(why), "ERROR")
    if shown is not None and TOPOLOGY in shown.places.reasons:
        button = layout.column()
        button.scale_y = 1.5
        button.operator(idnames.CARRY_OVER_OPERATOR)
    if why is None and shown is not None:
        _draw_now(layout, context, shown, one)
    _draw_placed(layout, context, one)


def _draw_now(
    layout: bpy.types.UILayout, context: bpy.types.Context, shown: Shown, one: Landmark
) -> None:
    number = next(i for i, (_, each) in enumerate(shown.rows) if each.id == one.id)
    point, local = vector(shown.places.points[number]), vector(shown.places.local[number])
    draw_group(layout, context, [_row("World", point, "length", "XYZ")])
    draw_group(layout, context, [_row("Local", local, "", "XYZ")])
    obj = active_landmarks.holder(context)
    anchor, placed = one.anchor, one.point
    if local and obj and placed and anchor and anchor.instancer is None:
        way = obj.matrix_world.to_3x3() @ (Vector(local) - Vector(placed))
        draw_group(layout, context, [_row("From Placed", way.length, "length")])


def _draw_placed(layout: bpy.types.UILayout, context: bpy.types.Context, one: Landmark) -> None:
    anchor = one.anchor
    if anchor is None:
        return
    mesh = "Evaluated Mesh" if anchor.evaluated else "Original Mesh"
    rows = [
        _row("Face", anchor.face),
        _row("Triangle", anchor.triangle),
        _row("Vertices", anchor.vertices),
        _row("Mesh", mesh, "text"),
    ]
    if anchor.instancer is not None:
        rows.append(_row("Instancer", anchor.instancer))
    if one.moved is not None:
        rows.append(_row("Moved onto Surface", one.moved, "length"))
    draw_group(layout, context, [_row("Placed (Local)", one.point, "", "XYZ")])
    draw_group(layout, context, [_row("Weights", anchor.barycentric, "", "ABC")])
    draw_group(layout, context, rows)


def _row(label: str, value: object, unit: Any = "", parts: str = "") -> Row:
    return Row("", label, HitField("", NAME, parts=parts, unit=unit), value)


def _draw_text(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: Any = "NONE"
) -> None:
    """Draw a text, wrapped to the width of the sidebar."""
    width = context.region.width if context.region else 260
    letters = (width / settings.ui_scale() - _MARGIN_PIXELS) / _LETTER_PIXELS
    column = layout.column(align=True)
    for number, line in enumerate(textwrap.wrap(text[:_MOST_LETTERS], max(12, int(letters)))):
        before: Any = icon if not number or icon == "NONE" else "BLANK1"
        column.label(text=line, icon=before, translate=False)


class RAYPICK_MT_add_measure(bpy.types.Menu):
    """What can be measured between the selected landmarks."""

    bl_idname = idnames.MEASURE_MENU
    bl_label = "Add Measure"

    def draw(self, _context: bpy.types.Context | None) -> None:
        for kind, label, _ in KIND_ITEMS:
            button = self.layout.operator(idnames.ADD_MEASURE_OPERATOR, text=label)
            button.kind = kind


class RAYPICK_PT_measures(SidebarPanel):
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
        lists.follow_soon(context)
        row = layout.row()
        lists.RAYPICK_UL_measures.add_to(row, context, rows=4)
        column = row.column(align=True)
        column.menu(idnames.MEASURE_MENU, text="", icon="ADD")
        column.operator(idnames.REMOVE_MEASURE_OPERATOR, text="", icon="REMOVE")
        column.separator()
        column.operator(idnames.SELECT_MEASURED_OPERATOR, text="", icon="RESTRICT_SELECT_OFF")
        column.operator(idnames.EXPORT_MEASURES_OPERATOR, text="", icon="EXPORT")
        if document.active_measure < len(document.measures):
            measure = document.measures[document.active_measure]
            found = active_landmarks.shown_measure(context, measure.id)
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
    draw_group(column, context, [_row(label, value.value, unit)])
    if value.per_axis is not None:
        draw_group(column, context, [_row("Along Axes", value.per_axis, "length", "XYZ")])
    if not value.exact:
        column.label(text="At most this: the search was ended", icon="INFO")
