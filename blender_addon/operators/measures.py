# SPDX-License-Identifier: GPL-3.0-or-later
"""Add measures between the selected landmarks; hide, remove and copy them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt, pgettext_tip
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from .. import formatting, idnames
from ..bridge.landmarks import measure_files, measuring, storage
from ..model.landmarks.document import in_order, with_selected
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.measure import KINDS, Measure
from ..session import active_landmarks, landmarks, measures
from ..standalone_core import RaypickError
from .base import UNSAVED, Result, a_choice, a_text, draw_properties, with_ending
from .landmark_files import UNIT_ITEMS, UNITS
from .landmarks import LandmarkOperator, Needs

NO_MEASURE = "There is no measure"
NOTHING_TO_MEASURE = "Select landmarks to measure"

KIND_ITEMS = tuple((name, kind.label, kind.tooltip) for name, kind in KINDS.items())


class RAYPICK_OT_add_measure(LandmarkOperator):
    bl_idname = idnames.ADD_MEASURE_OPERATOR
    bl_label = "Add Measure"
    bl_description = "Measure between the selected landmarks, in the order of their selection"

    kind: a_choice("Kind", "What is measured", *KIND_ITEMS)
    other: a_text("Other Object", "The object to which the clearance is measured", options=UNSAVED)

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        """Say what the kind of the button measures, and what it needs if that is not selected."""
        tip = pgettext_tip(KINDS[properties.kind].tooltip)
        is_possible = KINDS[properties.kind].takes(active_landmarks.selected_count(context))
        return tip if is_possible else f"{tip}.\n{_needs(properties.kind)}"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_possible(
            None if active_landmarks.selected_count(context) else NOTHING_TO_MEASURE
        )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the object that a clearance is measured to, unless one is selected."""
        self.level = "WARNING"
        chosen = _selected(context)
        if self.kind != "clearance" or not chosen:
            return self.execute(context)
        others = [obj for obj in context.selected_objects if obj != chosen[0][0]]
        if others:
            self.other = others[0].name
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        draw_properties(self, "kind")
        if self.kind == "clearance":
            self.layout.prop_search(self, "other", bpy.data, "objects")

    def run(self, context: bpy.types.Context) -> str:
        other = bpy.data.objects.get(self.other) if self.kind == "clearance" else None
        chosen = _selected(context)
        if not measuring.is_right(self.kind, len(chosen), other):
            raise RaypickError(_needs(self.kind))
        obj, measure = measuring.add(self.kind, chosen, other=other)
        key = obj.session_uid, measure.id
        (value,) = (each for each in measures.shown(context) if each.key == key)
        return f"{measure.name}: {formatting.measured(value.measured, context.scene)}"


class _MeasureOperator(LandmarkOperator):
    """Base of operators on one measure of the active object."""

    measure: a_text(
        "Measure", "Id of the measure; by default it is the active one", options=UNSAVED
    )

    needs: Needs = {NO_MEASURE: lambda document: document.measures}

    def found(self, context: bpy.types.Context) -> tuple[bpy.types.Object, Measure]:
        """The measure and its object; RaypickError if there is none."""
        obj, document = active_landmarks.editable(context)
        for number, each in enumerate(document.measures):
            if self.measure == each.id or (not self.measure and number == document.active_measure):
                return obj, each
        raise RaypickError(NO_MEASURE)


class RAYPICK_OT_remove_measure(_MeasureOperator):
    bl_idname = idnames.REMOVE_MEASURE_OPERATOR
    bl_label = "Remove Measure"
    bl_description = "Remove the measure; its landmarks stay"

    def run(self, context: bpy.types.Context) -> None:
        obj, measure = self.found(context)
        measuring.remove(obj, measure.id)


class RAYPICK_OT_hide_measure(_MeasureOperator):
    bl_idname = idnames.HIDE_MEASURE_OPERATOR
    bl_label = "Hide Measure"
    bl_description = "Draw the measure over viewports, or do not"

    def run(self, context: bpy.types.Context) -> None:
        obj, measure = self.found(context)
        measuring.change(obj, replace(measure, hidden=not measure.hidden))


class RAYPICK_OT_select_measured(_MeasureOperator):
    bl_idname = idnames.SELECT_MEASURED_OPERATOR
    bl_label = "Select Landmarks of Measure"
    bl_description = "Select the landmarks of the measure on the active object, and no others of it"

    def run(self, context: bpy.types.Context) -> None:
        obj, measure = self.found(context)
        own = {place.landmark for place in measure.places if place.object is None}
        document = storage.read(obj)
        storage.write(obj, with_selected(document, lambda each: each.id in own))


def _selected(context: bpy.types.Context) -> list[tuple[bpy.types.Object, Landmark]]:
    """The selected landmarks in their order, those of the active object first."""
    found: dict[bpy.types.Object, list[Landmark]] = {}
    for obj, _, each in active_landmarks.selected(context):
        found.setdefault(obj, []).append(each)
    return [(obj, each) for obj, every in found.items() for each in in_order(every)]


def kind_for(count: int) -> str:
    """The kind of measure that is meant most often for so many landmarks."""
    return {1: "thickness", 2: "distance", 3: "angle"}.get(count, "polyline")


def _needs(kind: str) -> str:
    """What a kind of measure needs, in the language of the interface."""
    if kind == "clearance":
        return pgettext_rpt("A clearance needs one selected landmark and another object")
    label, _, least, most, *_ = KINDS[kind]
    form = "{} needs {} selected landmarks" if most else "{} needs {} or more selected landmarks"
    if most == 1:
        form = "{} needs a single selected landmark"
    return pgettext_rpt(form).format(pgettext_iface(label), least)


class RAYPICK_OT_export_measures(ExportHelper, LandmarkOperator):  # type: ignore[misc] # its invoke
    bl_idname = idnames.EXPORT_MEASURES_OPERATOR
    bl_label = "Export Measures"
    bl_description = "Write the measures of the scene, as they are now, to a file"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        filepath: str
    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv;*.json", options={"HIDDEN"})
    format: a_choice(
        "Format",
        "The format of the file",
        ("csv", "CSV", "A table with a row for each measure (.csv)"),
        ("json", "JSON", "All values, and the lines that are drawn (.json)"),
        ("slicer", "Slicer Markups", "Lines, angles and curves for 3D Slicer (.mrk.json)"),
    )
    unit: a_choice("Unit", "The unit of lengths", *UNIT_ITEMS)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        documents = map(landmarks.readable, landmarks.holders(context))
        has_any = any(document and document.measures for document in documents)
        return cls.is_possible(None if has_any else NO_MEASURE)

    def check(self, _context: bpy.types.Context) -> bool:
        endings = ".mrk.json", ".json", ".csv"
        return with_ending(self, endings, measure_files.FORMATS[self.format])

    def run(self, context: bpy.types.Context) -> str:
        objects = {obj.session_uid: obj for obj in landmarks.holders(context)}
        rows = [(objects[each.object_uid], each.measured) for each in measures.shown(context)]
        path = bpy.path.abspath(self.filepath)
        measure_files.export_to(path, context.scene, rows, self.format, UNITS.get(self.unit))
        return pgettext_rpt("Exported {} measures").format(len(rows))
