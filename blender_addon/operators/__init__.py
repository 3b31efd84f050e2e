# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: picking, casting, and copying of what was found."""

import bpy

from .cast import RAYPICK_OT_cast
from .copy import RAYPICK_OT_copy, RAYPICK_OT_copy_report
from .pick import RAYPICK_OT_pick

_CLASSES = (RAYPICK_OT_pick, RAYPICK_OT_cast, RAYPICK_OT_copy, RAYPICK_OT_copy_report)


def register() -> None:
    """Register the operators."""
    for cls in _CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Take the operators back."""
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
