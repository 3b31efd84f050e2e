# SPDX-License-Identifier: GPL-3.0-or-later
"""Select landmarks: in their list, all, none, or the others."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ... import idnames
from ...bridge.landmarks import storage
from ...model.landmarks import selection
from ...session import selected_landmarks
from ..base import Result
from .base import LandmarkOperator, OfLandmark, SetOperator


class RAYPICK_OT_click_landmark(OfLandmark, LandmarkOperator):
    bl_idname = idnames.CLICK_LANDMARK_OPERATOR
    bl_label = "Select Landmark"
    bl_description = (
        "Select this landmark alone.\n"
        "Shift: all from the active one to this one.\n"
        "Ctrl: this one too, or no longer"
    )

    bl_options = {"UNDO", "INTERNAL"}

    extend: EnumProperty(
        name="Extend",
        description="What happens to the landmarks that are selected already",
        items=(
            ("SET", "Set", "This landmark alone is selected"),
            ("RANGE", "Range", "All from the active one to this one are selected"),
            ("TOGGLE", "Toggle", "This one is selected too, or no longer"),
        ),
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.shift:
            self.extend = "RANGE"
        elif event.ctrl or event.oskey:
            self.extend = "TOGGLE"
        return self.execute(context)

    def run(self, context: bpy.types.Context) -> None:
        obj, _, _, landmark = self.found(context)
        selected_landmarks.click(context, obj, landmark.id, self.extend)


class RAYPICK_OT_select_landmarks(SetOperator):
    bl_idname = idnames.SELECT_LANDMARKS_OPERATOR
    bl_label = "Select Landmarks"
    bl_description = "Change the selection of the landmarks of the active set"

    action: EnumProperty(
        name="Action",
        description="Which are selected then",
        items=(
            ("SELECT", "All", "All landmarks of the active set"),
            ("DESELECT", "None", "No landmark of any set or object"),
            ("INVERT", "Invert", "Those of the active set that were not selected"),
        ),
    )

    def run(self, context: bpy.types.Context) -> None:
        if self.action == "DESELECT":
            selected_landmarks.select_none(context)
            return
        obj, document, of = self.of(context)
        every = self.action == "SELECT"
        own = {each.id for each in of.landmarks if every or not each.selected}
        here = {each.id for each in of.landmarks}
        chosen = own | {each.id for each in document.landmarks if each.selected} - here
        storage.write(obj, selection.with_selected(document, lambda each: each.id in chosen))
