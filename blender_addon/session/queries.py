# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries that the interface makes, and their records."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import bpy
import numpy as np

from ..bridge import query
from ..bridge.placing import Place
from ..bridge.query import ray_query, viewport_query
from ..bridge.query_options import QueryOptions
from ..bridge.scene import changes
from ..model.hit import PickHit
from ..model.record import PickRecord, vector
from ..standalone_core import RaypickError
from . import current
from .viewports import Spot


def pick(context: bpy.types.Context, spot: Spot, options: QueryOptions) -> PickRecord:
    """Pick at the center of a pixel; RaypickError where that fails."""
    options = current.excluding(options)
    asked = viewport_query(context, spot.region, spot.region_data, spot.center, options)
    start = time.perf_counter()
    hits = query.hits(context, asked)
    record = _record(context, hits, start, asked.origin, asked.direction)
    if hits:
        asked = replace(asked, max_distance=hits[0].distance)
    record.unpickable = tuple(query.unpickable_at(context, asked))
    return record


def cast(
    context: bpy.types.Context,
    origin: Sequence[float],
    direction: Sequence[float],
    options: QueryOptions,
) -> PickRecord:
    """Find what a ray hits; RaypickError for an invalid ray."""
    start = time.perf_counter()
    hits = query.hits(context, ray_query(origin, direction, options))
    unit = np.array(direction, dtype=np.float64)
    unit /= np.linalg.norm(unit) or 1.0
    return _record(context, hits, start, origin, unit.tolist())


def place(context: bpy.types.Context, place: Place, evaluated: bool) -> PickRecord:
    """Look up a place on a mesh; RaypickError if it does not exist."""
    start = time.perf_counter()
    return _record(context, [query.place(context, place, evaluated)], start)


def follow(context: bpy.types.Context, record: PickRecord) -> float:
    """Find out where the hits of a record are now; return how long that took, in seconds."""
    start = time.perf_counter()
    try:
        record.now = tuple(query.follow(context, record.hits, record.origin))
    except RaypickError as error:
        record.now = (str(error),) * len(record.hits)
    record.as_of = state_of(context)
    return time.perf_counter() - start


def state_of(context: bpy.types.Context) -> tuple[int, int]:
    """A key of the state of the scene in a view layer: another state has another key."""
    depsgraph = context.view_layer.depsgraph
    return changes.pending.number, 0 if depsgraph is None else depsgraph.as_pointer()


def _record(
    context: bpy.types.Context,
    hits: Sequence[PickHit],
    start: float,
    origin: Sequence[float] | None = None,
    direction: Sequence[float] | None = None,
) -> PickRecord:
    """The record of a query that began at `start` and has just been answered."""
    seconds = time.perf_counter() - start
    now = datetime.now().astimezone()
    return PickRecord(
        hits=tuple(hits),
        seconds=seconds,
        origin=vector(origin),
        direction=vector(direction),
        when=now.replace(microsecond=now.microsecond // 1000 * 1000),  # as precise as in files
        file=bpy.data.filepath,
        scene=context.scene.name,
        frame=context.scene.frame_current_final,
        scene_uid=context.scene.session_uid,
        as_of=state_of(context),
    )
