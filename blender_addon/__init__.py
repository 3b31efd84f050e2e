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
    session,
    translations,
    ui,
)

__all__ = ["api", "register", "unregister"]

_PARTS = (translations, preferences, bridge, session, operators, overlay, ui, command)

_is_registered = False


def register() -> None:
    """Register handlers, operators and interface, unless another copy is enabled."""
    global _is_registered
    other = registration.enabled_copy()
    if other is not None:
        registration.stay_disabled(other)
        return
    registration.register(_PARTS)
    _is_registered = True


def unregister() -> None:
    """Unregister everything, in reverse order, if this copy was registered."""
    global _is_registered
    if _is_registered:
        _is_registered = False
        registration.unregister(_PARTS)
