# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool in the toolbar: a click picks."""

from __future__ import annotations

import bpy

from .. import declarations


class PickTool(bpy.types.WorkSpaceTool):
    """Click on anything in the viewport to see exactly what it is."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = None
    bl_idname = declarations.PICK_TOOL
    bl_label = "Raypick"
    bl_description = (
        "Show exactly what is under the mouse: object, face, triangle, barycentrics, UV.\n"
        "Click to pick"
    )
    bl_icon = "ops.generic.cursor"
    bl_cursor = "EYEDROPPER"
    bl_keymap = ((declarations.PICK_OPERATOR, {"type": "LEFTMOUSE", "value": "PRESS"}, None),)


def register() -> None:
    """Add the tool to the toolbars of the 3D viewport."""
    bpy.utils.register_tool(PickTool, separator=True)


def unregister() -> None:
    """Take the tool back."""
    bpy.utils.unregister_tool(PickTool)
