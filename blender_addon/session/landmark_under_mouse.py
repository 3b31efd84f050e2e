# SPDX-License-Identifier: GPL-3.0-or-later
"""Which drawn landmark is under the mouse, and where the mouse is on the surface of an object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from .. import settings
from ..bridge import query
from ..bridge.hit_objects import object_of
from ..bridge.landmarks import storage
from ..bridge.query import QueryOptions, viewport_query
from ..bridge.view import cameras
from ..model.hit import PickHit
from ..model.landmarks.landmark import Landmark
from ..standalone_core import Camera
from ..standalone_core.extension import FloatArray
from . import current, landmarks

RADIUS = 9.0
"""So many pixels of the interface from a landmark's middle the mouse still has hold of it."""

_ROUNDING = 1e-4  # what is nearer by a smaller share of the distance does not hide a landmark

Found = tuple[bpy.types.Object, Landmark]


def under(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    pixel: Sequence[int],
) -> Found | None:
    """The landmark at a whole pixel of a region that can be taken hold of; None for none.

    That is the one in front of the others; it is neither hidden, locked, linked nor behind
    anything.
    """
    camera, space = cameras.camera(region, region_data), cameras.space_of(context, region_data)
    center = np.array(pixel) + 0.5
    near: list[tuple[float, Found, FloatArray]] = []
    for shown in landmarks.shown(context):
        free = _free(shown)
        points = shown.places.points[free]
        pixels, depths = _seen(camera, points)
        away = np.linalg.norm(pixels - center, axis=1)
        rows = np.flatnonzero(away <= RADIUS * settings.ui_scale())
        obj = _object(context, shown.object_uid) if len(rows) else None
        if obj is not None and storage.why_not_editable(obj) is None:
            is_own = space is None or obj.visible_in_viewport_get(space)
            for row in rows.tolist():
                one = shown.rows[free[row]][1]
                if is_own or (one.anchor and one.anchor.instancer):
                    near.append((depths[row], (obj, one), points[row]))
    near.sort(key=lambda each: each[0])
    seen = (found for _, found, point in near if _is_visible(context, region, region_data, point))
    return next(seen, None)


def on_surface(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    pixel: Sequence[int],
    options: QueryOptions,
    obj: bpy.types.Object,
) -> PickHit | None:
    """The nearest hit on an object at a whole pixel of a region, through all that is before it."""
    center = [part + 0.5 for part in pixel]
    options = replace(options, all_hits=True, tolerance=0.0)
    asked = viewport_query(context, region, region_data, center, options)
    return next((hit for hit in query.hits(context, asked) if object_of(hit) == obj), None)


def _free(shown: landmarks.Shown) -> list[int]:
    """The rows whose landmarks are drawn, and not locked."""
    return [
        row
        for row, (group, each) in enumerate(shown.rows)
        if shown.places.reasons[row] is None
        and not (group.hidden or each.hidden or group.locked or each.locked)
    ]


def _seen(camera: Camera, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pixels (N, 2) and depths (N,) of points (N, 3); pixels are NaN behind the eye."""
    if not len(points):
        return np.empty((0, 2)), np.empty(0)
    x, y, depth = camera.project(points)
    pixels = np.stack([x, y], axis=1)
    pixels[~camera.is_in_front(points)] = np.nan
    return pixels, depth


def _is_visible(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    point: FloatArray,
) -> bool:
    """Whether nothing is before a point (3,), in a view that hides what is behind."""
    space: Any = cameras.space_of(context, region_data)
    if space is not None and (space.shading.type == "WIREFRAME" or space.shading.show_xray):
        return True
    pixels, _ = _seen(cameras.camera(region, region_data), point[None])
    options = QueryOptions(solid_only=True, exclude=current.excluded_objects())
    asked = viewport_query(context, region, region_data, pixels[0].tolist(), options)
    way = point - np.array(asked.origin)
    distance = float(way @ np.array(asked.direction))
    hits = query.hits(context, replace(asked, cull=None))
    return not hits or hits[0].distance >= distance - _ROUNDING * abs(distance)


def _object(context: bpy.types.Context, uid: int) -> bpy.types.Object | None:
    return next((obj for obj in landmarks.holders(context) if obj.session_uid == uid), None)
