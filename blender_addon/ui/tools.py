# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools in the toolbars of all modes: one picks, the other puts landmarks onto surfaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface

from .. import idnames, settings
from ..bridge.view.cameras import viewports_of
from ..model.landmarks.landmark_set import LandmarkSet
from ..session import active_landmarks, viewports
from . import menus
from .landmarks_panel import draw_measuring, draw_steps
from .options_panel import draw_tool_settings, is_wide

_NARROW_SNAP_UNITS = 4.0  # the width of the field in a narrow header
_ICONS = Path(__file__).parents[1] / "icons"


def _key(
    operator: str, kind: str, *modifiers: str, value: str = "PRESS", **properties: Any
) -> tuple[Any, ...]:
    """An item of a tool's keymap: a press of a key or button, with modifiers held."""
    given = {"properties": [*properties.items()]} if properties else None
    return operator, {"type": kind, "value": value, **dict.fromkeys(modifiers, True)}, given


_HOVER = (idnames.HOVER_OPERATOR, {"type": "MOUSEMOVE", "value": "ANY", "any": True}, None)


def icon(tool: str) -> str:
    """The value of `bl_icon`: our file's path without its suffix, or a name of Blender's icons."""
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
        "behind it. Double click to select it.\n"
        "Hair curves, point clouds, Grease Pencil and volumes have no faces and are not picked"
    )
    bl_icon = icon(idnames.PICK_TOOL)
    bl_cursor = "EYEDROPPER"
    bl_keymap = (
        _HOVER,
        _key(idnames.PICK_OPERATOR, "LEFTMOUSE"),
        _key(idnames.SELECT_HIT_OPERATOR, "LEFTMOUSE", value="DOUBLE_CLICK"),
        _key(idnames.WALK_OPERATOR, "WHEELDOWNMOUSE", "ctrl", step=1),
        _key(idnames.WALK_OPERATOR, "WHEELUPMOUSE", "ctrl", step=-1),
    )

    draw_settings = staticmethod(draw_tool_settings)


def _draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: object) -> None:
    """Draw the set with the landmark that its template asks for next, and the usual measure."""
    region, has_room = context.region, is_wide(context)
    is_header = region is not None and region.type == "TOOL_HEADER"
    arrow = " ▾" if is_header else ""  # elsewhere Blender draws one
    document = active_landmarks.document(context)
    of = document.set if document else None
    name = menus.short(of.name) if of else pgettext_iface("Landmark Set")
    layout.menu(idnames.CHOOSE_SET_MENU, text=name + arrow, translate=False)
    if of is not None and of.next_number is not None:
        _draw_next(layout, of, of.next_number, has_room)
    preferences = settings.preferences()
    if preferences is not None:
        row = layout.row()
        row.ui_units_x = 0 if has_room else _NARROW_SNAP_UNITS
        row.prop(preferences.options, "snap", text=None if has_room else "")
    menu = pgettext_iface("Measure", "Operator") if has_room else ""
    draw_measuring(layout, context, menu + arrow)
    layout.popover(idnames.OPTIONS_PANEL, text="Options")


def _draw_next(layout: bpy.types.UILayout, of: LandmarkSet, number: int, has_room: bool) -> None:
    text = menus.short(of.landmarks[number].name)
    if has_room:
        form = pgettext_iface("Next: {} ({} of {})")
        text = form.format(text, number + 1, len(of.landmarks))
    row = layout.row(align=True)
    row.label(text=text, icon="FORWARD", translate=False)
    draw_steps(row)


class LandmarkTool(bpy.types.WorkSpaceTool):
    """Click on a surface to put a landmark there; drag a landmark to move it."""

    bl_space_type = "VIEW_3D"
    bl_idname = idnames.LANDMARK_TOOL
    bl_label = "Raypick Landmarks"
    bl_description = (
        "Put landmarks onto the surface, which they follow from then on.\n"
        "Click to add one to the object under the mouse, with Ctrl at a vertex; drag one to move "
        "it over the surface.\n"
        "Shift selects more of them, X removes those that are selected.\n"
        "Page Down and Page Up step through the names of a template"
    )
    bl_icon = icon(idnames.LANDMARK_TOOL)
    bl_cursor = "CROSSHAIR"
    bl_keymap = (
        _HOVER,
        _key(idnames.TOUCH_LANDMARK_OPERATOR, "LEFTMOUSE"),
        _key(idnames.TOUCH_LANDMARK_OPERATOR, "LEFTMOUSE", "shift", extend=True),
        _key(idnames.TOUCH_LANDMARK_OPERATOR, "LEFTMOUSE", "ctrl", snap=True),
        _key(idnames.REMOVE_LANDMARKS_OPERATOR, "X"),
        _key(idnames.REMOVE_LANDMARKS_OPERATOR, "DEL"),
    )

    draw_settings = staticmethod(_draw_settings)


_MODES = (
    *("OBJECT", "EDIT_MESH", "EDIT_CURVE", "EDIT_SURFACE", "EDIT_TEXT", "EDIT_METABALL"),
    *("EDIT_LATTICE", "EDIT_ARMATURE", "POSE", "SCULPT", "PAINT_VERTEX", "PAINT_WEIGHT"),
    *("PAINT_TEXTURE", "PARTICLE"),
)

_PAGED_MODES = {"SCULPT", "EDIT_TEXT"}  # where Blender uses the page keys itself
_PAGES = (
    _key(idnames.STEP_TEMPLATE_OPERATOR, "PAGE_DOWN", step=1),
    _key(idnames.STEP_TEMPLATE_OPERATOR, "PAGE_UP", step=-1),
)

_KINDS: tuple[type[PickTool | LandmarkTool], ...] = (PickTool, LandmarkTool)
_NAMES = {kind.bl_idname for kind in _KINDS}
_KEYMAP_ENDINGS = tuple(f", {kind.bl_label}" for kind in _KINDS)

_tools: list[type[bpy.types.WorkSpaceTool]] = []


def register() -> None:
    """Add the tools at the end of the toolbar of each mode.

    If a tool were added once for all modes, Blender would put it before the selection tool.
    """
    for mode in _MODES:
        for kind in _KINDS:
            pages = _PAGES if kind is LandmarkTool and mode not in _PAGED_MODES else ()
            own = {"bl_context_mode": mode, "bl_keymap": (*kind.bl_keymap, *pages)}
            tool = type(f"{kind.__name__}_{mode}", (kind,), own)
            _tools.append(tool)
            bpy.utils.register_tool(tool, separator=kind is PickTool)


def unregister() -> None:
    """Remove the tools and their keymaps; viewports that use one get the selection tool."""
    _leave_tool()
    for tool in reversed(_tools):
        if hasattr(tool, "_bl_tool"):  # Blender sets this on registered tools
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
