# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: picking, looking, acting on what was found, and keeping it."""

import bpy

from . import act, cast, copy, inspect, leave_out, look, pick, place, remember

_CLASSES = (
    *(pick.RAYPICK_OT_pick, cast.RAYPICK_OT_cast, inspect.RAYPICK_OT_inspect),
    *look.CLASSES,
    *place.CLASSES,
    *act.CLASSES,
    *(copy.RAYPICK_OT_copy, copy.RAYPICK_OT_copy_report),
    *remember.CLASSES,
    *leave_out.CLASSES,
)


def register() -> None:
    """Register the operators."""
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    inspect.register()


def unregister() -> None:
    """Take the operators back."""
    inspect.unregister()
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
