# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of all objects that a viewport shows: their points, and their names."""

from __future__ import annotations

import bpy
import numpy as np

from .. import settings
from ..standalone_core.extension import FloatArray
from . import hidden_places, place_labels, text_images, visible_landmarks
from .canvas import BEHIND
from .marks import Marks
from .seen_places import SeenPlaces
from .visible_landmarks import VisibleLandmarks

_RING = 5.0  # pixels of the interface: so far goes the ring of the active one around its point

_drawn: tuple[VisibleLandmarks, SeenPlaces] | None = None
"""What was drawn last: in the viewport whose labels come next."""

_marks: dict[VisibleLandmarks, Marks] = {}
"""Of what the viewports show, which is the same object until anything changes."""


def draw() -> None:
    """Draw the points into the viewport of the context."""
    global _drawn
    _drawn = None
    context, preferences = bpy.context, settings.preferences()
    shown = visible_landmarks.visible(context)
    if shown is None or preferences is None:
        return
    radius = preferences.landmark_size / 2
    places = hidden_places.seen(context, "landmarks", shown.ids, shown.points, radius)
    opacities = np.where(places.hidden, BEHIND if preferences.landmark_behind else 0.0, 1.0)
    _marks_of(shown).draw(context, places.pixels, opacities, radius)
    _drawn = shown, places


def draw_labels() -> FloatArray:
    """Draw the names into the viewport of the context; return the pixels that they take (M, 4)."""
    context, preferences = bpy.context, settings.preferences()
    if _drawn is None or preferences is None or preferences.landmark_labels == "NONE":
        return place_labels.NONE_TAKEN
    shown, places = _drawn
    ranks = shown.ranks
    if preferences.landmark_labels == "SELECTED":
        places = places.without(ranks <= 0.0)
    return place_labels.draw(
        context,
        shown.names,
        places,
        ranks,
        size=preferences.landmark_text_size,
        radius=preferences.landmark_size / 2 + _RING,
        behind=place_labels.BEHIND if preferences.landmark_behind else 0.0,
    )


def forget() -> None:
    """Free what was drawn."""
    global _drawn
    _drawn = None
    _marks.clear()
    hidden_places.forget()
    place_labels.forget()
    visible_landmarks.forget()
    text_images.free()


def _marks_of(shown: VisibleLandmarks) -> Marks:
    """The marks of what is shown, made once."""
    if shown not in _marks:
        if len(_marks) >= visible_landmarks.MOST_VIEWPORTS:
            _marks.clear()
        _marks[shown] = Marks(shown.colors, shown.kinds)
    return _marks[shown]
