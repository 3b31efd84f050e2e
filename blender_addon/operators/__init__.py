# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: picking, looking, acting on what was found, and keeping it."""

from .. import registration
from . import cast, copy, exclude, history, hover, inspect, pick, place, use_hit

_CLASSES = registration.Classes(
    *(pick.RAYPICK_OT_pick, cast.RAYPICK_OT_cast, inspect.RAYPICK_OT_inspect),
    *hover.CLASSES,
    *place.CLASSES,
    *use_hit.CLASSES,
    *(copy.RAYPICK_OT_copy, copy.RAYPICK_OT_copy_report),
    *history.CLASSES,
    *exclude.CLASSES,
)
_PARTS = (_CLASSES, inspect)


def register() -> None:
    """Register the operators."""
    registration.register(_PARTS)


def unregister() -> None:
    """Take the operators back."""
    registration.unregister(_PARTS)
