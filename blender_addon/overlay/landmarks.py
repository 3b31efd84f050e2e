# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of all objects that a viewport shows, and their names."""

from __future__ import annotations

import bpy

from .. import settings
from . import visible_landmarks
from .marks import Marks
from .visible_landmarks import VisibleLandmarks
from .canvas import BEHIND

_marks: tuple[VisibleLandmarks, Marks] | None = None


def draw() -> None:
    """Draw the points into the viewport of the context."""
    context = bpy.context
    shown = visible_landmarks.visible(context)
    if shown is None:
        return
    _marks_of(shown).draw(context, shown.points, 4.0)

def _marks_of(shown: VisibleLandmarks) -> Marks:
    global _marks
    if _marks is None or _marks[0] is not shown:
        _marks = shown, Marks(shown.colors, shown.kinds)
    return _marks[1]
