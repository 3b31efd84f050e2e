# SPDX-License-Identifier: GPL-3.0-or-later
"""The render engine, and what of its pictures is set in each view layer."""

import bpy

from ..bridge.render import into_memory
from ..registration import Classes, classes_in, functions
from . import engine, interrupts, settings

_CLASSES = Classes(*classes_in(settings), engine.RaypickEngine)
_register, _unregister = functions((_CLASSES, settings, into_memory, interrupts))
_SECONDS = 0.1  # between two looks at whether a render has ended


def register() -> None:
    """Make them known to Blender."""
    if bpy.app.timers.is_registered(_unregister_after_render):  # it is known still
        bpy.app.timers.unregister(_unregister_after_render)
    else:
        _register()


def unregister() -> None:
    """Undo this, but no sooner than a render in another thread has ended: Blender would crash."""
    if bpy.app.is_job_running("RENDER"):
        bpy.app.timers.register(_unregister_after_render, persistent=True)
    else:
        _unregister()


def _unregister_after_render() -> float | None:
    if bpy.app.is_job_running("RENDER"):
        return _SECONDS
    _unregister()
    return None
