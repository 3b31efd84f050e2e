# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the kept pick and the hits under the mouse up to date with the scene.

Each change of the scene is counted and requests a redraw. The first panel or viewport that is then
drawn updates everything, once for any number of changes. Whatever cannot be updated while drawing
is not drawn until a timer has updated it.
"""

from __future__ import annotations

import threading

import bpy

from ..bridge.hit_objects import object_of
from ..bridge.scene import changes
from ..bridge.scene.changes import NotWhileDrawingError, evaluated_depsgraph, while_drawing
from ..model.record import PickRecord
from . import current, hover, landmarks, queries, redraw

ELSEWHERE = "Picked in another scene"
UPDATING = "Updating"

_LONG_SECONDS = 0.1
"""Updates slower than this wait until the scene rests, so that playback goes on."""

_seconds = 0.0


def update(context: bpy.types.Context) -> None:
    """Update what is shown, if anything has changed since."""
    global _seconds
    evaluated_depsgraph(context)  # evaluating counts the changes
    record = _outdated(context)
    if record is not None:
        _seconds = queries.follow(context, record)
    hover.look_again(context)


def update_to_draw(context: bpy.types.Context) -> bool:
    """Update from a panel or a viewport that is about to be drawn.

    Return whether anything was updated: then what was drawn before is out of date.
    """
    outdated = _outdated(context)
    if outdated is None and not hover.is_outdated():
        return False
    try:
        with while_drawing():
            if outdated is not None and _takes_long(outdated):
                redraw.look_at_rest(update)
                hover.look_again(context)
            else:
                update(context)
    except NotWhileDrawingError:
        redraw.look_at_rest(update)
        return False
    return True


def stale(record: PickRecord, context: bpy.types.Context) -> str | None:
    """Why the place of a pick is unknown now, in English; None if it is known."""
    if record.hit is None:
        return None
    if not record.is_of(context.scene):
        return ELSEWHERE
    if _is_outdated(record, context) if record is current.kept() else hover.is_outdated():
        return UPDATING
    return record.stale


def register() -> None:
    """Redraw after each change of the scene; drawing then updates."""
    changes.pending.on_change = _redraw


def unregister() -> None:
    """Stop updating."""
    changes.pending.on_change = lambda: None


def _outdated(context: bpy.types.Context) -> PickRecord | None:
    """The kept pick, if it is one of this scene and out of date."""
    record = current.kept()
    if record is None or not record.is_of(context.scene) or not _is_outdated(record, context):
        return None
    return record


def _is_outdated(record: PickRecord, context: bpy.types.Context) -> bool:
    """Whether the scene has changed, or the hit object has another name, since the last lookup.

    Another view layer counts as a change.
    """
    hit = record.hit_now
    if hit is None:
        return False
    if record.as_of != queries.state_of(context):
        return True
    if record.stale is not None:
        return False
    found = object_of(hit)
    return found is None or found.name != hit.object


def _takes_long(record: PickRecord) -> bool:
    """Whether the update is put off until the scene rests.

    The first update takes about as long as the pick did. If only the view layer has
    changed, there is nothing to wait for.
    """
    has_changed = record.as_of is None or record.as_of[0] != changes.pending.number
    return has_changed and ((record.now and _seconds) or record.seconds) > _LONG_SECONDS


def _redraw() -> None:
    """Redraw what is shown, but not from the thread of a render, where nothing may be drawn."""
    if bpy.app.background or threading.current_thread() is not threading.main_thread():
        return
    if current.kept() is not None or hover.is_looking():
        redraw.redraw(bpy.context)
    elif landmarks.are_shown():
        redraw.redraw_sidebars(bpy.context)
