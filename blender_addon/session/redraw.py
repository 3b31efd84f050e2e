# SPDX-License-Identifier: GPL-3.0-or-later
"""Redraws, and timers for work that waits until the scene rests.

Disabling the extension stops all timers.
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
_looks: dict[_Look, None] = {}  # in the order of the requests


def redraw(context: bpy.types.Context) -> None:
    """Redraw all 3D viewports and their sidebars."""
    for area in open_viewports(context):
        area.tag_redraw()


def redraw_sidebars(context: bpy.types.Context) -> None:
    """Redraw the sidebars of all 3D viewports, but not the views."""
    for area in open_viewports(context):
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


def follow() -> None:
    """Redraw from time to time until indexing is done."""
    if not bpy.app.background and snapshot.indexing() is not None:  # timers need a window
        start_timer(_tick, _SECONDS)


def _tick() -> float | None:
    snapshot.go_on()
    redraw(bpy.context)
    return None if snapshot.indexing() is None else _SECONDS


def look_at_rest(look: _Look) -> None:
    """Call a function in each window, a while after it was last requested.

    For slow work, which would hold up playback, and for work that Blender does not allow while it
    draws.
    """
    _looks[look] = None
    at_rest(_look, _REST_SECONDS)


def _look() -> None:
    looks = [*_looks]
    _looks.clear()
    with ExitStack() as others:  # each is called even if another fails
        others.callback(redraw, bpy.context)
        for look in reversed(looks):
            others.callback(_look_everywhere, look)


def _look_everywhere(look: _Look) -> None:
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            look(bpy.context)


def at_rest(function: _Timer, seconds: float) -> None:
    """Call a function so many seconds after it was last requested."""
    stop_timer(function)
    start_timer(function, seconds)


def start_timer(function: _Timer, seconds: float) -> None:
    """Call a function after so many seconds, unless its timer already runs."""
    if not bpy.app.timers.is_registered(function):
        _started.add(function)
        bpy.app.timers.register(function, first_interval=seconds)


def stop_timer(function: _Timer) -> bool:
    """Stop the timer of a function; return whether it was running."""
    is_running = bpy.app.timers.is_registered(function)
    if is_running:
        bpy.app.timers.unregister(function)
    return is_running


def register() -> None:
    """Start nothing yet."""


def unregister() -> None:
    """Stop all timers."""
    while _started:
        stop_timer(_started.pop())
    _looks.clear()
