# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on what renders have: the attributes among their passes, their files, their colors."""

from __future__ import annotations

import bpy

from .. import idnames
from ..render import files, settings
from ..settings import present
from ..standalone_core import RaypickError
from .base import UNSAVED, RaypickOperator, Result, a_choice, a_text


def _suggested(_operator: object, context: bpy.types.Context, typed: str) -> list[str]:
    """The names that the meshes have, for a field in which one is typed."""
    return [name for name in _types(context) if typed.casefold() in name.casefold()]


def _types(context: bpy.types.Context) -> dict[str, str]:
    kinds = settings.attributes_of(present(context.view_layer))
    return {name: kind for named in kinds.values() for name, kind in named.items()}


class SceneOperator(RaypickOperator):
    """Base of operators on the settings of the scene's renders."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_possible(None if context.scene.is_editable else "The scene is linked")


class RAYPICK_OT_add_attribute_pass(SceneOperator):
    bl_idname = idnames.ADD_ATTRIBUTE_OPERATOR
    bl_label = "Add Attribute"
    bl_description = "Render an attribute, a UV map or a vertex group as a pass"
    bl_options = {"REGISTER", "UNDO"}

    name: a_text("Name", "Name of the attribute", options=UNSAVED, search=_suggested)
    type: a_choice("Type", settings.ABOUT_TYPE, *settings.TYPES, options=UNSAVED)

    _named = ""

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the name, unless a menu's entry gives it."""
        if self.name:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self)

    def check(self, context: bpy.types.Context) -> bool:
        """Take the type of what is named, until the user chooses another one."""
        is_other = bool(self.name != self._named)
        self._named = self.name
        if is_other:
            self.type = _types(context).get(self.name, self.type)
        return is_other

    def run(self, context: bpy.types.Context) -> None:
        chosen = settings.of_layer(present(context.view_layer))
        if not self.name:
            raise RaypickError("The name is missing")
        if self.name in chosen.attributes:
            raise RaypickError("The attribute is rendered already")
        added = chosen.attributes.add()
        added.name, added.type = self.name, self.type
        chosen.active_attribute = len(chosen.attributes) - 1


class RAYPICK_OT_remove_attribute_pass(SceneOperator):
    bl_idname = idnames.REMOVE_ATTRIBUTE_OPERATOR
    bl_label = "Remove Attribute"
    bl_description = "Render this attribute no more"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        attributes = settings.of_layer(present(context.view_layer)).attributes
        is_any = cls.is_possible(None if attributes else "There is no attribute")
        return is_any and super().poll(context)

    def run(self, context: bpy.types.Context) -> None:
        chosen = settings.of_layer(present(context.view_layer))
        last = len(chosen.attributes) - 1
        chosen.attributes.remove(min(chosen.active_attribute, last))
        chosen.active_attribute = max(min(chosen.active_attribute, last - 1), 0)
        settings.update_passes(context.scene)


class RAYPICK_OT_use_multilayer(SceneOperator):
    bl_idname = idnames.USE_MULTILAYER_OPERATOR
    bl_label = "Use OpenEXR MultiLayer"
    bl_description = "Have renders written to files that hold all passes with all digits"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        files.use_exact(context.scene.render)


class RAYPICK_OT_show_false_colors(SceneOperator):
    bl_idname = idnames.SHOW_COLORS_OPERATOR
    bl_label = "Show False Colors Unchanged"
    bl_description = (
        "Use the view transform Standard, neutral exposure, gamma, curves and white balance, and "
        "neither a look nor dithering"
    )
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context) -> None:
        files.show_colors_unchanged(context.scene)
