# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on what renders have: the attributes among their passes, and their files."""

from __future__ import annotations

import bpy

from .. import idnames
from ..render import files, settings
from ..settings import present
from ..standalone_core import RaypickError
from .base import UNSAVED, RaypickOperator, a_choice, a_text


class RAYPICK_OT_add_attribute_pass(RaypickOperator):
    bl_idname = idnames.ADD_ATTRIBUTE_OPERATOR
    bl_label = "Add Attribute"
    bl_description = "Render an attribute, a UV map or a vertex group as a pass"
    bl_options = {"REGISTER", "UNDO"}

    name: a_text("Name", "Name of the attribute", options=UNSAVED)
    type: a_choice("Type", settings.ABOUT_TYPE, *settings.TYPES, options=UNSAVED)

    def run(self, context: bpy.types.Context) -> None:
        chosen = settings.of_layer(present(context.view_layer))
        if self.name and self.name in chosen.attributes:
            raise RaypickError("The attribute is rendered already")
        added = chosen.attributes.add()
        added.name, added.type = self.name, self.type
        chosen.active_attribute = len(chosen.attributes) - 1


class RAYPICK_OT_remove_attribute_pass(RaypickOperator):
    bl_idname = idnames.REMOVE_ATTRIBUTE_OPERATOR
    bl_label = "Remove Attribute"
    bl_description = "Render this attribute no more"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        attributes = settings.of_layer(present(context.view_layer)).attributes
        return cls.is_possible(None if attributes else "There is no attribute")

    def run(self, context: bpy.types.Context) -> None:
        chosen = settings.of_layer(present(context.view_layer))
        chosen.attributes.remove(chosen.active_attribute)
        chosen.active_attribute = max(min(chosen.active_attribute, len(chosen.attributes) - 1), 0)


class RAYPICK_OT_use_multilayer(RaypickOperator):
    bl_idname = idnames.USE_MULTILAYER_OPERATOR
    bl_label = "Use OpenEXR MultiLayer"
    bl_description = "Have renders written to files that hold all passes with all digits"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        files.use_exact(context.scene.render)
