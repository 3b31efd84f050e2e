# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool in the toolbar: it shows what is under the mouse, and a click keeps it."""

from __future__ import annotations

from pathlib import Path

import bpy

from .. import idnames
from ..bridge.view.areas import viewports_of
from ..session import viewports
from .options_panel import draw_tool_settings

_ICON = Path(__file__).parents[1] / "icons" / idnames.PICK_TOOL


def _icon() -> str:
    """The icon as Blender wants it: a path without its ending, or the name of one of Blender's."""
    is_there = _ICON.with_name(f"{_ICON.name}.dat").is_file()
    return str(_ICON) if is_there else "ops.paint.eyedropper_add"


_MODES = (
    *("OBJECT", "EDIT_MESH", "EDIT_CURVE", "EDIT_SURFACE", "EDIT_TEXT", "EDIT_METABALL"),
    *("EDIT_LATTICE", "EDIT_ARMATURE", "POSE", "SCULPT", "PAINT_VERTEX", "PAINT_WEIGHT"),
    *("PAINT_TEXTURE", "PARTICLE"),
)


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
    bl_icon = _icon()
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


_KEYMAP_ENDING = f", {PickTool.bl_label}"

_tools: list[type[PickTool]] = []


def register() -> None:
    """Add the tool at the end of the toolbar of each mode.

    A tool for all modes at once would stand before the selection tool.
    """
    for mode in _MODES:
        tool = type(f"PickTool_{mode}", (PickTool,), {"bl_context_mode": mode})
        _tools.append(tool)
        bpy.utils.register_tool(tool, separator=True)


def unregister() -> None:
    """Take the tools back, and their keymaps; where one is in use, selection takes its place."""
    _leave_tool()
    for tool in reversed(_tools):
        if hasattr(tool, "_bl_tool"):  # Blender's own note that it is registered
            bpy.utils.unregister_tool(tool)
    _tools.clear()
    manager = bpy.context.window_manager
    for configuration in (manager.keyconfigs.addon, manager.keyconfigs.user) if manager else ():
        for keymap in list(configuration.keymaps) if configuration else ():
            if keymap.name.startswith("3D View Tool: ") and keymap.name.endswith(_KEYMAP_ENDING):
                configuration.keymaps.remove(keymap)


def _leave_tool() -> None:
    """Choose the selection tool in viewports that use ours."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager and not bpy.app.background else ():
        for area in viewports_of(window):
            with bpy.context.temp_override(window=window, area=area):
                if viewports.active_tool(bpy.context) == idnames.PICK_TOOL:
                    bpy.ops.wm.tool_set_by_id(name="builtin.select_box")
