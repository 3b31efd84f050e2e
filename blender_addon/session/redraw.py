# SPDX-License-Identifier: GPL-3.0-or-later
"""Has 3D viewports drawn again: at once, or while a picked mesh is indexed in a thread.

Functions that Blender calls later, at most once each, and not once the extension is disabled.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..bridge.scene import snapshot
from ..bridge.view.cameras import open_viewports

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
        start_timer(_tick, _SECONDS)


def _tick() -> float | None:
    snapshot.go_on()
    redraw(bpy.context)
    return None if snapshot.indexing() is None else _SECONDS


_Timer = Callable[[], float | None]

_started: set[_Timer] = set()


def start_timer(function: _Timer, seconds: float) -> None:
    """Have a function called after so many seconds, unless that is under way already."""
    if not bpy.app.timers.is_registered(function):
        _started.add(function)
        bpy.app.timers.register(function, first_interval=seconds)


def stop_timer(function: _Timer) -> bool:
    """Have a function not called; return whether it was to be."""
    is_running = bpy.app.timers.is_registered(function)
    if is_running:
        bpy.app.timers.unregister(function)
    return is_running


def register() -> None:
    """Nothing is started yet."""


def unregister() -> None:
    """Stop all."""
    while _started:
        stop_timer(_started.pop())
