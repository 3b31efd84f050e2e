# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: picking, looking, acting on what was found, and keeping it."""

from .. import registration
from . import act, cast, copy, inspect, leave_out, look, pick, place, remember

_CLASSES = registration.Classes(
    *(pick.RAYPICK_OT_pick, cast.RAYPICK_OT_cast, inspect.RAYPICK_OT_inspect),
    *look.CLASSES,
    *place.CLASSES,
    *act.CLASSES,
    *(copy.RAYPICK_OT_copy, copy.RAYPICK_OT_copy_report),
    *remember.CLASSES,
    *leave_out.CLASSES,
)
_PARTS = (_CLASSES, inspect)


def register() -> None:
    """Register the operators."""
    registration.register(_PARTS)


def unregister() -> None:
    """Take the operators back."""
    registration.unregister(_PARTS)
