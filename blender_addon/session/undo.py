# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo steps for changes that Blender makes none for, as those of the window manager's rows."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from . import timers

_REST_SECONDS = 0.25

_message = ""


def push(message: str) -> None:
    """Have what was just changed as a step to undo, of a name in English."""
    if not bpy.app.background:  # where there is nothing to undo with
        bpy.ops.ed.undo_push(message=pgettext_iface(message))


def push_at_rest(message: str) -> None:
    """The same, once for changes that follow each other fast, as while a color is dragged."""
    global _message
    _message = message
    timers.stop(_push)
    timers.start(_push, _REST_SECONDS)


def _push() -> None:
    manager = bpy.context.window_manager
    for window in manager.windows[:1]:
        with bpy.context.temp_override(window=window):
            push(_message)
