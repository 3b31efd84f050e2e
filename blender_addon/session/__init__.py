# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a Blender session: the current pick, the hover, the history."""

from .. import registration
from ..registration import OnLoad
from . import current, exclusions, following, history, hover, timers

_PARTS = (
    OnLoad(exclusions.clear),
    OnLoad(history.take_file, history.clear),
    OnLoad(current.forget),
    following,
    hover,
    timers,
)


def register() -> None:
    """Begin the session."""
    registration.register(_PARTS)


def unregister() -> None:
    """End it: nothing is kept, hovered or awaited."""
    registration.unregister(_PARTS)
