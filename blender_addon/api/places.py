# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on meshes: where a hit is now, one or many, and what is at a face or triangle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import bpy
import numpy.typing as npt

from ..bridge import query
from ..bridge.batch import texture
from ..bridge.batch.again import hits_again
from ..bridge.batch.columns import DEFAULT_COLUMNS, Missing, checked, may_lack
from ..bridge.placing import Place
from ..bridge.query import live
from ..bridge.validation import (
    flag,
    index,
    optional_text,
    original_object,
    persistent_id,
    text,
    viewport,
)
from ..model.hit import PickHit
from ..model.scene_hits import SceneHits
from ..standalone_core.extension import ArgumentError, instance_of, iterable, of_this_copy


def place(
    context: bpy.types.Context,
    object: str | bpy.types.Object | PickHit,
    face: int | None = None,
    triangle: int | None = None,
    barycentric: Sequence[float] | None = None,
    *,
    triangle_of_face: int | None = None,
    library: str | None = None,
    instance: Sequence[int] | None = None,
    instancer: str | None = None,
    space: bpy.types.SpaceView3D | None = None,
    evaluated: bool | None = None,
) -> PickHit:
    """Find where a hit is now, or the place that its values name: the inverse of a pick.

        hit = api.ray_cast(bpy.context, (0, 0, 5), (0, 0, -1))[0]
        api.place(bpy.context, hit)  # after the object moved, was deformed or renamed
        api.place(bpy.context, hit.object, hit.face, hit.triangle, hit.barycentric)

    Parameters
    ----------
    context : bpy.types.Context
    object : PickHit, str or bpy.types.Object
        A hit, which is followed as the objects, instances and vertices that it names move. No
        other argument but `space` is given then. Or the object that the place is on.
    face, triangle : int, optional
        Indices, as in hits; one of the two is enough.
    barycentric : sequence of 3 floats, optional
        Weights of the triangle's vertices. They must add up to 1 within 1e-4, with none below
        -1e-4, and are corrected to be exact. By default the middle of the triangle.
    triangle_of_face : int, optional
        Which of the face's triangles, as in hits. If the face has several and weights are given,
        this or `triangle` is needed; without weights the default is the first.
    library : str, optional
        The library file of an object given by name. By default an object of this file is preferred
        to linked ones.
    instance, instancer : optional
        Which instance, as in hits. By default the object itself if it is shown, or else its first
        instance.
    space
        As in :func:`ray_cast`.
    evaluated : bool, optional
        As in :func:`ray_cast`, which is also the default; that of a hit is its own.

    Returns
    -------
    PickHit
        With the distance 0, seen from the front; a hit keeps the side that was hit, and what it
        snapped to.

    Raises
    ------
    RaypickError
        If there is no such place, or it is not shown. Of a hit, the message says why: its object
        was deleted or hidden, or its face does not have the same vertices and triangle.
    """
    object = of_this_copy(object, PickHit)
    if isinstance(object, PickHit):
        given = face, triangle, barycentric, triangle_of_face, library, instance, instancer
        if any(each is not None for each in (*given, evaluated)):
            raise ArgumentError("a hit is its own place: give only space beside it")
        return query.place_again(context, object, viewport(space))
    sought = replace(
        _on(object, library, instance, instancer),
        face=index(face, "face"),
        triangle=index(triangle, "triangle"),
        triangle_of_face=index(triangle_of_face, "triangle_of_face"),
        barycentric=barycentric,
    )
    is_evaluated = evaluated is None or flag(evaluated, "evaluated")
    return query.place(context, sought, is_evaluated, viewport(space))


def at_uv(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    uv: Sequence[float],
    uv_map: str | None = None,
    *,
    library: str | None = None,
    instance: Sequence[int] | None = None,
    instancer: str | None = None,
    space: bpy.types.SpaceView3D | None = None,
    evaluated: bool = True,
) -> list[PickHit]:
    """Find all places of an object that its UV map puts at a point: the inverse of a hit's `uv`.

        for place in api.at_uv(bpy.context, "Head", (0.5, 0.25)):
            print(place.face, place.point)

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    uv : sequence of 2 floats
        A point of the map. Nothing repeats: 1.25 is not 0.25, but in the next tile.
    uv_map : str, optional
        The name of the map, by default the active one.
    library, instance, instancer
        Which object of that name, or which instance of it, as for :func:`place`.
    space, evaluated
        As for :func:`ray_cast`.

    Returns
    -------
    list of PickHit
        A place for each layer of the map at the point, by their triangles: several where mirrored
        halves or islands overlap, none beside the map. Each is exact, with the distance 0, seen
        from the front. A place on an edge or a corner is found once, on the first of the triangles
        that share it. Faces that are hidden, and triangles without area, have no places.

    Raises
    ------
    RaypickError
        If an argument cannot be used, the object is not shown, or has no such map.
    """
    asked = live(context, space, False, False, evaluated)
    place = _on(object, library, instance, instancer)
    return texture.hits_at_uv(asked, place, _map_name(uv_map), uv)


def at_uvs(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    uvs: npt.ArrayLike,
    uv_map: str | None = None,
    *,
    columns: Iterable[str] = DEFAULT_COLUMNS,
    attributes: Iterable[str] = (),
    missing: Missing = "error",
    library: str | None = None,
    instance: Sequence[int] | None = None,
    instancer: str | None = None,
    space: bpy.types.SpaceView3D | None = None,
    evaluated: bool = True,
) -> SceneHits:
    """Find all places at many points of a UV map, as :func:`at_uv` does at one.

    Parameters
    ----------
    context, object, uv_map, library, instance, instancer, space, evaluated
        As for :func:`at_uv`.
    uvs : array_like (..., 2)
        Points of the map, such as the centers of texels. Those that are not finite have no place.
    columns, attributes, missing
        As for :func:`cast_rays`.

    Returns
    -------
    SceneHits
        Its rows are the places (N,), those at point 0 before those at point 1. The column `ray`
        numbers the points, in the order of :meth:`numpy.ndarray.ravel`, and those at point i are
        the rows ``splits[i]`` to ``splits[i + 1]``.

    Raises
    ------
    RaypickError
        As for :func:`at_uv`.
    """
    asked = live(context, space, False, False, evaluated)
    place = _on(object, library, instance, instancer)
    names = checked(columns, attributes, depth=False)
    lacks = may_lack(missing)
    return texture.columns_at_uvs(asked, place, _map_name(uv_map), uvs, names, lacks)


def places(
    context: bpy.types.Context,
    hits: Iterable[PickHit],
    *,
    columns: Iterable[str] = DEFAULT_COLUMNS,
    attributes: Iterable[str] = (),
    missing: Missing = "error",
    space: bpy.types.SpaceView3D | None = None,
) -> SceneHits:
    """Find where many hits are now, as :func:`place` does for one: hundreds in milliseconds.

        now = api.places(bpy.context, hits)  # for each frame, say
        now["point"], now.hit, now.reasons

    Parameters
    ----------
    context : bpy.types.Context
        As for :func:`ray_cast`.
    hits : iterable of PickHit
        All of evaluated meshes, or all of original ones.
    columns, attributes, missing
        As for :func:`cast_rays`; an attribute is missing where no object that is found has it.
    space
        As for :func:`ray_cast`.

    Returns
    -------
    SceneHits
        A row for each hit, in their order, with the distance 0. Those that are gone are misses, and
        its `reasons` say why. Its tables have only the objects and instances that are found.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    instance_of(context, bpy.types.Context, "context")
    given = [instance_of(hit, PickHit, "each of hits") for hit in iterable(hits, "hits")]
    if len({hit.evaluated for hit in given}) > 1:
        raise ArgumentError("hits must be all of evaluated meshes, or all of original ones")
    names = checked(columns, attributes, depth=False)
    return hits_again(context, given, names, viewport(space), may_lack(missing))


def _on(
    object: str | bpy.types.Object,
    library: str | None,
    instance: Sequence[int] | None,
    instancer: str | None,
) -> Place:
    """Any place on an object, or on one of its instances."""
    return Place(
        object=original_object(object, library),
        instance=None if instance is None else persistent_id(instance),
        instancer=None if instancer is None else text(instancer, "instancer"),
    )


def _map_name(value: str | None) -> str | None:
    return optional_text(value, "uv_map")
