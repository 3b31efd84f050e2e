# SPDX-License-Identifier: GPL-3.0-or-later
"""What the interface asks, and the records of the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import bpy
import numpy as np

from .. import api
from ..bridge import query
from ..bridge.scene import changes
from ..bridge.viewport_query import pixel_question
from ..model.hit import PickHit
from ..model.record import PickRecord, vector
from ..standalone_core import RaypickError
from . import exclusions


def pick(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    pixel: Sequence[int],
    options: dict[str, object],
) -> PickRecord:
    """Ask what a whole pixel of a region shows, at its center; RaypickError if it cannot be told.

    Events count whole pixels, and the viewport draws in each what is at its center.
    """
    options = {"exclude": exclusions.objects(), **options}
    center = tuple(part + 0.5 for part in pixel)
    asked = pixel_question(context, region, region_data, center, **options)
    ray = asked.question.origin, asked.question.direction
    record = _record(context, lambda: query.hits(context, *asked), ray)
    nearer = record.hits[0].distance if record.hits else asked.question.max_distance
    before = asked._replace(question=replace(asked.question, max_distance=nearer))
    record.unpickable = tuple(query.unpickable_at(context, *before))
    return record


def cast(
    context: bpy.types.Context,
    origin: Sequence[float],
    direction: Sequence[float],
    options: dict[str, object],
) -> PickRecord:
    """Ask what a ray hits; RaypickError for a ray that is none."""
    unit = np.array(direction, dtype=np.float64)
    unit /= np.linalg.norm(unit) or 1.0
    return _record(
        context, lambda: api.ray_cast(context, origin, direction, **options), (origin, unit)
    )


def place(context: bpy.types.Context, **place: object) -> PickRecord:
    """Ask for a place, given as :func:`.api.place` takes it; RaypickError if there is none."""
    return _record(context, lambda: [api.place(context, **place)], (None, None))


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
    """The scene as a view layer shows it: another number means another state."""
    depsgraph = context.view_layer.depsgraph
    return changes.pending.number, 0 if depsgraph is None else depsgraph.as_pointer()


def _record(
    context: bpy.types.Context,
    ask: Callable[[], list[PickHit]],
    ray: tuple[Sequence[float] | None, Sequence[float] | None],
) -> PickRecord:
    start = time.perf_counter()
    hits = ask()
    seconds = time.perf_counter() - start
    origin, direction = map(vector, ray)
    return PickRecord(
        hits=tuple(hits),
        seconds=seconds,
        origin=origin,
        direction=direction,
        when=_now(),
        file=bpy.data.filepath,
        scene=context.scene.name,
        frame=context.scene.frame_current_final,
        scene_uid=context.scene.session_uid,
        as_of=state_of(context),
    )


def _now() -> datetime:
    """In milliseconds, as files have it."""
    now = datetime.now().astimezone()
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
