# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of all objects that a viewport shows: their points, and their names."""

from __future__ import annotations

from typing import Any

import bpy

from .. import settings
from . import depths, place_labels, text_images, visible_landmarks
from .canvas import BEHIND
from .marks import Marks
from .visible_landmarks import VisibleLandmarks

_LABEL_BEHIND = 0.45  # of the opacity: fainter texts cannot be read

_drawn: VisibleLandmarks | None = None
"""What was drawn last: of the viewport whose labels are drawn next."""

_marks: dict[VisibleLandmarks, Marks] = {}
"""Of what the viewports show, which is the same object until anything changes."""


def draw() -> None:
    """Draw the points into the viewport of the context."""
    global _drawn
    context, preferences = bpy.context, settings.preferences()
    shown = _drawn = visible_landmarks.visible(context)
    if shown is None or preferences is None:
        return
    behind = _opacity_behind(context, preferences, BEHIND)
    _marks_of(shown).draw(context, shown.points, preferences.landmark_size / 2, behind=behind)


def draw_labels() -> None:
    """Draw the names into the viewport of the context, in pixels of its region."""
    context, preferences = bpy.context, settings.preferences()
    if _drawn is None or preferences is None or preferences.landmark_labels == "NONE":
        return
    shown = _drawn.important if preferences.landmark_labels == "SELECTED" else _drawn
    place_labels.draw(
        context,
        shown.names,
        shown.points,
        shown.ranks,
        size=preferences.landmark_text_size,
        radius=preferences.landmark_size / 2,
        behind=_opacity_behind(context, preferences, _LABEL_BEHIND),
    )


def forget() -> None:
    """Free what was drawn."""
    global _drawn
    _drawn = None
    _marks.clear()
    visible_landmarks.forget()
    text_images.free()


def _opacity_behind(context: bpy.types.Context, preferences: Any, usual: float) -> float:
    """What of the opacity is left behind other geometry."""
    if depths.shows_through(context):
        return 1.0
    return usual if preferences.landmark_behind else 0.0


def _marks_of(shown: VisibleLandmarks) -> Marks:
    if shown not in _marks:
        if len(_marks) >= visible_landmarks.MOST_VIEWPORTS:
            _marks.clear()
        _marks[shown] = Marks(shown.colors, shown.kinds)
    return _marks[shown]
