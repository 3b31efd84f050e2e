# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of the active object's landmarks and measures: their lists, and the active item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface
from mathutils import Vector

from .. import formatting, idnames
from ..bridge.placing import TOPOLOGY
from ..model.hit import HitField
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkSet
from ..model.landmarks.measure import KINDS, Measure
from ..model.record import Row, vector
from ..model.serialization import NAME
from ..operators.measures import kind_for
from ..session import active_landmarks, following, landmarks, undo
from ..session.landmarks import Shown
from ..session.measures import ShownMeasure
from ..settings import present
from ..translations import reasons
from . import lists, menus
from .rows import EDGES, ICON, SidebarPanel, draw_group, is_narrow, width, wrapped

_MEASURE_SHARE = 0.58  # of a line's width, for the kind of a measure
_NOTE_LINES = 2  # at most, for the description of the next landmark
_MOST_HOLDERS = 3  # objects with landmarks that are offered where the active one has none
_MOST_LETTERS = 1000  # of a text, which may come from an untrusted file


class RAYPICK_PT_landmarks(SidebarPanel):
    """The landmarks of the active object."""

    bl_idname = idnames.LANDMARKS_PANEL
    bl_label = "Landmarks"
    bl_translation_context = "Operator"  # in the usual one, Blender means those of motion tracking
    bl_order = 1

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
            _draw_holders(layout, context)
            return
        if not undo.covers(context):
            _draw_text(layout, context, pgettext_iface("No undo for landmarks here"), "INFO")
        if document.lost:
            text = pgettext_iface("{} rows cannot be read, and stay as they are")
            _draw_text(layout, context, text.format(document.lost), "ERROR")
        if document.set is None:
            _draw_holders(layout, context)
            _draw_beginning(layout)
            return
        _draw_set(layout, context, document.set)
        _draw_landmarks(layout, context)
        _draw_template(layout, context, document.set)
        _draw_lost(layout, context)


def _draw_holders(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the objects that have landmarks, where the active one has none."""
    column = layout.column(align=True)
    own = context.view_layer.objects
    holders = [obj for obj in landmarks.holders(context) if own.get(obj.name) == obj]
    for obj in holders[:_MOST_HOLDERS]:
        text = pgettext_iface("Landmarks of {}").format(menus.short(obj.name))
        button = column.operator(
            idnames.ACTIVATE_OPERATOR, text=text, translate=False, icon="OBJECT_DATA"
        )
        button.object = obj.name


def _draw_beginning(layout: bpy.types.UILayout) -> None:
    """Draw the ways to begin where there is no set."""
    column = layout.column(align=True)
    column.operator(idnames.LOAD_TEMPLATE_OPERATOR, icon="PRESET")
    column.operator(idnames.TYPE_TEMPLATE_OPERATOR, icon="SYNTAX_OFF")
    column.operator(idnames.ADD_LANDMARK_SET_OPERATOR, icon="ADD")


def _draw_set(layout: bpy.types.UILayout, context: bpy.types.Context, of: LandmarkSet) -> None:
    row = layout.row(align=True)
    row.menu(idnames.CHOOSE_SET_MENU, text=menus.set_label(of), translate=False)
    if not is_narrow(context):
        lists.draw_toggles(row, of)


def _draw_landmarks(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    narrow = is_narrow(context)
    row = layout.column() if narrow else layout.row()
    lists.RAYPICK_UL_landmarks.add_to(row, context, rows=7)
    buttons = row.row(align=True) if narrow else row.column(align=True)
    buttons.operator(idnames.ADD_LANDMARK_OPERATOR, text="", icon="ADD")
    remove = buttons.operator(idnames.REMOVE_LANDMARKS_OPERATOR, text="", icon="REMOVE")
    remove.or_active = True
    buttons.separator()
    buttons.menu(idnames.LANDMARK_MENU, text="", icon="DOWNARROW_HLT")
    buttons.separator()
    icons: dict[Any, Any] = {"UP": "TRIA_UP", "DOWN": "TRIA_DOWN"}
    for way, icon in icons.items():
        buttons.operator(idnames.ORDER_LANDMARKS_OPERATOR, text="", icon=icon).way = way
    buttons.separator()
    buttons.operator(idnames.EXPORT_LANDMARKS_OPERATOR, text="", icon="EXPORT")


def _draw_template(layout: bpy.types.UILayout, context: bpy.types.Context, of: LandmarkSet) -> None:
    """Draw what the template asks for next; the height is the same for all of its landmarks."""
    if not of.asks:
        return
    asked = None if of.next_number is None else of.landmarks[of.next_number]
    column = layout.column(align=True)
    narrow, count = is_narrow(context), len(of.landmarks)
    row = column.column(align=True) if narrow else column.row(align=True)
    shown = active_landmarks.shown(context)
    if asked is None and shown is not None and TOPOLOGY in shown.places.reasons:
        row.label(text="")
    elif asked is None:
        text = "{}/{}" if narrow else pgettext_iface("All {} landmarks are placed")
        text = text.format(count, count)
        row.label(text=text, icon="CHECKMARK", translate=False)
    else:
        row.label(text=menus.short(asked.name), icon="FORWARD", translate=False)
    draw_steps(row.row(align=True))
    longest = max((each.description for each in of.landmarks), key=len, default="")
    height = min(_NOTE_LINES, len(_wrapped(context, longest))) if asked else 0
    lines = _wrapped(context, asked.description) if asked else []
    if len(lines) > height:
        lines[height - 1] = lines[height - 1][:-2] + "…"
    for line in [*lines, *[""] * height][:height]:
        column.label(text=line, translate=False)


def draw_steps(row: bpy.types.UILayout) -> None:
    """Draw the buttons that ask for the previous and the next missing landmark."""
    icons: dict[int, Any] = {-1: "TRIA_LEFT", 1: "TRIA_RIGHT"}
    for step, icon in icons.items():
        row.operator(idnames.STEP_TEMPLATE_OPERATOR, text="", icon=icon).step = step


def _draw_lost(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Say that places were lost to an edit of the mesh, and offer to find them again."""
    shown = active_landmarks.shown(context)
    if shown is not None and TOPOLOGY in shown.places.reasons:
        _draw_text(layout, context, reasons.translated(TOPOLOGY), "ERROR")
        layout.operator(idnames.CARRY_OVER_OPERATOR, icon="SNAP_FACE_NEAREST")


class RAYPICK_PT_landmark_coordinates(SidebarPanel):
    """Where the active landmark is now, and where it was placed."""

    bl_label = "Coordinates"
    bl_parent_id = idnames.LANDMARKS_PANEL
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        document = active_landmarks.document(context)
        return document is not None and document.landmark is not None

    def draw(self, context: bpy.types.Context) -> None:
        one = present(present(active_landmarks.document(context)).landmark)
        shown = active_landmarks.shown(context)
        why = following.UPDATING if shown is None else active_landmarks.reason(context, one.id)
        if why is not None:
            _draw_text(self.layout, context, reasons.translated(why), "ERROR")
        elif shown is not None:
            _draw_now(self.layout, context, shown, one)
        _draw_placed(self.layout, context, one)


def _draw_now(
    layout: bpy.types.UILayout, context: bpy.types.Context, shown: Shown, one: Landmark
) -> None:
    number = next(i for i, (_, each) in enumerate(shown.rows) if each.id == one.id)
    point, local = vector(shown.places.points[number]), vector(shown.places.local[number])
    rows = [_row("World", point, "length", "XYZ"), _row("Local", local, "", "XYZ")]
    obj = active_landmarks.holder(context)
    anchor, placed = one.anchor, one.point
    if local and obj and placed and anchor and anchor.instancer is None:
        way = obj.matrix_world.to_3x3() @ (Vector(local) - Vector(placed))
        rows.append(_row("From Placed", way.length, "length"))
    draw_group(layout, context, rows)


def _draw_placed(layout: bpy.types.UILayout, context: bpy.types.Context, one: Landmark) -> None:
    anchor = one.anchor
    if anchor is None:
        return
    mesh = "Evaluated Mesh" if anchor.evaluated else "Original Mesh"
    rows = [
        _row("Placed (Local)", one.point, "", "XYZ"),
        _row("Barycentric", anchor.barycentric, "", "ABC"),
        _row("Face", anchor.face),
        _row("Triangle", anchor.triangle),
        _row("Vertices", anchor.vertices),
        _row("Mesh", mesh, "text"),
        _row("Instancer", anchor.instancer),
        _row("Moved onto Surface", one.moved, "length"),
    ]
    draw_group(layout, context, [each for each in rows if each.value is not None])


def _row(label: str, value: object, unit: Any = "", parts: str = "") -> Row:
    return Row("", label, HitField("", NAME, parts=parts, unit=unit), value)


def _draw_text(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: Any = "NONE"
) -> None:
    """Draw a text, wrapped to the width of the sidebar."""
    column = layout.column(align=True)
    for number, line in enumerate(_wrapped(context, text, icon)):
        before: Any = icon if not number or icon == "NONE" else "BLANK1"
        column.label(text=line, icon=before, translate=False)


def _wrapped(context: bpy.types.Context, text: str, icon: Any = "NONE") -> list[str]:
    beside = EDGES + (0 if icon == "NONE" else ICON)
    return wrapped(text[:_MOST_LETTERS], width(context) - beside) if text else []


class RAYPICK_MT_add_measure(bpy.types.Menu):
    """What can be measured between the selected landmarks."""

    bl_idname = idnames.MEASURE_MENU
    bl_label = "Add Measure"

    def draw(self, context: bpy.types.Context | None) -> None:
        count = active_landmarks.selected_count(present(context))
        for name, kind in KINDS.items():
            row = self.layout.row()
            row.enabled = kind.takes(count)
            text = f"{pgettext_iface(kind.label)} ({_needed(name)})"
            row.operator(idnames.ADD_MEASURE_OPERATOR, text=text, translate=False).kind = name


def _needed(name: str) -> str:
    """How many selected landmarks a kind of measure needs."""
    kind = KINDS[name]
    if name == "clearance":
        return pgettext_iface("1 + object")
    return str(kind.least) if kind.most else f"{kind.least}+"


def draw_measuring(layout: bpy.types.UILayout, context: bpy.types.Context, menu: str) -> None:
    """Draw a button for the usual measure of the selected landmarks, and the menu of all."""
    count = active_landmarks.selected_count(context)
    name = kind_for(count) if count else "distance"
    row = layout.column(align=True) if is_narrow(context) else layout.row(align=True)
    button = row.operator(idnames.ADD_MEASURE_OPERATOR, text=KINDS[name].label, icon="ADD")
    button.kind = name
    row.menu(idnames.MEASURE_MENU, text=menu, translate=False)


class RAYPICK_PT_measures(SidebarPanel):
    """The measures between landmarks."""

    bl_label = "Measures"
    bl_order = 2

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        document = active_landmarks.document(context)
        draw_measuring(layout, context, pgettext_iface("Add", "Operator"))
        if document is None or not document.measures:
            return
        lists.follow_soon(context)
        narrow = is_narrow(context)
        row = layout.column() if narrow else layout.row()
        lists.RAYPICK_UL_measures.add_to(row, context, rows=4)
        column = row.row(align=True) if narrow else row.column(align=True)
        column.operator(idnames.REMOVE_MEASURE_OPERATOR, text="", icon="REMOVE")
        column.separator()
        column.operator(idnames.SELECT_MEASURED_OPERATOR, text="", icon="RESTRICT_SELECT_OFF")
        column.operator(idnames.EXPORT_MEASURES_OPERATOR, text="", icon="EXPORT")
        measure = document.measure
        if measure is not None:
            names = " – ".join(_measured_names(document, measure))
            _draw_text(layout, context, names, "BLANK1")
            found = active_landmarks.shown_measure(context, measure.id)
            if found is not None:
                _draw_active(layout, context, found)


def _measured_names(document: Document, measure: Measure) -> Iterator[str]:
    """What a measure is taken between: landmarks of this object, and other objects."""
    for place in measure.places:
        found = document.find(place.landmark) if place.object is None else None
        yield place.object or (menus.short(found[1].name) if found else formatting.NONE)
    if measure.other is not None:
        yield measure.other


def _draw_active(
    layout: bpy.types.UILayout, context: bpy.types.Context, found: ShownMeasure
) -> None:
    """Draw the value with its copy button, and the parts of a distance along the axes."""
    value = found.measured
    if value.reason is not None:
        text = reasons.translated(value.reason)
        _draw_text(layout, context, text, "ERROR")
        return
    column = layout.column()
    column.active = found.is_current
    unit: Any = "angle" if value.is_angle else "length"
    row = _row(KINDS[value.kind].label, value.value, unit)
    draw_group(column, context, [row], _MEASURE_SHARE)
    if value.per_axis is not None:
        draw_group(column, context, [_row("Along Axes", value.per_axis, "length", "XYZ")])
    if not value.exact:
        text = pgettext_iface("At most this: the search was ended")
        _draw_text(column, context, text, "INFO")
