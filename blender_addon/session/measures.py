# SPDX-License-Identifier: GPL-3.0-or-later
"""The current values of the scene's measures, for viewports and panels.

Slow measures are taken again only when the scene rests, so that playback goes on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import bpy

from ..bridge.landmarks.measuring import measured
from ..bridge.scene.changes import NotWhileDrawingError, evaluated_depsgraph, while_drawing
from ..model.landmarks.measure import KINDS, Measure, Measured
from . import landmarks, redraw
from .landmarks import ByViewLayer, State

_LONG_SECONDS = 0.05

Key = tuple[int, str]  # the session UID of the measure's object, and the measure's id


@dataclass(frozen=True, slots=True)
class ShownMeasure:
    """A measure with its current value, or the last one known."""

    object_uid: int
    measured: Measured
    state: State
    seconds: float  # how long measuring took
    is_current: bool = True

    @property
    def key(self) -> Key:
        return self.object_uid, self.measured.measure.id


_known: ByViewLayer[dict[Key, ShownMeasure]] = ByViewLayer()


def shown(context: bpy.types.Context) -> list[ShownMeasure]:
    """All measures of the scene as they are now."""
    return _shown(context, waits=False)


def shown_to_draw(context: bpy.types.Context) -> list[ShownMeasure]:
    """All measures, while drawing: slow ones have their last value until the scene rests."""
    try:
        with while_drawing():
            found = _shown(context, waits=True)
    except NotWhileDrawingError:
        known = _known.last(landmarks.state_of(context)) or {}
        found = [replace(each, is_current=False) for each in known.values()]
    if not all(each.is_current for each in found):
        redraw.look_at_rest(shown)
    return found


def forget() -> None:
    """Forget all: another file is loaded."""
    _known.clear()


def _shown(context: bpy.types.Context, waits: bool) -> list[ShownMeasure]:
    """All measures; if it `waits`, slow ones keep their last value."""
    evaluated_depsgraph(context)  # evaluating counts the changes
    state = landmarks.state_of(context)
    last = _known.last(state) or {}
    found: dict[Key, ShownMeasure] = {}
    for obj in landmarks.holders(context):
        document = landmarks.readable(obj)
        every = document.measures if document else ()
        known = {each.id: last.get((obj.session_uid, each.id)) for each in every}
        outdated = [each for each in every if not _is_current(known[each.id], each, state)]
        quick = [each for each in outdated if not KINDS[each.kind].is_long]
        if quick:
            known.update(_measure(context, obj, quick, state))
        for each in outdated:
            if KINDS[each.kind].is_long:
                was = known[each.id]
                if waits and was is not None and was.seconds > _LONG_SECONDS:
                    known[each.id] = replace(was, is_current=False)
                else:
                    known.update(_measure(context, obj, [each], state))
        found.update({(obj.session_uid, name): each for name, each in known.items() if each})
    return [*_known.keep(state, found).values()]


def _is_current(known: ShownMeasure | None, measure: Measure, state: State) -> bool:
    return known is not None and known.state == state and known.measured.measure == measure


def _measure(
    context: bpy.types.Context, obj: bpy.types.Object, measures: list[Measure], state: State
) -> dict[str, ShownMeasure]:
    """Take measures of an object together; return them by id."""
    start = time.perf_counter()
    values = measured(context, obj, measures)
    seconds = time.perf_counter() - start
    return {each.measure.id: ShownMeasure(obj.session_uid, each, state, seconds) for each in values}
