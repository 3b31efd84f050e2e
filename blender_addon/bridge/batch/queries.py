# SPDX-License-Identifier: GPL-3.0-or-later
"""From the arguments of callers to queries of many rays."""

from __future__ import annotations

import bpy
import numpy as np

from ...standalone_core import Camera
from ...standalone_core.extension import ArgumentError, described
from ..scene.visibility import Rule
from ..validation import flag, index
from ..view import cameras, clip
from .casting import HowToCast
from .rays import PixelRays
from .run import BatchQuery

_MOST_SAMPLES = 64


def region_survey(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    rule: Rule,
    how: HowToCast,
    samples: int = 1,
    clipped: bool = True,
    max_distance: float = np.inf,
) -> BatchQuery:
    """Rays through all pixels of a region, that hit what :func:`.api.pick` does there."""
    camera = cameras.camera(region, region_data)
    space = cameras.space_of(context, region_data)
    planes = clip.view_planes(region_data, space) if flag(clipped, "clip") else None
    is_solid = clipped and space is not None and space.shading.type == "SOLID"
    culls = is_solid and space is not None and space.shading.show_backface_culling
    how = HowToCast(
        "back" if culls and how.cull is None else how.cull,
        how.threads,
        in_front_first=is_solid,
        behind_too=not clipped and not camera.is_perspective,
    )
    rays = PixelRays(camera, checked_samples(samples), planes, max_distance)
    return BatchQuery(rays, how, rule, space)


def camera_survey(
    context: bpy.types.Context,
    camera: bpy.types.Object | str | Camera | None,
    rule: Rule,
    how: HowToCast,
    samples: int = 1,
    clipped: bool = True,
    max_distance: float = np.inf,
) -> BatchQuery:
    """Rays through all pixels of a render, or of a camera of the core; the border counts."""
    planes, rendered, clipped = None, None, flag(clipped, "clip")
    if not isinstance(camera, Camera):
        found = cameras.named_camera(camera)
        camera = cameras.render_camera(context, found)
        rendered = cameras.picture(context.scene).rendered
        if clipped:
            planes = cameras.render_planes(context, camera, found)
    rays = PixelRays(camera, checked_samples(samples), planes, max_distance, rendered)
    return BatchQuery(rays, how, rule)


def checked_samples(value: int) -> int:
    """Check how many samples a pixel has along each side."""
    samples = index(value, "samples")
    if samples is None or not 1 <= samples <= _MOST_SAMPLES:
        raise ArgumentError(f"samples must be from 1 to {_MOST_SAMPLES}, not {described(value)}")
    return samples
