# SPDX-License-Identifier: GPL-3.0-or-later
"""From a position in a 3D viewport to what is asked of the scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import bpy
import numpy as np

from ..standalone_core.extension import AroundPixel, Cull, distance, instance_of
from .query import Question
from .scene.visibility import Rule, rule_given
from .snapping import Snap, snapping
from .tolerance import tolerance as tolerated
from .validation import flag
from .view import cameras
from .view import clip as clipping


class Asked(NamedTuple):
    """The viewport that decides on visibility, what is left out besides, and the question."""

    space: bpy.types.SpaceView3D | None
    rule: Rule
    question: Question


def pixel_question(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    position: Sequence[float],
    max_distance: float = inf,
    cull: Cull = None,
    all_hits: bool = False,
    *,
    clip: bool = True,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Iterable[str | bpy.types.Object] = (),
    snap: Snap = None,
    snap_radius: float = 15.0,
    tolerance: float = 0.0,
) -> Asked:
    """What :func:`.api.pick` asks."""
    instance_of(context, bpy.types.Context, "context")
    seen = cameras.camera(region, region_data)
    pixel = cameras.pixel(position)
    around = AroundPixel(seen, *pixel)
    ray = around.ray
    space = cameras.space_of(context, region_data)
    most, every = distance(max_distance), flag(all_hits, "all_hits")
    question = Question(ray.origin, ray.direction, most, cull, every)
    if snap is not None:
        question = replace(question, snapping=snapping(snap, seen, pixel, snap_radius))
    clip = flag(clip, "clip")
    planes = clipping.seen_planes(region_data, space) if clip else np.empty((0, 4))
    question = replace(question, tolerance=tolerated(tolerance, around, planes))
    if clip:
        least, most = clipping.interval(planes, ray)
        question = replace(question, least=least, most=most, in_front_first=cameras.is_solid(space))
        if cull is None and cameras.culls_back_faces(space):
            question = replace(question, cull="back")
    elif cameras.is_orthographic(region_data):
        question = replace(question, least=-inf)
    rule = rule_given(selectable_only, solid_only, evaluated, exclude)
    return Asked(space, rule, question)
