# SPDX-License-Identifier: GPL-3.0-or-later
"""From a ray, or a position in a 3D viewport, to the query of the scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

import bpy
import numpy as np

from ..standalone_core.extension import AroundPixel, Cull, distance, instance_of
from . import snapping, tolerance
from .query import PickQuery
from .scene.visibility import checked_rule
from .snapping import Snap
from .validation import flag
from .view import cameras, clip


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of :func:`.api.pick`, and of :func:`.api.ray_cast`, which has some of them."""

    max_distance: float = inf
    cull: Cull = None
    all_hits: bool = False
    clip: bool = True
    selectable_only: bool = False
    solid_only: bool = False
    evaluated: bool = True
    exclude: Iterable[str | bpy.types.Object] = ()
    snap: Snap = None
    snap_radius: float = 15.0
    tolerance: float = 0.0


def ray_query(
    origin: Sequence[float],
    direction: Sequence[float],
    options: QueryOptions,
    space: bpy.types.SpaceView3D | None = None,
) -> PickQuery:
    """The query for a ray in world space."""
    return PickQuery(
        origin,
        direction,
        options.max_distance,
        options.cull,
        flag(options.all_hits, "all_hits"),
        checked_rule(
            options.selectable_only, options.solid_only, options.evaluated, options.exclude
        ),
        space,
    )


def viewport_query(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    position: Sequence[float],
    options: QueryOptions,
) -> PickQuery:
    """The query for the ray through a position in a region."""
    instance_of(context, bpy.types.Context, "context")
    camera = cameras.camera(region, region_data)
    around = AroundPixel(camera, *cameras.pixel(position))
    ray = around.ray
    space = cameras.space_of(context, region_data)
    distance(options.max_distance)
    query = ray_query(ray.origin.tolist(), ray.direction.tolist(), options, space)
    if options.snap is not None:
        snap = snapping.snapping(options.snap, around, options.snap_radius)
        query = replace(query, snapping=snap)
    is_clipped = flag(options.clip, "clip")
    planes = clip.view_planes(region_data, space) if is_clipped else np.empty((0, 4))
    query = replace(query, tolerance=tolerance.tolerance(options.tolerance, around, planes))
    if is_clipped:
        least, most = clip.interval(planes, ray)
        query = replace(query, least=least, most=most)
        if space is not None and space.shading.type == "SOLID":  # draws "in front" objects first
            query = replace(query, in_front_first=True)
            if query.cull is None and space.shading.show_backface_culling:
                query = replace(query, cull="back")
    elif not camera.is_perspective:
        query = replace(query, least=-inf)
    return query
