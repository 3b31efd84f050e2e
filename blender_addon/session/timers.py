# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that Blender calls later, at most once each, and not once the extension is disabled."""

from __future__ import annotations

from collections.abc import Callable

import bpy

_Timer = Callable[[], float | None]

_started: set[_Timer] = set()


def start(function: _Timer, seconds: float) -> None:
    """Have a function called after so many seconds, unless that is under way already."""
    if not bpy.app.timers.is_registered(function):
        _started.add(function)
        bpy.app.timers.register(function, first_interval=seconds)


def stop(function: _Timer) -> bool:
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
        stop(_started.pop())
