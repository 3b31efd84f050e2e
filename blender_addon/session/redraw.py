# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done later: redraws, and what has to wait until the scene rests.

No timer outlives the extension.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import bpy

from ..bridge.scene import snapshot
from ..bridge.view.cameras import open_viewports

_SECONDS = 0.1
_REST_SECONDS = 0.15

_Timer = Callable[[], float | None]
_Look = Callable[[bpy.types.Context], object]

_started: set[_Timer] = set()
_looks: dict[_Look, None] = {}  # in the order in which they were asked for


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


def look_at_rest(look: _Look) -> None:
    """Have a function look again in all windows once nothing has asked for that for a while.

    So what takes long, or cannot be done while Blender draws, holds up no playback.
    """
    _looks[look] = None
    at_rest(_look, _REST_SECONDS)


def _look() -> None:
    looks = [*_looks]
    _looks.clear()
    with ExitStack() as others:  # each is done even where another fails
        others.callback(redraw, bpy.context)
        for look in reversed(looks):
            others.callback(_look_everywhere, look)


def _look_everywhere(look: _Look) -> None:
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            look(bpy.context)


def at_rest(function: _Timer, seconds: float) -> None:
    """Have a function called once nothing has asked for that for so many seconds."""
    stop_timer(function)
    start_timer(function, seconds)


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
    _looks.clear()
