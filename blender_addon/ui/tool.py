# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool in the toolbar: a click picks."""

from __future__ import annotations

import bpy

from .. import declarations

_MODES = (
    "OBJECT",
    "EDIT_MESH",
    "EDIT_CURVE",
    "EDIT_SURFACE",
    "EDIT_TEXT",
    "EDIT_METABALL",
    "EDIT_LATTICE",
    "EDIT_ARMATURE",
    "POSE",
    "SCULPT",
    "PAINT_VERTEX",
    "PAINT_WEIGHT",
    "PAINT_TEXTURE",
    "PARTICLE",
)


class PickTool(bpy.types.WorkSpaceTool):
    """Click on anything in the viewport to see exactly what it is."""

    bl_space_type = "VIEW_3D"
    bl_idname = declarations.PICK_TOOL
    bl_label = "Raypick"
    bl_description = (
        "Show exactly what is under the mouse: object, face, triangle, barycentrics, UV.\n"
        "Click to pick"
    )
    bl_icon = "ops.paint.eyedropper_add"
    bl_cursor = "EYEDROPPER"
    bl_keymap = ((declarations.PICK_OPERATOR, {"type": "LEFTMOUSE", "value": "PRESS"}, None),)


_tools: list[type[PickTool]] = []


def register() -> None:
    """Add the tool at the end of the toolbar of each mode.

    A tool for all modes at once would stand before the selection tool.
    """
    for mode in _MODES:
        tool = type(f"PickTool_{mode}", (PickTool,), {"bl_context_mode": mode})
        bpy.utils.register_tool(tool, separator=True)
        _tools.append(tool)


def unregister() -> None:
    """Take the tools back."""
    for tool in reversed(_tools):
        bpy.utils.unregister_tool(tool)
    _tools.clear()
