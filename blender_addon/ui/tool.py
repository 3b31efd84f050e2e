# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool in the toolbar: it shows what is under the mouse, and a click keeps it."""

from __future__ import annotations

from pathlib import Path

import bpy

from .. import idnames
from .options_panel import draw_tool_settings

_ICONS = Path(__file__).parents[1] / "icons"


def icon(tool: str) -> str:
    """The icon as Blender wants it: a path without its ending, or the name of one of Blender's."""
    is_there = (_ICONS / f"{tool}.dat").is_file()
    return str(_ICONS / tool) if is_there else "ops.paint.eyedropper_add"


class PickTool(bpy.types.WorkSpaceTool):
    """Click on anything in the viewport to see exactly what it is."""

    bl_space_type = "VIEW_3D"
    bl_idname = idnames.PICK_TOOL
    bl_label = "Raypick"
    bl_description = (
        "Show exactly what is under the mouse: object, face, triangle, barycentric "
        "weights, UV.\nClick to keep it; click again, or scroll with Ctrl, for what is "
        "behind it.\n"
        "Hair curves, point clouds, Grease Pencil and volumes have no faces and are not picked"
    )
    bl_icon = icon(idnames.PICK_TOOL)
    bl_cursor = "EYEDROPPER"
    bl_keymap = (
        (idnames.HOVER_OPERATOR, {"type": "MOUSEMOVE", "value": "ANY", "any": True}, None),
        (idnames.PICK_OPERATOR, {"type": "LEFTMOUSE", "value": "PRESS"}, None),
        (
            idnames.WALK_OPERATOR,
            {"type": "WHEELDOWNMOUSE", "value": "PRESS", "ctrl": True},
            {"properties": [("step", 1)]},
        ),
        (
            idnames.WALK_OPERATOR,
            {"type": "WHEELUPMOUSE", "value": "PRESS", "ctrl": True},
            {"properties": [("step", -1)]},
        ),
    )

    draw_settings = staticmethod(draw_tool_settings)
