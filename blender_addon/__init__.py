# SPDX-License-Identifier: GPL-3.0-or-later
"""Raypick: exact picking in the 3D viewport.

Scripts and other add-ons use :mod:`.api`.
"""

from . import (
    api,
    bridge,
    following,
    history,
    left_out,
    live,
    operators,
    options,
    overlay,
    picked,
    preferences,
    progress,
    translations,
    ui,
)

__all__ = ["api", "register", "unregister"]

_PARTS = (
    *(
        translations,
        options,
        preferences,
        left_out,
        bridge,
        history,
        picked,
        progress,
        live,
        following,
        operators,
    ),
    *(overlay, ui),
)


def register() -> None:
    """Register handlers, operators and interface with Blender."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Take everything back, in the reverse order."""
    for part in reversed(_PARTS):
        part.unregister()
