# SPDX-License-Identifier: GPL-3.0-or-later
"""Which changes Blender's undo takes back, and undo steps that Blender itself does not push."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt

from . import redraw

_REST_SECONDS = 0.25

NOT_UNDONE = "This cannot be undone here"

_OWN_UNDO = ("EDIT_", "PARTICLE", *(["PAINT_TEXTURE"] if bpy.app.version < (5, 2) else []))
"""Prefixes of the modes whose undo steps hold only the data edited there."""

_BRUSHES = {
    "SCULPT": "sculpt",
    "SCULPT_CURVES": "curves_sculpt",
    "PAINT_VERTEX": "vertex_paint",
    "PAINT_WEIGHT": "weight_paint",
}
"""The tool setting that holds the brush of each mode."""

_message = ""


def covers(context: bpy.types.Context) -> bool:
    """Whether Blender's undo takes back changes of the scene, in the mode of the context.

    Some modes have an undo of their own, and so have brushes that follow curves. Its steps do not
    cover objects, nor their landmarks.
    """
    mode, tools = context.mode, context.tool_settings
    if mode.startswith(_OWN_UNDO) and mode != "EDIT_GPENCIL":  # this mode exists until Blender 4.2
        return False
    paint = getattr(tools, _BRUSHES[mode]) if mode in _BRUSHES else None
    brush = paint.brush if paint else None
    if brush and brush.stroke_method == "CURVE" and brush.paint_curve:
        return False
    return context.preferences.edit.use_global_undo


def with_undo_note(context: bpy.types.Context, message: str | None) -> str | None:
    """The report of a change, with a note if undo does not take the change back."""
    if covers(context):
        return message
    note = pgettext_rpt(NOT_UNDONE)
    return f"{message}. {note}" if message else note


def push(message: str) -> None:
    """Push an undo step for the last change, if undo covers it; `message` names it in English."""
    if not bpy.app.background and covers(bpy.context):
        bpy.ops.ed.undo_push(message=pgettext_iface(message))


def push_at_rest(message: str) -> None:
    """Push once for changes that follow each other fast, as while a color is dragged."""
    global _message
    _message = message
    redraw.at_rest(_push, _REST_SECONDS)


def _push() -> None:
    manager = bpy.context.window_manager
    for window in manager.windows[:1]:
        with bpy.context.temp_override(window=window):
            push(_message)
