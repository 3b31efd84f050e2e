# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python API: cast rays at what Blender shows, in a window or headless.

    import bpy
    from bl_ext.user_default.raypick import api

    for hit in api.ray_cast(bpy.context, (0, 0, 5), (0, 0, -1)):
        print(hit.object, hit.face, hit.triangle, hit.barycentric)

All points and directions are in world space unless their name says otherwise, and all numbers
are Python floats (double precision). An argument that cannot be used raises a
:class:`RaypickError <standalone_core.errors.RaypickError>`, most often one that is a ``ValueError``
too; its message says which and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import bpy

from ..bridge import query
from ..bridge.batch.columns import DEFAULT_COLUMNS
from ..bridge.placing import Snap
from ..bridge.query import ray_query, viewport_query
from ..bridge.query_options import QueryOptions
from ..bridge.scene import snapshot
from ..bridge.scene.snapshot import Memory, memory
from ..bridge.validation import Choices, viewport
from ..bridge.view import cameras
from ..bridge.view.cameras import camera
from ..model.hit import PickHit
from ..model.record import vector
from ..model.scene_hits import InstanceTable, SceneHits
from ..standalone_core import Camera, Plane, RaypickError, __version__, save_scene
from ..standalone_core.extension import Border, Cull, OpenMeshError
from . import landmarks, measures
from .batches import any_hit, cast_rays, cast_rays_all, core_scene, count_hits, survey
from .events import LandmarkEvent, PickEvent, on_landmark, on_pick, remove_callback
from .frozen_scene import FrozenScene, frozen
from .main_thread import ThreadError, guard
from .mouse import ViewPosition, under_mouse
from .original_faces import mark_faces, unmark_faces
from .places import at_uv, at_uvs, place, places
from .points import (
    closest_point,
    closest_points,
    contains,
    nearest_vertex,
    signed_distance,
    winding_number,
)

__all__ = ["API_VERSION", "DEFAULT_COLUMNS", "Camera", "FrozenScene", "InstanceTable"]
__all__ += ["LandmarkEvent", "Memory", "OpenMeshError", "PickEvent", "PickHit", "RaypickError"]
__all__ += ["SceneHits", "ThreadError", "ViewPosition", "__version__", "any_hit", "at_uv"]
__all__ += ["at_uvs", "camera", "cast_rays", "cast_rays_all", "closest_point", "closest_points"]
__all__ += ["contains", "core_scene", "count_hits", "frozen", "indexing", "landmarks"]
__all__ += ["mark_faces", "measures", "memory", "nearest_vertex", "on_landmark", "on_pick", "pick"]
__all__ += ["place", "places", "point_on_plane"]
__all__ += ["ray_cast", "remove_callback", "render_camera", "save_scene", "signed_distance"]
__all__ += ["survey", "under_mouse", "unmark_faces", "unpickable_at", "winding_number"]

API_VERSION = (1, 0)
"""The first number grows with changes that break callers, the second with what is new."""


def __dir__() -> list[str]:
    return sorted(__all__)


def ray_cast(
    context: bpy.types.Context,
    origin: Sequence[float],
    direction: Sequence[float],
    max_distance: float = inf,
    cull: Cull = None,
    all_hits: bool = False,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    min_distance: float | None = None,
    border: Border = "open",
) -> list[PickHit]:
    """Cast a ray at all visible objects and instances, as evaluated.

    Parameters
    ----------
    context : bpy.types.Context
        Its scene and view layer are evaluated and cast at. Works in background mode.
    origin, direction : sequence of 3 floats
        In world space; the direction may have any length above 0.
    max_distance : float
        Farther hits are ignored. A length in world space.
    cull : {None, "back", "front"}
        Which side of faces is ignored.
    all_hits : bool
        All hits, the nearest first, instead of the nearest alone.
    space : bpy.types.SpaceView3D, optional
        The viewport whose local view and object type visibility apply; by default that of the
        context, if there is one.
    selectable_only : bool
        Ignore what a click cannot select (instances follow the object that makes them).
    solid_only : bool
        Ignore objects displayed as wire or bounds, which show no faces, and the instances that they
        make. Otherwise their faces are hit all the same.
    evaluated : bool
        Hit meshes as displayed. Otherwise objects' own meshes are hit, without modifiers and shape
        keys, and all indices are those of ``object.data``; what has no mesh of its own (curves,
        instances made by Geometry Nodes) is hit as displayed.
    exclude, only : objects, collections or their names, one or many
        What to ignore, or to hit alone, with the instances that these objects make or that show
        them. A name is that of an object or, if there is none, of a collection.
    min_distance : float, optional
        Nearer hits are ignored, for rays that begin on a surface.
    border : {"open", "closed"}
        What happens to a ray exactly through an edge or a corner where a surface ends, such as the
        outer nodes of a terrain. It hits on some sides only, as pixels do, or always. A border is
        that of an object's whole mesh: hidden faces make no new one. The ray is moved into the
        object's space; only a matrix that rounds nothing, such as that of an object that is neither
        turned nor scaled, leaves it exactly on the border.

    Returns
    -------
    list of PickHit
        Empty where nothing is hit.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    options = QueryOptions(
        max_distance=max_distance,
        cull=cull,
        all_hits=all_hits,
        selectable_only=selectable_only,
        solid_only=solid_only,
        evaluated=evaluated,
        exclude=exclude,
        only=only,
        min_distance=min_distance,
        border=border,
    )
    return query.hits(context, ray_query(origin, direction, options, viewport(space)))


def pick(
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
    exclude: Choices = (),
    only: Choices = None,
    min_distance: float | None = None,
    border: Border = "open",
    snap: Snap = None,
    snap_radius: float = 15.0,
    tolerance: float = 0.0,
) -> list[PickHit]:
    """Pick what a 3D viewport shows at a position.

    Positions are real numbers: pixel i spans i to i + 1. Events give whole pixels: pass their
    centers, where the viewport samples what it draws:

        pixel = event.mouse_region_x, event.mouse_region_y
        hits = api.pick(context, region, region_data, [i + 0.5 for i in pixel])

    Parameters
    ----------
    context : bpy.types.Context
    region : bpy.types.Region
        The viewport's region of type ``"WINDOW"``; only its width and height are read.
    region_data : bpy.types.RegionView3D
        Its view, for instance ``context.region_data``.
    position : (x, y)
        In pixels of the region, from its bottom left corner: (0, 0) is that corner, and
        (0.5, 0.5) the center of its first pixel.
    max_distance, min_distance, cull, all_hits, border
        As in :func:`ray_cast`; distances count from the ray's origin, which is the eye of a
        perspective view and the near clip plane of an orthographic one.
    clip : bool
        Ignore what the viewport does not draw: hits nearer than the near clip plane, beyond the far
        one or outside the clipping region (Alt B), and back faces where its shading culls them.
        Objects that solid shading draws in front of all others come first. Without `clip`, hits
        nearer than the near clip plane of an orthographic view have distances below 0.
    selectable_only, solid_only, evaluated, exclude, only
        As in :func:`ray_cast`.
    snap : {None, "vertex", "edge", "face"}
        Move each hit to the nearest vertex or edge of its face, or to the face's middle, if that
        is within `snap_radius` of the position in the view. The hit's distance is then that from
        the ray's origin to the new place.
    snap_radius, tolerance : float
        In pixels, 0 or more. The nearest thing visible within the tolerance, as a radius around the
        position, comes first if the ray hits nothing, or only something behind it. It is hit at its
        nearest place, with `pixels_away` above 0. Triangles connected within the radius count as
        one thing. The thing the ray itself hits is never taken, nor one hidden at its nearest
        point.

    Returns
    -------
    list of PickHit
    """
    options = QueryOptions(
        max_distance=max_distance,
        min_distance=min_distance,
        border=border,
        cull=cull,
        all_hits=all_hits,
        clip=clip,
        selectable_only=selectable_only,
        solid_only=solid_only,
        evaluated=evaluated,
        exclude=exclude,
        only=only,
        snap=snap,
        snap_radius=snap_radius,
        tolerance=tolerance,
    )
    return query.hits(context, viewport_query(context, region, region_data, position, options))


def unpickable_at(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    position: Sequence[float],
    max_distance: float = inf,
    *,
    clip: bool = True,
    exclude: Choices = (),
    only: Choices = None,
) -> list[str]:
    """Name the objects that a 3D viewport may show at a position but no pick can hit.

    Hair curves, point clouds, Grease Pencil and volumes have no faces, so rays pass through. They
    are named if the ray meets their bounding box.

    Parameters
    ----------
    context, region, region_data, position, clip, exclude, only
        As in :func:`pick`.
    max_distance : float
        Farther objects are not named. Pass the first hit's distance to skip those behind it.

    Returns
    -------
    list of str
        Names of objects, each once.
    """
    options = QueryOptions(max_distance, clip=clip, exclude=exclude, only=only)
    asked = viewport_query(context, region, region_data, position, options)
    return query.unpickable_at(context, asked)


def point_on_plane(
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    position: Sequence[float],
    point: Sequence[float],
    normal: Sequence[float],
) -> tuple[float, float, float] | None:
    """Find the point of a plane at a position in a 3D viewport, for dragging along the plane.

        ground = api.point_on_plane(region, region_data, (x + 0.5, y + 0.5), (0, 0, 0), (0, 0, 1))

    Parameters
    ----------
    region, region_data, position
        As in :func:`pick`.
    point, normal : sequence of 3 floats
        A point of the plane and its normal, of any length above 0, in world space.

    Returns
    -------
    (x, y, z) or None
        In world space. None where the plane is seen edge-on, or is behind the eye or, in an
        orthographic view, nearer than the near clip plane.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    plane = Plane.from_point_normal(point, normal)
    found = camera(region, region_data).point_on_plane(*cameras.pixel(position), plane)
    return None if found is None else vector(found)


def indexing() -> float | None:
    """How far threads are with indexing picked meshes, from 0 to 1; None if they index none now.

    Picks do not wait for the index, they only become faster with it. (A timer does the part that
    needs the main thread; without a window, this call does.)
    """
    if bpy.app.background:
        snapshot.go_on()
    return snapshot.indexing()


def render_camera(
    context: bpy.types.Context, camera_object: bpy.types.Object | None = None
) -> Camera:
    """The camera of a render, for picking by pixels without a viewport.

    Its pixels are those of the rendered picture (resolution times percentage, or its border if that
    is cropped), counted from the bottom left corner; pixel i spans i to i + 1, and its center is
    i + 0.5. Rays hit what viewports show, not what renders show:

        ray = api.render_camera(bpy.context).ray(960 + 0.5, 540 + 0.5)  # pixel (960, 540)
        hits = api.ray_cast(bpy.context, ray.origin, ray.direction)

    Parameters
    ----------
    context : bpy.types.Context
    camera_object : bpy.types.Object, optional
        By default the scene's camera.

    Raises
    ------
    RaypickError
        If there is no camera in the view layer, it is panoramic, or the picture has no pixels.
    """
    return cameras.render_camera(context, camera_object)


guard(globals(), __all__)
