# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panel, toolbar tool, menu entries, keymap."""

from . import keymap, menu, panel, tool

_PARTS = (panel, tool, menu, keymap)


def register() -> None:
    """Register panel, tool and keymap."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Take them back, in the reverse order."""
    for part in reversed(_PARTS):
        part.unregister()
