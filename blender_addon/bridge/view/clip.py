# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of space that a view shows: between its clip planes, inside its clipping region.

Each limit is a plane (a, b, c, d), on whose inner side a x + b y + c z + d >= 0.
"""

from __future__ import annotations

import bpy
import numpy as np

from ...standalone_core import Ray
from ...standalone_core.extension import FloatArray, dot, moved

_ROUNDING = 2.0**-22
"""Relative error of an entry of a window matrix, which takes four roundings to single precision."""

_CLIPPED_SHADING = ("WIREFRAME", "SOLID")
"""The other kinds of shading draw what is outside of the clipping region too."""


def view_planes(
    region_data: bpy.types.RegionView3D, space: bpy.types.SpaceView3D | None = None
) -> FloatArray:
    """The planes (P, 4) in world space that limit a view.

    Only the two matrices of the view are needed; it may have a clipping region. The viewport it
    belongs to states the clip distances in full precision, and whether its shading clips.
    """
    view = np.array(region_data.view_matrix, dtype=np.float64)
    return np.vstack([_clip_planes(region_data, space) @ view, region_planes(region_data, space)])


def interval(planes: FloatArray, ray: Ray) -> tuple[float, float]:
    """The distances along a world ray between which it is on the inner side of planes (P, 4).

    Both ends are inside. Nothing is where the first is above the second.
    """
    least, most = intervals(planes, ray.origin[None], ray.direction[None])
    return least.item(), most.item()


@np.errstate(divide="ignore", invalid="ignore")
def intervals(
    planes: FloatArray, origins: FloatArray, directions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The same (R,) of rays (R, 3) and (R, 3)."""
    least, most = np.zeros(len(origins)), np.full(len(origins), np.inf)
    for plane in planes:
        at_origin = moved(origins, plane[None])[:, 0]
        along = dot(directions, plane[:3])
        crossed = -at_origin / along
        np.maximum(least, crossed, out=least, where=along > 0.0)
        np.minimum(most, crossed, out=most, where=along < 0.0)
        outside = (along == 0.0) & (at_origin < 0.0)
        least[outside], most[outside] = np.inf, -np.inf
    return least, most


def region_planes(
    region_data: bpy.types.RegionView3D, space: bpy.types.SpaceView3D | None
) -> FloatArray:
    """The planes (n, 4) of the clipping region in world space; none where it does not count.

    Six planes count (Alt+B sets four, and the others stay 0), but four of the box of a quad view.
    """
    is_clipped = space is None or space.shading.type in _CLIPPED_SHADING
    if not (is_clipped and getattr(region_data, "use_clip_planes", False)):
        return np.empty((0, 4))
    count = 4 if getattr(region_data, "use_box_clip", False) else 6
    return np.array(region_data.clip_planes, dtype=np.float64)[:count]


def _clip_planes(
    region_data: bpy.types.RegionView3D, space: bpy.types.SpaceView3D | None
) -> FloatArray:
    """The near and the far clip plane (2, 4) in view space.

    They are those of the window matrix: -w <= z <= w in clip space. In single precision it gives
    the far end of a perspective only to a relative 6e-8 far / near; where the viewport states
    the distances, and the matrix agrees as well as it can, theirs are taken. Without them the
    planes are moved outward by the rounding, so that nothing visible is cut off.
    """
    matrix = np.array(region_data.window_matrix, dtype=np.float64)
    z, w = matrix[2], matrix[3]
    # Where |z| <= w, z is wrong by no more than _ROUNDING (w + 2 |z[3]|).
    error = _ROUNDING * (w + (0.0, 0.0, 0.0, 2.0 * abs(z[3])))
    planes = np.array([w + z, w - z])
    start, end = _stated_distances(region_data, space)
    for plane, depth, stated in (
        (planes[0], -start, (0.0, 0.0, -1.0, -start)),
        (planes[1], -end, (0.0, 0.0, 1.0, end)),
    ):
        there = np.array((0.0, 0.0, depth, 1.0))
        plane[:] = stated if abs(plane @ there) <= error @ there else plane + error
    return planes


def _stated_distances(
    region_data: bpy.types.RegionView3D, space: bpy.types.SpaceView3D | None
) -> tuple[float, float]:
    """Near and far as the viewport or the camera that it looks through has them, or NaN."""
    kind = getattr(region_data, "view_perspective", None)
    if space is None or kind not in ("PERSP", "CAMERA"):
        return np.nan, np.nan
    # In a local view this is the camera that is drawn, be it the scene's or not.
    camera = space.camera.data if kind == "CAMERA" and space.camera else None
    stating = camera if isinstance(camera, bpy.types.Camera) else space
    return stating.clip_start, stating.clip_end
