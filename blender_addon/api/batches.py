# SPDX-License-Identifier: GPL-3.0-or-later
"""Many rays in one call, and all pixels of a view: the answers are columns of NumPy."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import inf
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ..bridge.batch import rays
from ..bridge.batch.columns import DEFAULT_COLUMNS, Missing, checked, may_lack, with_columns
from ..bridge.batch.run import CastRun, Progress, counts_of_rays, finished, hits_of_rays
from ..bridge.query import Live, live
from ..bridge.render import shown as rendered
from ..bridge.scene.snapshot import checked_rule
from ..bridge.validation import Choices, Visibility, checked_visibility, viewport
from ..model.scene_hits import SceneHits
from ..standalone_core import Camera, Scene
from ..standalone_core.extension import ArgumentError, Border, Cull, Reals, distance


@with_columns
def cast_rays(
    context: bpy.types.Context,
    origins: Reals,
    directions: Reals,
    max_distance: Reals = inf,
    cull: Cull = None,
    *,
    columns: Iterable[str] = DEFAULT_COLUMNS,
    attributes: Iterable[str] = (),
    missing: Missing = "error",
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    min_distance: Reals | None = None,
    border: Border = "open",
    threads: int | None = None,
    progress: Progress | None = None,
) -> SceneHits:
    """Cast many rays at all visible objects and instances: the nearest hit of each.

        hits = api.cast_rays(bpy.context, origins, (0, 0, -1), columns=["object", "face", "uv"])
        hits["face"], hits.names("object")  # "" where nothing is hit

    Each hit is that of :func:`ray_cast`, to the last bit.

    Parameters
    ----------
    context : bpy.types.Context
        As for :func:`ray_cast`.
    origins, directions : array_like (..., 3)
        In world space; of any shape, broadcast against each other. Rays that cannot be cast,
        such as those with NaN or without a direction, miss.
    max_distance : float or array_like (...)
        Hits farther away do not count: one distance for all rays, or one for each.
    min_distance : float or array_like (...), optional
        Hits nearer than this do not count, likewise.
    cull, space, selectable_only, solid_only, evaluated, exclude, only, border
        As for :func:`ray_cast`.
    columns : iterable of str
        The columns besides `instance`; by default ``DEFAULT_COLUMNS``, the first to `front`. Names
        of what is a number are found by :meth:`SceneHits.names`.

        {columns}
    attributes : iterable of str
        Names of UV maps, attributes and vertex groups. Each is a column ``"attribute:NAME"``, of
        float64 in the shape (...), or (..., k) for k numbers; NaN where a mesh has none of that
        name. Values are found as for a :class:`PickHit`.
    missing : {"error", "nan"}
        For an attribute that no mesh has that can be hit: raise an error, or make its column NaN.
        To find out, all meshes may be read. Where nothing at all can be hit, there is no error.
    threads : int, optional
        How many threads cast; by default one for each processor.
    progress : callable, optional
        Called as ``progress(done, all)`` with numbers of rays after each chunk of them. If it
        returns False, the cast stops, and the rest of the rays miss.

    Returns
    -------
    SceneHits
        Rows of the shape (...).

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    return _hits(**locals(), every=False)


def cast_rays_all(
    context: bpy.types.Context,
    origins: Reals,
    directions: Reals,
    max_distance: Reals = inf,
    cull: Cull = None,
    *,
    columns: Iterable[str] = DEFAULT_COLUMNS,
    attributes: Iterable[str] = (),
    missing: Missing = "error",
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    min_distance: Reals | None = None,
    border: Border = "open",
    threads: int | None = None,
    progress: Progress | None = None,
) -> SceneHits:
    """All hits of many rays, the nearest of each first; parameters are those of :func:`cast_rays`.

    Returns
    -------
    SceneHits
        Its rows are the hits (N,), those of ray 0 before those of ray 1. The column `ray` numbers
        the rays, in the order of :meth:`numpy.ndarray.ravel`, and those of ray i are the rows
        ``splits[i]`` to ``splits[i + 1]``.
    """
    return _hits(**locals(), every=True)


def any_hit(
    context: bpy.types.Context,
    origins: Reals,
    directions: Reals,
    max_distance: Reals = inf,
    cull: Cull = None,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    min_distance: Reals | None = None,
    border: Border = "open",
    threads: int | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.bool_]:
    """Whether each of many rays hits anything, (...); parameters are those of :func:`cast_rays`.

    Rays that were not cast because `progress` stopped it count as misses.
    """
    return _counts(**locals(), any_hit=True)


def count_hits(
    context: bpy.types.Context,
    origins: Reals,
    directions: Reals,
    max_distance: Reals = inf,
    cull: Cull = None,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    min_distance: Reals | None = None,
    border: Border = "open",
    threads: int | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.int64]:
    """How many hits each of many rays has, (...); parameters are those of :func:`cast_rays`.

    Rays that were not cast because `progress` stopped it have none.
    """
    return _counts(**locals(), any_hit=False)


def survey(
    context: bpy.types.Context,
    camera: bpy.types.Object | str | Camera | None = None,
    *,
    region: bpy.types.Region | None = None,
    region_data: bpy.types.RegionView3D | None = None,
    samples: int = 1,
    clip: bool = True,
    max_distance: float = inf,
    cull: Cull = None,
    columns: Iterable[str] = DEFAULT_COLUMNS,
    attributes: Iterable[str] = (),
    missing: Missing = "error",
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    min_distance: float | None = None,
    border: Border = "open",
    threads: int | None = None,
    visibility: Visibility = "viewport",
    progress: Progress | None = None,
) -> SceneHits:
    """Find what is seen at every pixel of a render camera, or of a 3D viewport.

    By default that is what *viewports* show: levels of subdivision, hidden objects, modifiers and
    collections are as viewports have them. With ``visibility="render"`` it is what renders show.

        shot = api.survey(bpy.context, "Camera", columns=["object", "face", "depth"])
        shot["face"][540, 960]  # at the center of pixel (960, 540), from the bottom left

    Parameters
    ----------
    context : bpy.types.Context
        As for :func:`ray_cast`.
    camera : bpy.types.Object, str or Camera, optional
        A camera object or its name, by default the scene's camera: the pixels are those of a
        render, see :func:`render_camera`; outside of a border they are misses. Or any camera of
        the core.
    region, region_data : optional
        Those of a 3D viewport instead, as for :func:`pick`.
    samples : int
        Rays along each side of a pixel: n makes n x n of them, through the centers of as many
        squares, row by row from the pixel's bottom left.
    clip : bool
        Ignore what the camera object or the viewport does not show, as :func:`pick` does.
    columns : iterable of str
        As for :func:`cast_rays`, and `depth`: how far away the point is along the viewing
        direction, from the camera's own place, inf for misses.
    max_distance, min_distance, cull, attributes, missing, selectable_only, solid_only, evaluated,
    exclude, only, border
        As for :func:`cast_rays`; distances count from the ray's origin, see :func:`pick`.
    visibility : {"viewport", "render"}
        What can be hit: what viewports show, or what renders show. For "render" the engine Raypick
        renders the scene, without files. Handlers of renders are called, and must not ask for it
        themselves. `selectable_only` is for viewports alone.
    threads, progress
        As for :func:`cast_rays`.

    Returns
    -------
    SceneHits
        Rows of the shape (H, W), or (H, W, n n) of n samples. The first row is the bottom one.
    """
    rule = checked_rule(selectable_only, solid_only, evaluated, exclude, only)
    how = rays.how_to_cast(cull, threads, border)
    seen = rule, how, samples, clip, distance(max_distance), min_distance
    names, lacking = checked(columns, attributes, depth=True), may_lack(missing)
    if checked_visibility(visibility) == "render":
        if region is not None or region_data is not None or rule.selectable_only:
            raise ArgumentError(
                'visibility="render" goes with a camera, and not with region, region_data or '
                "selectable_only"
            )
        return rendered.survey(
            context, camera, *seen, columns=names, lacking=lacking, progress=progress
        )
    if region is None and region_data is None:
        query = rays.camera_survey(context, camera, *seen)
    elif region is None or region_data is None or camera is not None:
        raise ArgumentError("pass a camera, or both region and region_data")
    else:
        query = rays.region_survey(context, region, region_data, *seen)
    run = partial(CastRun, query, names, lacking=lacking)
    return finished(run, progress).hits()


def core_scene(
    context: bpy.types.Context,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
) -> Scene:
    """All that rays can hit now, as a scene of the core, which works without Blender.

    It holds copies. Written by ``api.save_scene(scene, path)``, it is read by other programs with
    ``standalone_core.load_scene``, by ``raypick-core cast`` and by clusters. Its hits have
    the faces, triangles, weights, points and normals of :func:`cast_rays`, and as `instance` the
    numbers of :attr:`SceneHits.instances`. Instances are named as their objects, with the
    instancer and persistent id. A mesh with hidden faces has its triangles numbered without them.

    Parameters
    ----------
    context, space, selectable_only, solid_only, evaluated, exclude, only
        As for :func:`ray_cast`.
    """
    rule = checked_rule(selectable_only, solid_only, evaluated, exclude, only)
    return rays.plain_scene(context, viewport(space), rule)


def _hits(
    columns: Iterable[str],
    attributes: Iterable[str],
    missing: Missing,
    progress: Progress | None,
    every: bool,
    **asked: Any,
) -> SceneHits:
    target, given = _live(**asked)
    names = checked(columns, attributes, depth=False)
    return hits_of_rays(target, names, progress, every, may_lack(missing), **given)


def _counts(progress: Progress | None, any_hit: bool, **asked: Any) -> npt.NDArray[Any]:
    target, given = _live(**asked)
    return counts_of_rays(target, progress, any_hit, **given)


def _live(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D | None,
    selectable_only: bool,
    solid_only: bool,
    evaluated: bool,
    exclude: Choices,
    only: Choices,
    **given: Any,
) -> tuple[Live, dict[str, Any]]:
    """The scene that these arguments choose, and the other arguments."""
    return live(context, space, selectable_only, solid_only, evaluated, exclude, only), given
