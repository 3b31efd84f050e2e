# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures that a viewport shows: their lines, names and values."""

from __future__ import annotations

import bpy
import numpy as np

from .. import formatting, settings
from ..model.landmarks.measure import Measured
from ..session import landmarks, measures
from ..standalone_core.extension import FloatArray
from . import labels, seen_places, view
from .canvas import Canvas, in_view_space
from .labels import Names

_WIDTH = 2.0
_RANK = 0.5  # of the texts that are not in use: after selected landmarks, before others


def draw() -> None:
    """Draw the lines into the viewport of the context."""
    context, preferences = bpy.context, settings.preferences()
    if preferences is None:
        return
    shown = _visible(context)
    if not shown:
        return
    canvas = Canvas(context)
    with in_view_space():
        for each in shown:
            points = np.array(each.points)
            segments = np.stack([points[:-1], points[1:]], axis=1)
            canvas.lines(segments, preferences.measure_color, _WIDTH)


def names(context: bpy.types.Context) -> Names | None:
    """The names and values that the viewport of the context shows; None for none."""
    preferences = settings.preferences()
    if preferences is None or preferences.landmark_labels == "NONE":
        return None
    shown = _visible(context)
    if not shown:
        return None
    every = landmarks.shown_to_draw(context)
    in_use = {each.document.measure.id for each in every if each.document.measure}
    middles = np.array([_middle(np.array(each.points)) for each in shown])
    ids = [each.measure.id for each in shown]
    places = seen_places.seen_with_hidden(context, "measures", ids, middles, _WIDTH)
    return Names(
        [f"{each.name}  {formatting.measured(each, context.scene)}" for each in shown],
        places.pixels,
        np.where(places.hidden, labels.BEHIND, 1.0),
        np.array([labels.IN_USE if name in in_use else _RANK for name in ids]),
        np.full(len(shown), (_WIDTH + labels.GAP) * settings.ui_scale()),
    )


def _visible(context: bpy.types.Context) -> list[Measured]:
    """The measures that are drawn: those of visible objects, with known values."""
    space = view.space(context)
    if not space.overlay.show_overlays:
        return []
    holders = landmarks.holders(context)
    if not holders:
        return []
    visible = {obj.session_uid for obj in holders if obj.visible_in_viewport_get(space)}
    known = [each for each in measures.shown_to_draw(context) if each.is_current]
    return [
        each.measured
        for each in known
        if each.object_uid in visible and each.measured.points and not each.measured.measure.hidden
    ]


def _middle(points: FloatArray) -> FloatArray:
    """The point (3,) half-way along a line (N, 3)."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    ends = np.cumsum(steps)
    if not len(ends) or not ends[-1] > 0.0:
        return np.asarray(points[0])
    half = ends[-1] / 2.0
    number = int(np.searchsorted(ends, half))
    share = 1.0 - (ends[number] - half) / steps[number]
    return np.asarray(points[number] + share * (points[number + 1] - points[number]))
