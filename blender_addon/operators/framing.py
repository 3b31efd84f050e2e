# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning a view so that the place of a hit is visible in it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import chain
from typing import Literal

import bpy
from mathutils import Quaternion, Vector

from .. import api
from ..model.hit import PickHit
from ..settings import present

# The least and greatest distance of a view at which a face is well visible, in sizes of the face.
_NEAREST, _FARTHEST = 2.0, 6.0
_LEAST = 1e-4  # the least distance of a view, in its own units
_SECONDS = 0.25  # the longest search for a pose, which blocks the interface
_DIRECTIONS = 160  # tried around a place, about 16 degrees apart
_STEEP = 0.5  # cosine of 60 degrees: a face is not well visible at a larger angle
_GRAZING = 0.02  # cosine below which a face looks like a line
_IN_FRONT = 0.9  # distance of a view in front of an obstacle, as a share of the obstacle's
_SAME = 1e-6  # hits nearer than this, in sizes of the face, are at the place itself
_PARALLEL = 1.0 - 1e-6  # least cosine between the normals of faces in one plane
_NEAR = 0.1  # hits in front of the place by less than this, in sizes of the face, hide nothing
# Pixels beside the place that must be free too: through a slit, it is not well visible.
_ASIDE = ((-2, 0), (2, 0), (0, -2), (0, 2))

_Pose = tuple[Quaternion, float, Literal["PERSP", "ORTHO", "CAMERA"]]
"""The rotation, distance and perspective of a view that looks at a place."""


def size_of(hit: PickHit) -> float:
    """How far the face reaches from the place that was hit, in world space; above 0."""
    return max(math.dist(corner, hit.point) for corner in hit.face_corners) or 1.0


def frame(context: bpy.types.Context, view: bpy.types.RegionView3D, hit: PickHit) -> None:
    """Turn a view to the place of a hit, near enough to see its face, with nothing in front.

    The view keeps its direction, unless the place is hidden from there, and its distance, unless it
    is too near or too far. A camera view becomes a perspective one, as with View Selected. A locked
    view, such as three of a quad view, only moves. If the place is not seen in time, the view looks
    at it from the side that was hit, whatever is in front.
    """
    if view.view_perspective == "CAMERA" and not view.lock_rotation:
        view.view_perspective = "PERSP"
    framing = _Framing(context, view, hit)
    distance = min(max(view.view_distance, framing.size * _NEAREST), framing.size * _FARTHEST)
    poses = framing.poses(max(distance, _LEAST))
    first = next(poses)
    framing.look(first)
    if framing.region is None or bpy.app.background:
        return
    end = time.perf_counter() + _SECONDS
    for pose in chain((first,), poses):
        framing.look(pose)
        found = framing.pick()
        if framing.is_seen(found):
            return
        if framing.covers(found) or time.perf_counter() >= end:
            break
    framing.look(first)


class _Framing:
    """A view, the region that shows it, and the hit that it is turned to."""

    def __init__(
        self, context: bpy.types.Context, view: bpy.types.RegionView3D, hit: PickHit
    ) -> None:
        self._context, self._view, self._hit = context, view, hit
        self._point, self._normal = Vector(hit.point), Vector(hit.side_normal)
        self.size = size_of(hit)
        # The context's region may be another one of the area, which has the button.
        regions = context.area.regions if context.area else ()
        of_view = (each for each in regions if each.type == "WINDOW" and each.data == view)
        self.region = next(of_view, None)

    def poses(self, distance: float) -> Iterator[_Pose]:
        """The poses to try, at least one; those that change less come first."""
        rotation, kind = self._view.view_rotation.copy(), self._view.view_perspective
        now = rotation @ Vector((0.0, 0.0, 1.0))
        if self._view.lock_rotation:
            yield rotation, distance, kind
            if kind == "PERSP":  # in other views, coming nearer shows no more
                yield from self._in_front_of_obstacle(now, rotation, distance)
            return
        normal = self._normal
        if now.dot(normal) > _GRAZING:
            yield rotation, distance, kind
        turns = [(each, each.to_track_quat("Z", "Y"), each.dot(normal)) for each in _around(normal)]
        steep = [turn for turn in turns if turn[2] >= _STEEP]
        flat = [turn for turn in turns if turn[2] < _STEEP and abs(turn[2]) > _GRAZING]
        for near in (steep, flat):
            for _, turned, _ in near:
                yield turned, distance, kind
            for toward, turned, _ in near:
                yield from self._in_front_of_obstacle(toward, turned, distance)

    def look(self, pose: _Pose) -> None:
        """Turn the view, unless it is locked, and move it."""
        view = self._view
        rotation, distance, kind = pose
        if not view.lock_rotation:
            view.view_rotation, view.view_perspective = rotation, kind
        view.view_distance, view.view_location = distance, self._hit.point
        if not bpy.app.background:  # update() crashes without a window
            view.update()

    def pick(self, aside: tuple[int, int] = (0, 0)) -> PickHit | None:
        """The first hit at the pixel of the place, or at one so many pixels aside."""
        region = present(self.region)
        camera = api.camera(region, self._view)
        if not camera.is_in_front(self._hit.point):
            return None
        x, y, _ = camera.project(self._hit.point)
        pixel = math.floor(x) + 0.5 + aside[0], math.floor(y) + 0.5 + aside[1]
        hits = api.pick(self._context, region, self._view, pixel, evaluated=self._hit.evaluated)
        return hits[0] if hits else None

    def is_seen(self, found: PickHit | None) -> bool:
        """Whether a pick at the place found its face, and nothing hides its surroundings."""
        if found is None or not _is_same(found, self._hit):
            return False
        toward = self._view.view_rotation @ Vector((0.0, 0.0, 1.0))
        return not any(
            (Vector(beside.point) - self._point).dot(toward) > _NEAR * self.size
            for beside in map(self.pick, _ASIDE)
            if beside is not None and not _is_same(beside, self._hit)
        )

    def covers(self, found: PickHit | None) -> bool:
        """Whether another mesh's face in the same plane was found: no view shows the place then."""
        if found is None or _is_same_mesh(found, self._hit):
            return False
        away = (Vector(found.point) - self._point).dot(self._normal)
        is_parallel = abs(Vector(found.normal).dot(self._normal)) >= _PARALLEL
        return is_parallel and abs(away) <= _SAME * self.size

    def _in_front_of_obstacle(
        self, toward: Vector, turned: Quaternion, distance: float
    ) -> Iterator[_Pose]:
        """The pose between the place and an obstacle in a direction, if there is one."""
        hit, least = self._hit, _SAME * self.size
        hits = api.ray_cast(
            self._context, hit.point, toward[:], all_hits=True, evaluated=hit.evaluated
        )
        free = next((other.distance for other in hits if other.distance > least), None)
        if free is not None:
            yield turned, max(min(distance, _IN_FRONT * free), _LEAST), "PERSP"


def _around(normal: Vector) -> Iterator[Vector]:
    """Unit vectors in all directions, in the order of their angles to the normal."""
    yield normal
    turn = normal.to_track_quat("Z", "Y")
    for number in range(_DIRECTIONS):
        up, angle = 1.0 - (2 * number + 1) / _DIRECTIONS, number * math.pi * (3.0 - math.sqrt(5.0))
        aside = math.sqrt(1.0 - up * up)
        yield turn @ Vector((aside * math.cos(angle), aside * math.sin(angle), up))


def _is_same(found: PickHit, hit: PickHit) -> bool:
    """Whether the hits are on the same face or, for a hit on an edge, on faces beside it."""
    if not _is_same_mesh(found, hit):
        return False
    is_on_edge = min(hit.barycentric) < _SAME
    is_beside = not set(found.face_vertices).isdisjoint(hit.face_vertices)
    return found.face == hit.face or (is_on_edge and is_beside)


def _is_same_mesh(found: PickHit, hit: PickHit) -> bool:
    mesh = found.object, found.library, found.instancer, found.instance
    return mesh == (hit.object, hit.library, hit.instancer, hit.instance)
