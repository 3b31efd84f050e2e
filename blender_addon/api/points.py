# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions about points: the nearest place of what Blender shows, and whether they are inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import TypedDict, Unpack, overload

import bpy

from ..bridge.batch import points as asked
from ..bridge.batch.columns import DEFAULT_COLUMNS, Missing, checked, may_lack
from ..bridge.batch.run import Progress
from ..bridge.query import live
from ..bridge.validation import Choices
from ..model.hit import PickHit
from ..model.scene_hits import SceneHits
from ..standalone_core import Scene
from ..standalone_core.extension import (
    BoolArray,
    FloatArray,
    ManyPoints,
    OnePoint,
    Reals,
    Rule,
    distance,
)


class How(TypedDict, total=False):
    """The options that questions about what is inside have in common."""

    space: bpy.types.SpaceView3D | None
    selectable_only: bool
    solid_only: bool
    evaluated: bool
    exclude: Choices
    only: Choices
    threads: int | None


def closest_point(
    context: bpy.types.Context,
    point: Sequence[float],
    max_distance: float = inf,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
) -> PickHit | None:
    """Find the place nearest to a point, on all visible objects and instances, as evaluated.

        place = api.closest_point(bpy.context, bpy.context.scene.cursor.location, only="Head")

    Parameters
    ----------
    context : bpy.types.Context
        As for :func:`ray_cast`.
    point : sequence of 3 floats
        In world space.
    max_distance : float
        Places farther away do not count.
    space, selectable_only, solid_only, evaluated, exclude, only
        As for :func:`ray_cast`.

    Returns
    -------
    PickHit or None
        Its `distance` is that from the point, and `front` says whether the point is on the side to
        which the triangle's normal points. None where nothing is near enough. A triangle without
        area may be nearest: its normal is NaN.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    target = live(context, space, selectable_only, solid_only, evaluated, exclude, only)
    return asked.closest_hit(target, point, distance(max_distance))


def closest_points(
    context: bpy.types.Context,
    points: Reals,
    max_distance: Reals = inf,
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
    threads: int | None = None,
    progress: Progress | None = None,
) -> SceneHits:
    """Find the places nearest to many points, as :func:`closest_point` does for one.

    Parameters
    ----------
    context : bpy.types.Context
        As for :func:`ray_cast`.
    points : array_like (..., 3)
        In world space, of any shape. Points that are not finite have no place.
    max_distance : float or array_like (...)
        Places farther away do not count: one distance for all points, or one for each. The nearer,
        the faster.
    columns, attributes, missing, threads, progress
        As for :func:`cast_rays`.
    space, selectable_only, solid_only, evaluated, exclude, only
        As for :func:`ray_cast`.

    Returns
    -------
    SceneHits
        Rows of the shape (...); those without a place are misses.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    target = live(context, space, selectable_only, solid_only, evaluated, exclude, only)
    names = checked(columns, attributes, depth=False)
    where = points, max_distance
    return asked.closest_hits(target, names, progress, *where, threads, may_lack(missing))


def nearest_vertex(
    context: bpy.types.Context,
    point: Sequence[float],
    max_distance: float = inf,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
) -> PickHit | None:
    """Find the vertex nearest to a point, on all visible objects and instances, as evaluated.

        place = api.nearest_vertex(bpy.context, hit.point, only=hit.object)
        _, vertex = place.snapped

    For many points, ``api.core_scene(...)`` has a method of this name.

    Parameters
    ----------
    context, point, space, selectable_only, solid_only, evaluated, exclude, only
        As for :func:`closest_point`.
    max_distance : float
        Vertices farther away do not count.

    Returns
    -------
    PickHit or None
        As of :func:`closest_point`, at the vertex, to which it has `snapped`, on the first face
        around it that has an area. None where no vertex is near enough. Vertices without a face do
        not count, nor those of hidden faces alone.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    target = live(context, space, selectable_only, solid_only, evaluated, exclude, only)
    return asked.nearest_vertex(target, point, distance(max_distance))


@overload
def contains(
    context: bpy.types.Context, points: OnePoint, *, rule: Rule = ..., **how: Unpack[How]
) -> bool: ...


@overload
def contains(
    context: bpy.types.Context, points: ManyPoints, *, rule: Rule = ..., **how: Unpack[How]
) -> BoolArray: ...


def contains(
    context: bpy.types.Context,
    points: Reals,
    *,
    rule: Rule = "crossings",
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    threads: int | None = None,
) -> bool | BoolArray:
    """Tell whether points are inside of any visible object or instance; decided exactly.

        api.contains(bpy.context, points, only="Room")
        api.contains(bpy.context, points, only="Scan", rule="winding")

    Parameters
    ----------
    context : bpy.types.Context
        As for :func:`ray_cast`.
    points : array_like (..., 3)
        In world space: one point, or many of any shape.
    rule : {"crossings", "winding"}
        What inside means; of separate objects, all count. With "crossings", a ray crosses the mesh
        an odd number of times. So where a mesh overlaps itself, as joined walls may, is outside,
        and all meshes must be closed. With "winding", a mesh goes around the point more than half a
        time, see :func:`winding_number`. It may be open, as scans are, overlap itself, and have
        hidden faces, which do not count.
    space, selectable_only, solid_only, evaluated, exclude, only
        As for :func:`ray_cast`. By crossings, all meshes must be closed: name those that are with
        `only`. What is not visible does not count, even if `only` names it; see
        ``len(api.frozen(...))``.
    threads : int, optional
        How many threads count; by default one for each processor.

    Returns
    -------
    bool, or ndarray (...) of bool
        False for points that are not finite.

    Raises
    ------
    OpenMeshError
        If a mesh has a border, and so no inside by crossings; the message names its object.
    """
    target = live(context, space, selectable_only, solid_only, evaluated, exclude, only)
    inside: bool | BoolArray = asked.ask_inside(target, Scene.contains, points, rule, threads)
    return inside


@overload
def winding_number(
    context: bpy.types.Context, points: OnePoint, max_error: float = ..., **how: Unpack[How]
) -> float: ...


@overload
def winding_number(
    context: bpy.types.Context, points: ManyPoints, max_error: float = ..., **how: Unpack[How]
) -> FloatArray: ...


def winding_number(
    context: bpy.types.Context,
    points: Reals,
    max_error: float = 0.01,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    threads: int | None = None,
) -> float | FloatArray:
    """Measure how often the surfaces of visible objects and instances go around points.

    It is 1 inside of a closed mesh whose normals point outward, -1 if they point inward, 0 outside,
    and a fraction near the holes of an open mesh. The numbers of all objects add up, so walls that
    are separate objects have an inside together.

    Parameters
    ----------
    context, points, space, selectable_only, solid_only, evaluated, exclude, only, threads
        As for :func:`contains`.
    max_error : float
        How far off the numbers may be; 0 for the sum over all triangles, which takes much longer.

    Returns
    -------
    float, or ndarray (...)
        NaN for points that are not finite. On a triangle it is the mean of both sides.
    """
    target = live(context, space, selectable_only, solid_only, evaluated, exclude, only)
    return asked.winding_numbers(target, points, max_error, threads)


@overload
def signed_distance(
    context: bpy.types.Context, points: OnePoint, *, rule: Rule = ..., **how: Unpack[How]
) -> float: ...


@overload
def signed_distance(
    context: bpy.types.Context, points: ManyPoints, *, rule: Rule = ..., **how: Unpack[How]
) -> FloatArray: ...


def signed_distance(
    context: bpy.types.Context,
    points: Reals,
    *,
    rule: Rule = "crossings",
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
    threads: int | None = None,
) -> float | FloatArray:
    """Measure how far points are from the surface of visible objects and instances.

    Parameters
    ----------
    context, points, rule, space, selectable_only, solid_only, evaluated, exclude, only, threads
        As for :func:`contains`.

    Returns
    -------
    float, or ndarray (...)
        Negative inside, see :func:`contains`; in world space. NaN for points that are not finite,
        inf where there is no triangle. The nearest surface counts, even inside of another object.

    Raises
    ------
    OpenMeshError
        If a mesh has a border, and so no inside by crossings; the message names its object.
    """
    target = live(context, space, selectable_only, solid_only, evaluated, exclude, only)
    away: float | FloatArray = asked.ask_inside(
        target, Scene.signed_distance, points, rule, threads
    )
    return away
