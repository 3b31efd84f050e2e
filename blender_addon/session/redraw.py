# SPDX-License-Identifier: GPL-3.0-or-later
"""Has 3D viewports drawn again: at once, or while a picked mesh is indexed in a thread."""

from __future__ import annotations

import bpy

from ..bridge.scene import snapshot
from ..bridge.view.areas import open_viewports
from . import timers

_SECONDS = 0.1


def redraw(context: bpy.types.Context) -> None:
    """Have all 3D viewports, and their sidebars, drawn again."""
    for area in open_viewports(context):
        area.tag_redraw()


def redraw_sidebars(context: bpy.types.Context) -> None:
    """Have the sidebars of all 3D viewports drawn again, and not the views."""
    for area in open_viewports(context):
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


def follow() -> None:
    """Redraw from time to time until nothing is indexed any more."""
    if not bpy.app.background and snapshot.indexing() is not None:  # without a window none runs
        timers.start(_tick, _SECONDS)


def _tick() -> float | None:
    snapshot.go_on()
    redraw(bpy.context)
    return None if snapshot.indexing() is None else _SECONDS
