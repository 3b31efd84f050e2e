# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning a view so that the place of a hit is seen in it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import bpy
from mathutils import Quaternion, Vector

from .. import api
from ..model.hit import PickHit

_NEAREST, _FARTHEST = 2.0, 6.0
"""Distances of a view from which a face fills it and is well seen, in sizes of the face."""

_LEAST = 1e-4
"""The least distance of a view, in its own units."""

_SECONDS = 0.25
"""The search for a sight ends after this time: the interface stands still meanwhile."""

_DIRECTIONS = 160
"""Number of directions around a place that are tried, about 16 degrees apart."""

_STEEP = 0.5
"""The cosine of 60 degrees: what is seen from farther aside is not seen well."""

_GRAZING = 0.02
"""From directions whose cosine is less, a face is but a line."""

_BEFORE = 0.9
"""At this share of its distance a view is in front of an obstacle."""

_SAME = 1e-6
"""Hits nearer than this, in sizes of the face, are at the place itself."""

_PARALLEL = 1.0 - 1e-6
"""The least cosine between the normals of faces that lie in one plane."""

_NEAR = 0.1
"""What is nearer to the eye by less than this, in sizes of the face, is beside the place."""

_ASIDE = ((-2, 0), (2, 0), (0, -2), (0, 2))
"""Pixels around the place's own: a place in a slit of one pixel is not well seen."""


class Sight(NamedTuple):
    """A way of a view to look at a place."""

    rotation: Quaternion
    distance: float
    perspective: str


def size_of(hit: PickHit) -> float:
    """How far the face reaches from the place that was hit, in world space; above 0."""
    return max(math.dist(corner, hit.point) for corner in hit.face_corners) or 1.0


def frame(context: bpy.types.Context, view: bpy.types.RegionView3D, hit: PickHit) -> None:
    """Have a view look at the place of a hit, so near that the face is seen, and nothing before it.

    What need not change stays: where the view looks from, unless the place is hidden from there,
    and its distance, unless that is too near or too far. A camera view becomes a perspective one,
    as with Blender's View Selected. A view that is locked, as three of quad view are, only moves.
    A place of which no sight is found in time is framed from the side that was hit.
    """
    if view.view_perspective == "CAMERA" and not view.lock_rotation:
        view.view_perspective = "PERSP"
    distance = min(max(view.view_distance, size_of(hit) * _NEAREST), size_of(hit) * _FARTHEST)
    sights = _sights(context, view, hit, max(distance, _LEAST))
    first = next(sights)
    _look(view, hit, first)
    region = _region_of(context, view)
    if region is None or bpy.app.background:
        return
    end = time.perf_counter() + _SECONDS
    for sight in chain((first,), sights):
        _look(view, hit, sight)
        found = _pick_at(context, region, view, hit)
        if _is_seen(context, region, view, hit, found):
            return
        if _covers(found, hit) or time.perf_counter() >= end:
            break
    _look(view, hit, first)


def _sights(
    context: bpy.types.Context, view: bpy.types.RegionView3D, hit: PickHit, distance: float
) -> Iterator[Sight]:
    """The sights to try, that which changes least before others: there is one at least."""
    rotation, kind = view.view_rotation.copy(), view.view_perspective
    now, normal = rotation @ Vector((0.0, 0.0, 1.0)), Vector(hit.side_normal)
    if view.lock_rotation:
        yield Sight(rotation, distance, kind)
        if kind == "PERSP":  # to others, being nearer hides nothing less
            yield from _before_obstacle(context, hit, now, rotation, distance)
        return
    if now.dot(normal) > _GRAZING:
        yield Sight(rotation, distance, kind)
    turns = [(toward, _rotation(toward), toward.dot(normal)) for toward in _around(normal)]
    steep = [turn for turn in turns if turn[2] >= _STEEP]
    flat = [turn for turn in turns if turn[2] < _STEEP and abs(turn[2]) > _GRAZING]
    for near in (steep, flat):
        for _, turned, _ in near:
            yield Sight(turned, distance, kind)
        for toward, turned, _ in near:
            yield from _before_obstacle(context, hit, toward, turned, distance)


def _before_obstacle(
    context: bpy.types.Context, hit: PickHit, toward: Vector, turned: Quaternion, distance: float
) -> Iterator[Sight]:
    """The sight from between the place and what hides it in a direction, if anything does."""
    free = _free(context, hit, toward)
    if free is not None:
        yield Sight(turned, max(min(distance, _BEFORE * free), _LEAST), "PERSP")


def _around(normal: Vector) -> Iterator[Vector]:
    """Unit vectors all around a place, the normal first and the others by their angle to it."""
    yield normal
    turn = normal.to_track_quat("Z", "Y")
    for number in range(_DIRECTIONS):
        up, angle = 1.0 - (2 * number + 1) / _DIRECTIONS, number * math.pi * (3.0 - math.sqrt(5.0))
        aside = math.sqrt(1.0 - up * up)
        yield turn @ Vector((aside * math.cos(angle), aside * math.sin(angle), up))


def _rotation(toward: Vector) -> Quaternion:
    """That of a view whose eye is in a direction."""
    return toward.to_track_quat("Z", "Y")


def _free(context: bpy.types.Context, hit: PickHit, toward: Vector) -> float | None:
    """How far there is nothing in a direction from the place; None for no obstacle at all."""
    least = _SAME * size_of(hit)
    hits = api.ray_cast(context, hit.point, toward, all_hits=True, evaluated=hit.evaluated)
    return next((other.distance for other in hits if other.distance > least), None)


def _look(view: bpy.types.RegionView3D, hit: PickHit, sight: Sight) -> None:
    if not view.lock_rotation:
        view.view_rotation, view.view_perspective = sight.rotation, sight.perspective
    view.view_distance, view.view_location = sight.distance, hit.point
    if not bpy.app.background:  # without a window it would crash
        view.update()


def _region_of(context: bpy.types.Context, view: bpy.types.RegionView3D) -> bpy.types.Region | None:
    """The region of the context's area that shows a view, wherever in the area a button was."""
    regions = context.area.regions if context.area else ()
    return next((each for each in regions if each.type == "WINDOW" and each.data == view), None)


def _pick_at(
    context: bpy.types.Context,
    region: bpy.types.Region,
    view: bpy.types.RegionView3D,
    hit: PickHit,
    aside: tuple[int, int] = (0, 0),
) -> PickHit | None:
    """What a pick answers at the pixel of the place, or so many pixels beside it."""
    camera = api.camera(region, view)
    if not camera.is_in_front(hit.point):
        return None
    x, y, _ = camera.project(hit.point)
    pixel = math.floor(x) + 0.5 + aside[0], math.floor(y) + 0.5 + aside[1]
    return next(iter(api.pick(context, region, view, pixel, evaluated=hit.evaluated)), None)


def _is_seen(
    context: bpy.types.Context,
    region: bpy.types.Region,
    view: bpy.types.RegionView3D,
    hit: PickHit,
    found: PickHit | None,
) -> bool:
    """Whether what a pick found at the place is its face, and nothing hides what is around it."""
    if found is None or not _is_same(found, hit):
        return False
    around = (_pick_at(context, region, view, hit, aside) for aside in _ASIDE)
    return not any(_is_before(each, view, hit) for each in around)


def _covers(found: PickHit | None, hit: PickHit) -> bool:
    """Whether it is another face in the same plane: it wins from all directions then."""
    if found is None or _is_same_mesh(found, hit):
        return False
    normal = Vector(hit.side_normal)
    away = (Vector(found.point) - Vector(hit.point)).dot(normal)
    is_parallel = abs(Vector(found.normal).dot(normal)) >= _PARALLEL
    return is_parallel and abs(away) <= _SAME * size_of(hit)


def _is_before(found: PickHit | None, view: bpy.types.RegionView3D, hit: PickHit) -> bool:
    """Whether what is seen beside the place hides what is around it."""
    if found is None or _is_same(found, hit):
        return False
    toward = view.view_rotation @ Vector((0.0, 0.0, 1.0))
    return (Vector(found.point) - Vector(hit.point)).dot(toward) > _NEAR * size_of(hit)


def _is_same(found: PickHit, hit: PickHit) -> bool:
    """Whether it is the face that was hit; on its edge, it may be the one beside it."""
    if not _is_same_mesh(found, hit):
        return False
    is_on_edge = min(hit.barycentric) < _SAME
    is_beside = not set(found.face_vertices).isdisjoint(hit.face_vertices)
    return found.face == hit.face or (is_on_edge and is_beside)


def _is_same_mesh(found: PickHit, hit: PickHit) -> bool:
    mesh = found.object, found.library, found.instancer, found.instance
    return mesh == (hit.object, hit.library, hit.instancer, hit.instance)
