# SPDX-License-Identifier: GPL-3.0-or-later
"""What is under the mouse: the hits as it moves, and the landmark that a drag would move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import bpy
import numpy as np

from .. import idnames, settings
from ..bridge import query
from ..bridge.hit_objects import object_of
from ..bridge.landmarks import storage
from ..bridge.query import viewport_query
from ..bridge.query_options import QueryOptions
from ..bridge.scene import changes
from ..bridge.view import cameras
from ..bridge.view.cameras import viewports_of
from ..model.hit import PickHit, Vector, as_vector
from ..model.landmarks.landmark import Landmark
from ..model.record import PickRecord
from ..settings import present
from ..standalone_core import RaypickError
from ..standalone_core.extension import FloatArray, IntArray
from . import current, landmarks, queries, redraw, viewports
from .current import Touched
from .landmarks import Shown
from .viewports import Spot

_TOOLS = (idnames.PICK_TOOL, idnames.LANDMARK_TOOL)
_QUICK_SECONDS = 0.003  # all hits are found at each move of the mouse only if that takes less
_REST_SECONDS = 0.12  # slower searches wait until the mouse has rested this long
_LABEL_SECONDS = 0.4  # the label has further lines when the mouse has rested this long
_WATCH_SECONDS = 0.2

_HOLD_PIXELS = 9.0  # from a landmark's center, at an interface scale of 1
_MOST_TRIED = 8  # of the landmarks in a crowd: more are hidden by the same thing
_ROUNDING = 1e-4  # a surface hides a landmark if it is nearer by more than this share

_spot: Spot | None = None
_looked_at: tuple[object, ...] | None = None
"""The `_state` of scene and view when the hits at the spot were last found."""

_all_hits_seconds = 0.0
_resting = False


def hover(context: bpy.types.Context, spot: Spot) -> None:
    """Show what is at a pixel of a viewport, and nothing if that cannot be found.

    If it takes long to find all hits, the nearest is shown at once, and the others are found when
    the mouse rests.
    """
    global _resting, _spot
    if _spot is None or (spot.region, spot.pixel) != (_spot.region, _spot.pixel):
        _resting = False
        redraw.at_rest(_rest, _LABEL_SECONDS)
    _spot, before, touched = spot, current.hovered(), current.touched()
    record = _look(context)
    _keep_rank(record, before)
    are_seen = (each.hits or each.unpickable for each in (before, record) if each is not None)
    if touched or current.touched() or any(are_seen):
        redraw.redraw(context)
    redraw.follow()


def follow(context: bpy.types.Context, event: bpy.types.Event) -> None:
    """Show what is at the mouse; nothing where it is over no viewport."""
    spot = viewports.under(present(context.window), event.mouse_x, event.mouse_y)
    if spot is None:
        leave(context)
    else:
        hover(context, spot)


def pixel() -> tuple[int, int] | None:
    """The mouse's pixel in its region; None over no viewport."""
    return _spot and _spot.pixel


def is_looking() -> bool:
    """Whether the mouse is over a viewport, so that the hits under it are shown."""
    return _spot is not None


def is_resting() -> bool:
    """Whether the mouse has rested for a while."""
    return _resting


def is_outdated() -> bool:
    """Whether the scene or the view has changed since the hits under the mouse were found."""
    return _window() is not None and _looked_at != _state()


def look_again(context: bpy.types.Context) -> None:
    """Find the hits at the same pixel again, if the scene or the view has changed.

    If the user has stepped to a hit farther back, it stays current if it is of the same object.
    """
    global _looked_at
    before = current.hovered()
    if _spot is None or not is_outdated() or _spot.area not in [*present(context.screen).areas]:
        return
    # While an operator of Blender's own, as for moving objects or the view, handles the mouse, we
    # do not know where the mouse is. Operators of add-ons do not count: some always run.
    if any(type(each) is bpy.types.Operator for each in present(context.window).modal_operators):
        current.hover(None)
        _looked_at = _state()
        return
    record = _look(context)
    if before is not None and record is not None and 0 < before.rank < len(record.hits):
        was, now = before.hits[before.rank], record.hits[before.rank]
        if (was.session_uid, was.instance) == (now.session_uid, now.instance):
            record.look_at(before.rank)
    redraw.follow()


def look_at(context: bpy.types.Context, spot: Spot) -> PickRecord:
    """What is shown under the mouse if it is at this pixel now, or else a pick of the nearest hit.

    Nothing is kept; RaypickError if it cannot be found.
    """
    shown = current.hovered()
    is_here = current.has_mouse(spot.region) and pixel() == spot.pixel
    if shown is not None and is_here and not is_outdated():
        return replace(shown)
    return queries.pick(context, spot, replace(user_options(), all_hits=False))


def find_all() -> None:
    """Find all hits under the mouse now, if that was put off until the mouse rests."""
    if redraw.stop_timer(_find_all):
        _find_all()


def leave(context: bpy.types.Context) -> None:
    """Show nothing under the mouse any more."""
    global _resting, _spot
    _spot, _resting = None, False
    redraw.stop_timer(_find_all)
    redraw.stop_timer(_rest)
    if current.hovered() is not None:
        current.hover(None)
        redraw.redraw(context)


def watch_tool() -> None:
    """Stop hovering soon after the user chooses another tool."""
    redraw.start_timer(_watch, _WATCH_SECONDS)


def forget() -> None:
    """Forget the hits under the mouse and the last click: another file has other viewports."""
    leave(bpy.context)
    current.forget_click()


def _look(context: bpy.types.Context) -> PickRecord | None:
    """Find the hits at the spot: if that is slow, the nearest now, and all when the mouse rests.

    If the user has stepped to a hit farther back, all are found now.
    """
    before = current.hovered()
    has_walked = before is not None and before.rank > 0
    at_once = has_walked or _all_hits_seconds < _QUICK_SECONDS
    record = _show(context, at_once)
    redraw.stop_timer(_find_all)
    if not at_once and user_options().all_hits:
        redraw.start_timer(_find_all, _REST_SECONDS)
    return record


def _show(context: bpy.types.Context, all_hits: bool) -> PickRecord | None:
    """Show what is under the mouse, with the user's options; nothing where that fails."""
    global _all_hits_seconds, _looked_at, _spot
    spot = present(_spot)
    spot = _spot = spot._replace(region_data=present(spot.region.data))  # quad view has others
    options = user_options()
    all_hits = all_hits and options.all_hits
    is_marking = viewports.active_tool(context) == idnames.LANDMARK_TOOL
    record, found = None, None
    try:
        record = queries.pick(context, spot, replace(options, all_hits=all_hits))
        found = landmark_under(context, spot) if is_marking else None
    except RaypickError:
        pass
    if record is not None and all_hits:
        _all_hits_seconds = record.seconds
    _looked_at = _state()
    touched = Touched(found.landmark.name, found.point) if found else None
    current.hover(record, spot.region.as_pointer(), is_marking, touched)
    return record


def _state() -> tuple[object, ...]:
    """The state of scene, landmarks and view, on which what is under the mouse depends."""
    region = present(_spot).region
    matrix = tuple(row[:] for row in present(region.data).perspective_matrix[:])
    return changes.pending.number, storage.revision, matrix, region.width, region.height


def _window() -> bpy.types.Window | None:
    """The window of the spot; None without a spot, or if its viewport or region is gone."""
    if _spot is None:
        return None
    for window in bpy.context.window_manager.windows:
        if _spot.area in viewports_of(window) and _is_view(_spot.area, _spot.region):
            return window
    return None


def _is_view(area: bpy.types.Area, region: bpy.types.Region) -> bool:
    """Whether an area still has a region as a view; Blender may reuse the memory of a region."""
    return region in [each for each in area.regions if each.data is not None]


def _keep_rank(record: PickRecord | None, before: PickRecord | None) -> None:
    """Keep the rank if the hits are the same: turning the wheel also moves the mouse a little."""
    if record is not None and before is not None and record.has_same_hits(before):
        record.look_at(before.rank)


def user_options() -> QueryOptions:
    """The options as the user has set them, or else the defaults."""
    preferences = settings.preferences()
    return preferences.options.query_options() if preferences else QueryOptions(all_hits=True)


def _find_all() -> None:
    """Find all hits under the mouse, if the view of the spot still exists."""
    window, before = _window(), current.hovered()
    if window is None or _spot is None:
        return
    with bpy.context.temp_override(window=window, area=_spot.area, region=_spot.region):
        _keep_rank(_show(bpy.context, True), before)
        redraw.redraw(bpy.context)
        redraw.follow()


def _rest() -> None:
    global _resting
    _resting = True
    if current.hovered() is not None or current.touched() is not None:
        redraw.redraw(bpy.context)


def _watch() -> float | None:
    if not is_looking():
        return None
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            if viewports.active_tool(bpy.context) in _TOOLS:
                return _WATCH_SECONDS
    leave(bpy.context)
    return None


# Landmarks under the mouse


class Found(NamedTuple):
    """A landmark of an object, and where it is in world space."""

    object: bpy.types.Object
    landmark: Landmark
    point: Vector


def landmark_under(context: bpy.types.Context, spot: Spot) -> Found | None:
    """The foremost landmark that a drag could move, of those near a spot; None if there is none.

    Hidden, locked, linked and occluded landmarks are passed over.
    """
    every = landmarks.shown(context)
    if not every:
        return None
    camera = cameras.camera(spot.region, spot.region_data)
    points = np.concatenate([each.places.points for each in every])
    x, y, depths = camera.project(points)
    away = np.hypot(x - spot.center[0], y - spot.center[1])  # NaN for unknown places
    rows = np.flatnonzero(away <= _HOLD_PIXELS * settings.ui_scale())
    rows = rows[camera.is_in_front(points[rows])]
    rows = rows[np.argsort(depths[rows], kind="stable")]
    tried = islice(_movable(context, spot, every, rows), _MOST_TRIED)
    return next((each for each in tried if _is_seen(context, spot, np.array(each.point))), None)


def _movable(
    context: bpy.types.Context, spot: Spot, every: Sequence[Shown], rows: IntArray
) -> Iterator[Found]:
    """Those of some landmarks that are drawn and may be moved; `rows` (N,) count over all."""
    space = cameras.space_of(context, spot.region_data)
    objects = {obj.session_uid: obj for obj in landmarks.holders(context)}
    ends = np.cumsum([len(each.rows) for each in every])
    numbers = np.searchsorted(ends, rows, "right")
    # Rows of an object count from its end: below 0.
    for shown, own in zip([every[n] for n in numbers.tolist()], rows - ends[numbers], strict=True):
        group, one = shown.rows[own]
        obj = objects.get(shown.object_uid)
        is_kept = group.hidden or one.hidden or group.locked or one.locked
        if is_kept or obj is None or storage.why_not_editable(obj) is not None:
            continue
        has_copy = one.anchor is not None and one.anchor.instancer is not None
        if space is None or has_copy or obj.visible_in_viewport_get(space):
            yield Found(obj, one, as_vector(shown.places.points[own].tolist()))


def on_surface(
    context: bpy.types.Context, spot: Spot, options: QueryOptions, obj: bpy.types.Object
) -> PickHit | None:
    """The nearest hit on an object at a spot, through everything in front of the object."""
    options = replace(options, all_hits=True, tolerance=0.0)
    asked = viewport_query(context, spot.region, spot.region_data, spot.center, options)
    return next((hit for hit in query.hits(context, asked) if object_of(hit) == obj), None)


def _is_seen(context: bpy.types.Context, spot: Spot, point: FloatArray) -> bool:
    """Whether nothing hides a point (3,); wireframe and X-ray views hide nothing."""
    region, region_data = spot.region, spot.region_data
    space: Any = cameras.space_of(context, region_data)
    if space is not None and (space.shading.type == "WIREFRAME" or space.shading.show_xray):
        return True
    x, y, _ = cameras.camera(region, region_data).project(point)
    options = QueryOptions(solid_only=True, exclude=current.excluded_objects())
    asked = viewport_query(context, region, region_data, (float(x), float(y)), options)
    way = point - np.array(asked.origin)
    distance = float(way @ np.array(asked.direction))
    hits = query.hits(context, replace(asked, cull=None))
    return not hits or hits[0].distance >= distance - _ROUNDING * abs(distance)
