# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on an object's sets of landmarks: choose, add, rename, color, move and remove them."""

from __future__ import annotations

from dataclasses import replace

import bpy
from bpy.app.translations import pgettext_data, pgettext_rpt

from .. import idnames
from ..bridge.landmarks import editing, storage
from ..model.landmarks.landmark import Names, new_id, reordered
from ..session import active_landmarks
from ..standalone_core import RaypickError
from .base import UNSAVED, RaypickOperator, Result, a_choice, a_text
from .landmarks import NO_SET, LandmarkOperator, SetOperator, a_color


class RAYPICK_OT_activate_object(RaypickOperator):
    bl_idname = idnames.ACTIVATE_OPERATOR
    bl_label = "Show Landmarks"
    bl_description = "Make this object the active one, so that its landmarks are shown"
    bl_options = {"INTERNAL", "UNDO"}

    object: a_text("Object", "Name of the object", options=UNSAVED)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_possible(None if context.mode == "OBJECT" else "Only in object mode")

    def run(self, context: bpy.types.Context) -> None:
        obj = context.view_layer.objects.get(self.object)
        if obj is None:
            raise RaypickError("The object is not in the view layer")
        context.view_layer.objects.active = obj


class RAYPICK_OT_choose_landmark_set(LandmarkOperator):
    bl_idname = idnames.CHOOSE_LANDMARK_SET_OPERATOR
    bl_label = "Choose Set"
    bl_description = "Show this set in the list, and add new landmarks to it"
    bl_options = {"UNDO", "INTERNAL"}

    set: a_text("Set", "Id or name of the set", options=UNSAVED)

    def run(self, context: bpy.types.Context) -> None:
        obj, document = active_landmarks.editable(context)
        group = document.find_set(self.set)
        if group is None:
            raise RaypickError(NO_SET)
        storage.write(obj, document.with_set(group))


class RAYPICK_OT_add_landmark_set(LandmarkOperator):
    bl_idname = idnames.ADD_LANDMARK_SET_OPERATOR
    bl_label = "Add Set"
    bl_description = "Add an empty set of landmarks to the active object"

    def run(self, context: bpy.types.Context) -> None:
        obj, document = active_landmarks.editable(context)
        added = editing.new_set(document, pgettext_data(editing.FIRST_SET))
        storage.write(obj, document.with_set(added))


class RAYPICK_OT_remove_landmark_set(SetOperator):
    bl_idname = idnames.REMOVE_LANDMARK_SET_OPERATOR
    bl_label = "Remove Set"
    bl_description = "Remove the active set with all its landmarks"

    def run(self, context: bpy.types.Context) -> str:
        obj, document, group = self.of(context)
        if group.locked:
            raise RaypickError(editing.LOCKED_SET)
        storage.write(obj, document.without_set(group.id))
        return pgettext_rpt("Removed {} landmarks").format(len(group.landmarks))


class RAYPICK_OT_duplicate_landmark_set(SetOperator):
    bl_idname = idnames.DUPLICATE_LANDMARK_SET_OPERATOR
    bl_label = "Duplicate Set"
    bl_description = "Copy the active set with all its landmarks, in another color"

    def run(self, context: bpy.types.Context) -> None:
        obj, document, group = self.of(context)
        fresh = editing.new_set(document, group.name)
        copies = tuple(
            replace(each, id=new_id(), selected=False, order=0) for each in group.landmarks
        )
        copy = replace(group, name=fresh.name, id=fresh.id, color=fresh.color, landmarks=copies)
        storage.write(obj, document.with_set(copy))


class RAYPICK_OT_move_landmark_set(SetOperator):
    bl_idname = idnames.MOVE_LANDMARK_SET_OPERATOR
    bl_label = "Move Set"
    bl_description = "Move the active set up or down in the list"

    way: a_choice(
        "Direction",
        "Where to move it",
        ("UP", "Up", "Before the previous one"),
        ("DOWN", "Down", "Behind the next one"),
    )

    def run(self, context: bpy.types.Context) -> None:
        obj, document, group = self.of(context)
        sets = reordered(document.sets, lambda each: each.id == group.id, self.way)
        storage.write(obj, replace(document, sets=sets, active_set=sets.index(group)))


class RAYPICK_OT_rename_landmark_set(SetOperator):
    bl_idname = idnames.RENAME_LANDMARK_SET_OPERATOR
    bl_label = "Rename Set"
    bl_description = "Give the active set another name"

    name: a_text("Name", "Name of the set", options=UNSAVED)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the name, starting with the present one."""
        _, _, group = self.of(context)
        self.name = group.name
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        row = self.layout.row()
        row.activate_init = True  # so that the name can be typed at once
        row.prop(self, "name")

    def run(self, context: bpy.types.Context) -> None:
        obj, document, group = self.of(context)
        taken = Names(each.name for each in document.sets if each is not group)
        name = taken.free(self.name.strip() or group.name)
        storage.write(obj, document.with_set(replace(group, name=name)))


class RAYPICK_OT_color_landmark_set(SetOperator):
    bl_idname = idnames.COLOR_LANDMARK_SET_OPERATOR
    bl_label = "Set Color of Set"
    bl_description = "Choose the color of the active set's landmarks that have none of their own"

    color: a_color("Color of the landmarks of the set that have none of their own")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask for the color, starting with the present one."""
        _, _, group = self.of(context)
        self.color = group.color
        return context.window_manager.invoke_props_popup(self, event)

    def run(self, context: bpy.types.Context) -> None:
        obj, document, group = self.of(context)
        storage.write(obj, document.with_set(replace(group, color=tuple(self.color))))
