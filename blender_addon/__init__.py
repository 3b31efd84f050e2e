# SPDX-License-Identifier: GPL-3.0-or-later
"""Raypick: exact picking in the 3D viewport. Scripts and other add-ons use :mod:`.api`."""

from . import (
    api,
    bridge,
    command,
    operators,
    overlay,
    preferences,
    registration,
    render,
    session,
    translations,
    ui,
)
from .standalone_core import __version__

__all__ = ["__version__", "api", "register", "unregister"]

_PARTS = (translations, preferences, bridge, session, render, operators, overlay, ui, command)


def register() -> None:
    """Register handlers, operators and interface, unless another copy is enabled."""
    registration.enable(_PARTS)


def unregister() -> None:
    """Unregister everything, in reverse order, if this copy was registered."""
    registration.disable(_PARTS)
