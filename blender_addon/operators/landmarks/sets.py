# SPDX-License-Identifier: GPL-3.0-or-later
"""Add, remove, duplicate and move sets of landmarks."""

from __future__ import annotations

from dataclasses import replace

import bpy
from bpy.app.translations import pgettext_data, pgettext_rpt
from bpy.props import EnumProperty

from ... import idnames
from ...bridge.landmarks import editing, storage
from ...model.landmarks import order
from ...model.landmarks.landmark import new_id
from ...session import active_landmarks
from ...standalone_core import RaypickError
from .base import LandmarkOperator, SetOperator


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
        obj, document, of = self.of(context)
        if of.locked:
            raise RaypickError(editing.LOCKED_SET)
        storage.write(obj, document.without_set(of.id))
        return pgettext_rpt("Removed {} landmarks").format(len(of.landmarks))


class RAYPICK_OT_duplicate_landmark_set(SetOperator):
    bl_idname = idnames.DUPLICATE_LANDMARK_SET_OPERATOR
    bl_label = "Duplicate Set"
    bl_description = "Copy the active set with all its landmarks, in another color"

    def run(self, context: bpy.types.Context) -> None:
        obj, document, of = self.of(context)
        fresh = editing.new_set(document, of.name)
        copies = tuple(replace(each, id=new_id(), selected=False, order=0) for each in of.landmarks)
        copy = replace(of, name=fresh.name, id=fresh.id, color=fresh.color, landmarks=copies)
        storage.write(obj, document.with_set(copy))


class RAYPICK_OT_move_landmark_set(SetOperator):
    bl_idname = idnames.MOVE_LANDMARK_SET_OPERATOR
    bl_label = "Move Set"
    bl_description = "Move the active set up or down in the list"

    way: EnumProperty(
        name="Direction",
        description="Where to move it",
        items=(("UP", "Up", "Before the previous one"), ("DOWN", "Down", "Behind the next one")),
    )

    def run(self, context: bpy.types.Context) -> None:
        obj, document, of = self.of(context)
        sets = order.moved(document.sets, lambda each: each.id == of.id, self.way)
        storage.write(obj, replace(document, sets=sets, active_set=sets.index(of)))
