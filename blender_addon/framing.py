# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning a view so that the place of a hit is seen in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import bpy
from mathutils import Quaternion, Vector

from . import api
from .pick_hit import PickHit

_NEAREST, _FARTHEST = 2.0, 6.0
"""Distances of a view from which a face fills it and is well seen, in sizes of the face."""

_LEAST = 1e-4
"""The least distance of a view, in its own units."""

_DIRECTIONS = 320
"""So many directions around a place are tried, about 11 degrees apart."""

_STEEP = 0.5
"""The cosine of 60 degrees: what is seen from farther aside is not seen well."""

_GRAZING = 0.02
"""From directions whose cosine is less, a face is but a line."""

_BEFORE = 0.9
"""At this share of its distance a view is in front of an obstacle."""

_SAME = 1e-6
"""Hits nearer than this, in sizes of the face, are at the place itself."""


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
    and its distance, unless that is too near or too far. A camera view is left, as Blender's View
    Selected leaves it. A place that nothing shows is framed from the side that was hit.
    """
    if view.view_perspective == "CAMERA":
        view.view_perspective = "PERSP"
    distance = min(max(view.view_distance, size_of(hit) * _NEAREST), size_of(hit) * _FARTHEST)
    sights = _sights(context, view, hit, max(distance, _LEAST))
    first = next(sights)
    _look(view, hit, first)
    region = _region_of(context, view)
    if region is None or bpy.app.background or _sees(context, region, view, hit):
        return
    for sight in sights:
        _look(view, hit, sight)
        if _sees(context, region, view, hit):
            return
    _look(view, hit, first)


def _sights(
    context: bpy.types.Context, view: bpy.types.RegionView3D, hit: PickHit, distance: float
) -> Iterator[Sight]:
    """The sights to try, that which changes least before others: there is one at least."""
    rotation, kind = view.view_rotation.copy(), view.view_perspective
    now, normal = rotation @ Vector((0.0, 0.0, 1.0)), Vector(hit.side_normal)
    if now.dot(normal) > _GRAZING or view.lock_rotation:
        yield Sight(rotation, distance, kind)
    turns = [(toward, _rotation(toward), toward.dot(normal)) for toward in _around(normal)]
    steep = [turn for turn in turns if turn[2] >= _STEEP]
    flat = [turn for turn in turns if turn[2] < _STEEP and abs(turn[2]) > _GRAZING]
    for near in ([(now, rotation, 1.0)],) if view.lock_rotation else (steep, flat):
        for _, turned, _ in near:
            yield Sight(turned, distance, kind)
        for toward, turned, _ in near:
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
    view.view_rotation, view.view_distance, view.view_perspective = sight
    view.view_location = hit.point
    if not bpy.app.background:  # without a window it would crash
        view.update()


def _region_of(context: bpy.types.Context, view: bpy.types.RegionView3D) -> bpy.types.Region | None:
    """The region of the context's area that shows a view, wherever in the area a button was."""
    regions = context.area.regions if context.area else ()
    return next((each for each in regions if each.type == "WINDOW" and each.data == view), None)


def _sees(
    context: bpy.types.Context,
    region: bpy.types.Region,
    view: bpy.types.RegionView3D,
    hit: PickHit,
) -> bool:
    """Whether a pick at the place answers its face, and nothing hides what is around it."""
    camera = api.camera(region, view)
    if not camera.is_in_front(hit.point):
        return False
    x, y, _ = camera.project(hit.point)

    def pick(right: int, up: int) -> PickHit | None:
        pixel = math.floor(x) + 0.5 + right, math.floor(y) + 0.5 + up
        return next(iter(api.pick(context, region, view, pixel, evaluated=hit.evaluated)), None)

    found = pick(0, 0)
    if found is None or not _is_same(found, hit):
        return False
    return not any(_is_before(pick(*aside), view, hit) for aside in _ASIDE)


def _is_before(found: PickHit | None, view: bpy.types.RegionView3D, hit: PickHit) -> bool:
    """Whether what is seen beside the place hides what is around it."""
    if found is None or _is_same(found, hit):
        return False
    toward = view.view_rotation @ Vector((0.0, 0.0, 1.0))
    return (Vector(found.point) - Vector(hit.point)).dot(toward) > _NEAR * size_of(hit)


def _is_same(found: PickHit, hit: PickHit) -> bool:
    """Whether it is the face that was hit; on its edge, it may be the one beside it."""
    mesh = found.object, found.library, found.instancer, found.instance
    if mesh != (hit.object, hit.library, hit.instancer, hit.instance):
        return False
    is_on_edge = min(hit.barycentric) < _SAME
    is_beside = not set(found.face_vertices).isdisjoint(hit.face_vertices)
    return found.face == hit.face or (is_on_edge and is_beside)
