# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures that a viewport shows: their lines, names and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from .. import formatting, settings
from ..session import landmarks, measures
from ..session.measures import ShownMeasure
from ..standalone_core.extension import FloatArray
from . import labels, seen_places, view
from .canvas import Canvas, in_view_space

_WIDTH = 2.0


def draw() -> None:
    """Draw the lines into the viewport of the context."""
    context, preferences = bpy.context, settings.preferences()
    if preferences is None:
        return
    shown = [*_visible(context)]
    if not shown:
        return
    canvas = Canvas(context)
    with in_view_space():
        for each in shown:
            canvas.lines(_segments(each), preferences.measure_color, _WIDTH)


def draw_labels(taken: FloatArray) -> None:
    """Draw names and values into the viewport of the context, in pixels of its region.

    They keep clear of the boxes of other labels (M, 4).
    """
    context, preferences = bpy.context, settings.preferences()
    if preferences is None or preferences.landmark_labels == "NONE":
        return
    shown = [*_visible(context)]
    if not shown:
        return
    middles = np.array([_middle(np.array(each.measured.points)) for each in shown])
    ids = [each.measured.measure.id for each in shown]
    labels.draw_labels(
        context,
        [_text(each, context.scene) for each in shown],
        seen_places.seen_with_hidden(context, "measures", ids, middles, _WIDTH),
        np.full(len(shown), 1.0),
        size=preferences.landmark_text_size,
        radius=_WIDTH,
        behind=labels.BEHIND,
        taken=taken,
    )


def _visible(context: bpy.types.Context) -> Iterator[ShownMeasure]:
    """The measures that are drawn: those of visible objects, with known values."""
    space = view.space(context)
    if not space.overlay.show_overlays:
        return
    objects = {obj.session_uid: obj for obj in landmarks.holders(context)}
    for each in measures.shown_to_draw(context):
        obj: Any = objects.get(each.object_uid)
        measured = each.measured
        if obj is None or measured.measure.hidden or not (measured.points and each.is_current):
            continue
        if obj.visible_in_viewport_get(space):
            yield each


def _segments(shown: ShownMeasure) -> FloatArray:
    """The segments (N, 2, 3) of its line."""
    points = np.array(shown.measured.points)
    return np.stack([points[:-1], points[1:]], axis=1)


def _middle(points: FloatArray) -> FloatArray:
    """The place (3,) half-way along a line (N, 3)."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    ends = np.cumsum(steps)
    if not len(ends) or not ends[-1] > 0.0:
        return np.asarray(points[0])
    half = ends[-1] / 2.0
    number = int(np.searchsorted(ends, half))
    share = 1.0 - (ends[number] - half) / steps[number]
    return np.asarray(points[number] + share * (points[number + 1] - points[number]))


def _text(shown: ShownMeasure, scene: bpy.types.Scene) -> str:
    value = formatting.measured(shown.measured, scene)
    return f"{shown.measured.name}  {value}"
