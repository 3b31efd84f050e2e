# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a Blender session: the current pick, the hover, the history."""

from ..bridge.landmarks import topology
from ..registration import OnLoad, functions
from . import current, events, following, history, hover, landmarks, measures, pointing, redraw

_PARTS = (
    OnLoad(events.forget_changes, events.forget),
    OnLoad(current.include_all),
    OnLoad(history.take_file, history.clear),
    OnLoad(lambda: current.show(None)),
    following,
    OnLoad(hover.forget, handlers="load_pre"),
    OnLoad(pointing.forget, handlers="load_pre"),
    landmarks,
    OnLoad(landmarks.forget),
    OnLoad(measures.forget),
    OnLoad(topology.write_last_places, lambda: None, handlers="save_pre"),
    redraw,
)
register, unregister = functions(_PARTS)
