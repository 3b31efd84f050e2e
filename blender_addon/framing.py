# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning a view to a hit."""

from __future__ import annotations

import math

import bpy
from mathutils import Vector

from .pick_hit import PickHit

_NEAREST, _FARTHEST = 2.0, 6.0
"""Distances of a view from which a face fills it and is well seen, in sizes of the face."""

_LEAST = 1e-4
"""The least distance of a view, in its own units."""


def size_of(hit: PickHit) -> float:
    """How far the face reaches from the place that was hit, in world space; above 0."""
    return max(math.dist(corner, hit.point) for corner in hit.face_corners) or 1.0


def frame(view: bpy.types.RegionView3D, hit: PickHit) -> None:
    """Have a view look at the place of a hit from where it looks, so near that the face is seen.

    A view that is neither too near nor too far stays as far away as it is. A camera view is left,
    as Blender's View Selected leaves it.
    """
    size = size_of(hit)
    if view.view_perspective == "CAMERA":
        view.view_perspective = "PERSP"
    toward = view.view_rotation @ Vector((0.0, 0.0, 1.0))
    normal = Vector(hit.side_normal)
    if toward.dot(normal) <= 0.0 and not view.lock_rotation:
        view.view_rotation = normal.to_track_quat("Z", "Y")
    view.view_location = hit.point
    distance = min(max(view.view_distance, size * _NEAREST), size * _FARTHEST)
    view.view_distance = max(distance, _LEAST)
