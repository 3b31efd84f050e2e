# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools in the toolbars of all modes, one below the other."""

from __future__ import annotations

import bpy

from ..bridge.view.areas import viewports_of
from ..session import viewports
from .landmark_tool import LandmarkTool
from .tool import PickTool

_MODES = (
    *("OBJECT", "EDIT_MESH", "EDIT_CURVE", "EDIT_SURFACE", "EDIT_TEXT", "EDIT_METABALL"),
    *("EDIT_LATTICE", "EDIT_ARMATURE", "POSE", "SCULPT", "PAINT_VERTEX", "PAINT_WEIGHT"),
    *("PAINT_TEXTURE", "PARTICLE"),
)

_KINDS: tuple[type[PickTool | LandmarkTool], ...] = (PickTool, LandmarkTool)
_NAMES = {kind.bl_idname for kind in _KINDS}
_KEYMAP_ENDINGS = tuple(f", {kind.bl_label}" for kind in _KINDS)

_tools: list[type[bpy.types.WorkSpaceTool]] = []


def register() -> None:
    """Add the tools at the end of the toolbar of each mode.

    A tool for all modes at once would stand before the selection tool.
    """
    for mode in _MODES:
        for kind in _KINDS:
            tool = type(f"{kind.__name__}_{mode}", (kind,), {"bl_context_mode": mode})
            _tools.append(tool)
            bpy.utils.register_tool(tool, separator=kind is PickTool)


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
            if keymap.name.startswith("3D View Tool: ") and keymap.name.endswith(_KEYMAP_ENDINGS):
                configuration.keymaps.remove(keymap)


def _leave_tool() -> None:
    """Choose the selection tool in viewports that use ours."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager and not bpy.app.background else ():
        for area in viewports_of(window):
            with bpy.context.temp_override(window=window, area=area):
                if viewports.active_tool(bpy.context) in _NAMES:
                    bpy.ops.wm.tool_set_by_id(name="builtin.select_box")
