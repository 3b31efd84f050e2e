# SPDX-License-Identifier: GPL-3.0-or-later
"""How landmarks look and whether they can be changed: color, hidden, locked; and their values."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt, pgettext_tip
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty

from ... import api, idnames
from ...bridge.landmarks import storage
from ...model.landmarks.landmark import Landmark
from ...model.landmarks.landmark_record import LandmarkRecord
from ...session import active_landmarks, landmarks, selected_landmarks
from ...standalone_core import RaypickError
from ..base import Result
from .base import NO_LANDMARK, NONE_SELECTED, LandmarkOperator, OfLandmark, SelectedOperator

_ITEMS = (
    ("hidden", "Hidden", "It is not drawn in viewports, and a click passes it"),
    ("locked", "Locked", "It can neither be moved nor removed, and a click passes it"),
)


class RAYPICK_OT_color_landmarks(SelectedOperator):
    bl_idname = idnames.COLOR_LANDMARKS_OPERATOR
    bl_label = "Set Color"
    bl_description = "Give the selected landmarks a color of their own"

    color: FloatVectorProperty(
        name="Color",
        description="Color of the landmarks, whatever that of their set is",
        size=3,
        min=0.0,
        max=1.0,
        subtype="COLOR",
        default=(0.8, 0.4, 0.0),
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask for the color, beginning with the one that the first of them has."""
        chosen = selected_landmarks.changeable(context)
        if not chosen:
            return self.execute(context)
        _, group, first = chosen[0]
        self.color = first.color or group.color
        return context.window_manager.invoke_props_popup(self, event)

    def run(self, context: bpy.types.Context) -> None:
        red, green, blue = self.color[:]
        selected_landmarks.change(
            self.chosen(context), lambda each: replace(each, color=(red, green, blue))
        )


class RAYPICK_OT_reset_landmark_colors(SelectedOperator):
    bl_idname = idnames.RESET_LANDMARK_COLORS_OPERATOR
    bl_label = "Use Color of Set"
    bl_description = "Have the selected landmarks in the color of their set again"

    def run(self, context: bpy.types.Context) -> None:
        selected_landmarks.change(self.chosen(context), lambda each: replace(each, color=None))


class RAYPICK_OT_mark_landmarks(LandmarkOperator):
    bl_idname = idnames.MARK_LANDMARKS_OPERATOR
    bl_label = "Hide or Lock Landmarks"
    bl_description = "Hide, show, lock or unlock landmarks"

    what: EnumProperty(name="What", description="What they are then, or no longer", items=_ITEMS)
    on: BoolProperty(name="On", description="Whether they are", default=True)
    every: BoolProperty(
        name="All", description="All landmarks of the active object, not the selected ones alone"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        has_any = bool(landmarks.holders(context))
        return cls.is_possible(None if has_any else NO_LANDMARK)

    def run(self, context: bpy.types.Context) -> None:
        if self.every:
            obj, document = active_landmarks.editable(context)
            storage.write(obj, document.changed(self._changed))
            return
        chosen = [
            each
            for each in selected_landmarks.selected(context)
            if storage.why_not_editable(each[0]) is None
        ]
        if not chosen:
            raise RaypickError(NONE_SELECTED)
        selected_landmarks.change(chosen, self._changed)

    def _changed(self, landmark: Landmark) -> Landmark:
        change: dict[str, Any] = {self.what: self.on}
        return replace(landmark, **change)


class RAYPICK_OT_turn_landmark(OfLandmark, LandmarkOperator):
    bl_idname = idnames.TURN_LANDMARK_OPERATOR
    bl_label = "Hide or Lock"
    bl_description = "Hide, show, lock or unlock a landmark or a set"
    bl_options = {"UNDO", "INTERNAL"}

    what: EnumProperty(name="What", description="What it is then, or no longer", items=_ITEMS)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Say what the button does."""
        tips = {"hidden": "Hide in viewports, or show", "locked": "Lock against changes, or unlock"}
        return pgettext_tip(tips[properties.what])

    def run(self, context: bpy.types.Context) -> None:
        obj, document = active_landmarks.editable(context)
        which, what = self.landmark, str(self.what)
        group = next((each for each in document.sets if each.id == which), None)
        if group is not None:
            change: dict[str, Any] = {what: not getattr(group, what)}
            sets = tuple(replace(s, **change) if s is group else s for s in document.sets)
            storage.write(obj, replace(document, sets=sets))
            return
        _, _, _, landmark = self.found(context)
        change = {what: not getattr(landmark, what)}
        storage.write(
            obj, document.changed(lambda s: replace(s, **change) if s.id == landmark.id else s)
        )


class RAYPICK_OT_copy_landmark(LandmarkOperator):
    bl_idname = idnames.COPY_LANDMARK_OPERATOR
    bl_label = "Copy Landmark as JSON"
    bl_description = "Copy all values of the active landmark to the clipboard, as JSON"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        document = active_landmarks.document(context)
        return cls.is_possible(None if document and document.landmark else NO_LANDMARK)

    def run(self, context: bpy.types.Context) -> str:
        obj, document = active_landmarks.holder(context), active_landmarks.document(context)
        if obj is None or document is None or document.set is None or document.landmark is None:
            raise RaypickError(NO_LANDMARK)
        record = LandmarkRecord.of(obj.name, document.set, document.landmark)
        places = api.landmarks.where(context, obj, document.set.id)
        place = places[document.set.landmarks.index(document.landmark)]
        values = asdict(record) | asdict(place)
        context.window_manager.clipboard = json.dumps(values, indent=2, allow_nan=False)
        return pgettext_rpt("Copied: {}").format(record.name)
