# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu of the images that surveys make, through the viewport and through the camera."""

from __future__ import annotations

import bpy

from .. import idnames
from ..operators.survey_kinds import KIND_ITEMS
from ..present import present


class RAYPICK_MT_survey(bpy.types.Menu):
    """What the viewport can be surveyed for."""

    bl_idname = idnames.SURVEY_MENU
    bl_label = "Survey View"
    bl_description = "Make an image of what is hit at every pixel of the viewport, or of a render"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        _draw_kinds(layout, "VIEW")
        layout.separator()
        layout.menu(idnames.CAMERA_SURVEY_MENU, icon="CAMERA_DATA")


class RAYPICK_MT_camera_survey(bpy.types.Menu):
    """What a render of the scene's camera can be surveyed for."""

    bl_idname = idnames.CAMERA_SURVEY_MENU
    bl_label = "Render Camera"

    def draw(self, context: bpy.types.Context | None) -> None:
        self.layout.active = present(context).scene.camera is not None
        _draw_kinds(self.layout, "CAMERA")


def _draw_kinds(layout: bpy.types.UILayout, source: str) -> None:
    """Draw an entry for each kind of image; ids, what is measured, and directions apart."""
    layout.operator_context = "INVOKE_REGION_WIN"
    for identifier, label, _ in KIND_ITEMS:
        if identifier in _FIRST_OF_GROUPS:
            layout.separator()
        button = layout.operator(idnames.SURVEY_OPERATOR, text=label)
        button.kind, button.source = identifier, source


_FIRST_OF_GROUPS = ("SIDE", "DEPTH", "UV", "NORMAL")
