# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of the scene as they are now: what viewports and panels show.

What took long is measured again only when the scene rests, so that playback goes on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import bpy

from ..bridge.landmarks.measuring import LONG, measured
from ..bridge.scene.depsgraph import NotWhileDrawingError, evaluated_depsgraph, while_drawing
from ..model.landmarks.measure import Measure
from ..model.landmarks.measured import Measured
from . import landmarks, redraw, timers
from .by_view_layer import ByViewLayer, State

_LONG_SECONDS = 0.05
_REST_SECONDS = 0.2

Key = tuple[int, str]  # the session UID of the object that keeps it, and its id


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """A measure as it is now, or as it was last."""

    object_uid: int
    measured: Measured
    state: State
    seconds: float  # how long it took
    is_current: bool = True

    @property
    def key(self) -> Key:
        return self.object_uid, self.measured.measure.id


_known: ByViewLayer[dict[Key, ShownMeasure]] = ByViewLayer()


def shown(context: bpy.types.Context) -> list[ShownMeasure]:
    """All measures of the scene as they are now."""
    return _shown(context, waits=False)


def shown_to_draw(context: bpy.types.Context) -> list[ShownMeasure]:
    """All measures, for what is being drawn: those that took long as they were, until it rests."""
    try:
        with while_drawing():
            found = _shown(context, waits=True)
    except NotWhileDrawingError:
        known = _known.last(landmarks.state_of(context)) or {}
        found = [replace(each, is_current=False) for each in known.values()]
    if not all(each.is_current for each in found):
        timers.stop(_look)
        timers.start(_look, _REST_SECONDS)
    return found


def forget() -> None:
    """Forget all: another file is loaded."""
    _known.clear()


def _shown(context: bpy.types.Context, waits: bool) -> list[ShownMeasure]:
    evaluated_depsgraph(context)  # which tells what has changed
    state = landmarks.state_of(context)
    last = _known.last(state) or {}
    found: dict[Key, ShownMeasure] = {}
    for obj in landmarks.holders(context):
        document = landmarks.readable(obj)
        for measure in document.measures if document else ():
            key = obj.session_uid, measure.id
            known = last.get(key)
            if known is None or known.state != state or known.measured.measure != measure:
                known = _measure(context, obj, measure, state, known if waits else None)
            found[key] = known
    return [*_known.keep(state, found).values()]


def _measure(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    measure: Measure,
    state: State,
    last: ShownMeasure | None,
) -> ShownMeasure:
    """Measure it, or leave the value as it was last where that took long."""
    if last is not None and measure.kind in LONG and last.seconds > _LONG_SECONDS:
        return replace(last, is_current=False)
    start = time.perf_counter()
    (value,) = measured(context, obj, [measure])
    return ShownMeasure(obj.session_uid, value, state, time.perf_counter() - start)


def _look() -> None:
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            shown(bpy.context)
    redraw.redraw(bpy.context)
