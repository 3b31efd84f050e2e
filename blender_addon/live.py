# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at what is under the moving mouse, by the inspector or by the tool."""

from __future__ import annotations

import bpy

from . import clicks, declarations, picked, progress, questions, settings, viewports
from .pick_record import PickRecord
from .standalone_core import RaypickError
from .viewports import Spot

_QUICK_SECONDS = 0.02
"""What takes longer to find than this is not found at each move of the mouse."""

_REST_SECONDS = 0.12
"""So long the mouse has to rest for it."""

_WATCH_SECONDS = 0.2

_spot: Spot | None = None
_all_hits_seconds = 0.0


def hover(context: bpy.types.Context, spot: Spot) -> None:
    """Show what is at a place of a viewport as what is under the mouse; nothing where it fails.

    Where it takes long to find all hits, the nearest is shown at once and the others when the
    mouse rests.
    """
    global _spot
    _spot, before = spot, picked.hovered()
    has_walked = before is not None and before.rank > 0
    at_once = has_walked or _all_hits_seconds < _QUICK_SECONDS
    _show(context, at_once)
    _stop_waiting()
    if not at_once and _options().get("all_hits"):
        bpy.app.timers.register(_find_all, first_interval=_REST_SECONDS)


def find_all() -> None:
    """Find all hits under the mouse now, if that is still waited with."""
    if bpy.app.timers.is_registered(_find_all):
        _stop_waiting()
        _find_all()


def leave(context: bpy.types.Context) -> None:
    """Nothing is under the mouse any more."""
    global _spot
    _spot = None
    _stop_waiting()
    if picked.hovered() is not None:
        picked.hover(None)
        progress.redraw(context)


def watch_tool() -> None:
    """End the look under the mouse soon after the tool was left."""
    if not bpy.app.timers.is_registered(_watch):
        bpy.app.timers.register(_watch, first_interval=_WATCH_SECONDS)


def register() -> None:
    """Nothing is looked at yet."""


def unregister() -> None:
    """Stop watching and waiting."""
    leave(bpy.context)
    clicks.forget()
    if bpy.app.timers.is_registered(_watch):
        bpy.app.timers.unregister(_watch)


def _show(context: bpy.types.Context, all_hits: bool) -> None:
    before, record = picked.hovered(), _ask(context, all_hits)
    if record is not None and record.has_same_hits(before):
        record.look_at(before.rank)  # a hand at the wheel is not quite still
    picked.hover(record, _spot.region.as_pointer())
    if any(each is not None and each.hits for each in (before, record)):
        progress.redraw(context)
    progress.follow()


def _ask(context: bpy.types.Context, all_hits: bool) -> PickRecord | None:
    """What is under the mouse, as the person has set the options; None where it fails."""
    global _all_hits_seconds
    options = _options()
    options["all_hits"] = all_hits and options.get("all_hits", True)
    try:
        record = questions.pick(context, *_spot[1:], options)
    except RaypickError:
        return None
    if options["all_hits"]:
        _all_hits_seconds = record.seconds
    return record


def _options() -> dict[str, object]:
    preferences = settings.preferences()
    return preferences.options.pick_options() if preferences else {}


def _find_all() -> None:
    """Find all hits under the mouse, if its viewport is still there and shows as many views."""
    global _spot
    for window in bpy.context.window_manager.windows:
        if _spot is None or _spot.area not in viewports.areas(window):
            continue
        if _spot.region not in [*_spot.area.regions]:
            continue
        _spot = _spot._replace(region_data=_spot.region.data)
        with bpy.context.temp_override(window=window, area=_spot.area, region=_spot.region):
            _show(bpy.context, True)


def _stop_waiting() -> None:
    if bpy.app.timers.is_registered(_find_all):
        bpy.app.timers.unregister(_find_all)


def _watch() -> float | None:
    if picked.hovered() is None:
        return None
    manager = bpy.context.window_manager
    for window in manager.windows:
        with bpy.context.temp_override(window=window):
            if viewports.active_tool(bpy.context) == declarations.PICK_TOOL:
                return _WATCH_SECONDS
    leave(bpy.context)
    return None
