# SPDX-License-Identifier: GPL-3.0-or-later
"""Add measures between the selected landmarks, and remove, hide and copy them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt
from bpy.props import BoolProperty, EnumProperty, StringProperty

from .. import formatting, idnames
from ..bridge.landmarks import measure_editing, storage
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.measure import KINDS, Measure
from ..present import present
from ..session import landmarks, selected_landmarks
from ..session import measures as shown_measures
from ..standalone_core import RaypickError
from ..translations import reasons
from .base import RaypickOperator, Result

KIND_ITEMS = (
    ("distance", "Distance", "The straight distance between two landmarks, and along each axis"),
    ("surface_distance", "Surface Distance", "The shortest way along the surface"),
    ("angle", "Angle", "The angle at the second of three landmarks"),
    ("normal_angle", "Angle of Normals", "The angle between the normals at two landmarks"),
    ("polyline", "Polyline", "The length of the line through the landmarks, in their order"),
    ("outline", "Outline", "The length of the closed line through the landmarks"),
    ("thickness", "Thickness", "The distance to the surface opposite, along the inward normal"),
    (
        "sphere_thickness",
        "Sphere Thickness",
        "The diameter of the largest sphere inside that touches the landmark",
    ),
    ("clearance", "Clearance", "The distance from a landmark to another object"),
)


class RAYPICK_OT_add_measure(RaypickOperator):
    bl_idname = idnames.ADD_MEASURE_OPERATOR
    bl_label = "Add Measure"
    bl_description = "Measure between the selected landmarks, in the order of their sets"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", description="What is measured", items=KIND_ITEMS)
    other: StringProperty(
        name="Other Object",
        description="The object to which the clearance is measured",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Say what the kind of the button measures."""
        about = {name: text for name, _, text in KIND_ITEMS}[properties.kind]
        return pgettext_iface(about)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_possible(None if selected(context) else "No landmark is selected")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the other object, unless one more is selected."""
        chosen = selected(context)
        if self.kind != "clearance" or not chosen:
            return self.execute(context)
        others = [obj for obj in context.selected_objects if obj != chosen[0][0]]
        if others:
            self.other = others[0].name
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        self.layout.prop(self, "kind")
        if self.kind == "clearance":
            self.layout.prop_search(self, "other", bpy.data, "objects")

    def run(self, context: bpy.types.Context) -> str:
        other = bpy.data.objects.get(self.other) if self.kind == "clearance" else None
        chosen = selected(context)
        try:
            measure_editing.check(self.kind, len(chosen), other)
        except RaypickError:
            raise RaypickError(_needs(self.kind)) from None
        obj, measure = measure_editing.add(self.kind, chosen, other=other)
        value = present(_measured(context, obj, measure))
        return f"{measure.name}: {formatting.measured(value.measured, context.scene)}"


class _OfMeasure:
    """Mixin of operators on one measure of the active object."""

    measure: StringProperty(name="Measure", description="Id of the measure", options={"SKIP_SAVE"})

    def found(self, context: bpy.types.Context) -> tuple[bpy.types.Object, Measure]:
        """The measure, by default the active one, and its object; RaypickError if there is none."""
        obj, document = _active(context)
        which = self.measure
        for number, each in enumerate(document.measures):
            if which == each.id or (not which and number == document.active_measure):
                return obj, each
        raise RaypickError(pgettext_rpt("There is no measure"))


class _MeasureOperator(_OfMeasure, RaypickOperator):
    """Base of operators that change a measure."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        document = landmarks.readable(obj) if obj else None
        return cls.is_possible(None if document and document.measures else "There is no measure")


class RAYPICK_OT_remove_measure(_MeasureOperator):
    bl_idname = idnames.REMOVE_MEASURE_OPERATOR
    bl_label = "Remove Measure"
    bl_description = "Remove the measure; its landmarks stay"

    def run(self, context: bpy.types.Context) -> None:
        obj, measure = self.found(context)
        measure_editing.remove(obj, measure.id)


class RAYPICK_OT_hide_measure(_MeasureOperator):
    bl_idname = idnames.HIDE_MEASURE_OPERATOR
    bl_label = "Hide Measure"
    bl_description = "Draw the measure in the viewport, or not"

    hide: BoolProperty(name="Hide", description="Do not draw it", default=True)

    def run(self, context: bpy.types.Context) -> None:
        obj, measure = self.found(context)
        measure_editing.change(obj, replace(measure, hidden=self.hide))


class RAYPICK_OT_select_measured(_MeasureOperator):
    bl_idname = idnames.SELECT_MEASURED_OPERATOR
    bl_label = "Select Its Landmarks"
    bl_description = "Select the landmarks of the measure that are on its object, and no others"

    def run(self, context: bpy.types.Context) -> None:
        obj, measure = self.found(context)
        own = {place.landmark for place in measure.places if place.object is None}
        document = storage.read(obj)
        storage.write(obj, document.changed(lambda each: replace(each, selected=each.id in own)))


def selected(context: bpy.types.Context) -> list[tuple[bpy.types.Object, Landmark]]:
    """The selected landmarks of the scene, those of the active object first."""
    return [(obj, each) for obj, _, each in selected_landmarks.selected(context)]


def _needs(kind: str) -> str:
    """How many landmarks a kind needs, in the language of the interface."""
    if kind == "clearance":
        return pgettext_rpt("A clearance needs one selected landmark and another object")
    least, most = KINDS[kind]
    form = "{} needs {} selected landmarks" if most else "{} needs at least {} selected landmarks"
    return pgettext_rpt(form).format(pgettext_iface(measure_editing.NAMES[kind]), least)


def _active(context: bpy.types.Context) -> tuple[bpy.types.Object, Document]:
    obj = context.object
    if obj is None:
        raise RaypickError(pgettext_rpt("There is no measure"))
    why = storage.why_not_editable(obj)
    if why is not None:
        raise RaypickError(reasons.translated(why))
    return obj, storage.read(obj)


def _measured(
    context: bpy.types.Context, obj: bpy.types.Object, measure: Measure
) -> shown_measures.ShownMeasure | None:
    every = shown_measures.shown(context)
    mine = (each for each in every if each.object_uid == obj.session_uid)
    return next((each for each in mine if each.measured.measure.id == measure.id), None)
