# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool that puts landmarks onto surfaces, and moves them there."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import idnames
from ..session import active_landmarks
from .options_panel import draw_tool_settings
from .tool import icon

_PRESS = {"type": "LEFTMOUSE", "value": "PRESS"}


def _draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, tool: object) -> None:
    """Draw which landmark is asked for, and the options of picking."""
    document = active_landmarks.document(context)
    of = document.set if document else None
    number = of.next_number if of else None
    if of is not None and number is not None:
        text = pgettext_iface("Next: {} ({} of {})")
        text = text.format(of.landmarks[number].name, number + 1, len(of.landmarks))
        layout.label(text=text, icon="FORWARD", translate=False)
    draw_tool_settings(context, layout, tool)


class LandmarkTool(bpy.types.WorkSpaceTool):
    """Click on a surface to put a landmark there; drag a landmark to move it."""

    bl_space_type = "VIEW_3D"
    bl_idname = idnames.LANDMARK_TOOL
    bl_label = "Raypick Landmarks"
    bl_description = (
        "Put landmarks onto the surface, which they follow from then on.\n"
        "Click to add one to the object under the mouse, with Ctrl at a vertex; drag one to move "
        "it over the surface.\n"
        "Shift selects more of them, X removes those that are selected"
    )
    bl_icon = icon(idnames.LANDMARK_TOOL)
    bl_cursor = "CROSSHAIR"
    bl_keymap = (
        (idnames.HOVER_OPERATOR, {"type": "MOUSEMOVE", "value": "ANY", "any": True}, None),
        (idnames.TOUCH_LANDMARK_OPERATOR, _PRESS, None),
        (
            idnames.TOUCH_LANDMARK_OPERATOR,
            {**_PRESS, "shift": True},
            {"properties": [("extend", True)]},
        ),
        (
            idnames.TOUCH_LANDMARK_OPERATOR,
            {**_PRESS, "ctrl": True},
            {"properties": [("snap", True)]},
        ),
        (idnames.REMOVE_LANDMARKS_OPERATOR, {"type": "X", "value": "PRESS"}, None),
        (idnames.REMOVE_LANDMARKS_OPERATOR, {"type": "DEL", "value": "PRESS"}, None),
    )

    draw_settings = staticmethod(_draw_settings)
