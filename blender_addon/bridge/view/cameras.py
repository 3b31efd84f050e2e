# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras of the core for 3D viewports and renders, and the planes that limit their views.

A plane (a, b, c, d) has a x + b y + c z + d >= 0 on its inner side, where things are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...standalone_core import Camera
from ...standalone_core.extension import (
    ArgumentError,
    Cull,
    FloatArray,
    affine_inverse,
    described,
    dot,
    floats,
    instance_of,
    matrix4,
    moved,
)
from ..scene.changes import evaluated_depsgraph
from ..validation import Viewport

_ROUNDING = 2.0**-22
"""Relative error of an entry of a window matrix, after four roundings to single precision."""

_PROJECTED = ("PERSP", "ORTHO")

_CLIPPED_SHADING = ("WIREFRAME", "SOLID")
"""Shading that uses the clipping region; other kinds draw what is outside of it, too."""


def camera(region: bpy.types.Region, region_data: bpy.types.RegionView3D) -> Camera:
    """The camera that draws the region: perspective, orthographic or a camera object's view.

    Blender draws with `view_matrix` and `window_matrix`, which contain the lens shift, sensor fit,
    zoom and offset of a camera view. :class:`Camera` makes pick rays from both in double precision.
    Rays of ``bpy_extras.view3d_utils`` would start in the middle of an orthographic camera's
    frustum, and lose digits if the clip plane is far.
    """
    # Regions of a closed viewport must not be read: their memory was freed.
    regions = [region for area in open_viewports(bpy.context) for region in area.regions]
    text = "{} belongs to no open 3D viewport: it may have been closed"
    if isinstance(region, bpy.types.Region) and region not in regions:
        raise ArgumentError(text.format("region"))
    if isinstance(region_data, bpy.types.RegionView3D) and not space_of(bpy.context, region_data):
        raise ArgumentError(text.format("region_data"))
    try:
        matrices = region_data.view_matrix[:], region_data.window_matrix[:]
        view, window = (tuple(row[:] for row in matrix) for matrix in matrices)
        size = region.width, region.height
    except (AttributeError, ReferenceError, TypeError) as error:
        raise ArgumentError(
            "region must be a Region and region_data a RegionView3D of an open 3D viewport "
            f"(context.region, context.region_data): {error}"
        ) from None
    return _made(view, window, *size)


_made = lru_cache(maxsize=8)(Camera)
"""Makes a camera once for each view: there is a pick at each move of the mouse."""


class Picture(NamedTuple):
    """The picture that a scene's render writes, in pixels from the bottom left corner."""

    width: int  # this and the height are of the whole picture, without border
    height: int
    aspect: tuple[float, float]  # of a pixel
    border: tuple[int, int, int, int]  # left, bottom, right, top of the rendered pixels
    is_cropped: bool  # to the border; else the pixels outside of it are empty

    @property
    def rendered(self) -> tuple[int, int, int, int]:
        """The border, counted from the corner of the picture as written."""
        left, bottom, right, top = self.border
        return (0, 0, right - left, top - bottom) if self.is_cropped else self.border


def picture(scene: bpy.types.Scene) -> Picture:
    """The picture of a scene's render settings."""
    render = scene.render
    width, height = (
        size * render.resolution_percentage // 100
        for size in (render.resolution_x, render.resolution_y)
    )
    border = 0, 0, width, height
    if render.use_border:
        # Blender multiplies in single precision, and cuts off the fraction.
        x, y = (
            (render.border_min_x, render.border_max_x),
            (render.border_min_y, render.border_max_y),
        )
        ends = np.array([x, y], np.float32) * np.array([[width], [height]], np.float32)
        (left, right), (bottom, top) = ends.astype(int).tolist()
        border = left, bottom, right, top
    aspect = render.pixel_aspect_x, render.pixel_aspect_y
    return Picture(width, height, aspect, border, render.use_border and render.use_crop_to_border)


def render_camera(
    context: bpy.types.Context, camera_object: bpy.types.Object | None = None
) -> Camera:
    """The camera of a render of the context's scene, with size, aspect, shift, fit and crop."""
    instance_of(context, bpy.types.Context, "context")
    depsgraph = evaluated_depsgraph(context)
    return camera_of(checked_camera(camera_object, depsgraph), depsgraph)


def camera_of(
    evaluated: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    to_world: FloatArray | None = None,
    more_shift: float = 0.0,
) -> Camera:
    """The camera of a render by an evaluated object.

    `to_world` (4, 4) takes the place of its matrix, and has no scale, which is no part of a view.
    `more_shift` is added to the horizontal shift of its lens.
    """
    if to_world is None:
        to_world = matrix4(evaluated.matrix_world.normalized(), "the camera's matrix")
    made = picture(depsgraph.scene)
    width, height, (aspect_x, aspect_y), (left, bottom, right, top), is_cropped = made
    if not (width and height):
        raise ArgumentError(f"the render has no pixels: its resolution is {width} x {height}")
    if not (right > left and top > bottom):
        raise ArgumentError(
            f"the render has no pixels: its border is {right - left} x {top - bottom}"
        )
    projection = np.array(
        evaluated.calc_matrix_camera(
            depsgraph, x=width, y=height, scale_x=aspect_x, scale_y=aspect_y
        ),
        np.float64,
    )
    if more_shift:
        data: Any = evaluated.data
        size = width * aspect_x, height * aspect_y
        fit = data.sensor_fit
        is_wide = fit == "HORIZONTAL" or (fit == "AUTO" and size[0] >= size[1])
        # The shift is in parts of the side that the sensor fits, the matrix in half widths.
        shear = 2.0 * more_shift * (1.0 if is_wide else size[1] / size[0])
        projection[0] += shear * -projection[3]
    if is_cropped:
        size, first, last = np.array([(width, height), (left, bottom), (right, top)])
        crop = np.eye(4)
        crop[[0, 1], [0, 1]] = size / (last - first)
        crop[:2, 3] = (size - first - last) / (last - first)
        projection = crop @ projection
        width, height = right - left, top - bottom
    # In single precision, the inverse matrix of a far camera would misplace its eye.
    return Camera(affine_inverse(to_world, "the camera's matrix"), projection, width, height)


def planes_of(evaluated: bpy.types.Object, camera: Camera) -> FloatArray:
    """The near and the far clip plane (2, 4) in world space of an evaluated camera object."""
    data: Any = evaluated.data
    in_view = np.array([(0.0, 0.0, -1.0, -data.clip_start), (0.0, 0.0, 1.0, data.clip_end)])
    return np.asarray(in_view @ camera.view)


def checked_camera(
    camera_object: bpy.types.Object | None, depsgraph: bpy.types.Depsgraph
) -> bpy.types.Object:
    """The evaluated object of a camera, by default the scene's.

    ArgumentError if it is none that has a projection.
    """
    if camera_object is None:
        camera_object = depsgraph.scene.camera
    if camera_object is None:
        raise ArgumentError("the scene has no camera, and no camera object was given")
    try:
        if camera_object.type != "CAMERA":
            raise ArgumentError(f"{camera_object.name} is no camera")
        evaluated = camera_object.evaluated_get(depsgraph)
    except (AttributeError, ReferenceError) as error:
        raise ArgumentError(f"camera_object must be a camera object: {error}") from None
    if not evaluated.is_evaluated:
        raise ArgumentError(f"{camera_object.name} is not in the view layer")
    kind = evaluated.data.type if isinstance(evaluated.data, bpy.types.Camera) else "PERSP"
    if kind not in _PROJECTED:
        told = "panoramic" if kind == "PANO" else kind.lower()
        raise ArgumentError(
            f"{camera_object.name} is {told}: use a perspective or an orthographic camera"
        )
    return evaluated


def pixel(position: Sequence[float]) -> tuple[float, float]:
    """Check a pair of region pixels (x, y)."""
    try:
        x, y = floats(position, "position", (2,)).tolist()
        if not math.isfinite(x + y):
            raise ArgumentError("position must be finite")
    except ArgumentError as error:
        raise ArgumentError(
            f"position must be two numbers (x, y), not {described(position)}"
        ) from error
    return x, y


def space_of(context: bpy.types.Context, region_data: bpy.types.RegionView3D) -> Viewport:
    """The 3D viewport that a view belongs to (one of four in quad view), or None."""
    if not isinstance(region_data, bpy.types.RegionView3D):
        return None
    for area in open_viewports(context):
        space = area.spaces.active
        if isinstance(space, bpy.types.SpaceView3D) and (
            region_data in (space.region_3d, *space.region_quadviews)
        ):
            return space
    return None


def view_planes(region_data: bpy.types.RegionView3D, space: Viewport = None) -> FloatArray:
    """The planes (P, 4) in world space that limit a view.

    The two matrices of the view suffice. The viewport, if given, states the clip distances in full
    precision, and whether its shading uses the clipping region.
    """
    view = np.array(region_data.view_matrix, dtype=np.float64)
    return np.vstack([_clip_planes(region_data, space) @ view, region_planes(region_data, space)])


def order_and_cull(space: Viewport, cull: Cull) -> tuple[bool, Cull]:
    """Whether In Front objects come first in a viewport, and the side that it or a caller culls."""
    if space is None or space.shading.type != "SOLID":
        return False, cull
    is_culled = cull is None and space.shading.show_backface_culling
    return True, "back" if is_culled else cull


@np.errstate(divide="ignore", invalid="ignore")
def intervals(
    planes: FloatArray, origins: FloatArray, directions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The least and greatest distance (R,) at which world rays are inside of planes (P, 4).

    If the least is above the greatest, no part of the ray is inside.
    """
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


def region_planes(region_data: bpy.types.RegionView3D, space: Viewport) -> FloatArray:
    """The planes (P, 4) of the clipping region in world space; none where it is not used.

    Blender stores six: Alt+B sets four and leaves the others 0. A quad view uses four.
    """
    is_clipped = space is None or space.shading.type in _CLIPPED_SHADING
    if not (is_clipped and getattr(region_data, "use_clip_planes", False)):
        return np.empty((0, 4))
    count = 4 if getattr(region_data, "use_box_clip", False) else 6
    return np.array(region_data.clip_planes, dtype=np.float64)[:count]


def _clip_planes(region_data: bpy.types.RegionView3D, space: Viewport) -> FloatArray:
    """The near and the far clip plane (2, 4) in view space.

    They follow from the window matrix: -w <= z <= w in clip space. Its single precision leaves the
    far plane of a perspective a relative error of 6e-8 far / near. If the viewport states distances
    that the matrix confirms within rounding, those are taken. Else the planes are moved outward by
    the rounding, so that nothing visible is cut off.
    """
    matrix = np.array(region_data.window_matrix, dtype=np.float64)
    z, w = matrix[2], matrix[3]
    # Where |z| <= w, z is wrong by no more than _ROUNDING (w + 2 |z[3]|).
    error = _ROUNDING * (w + (0.0, 0.0, 0.0, 2.0 * abs(z[3])))
    planes = np.array([w + z, w - z])
    start = end = np.nan  # unless the viewport states them, or the camera that it looks through
    kind = getattr(region_data, "view_perspective", None)
    if space is not None and kind in ("PERSP", "CAMERA"):
        # In a local view, this may be another camera than the scene's.
        camera = space.camera.data if kind == "CAMERA" and space.camera else None
        stating = camera if isinstance(camera, bpy.types.Camera) else space
        start, end = stating.clip_start, stating.clip_end
    for plane, depth, stated in (
        (planes[0], -start, (0.0, 0.0, -1.0, -start)),
        (planes[1], -end, (0.0, 0.0, 1.0, end)),
    ):
        there = np.array((0.0, 0.0, depth, 1.0))
        plane[:] = stated if abs(plane @ there) <= error @ there else plane + error
    return planes


def viewports_of(window: bpy.types.Window) -> Iterator[bpy.types.Area]:
    """The 3D viewports of a window."""
    return (area for area in window.screen.areas if area.type == "VIEW_3D")


def is_open(space: bpy.types.SpaceView3D) -> bool:
    """Whether an area still has this viewport, shown or not; else its memory may be freed."""
    return any(
        space == kept
        for screen in bpy.data.screens
        for area in screen.areas
        for kept in area.spaces
    )


def open_viewports(context: bpy.types.Context) -> Iterator[bpy.types.Area]:
    """The 3D viewports of all windows."""
    manager = context.window_manager
    for window in manager.windows if manager else ():
        yield from viewports_of(window)
