# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a Blender session: the current pick, the hover, the history."""

from ..bridge.landmarks import rest
from ..registration import OnLoad, functions
from . import (
    current,
    exclusions,
    following,
    history,
    hover,
    landmark_empties,
    landmarks,
    measures,
    timers,
)

_PARTS = (
    OnLoad(exclusions.clear),
    OnLoad(history.take_file, history.clear),
    OnLoad(lambda: current.show(None)),
    following,
    OnLoad(hover.forget, handlers="load_pre"),
    landmarks,
    OnLoad(landmarks.forget),
    landmark_empties,
    OnLoad(measures.forget),
    OnLoad(rest.write_all, lambda: None, handlers="save_pre"),
    timers,
)
register, unregister = functions(_PARTS)
