# SPDX-License-Identifier: GPL-3.0-or-later
"""A second copy of the extension leaves the first alone: it says so, and is disabled again."""

from __future__ import annotations

import addon_utils
import bpy
from bpy.app.translations import pgettext_iface

TEXT = "Raypick is already enabled as {}, so this copy stays disabled"

_first = ""


def stay_disabled(first: str) -> None:
    """Say that another copy, of a package, is enabled; RuntimeError without a window.

    With a window, what is raised while enabling would be shown as a traceback.
    """
    global _first
    if bpy.app.background:
        raise RuntimeError(f"{TEXT.format(first)}.")
    _first = first
    # At Blender's start a file may be opened in between.
    bpy.app.timers.register(_disable, first_interval=0.0, persistent=True)


def _disable() -> None:
    """Once Blender has enabled this copy, take that back."""
    addon_utils.disable(__package__, default_set=True)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.context.window_manager.popup_menu(_draw, title="Raypick", icon="ERROR")


def _draw(menu: bpy.types.UIPopupMenu, _context: bpy.types.Context) -> None:
    menu.layout.label(text=pgettext_iface(TEXT).format(_first), translate=False)
