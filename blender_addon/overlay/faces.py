# SPDX-License-Identifier: GPL-3.0-or-later
"""The face under the mouse, and the kept pick: its ray, its triangle and its point."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import bpy
import numpy as np
from mathutils.geometry import tessellate_polygon

from .. import settings
from ..bridge import placing
from ..bridge.hit_objects import object_of
from ..model.hit import Color, PickHit, Vector
from ..model.record import PickRecord
from ..session import current, following, hover, redraw
from ..session.current import Touched
from ..settings import present
from ..standalone_core.extension import FloatArray
from . import view
from .canvas import Canvas, in_view_space

_MOST_CORNERS = 2000  # larger faces take too long to draw: only the triangle is drawn
_NORMAL_LENGTH = 40.0
_POINT_RADIUS = 3.5
_STALE = (0.6, 0.6, 0.6, 0.8)
_UNSEEN = (following.UPDATING, placing.REMOVED)


def draw() -> None:
    """Draw into the viewport of the context."""
    context, preferences = bpy.context, settings.preferences()
    if following.update_to_draw(context):
        redraw.redraw_sidebars(context)
    kept, hovered = kept_here(context), hovered_here(context)
    if preferences is None or (kept is None and hovered is None):
        return
    canvas = Canvas(context)
    with in_view_space():
        if hovered is not None and current.touched() is None:
            _draw_hovered(canvas, present(hovered.hit), preferences)
        if kept is not None:
            _draw_kept(canvas, kept, preferences)


def _draw_kept(canvas: Canvas, record: PickRecord, colors: Any) -> None:
    """Draw the kept pick; if it is stale, where it was, in gray, without ray and normal."""
    if record.stale:
        hit = present(record.hit)
        canvas.lines(_around(np.array(hit.corners)), _STALE, 1.0)
        canvas.disc(np.array(hit.point), _STALE, _POINT_RADIUS)
        return
    hit = present(record.hit_now)
    point, triangle = np.array(hit.point), np.array(hit.corners)
    canvas.fill(triangle[None], _faint(colors.triangle_color, 0.2))
    canvas.lines(_around(triangle), colors.triangle_color, 2.0)
    if record.origin is not None:
        ray = np.array([record.origin, point])
        # No ray was cast to a place that has moved since: draw it fainter.
        opacity = 1.0 if hit.point == present(record.hit).point else 0.3
        canvas.lines(ray[None], _faint(colors.ray_color, opacity), 1.5)
    if colors.show_from_origin:
        canvas.lines(np.array([[np.zeros(3), point]]), colors.triangle_color, 1.5)
    _draw_place(canvas, hit, colors)


def _draw_hovered(canvas: Canvas, hit: PickHit, colors: Any) -> None:
    triangle = np.array(hit.corners)
    if current.is_marking():  # a landmark's place must stay visible
        canvas.lines(_around(triangle), colors.live_color, 1.0)
        canvas.disc(np.array(hit.point), colors.point_color, _POINT_RADIUS)
        return
    if len(hit.face_corners) <= _MOST_CORNERS:
        canvas.fill(_triangles(hit.face_corners), _faint(colors.live_color, 0.15))
        if len(hit.face_corners) > 3:
            outline = _around(np.array(hit.face_corners))
            canvas.lines(outline, _faint(colors.live_color, 0.6), 1.0)
    canvas.lines(_around(triangle), colors.live_color, 2.0)
    _draw_place(canvas, hit, colors)


def _draw_place(canvas: Canvas, hit: PickHit, colors: Any) -> None:
    point = np.array(hit.point)
    tip = point + np.array(hit.side_normal) * canvas.length_of(_NORMAL_LENGTH, point)
    canvas.lines(np.array([[point, tip]]), colors.normal_color, 1.5)
    canvas.disc(point, colors.point_color, _POINT_RADIUS)


def _around(corners: FloatArray) -> FloatArray:
    """The edges (N, 2, 3) of a polygon (N, 3)."""
    return np.stack([corners, np.concatenate([corners[1:], corners[:1]])], axis=1)


@lru_cache(maxsize=8)
def _triangles(corners: tuple[Vector, ...]) -> FloatArray:
    """Triangles (T, 3, 3) that fill a polygon."""
    face = np.array(corners)
    if len(face) == 3:
        return face[None]
    local = face - face[0]  # tessellation works in single precision
    triangles = np.array(tessellate_polygon([local.tolist()])).reshape(-1, 3)
    return np.asarray(face[triangles])


def _faint(color: Color, opacity: float) -> Color:
    red, green, blue, alpha = color
    return red, green, blue, alpha * opacity


def kept_here(context: bpy.types.Context) -> PickRecord | None:
    """The kept pick, if this viewport shows its scene and its object."""
    record = _here(current.kept(), context)
    if record is None or following.stale(record, context) in _UNSEEN:
        return None
    hit = present(record.hit_now)
    if record.stale or hit.instancer is not None:
        return record
    obj = object_of(hit)  # a local view may hide it
    return record if obj and obj.visible_get(viewport=view.space(context)) else None


def hovered_here(context: bpy.types.Context) -> PickRecord | None:
    """The record of what is under the mouse, if this viewport shows its scene."""
    return None if hover.is_outdated() else _here(current.hovered(), context)


def unpickable_here(context: bpy.types.Context) -> tuple[str, ...]:
    """Names of objects under the mouse in this region that have no faces, if nothing is hit."""
    record = current.hovered()
    has_missed = record is not None and not record.hits
    return record.unpickable if record and has_missed and _has_mouse(context) else ()


def touched_here(context: bpy.types.Context) -> Touched | None:
    """The landmark under the mouse in this region, which a click selects."""
    touched = current.touched()
    return touched if touched is not None and _has_mouse(context) else None


def _has_mouse(context: bpy.types.Context) -> bool:
    """Whether this region has the mouse, and shows what is under it."""
    is_here = current.has_mouse(context.region) and view.space(context).overlay.show_overlays
    return is_here and not hover.is_outdated()


def _here(record: PickRecord | None, context: bpy.types.Context) -> PickRecord | None:
    if record is None or not record.hits or not view.space(context).overlay.show_overlays:
        return None
    return record if record.is_of(context.scene) else None
