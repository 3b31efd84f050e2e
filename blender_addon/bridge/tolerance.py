# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ray only just misses: the nearest thing within some pixels of it, if that is in front."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..standalone_core import Camera, Hit, Region, Scene, Triangles
from ..standalone_core.arguments import Cull, cull_sign, distance
from ..standalone_core.around_pixel import AroundPixel
from ..standalone_core.arrays import BoolArray, FloatArray, IntArray, cross, dot, length
from ..standalone_core.errors import ArgumentError, DegenerateError
from ..standalone_core.joined import joined_to
from ..standalone_core.nearest_seen import TIE, nearest_seen
from .placing import placed
from .snapshot import Snapshot

TURNED: dict[Cull, Cull] = {None: None, "back": "front", "front": "back"}
"""Which side of faces is not hit, seen from the other end of a ray."""

_ROUNDING = 1e-9
"""Places do not hide each other that are so near, relative to their coordinates and distance."""

_SINGLE = 2.0**-21
"""What is in the plane of a face, as exactly as single precision can put it there, is not in front
of it: this much of the coordinates."""


class _Places(NamedTuple):
    """Places on N triangles, and which of them may be taken.

    Attributes
    ----------
    rows : ndarray (R,)
        The triangles that may be taken, the best first.
    weights, points, toward : ndarray (N, 3)
        Weights of the corners, the place in world space, and the way one looks at it.
    away, depth, margins : ndarray (N,)
        Pixels beside the position, the length along the exact ray, and what that may be wrong by.
    """

    rows: IntArray
    weights: FloatArray
    away: FloatArray
    points: FloatArray
    depth: FloatArray
    toward: FloatArray
    margins: FloatArray


class Taken(NamedTuple):
    """A hit beside the ray, and how many pixels away it is seen."""

    hit: Hit
    away: float


@dataclass(frozen=True, slots=True, eq=False)
class Tolerance:
    """How far beside a position a thing may be seen that is taken for what is there.

    A thing is what hangs together within that radius, of one object or instance. Things in front of
    what the exact ray hits first are taken, but not what that is part of: else the bumps of a
    surface, and whatever part of a slope is nearer, would be taken for the place that is shown.

    Attributes
    ----------
    around : AroundPixel
        The position.
    radius : float
        In pixels, above 0.
    planes : ndarray (P, 4)
        The view's :func:`.clip.seen_planes`; none where it is not clipped.
    is_perspective : bool
    """

    around: AroundPixel
    radius: float
    planes: FloatArray
    is_perspective: bool

    def taken(
        self,
        shown: Snapshot,
        first: Hit | None,
        max_distance: float,
        cull: Cull,
        in_front_first: bool,
    ) -> Taken | None:
        """The nearest thing on the screen, at its nearest place, or None if none is in front.

        Parameters
        ----------
        shown : Snapshot
        first : Hit or None
            What the exact ray hits first.
        max_distance, cull, in_front_first
            As of the question.
        """
        behind = shown.behind if in_front_first else None
        found = self._triangles(shown.scene, first, behind)
        places = self._places(shown.scene, found, first, max_distance, cull, behind)
        for rows in _more_and_more(places.rows):
            hidden = self._hidden(shown.scene, places, rows, found, cull, behind)
            for row in rows[~hidden].tolist():
                try:
                    hit = self._hit(shown, found, row, places.weights[row])
                except DegenerateError:  # what has no area is never hit
                    continue
                return Taken(hit, float(places.away[row]))
        return None

    def _triangles(self, scene: Scene, first: Hit | None, behind: list[int] | None) -> Triangles:
        """What is seen within the radius: all of the instance that is hit, and what may be before.

        What lies behind the hit of another instance need not be looked at, nor read.
        """
        region = self.around.region(self.radius).cut(Region.of(self.planes))
        if first is None:
            return scene.triangles_in(region)
        origin, direction = self.around.ray.origin, self.around.ray.direction
        before = np.append(-direction, direction @ origin + self._depth(first.point))
        nearer = region.cut(Region.of(before[None]))
        parts = [scene[first.instance].triangles_in(region, first.instance)]
        if behind is None:
            parts.append(scene.triangles_in(nearer, [first.instance]))
        elif first.instance in behind:
            in_front = set(scene) - set(behind)
            parts.append(scene.triangles_in(region, behind))
            parts.append(scene.triangles_in(nearer, [first.instance, *in_front]))
        else:
            parts.append(scene.triangles_in(nearer, [first.instance, *behind]))
        return Triangles.concatenated(parts)

    def _places(
        self,
        scene: Scene,
        found: Triangles,
        first: Hit | None,
        max_distance: float,
        cull: Cull,
        behind: list[int] | None,
    ) -> _Places:
        """Where triangles are seen nearest, and which of them may be taken, the nearest first."""
        nearest = nearest_seen(found.corners, self.around, self.planes)
        points = (nearest.weights[..., None] * found.corners).sum(axis=1)
        origin, direction = self.around.ray.origin, self.around.ray.direction
        depth, offset = self.around.depths(points), points - origin
        toward = offset if self.is_perspective else np.broadcast_to(direction, points.shape)
        away_from_us = _facing(scene, found, toward)
        possible = ~nearest.covers & (nearest.away <= self.radius)
        possible &= (away_from_us * cull_sign(cull) <= 0.0) & (length(offset) <= max_distance)
        if first is not None and possible.any():
            possible &= self._is_before(first, found, points, depth, behind)
            if possible.any():
                possible &= ~self._is_part_of(first, found)
        rows = np.flatnonzero(possible)
        ties = np.round(nearest.away[rows] / TIE)
        as_deep = np.round(depth[rows] / (TIE * np.abs(depth[rows]).max(initial=1e-300)))
        order = np.lexsort((found.instance[rows], away_from_us[rows] > 0.0, as_deep, ties))
        margins = _ROUNDING * (np.abs(points).max(axis=1) + np.abs(depth))
        return _Places(rows[order], nearest.weights, nearest.away, points, depth, toward, margins)

    def _is_before(
        self,
        first: Hit,
        found: Triangles,
        points: FloatArray,
        depth: FloatArray,
        behind: list[int] | None,
    ) -> BoolArray:
        """Which places are seen before the exact hit: nearer, and not in the plane of its face."""
        size = np.maximum(np.abs(points).max(axis=1), np.abs(first.point).max())
        least = _ROUNDING * (size + np.abs(depth))
        nearer = depth < self._depth(first.point) - least
        nearer &= np.abs(dot(points - first.point, first.normal)) > _SINGLE * size
        if behind is None:
            return nearer
        is_behind = np.isin(found.instance, behind)
        return np.where(is_behind == (first.instance in behind), nearer, ~is_behind)

    def _is_part_of(self, first: Hit, found: Triangles) -> BoolArray:
        """Which triangles hang together with the one that the exact ray hits."""
        own = np.flatnonzero(found.instance == first.instance)
        row = np.flatnonzero(found.triangle[own] == first.triangle)
        same = np.zeros(len(found), dtype=np.bool_)
        if len(row):
            part = found.take(own)
            offsets = self.around.offsets(part.corners)
            same[own] = joined_to(int(row[0]), part, offsets, self.radius)
        return same

    def _hidden(
        self,
        scene: Scene,
        places: _Places,
        rows: IntArray,
        found: Triangles,
        cull: Cull,
        behind: list[int] | None,
    ) -> BoolArray:
        """Which of some places (R,) something else is seen before."""
        hidden = np.zeros(len(rows), dtype=np.bool_)
        backward = -places.toward[rows]
        if behind is None:
            return self._meets(scene, places, rows, backward, found, TURNED[cull], None)
        late = np.isin(found.instance[rows], behind)
        for which, way, side, exclude in (
            (late, backward, TURNED[cull], None),
            (late, -backward, cull, behind),
            (~late, backward, TURNED[cull], behind),
        ):
            if which.any():
                hidden[which] |= self._meets(
                    scene, places, rows[which], way[which], found, side, exclude
                )
        return hidden

    def _meets(
        self,
        scene: Scene,
        places: _Places,
        rows: IntArray,
        directions: FloatArray,
        found: Triangles,
        cull: Cull,
        exclude: list[int] | None,
    ) -> BoolArray:
        """Whether rays from places (R,) meet anything but their own triangle where it is shown."""
        unit = directions / length(directions)[:, None]
        margin = places.margins[rows]
        starts = places.points[rows] + margin[:, None] * unit
        limits = np.maximum(self._reach(places.points[rows], unit) - margin, 0.0)
        hits = scene.cast_rays(starts, unit, limits, cull, exclude)
        met = hits.hit
        own = (hits.instance == found.instance[rows]) & (hits.triangle == found.triangle[rows])
        for number in np.flatnonzero(own & met).tolist():  # seen as a line, it meets itself
            every = scene.ray_cast_all(starts[number], unit[number], limits[number], cull, exclude)
            names = {(hit.instance, hit.triangle) for hit in every}
            met[number] = len(names) > 1
        return met

    def _reach(self, points: FloatArray, directions: FloatArray) -> FloatArray:
        """How far points (N, 3) can go in unit directions (N, 3) to a plane or the eye: (N,)."""
        reach = np.full(len(points), np.inf)
        for plane in self.planes:
            value, along = dot(points, plane[:3]) + plane[3], dot(directions, plane[:3])
            with np.errstate(all="ignore"):
                reach = np.where(along < 0.0, np.minimum(reach, value / -along), reach)
        if self.is_perspective:
            offset = points - self.around.ray.origin
            reach = np.where(
                dot(offset, directions) < 0.0, np.minimum(reach, length(offset)), reach
            )
        return reach

    def _hit(self, shown: Snapshot, found: Triangles, row: int, weights: FloatArray) -> Hit:
        """The hit at weights (3,) of a triangle, at its distance from the ray's origin."""
        instance, triangle = int(found.instance[row]), int(found.triangle[row])
        face, mesh = int(found.face[row]), shown.listing.rows[shown.rows[instance]].mesh
        first, _, positions = mesh.split_face(face)
        hit = placed(shown, instance, face, triangle, weights, positions[triangle - first])
        offset = hit.point - self.around.ray.origin
        toward = offset if self.is_perspective else self.around.ray.direction
        far = float(np.linalg.norm(offset))
        is_behind = self._depth(hit.point) < 0.0  # in an orthographic view without clipping
        front = bool(dot(hit.normal, toward) < 0.0)
        return replace(hit, distance=-far if is_behind else far, front=front)

    def _depth(self, point: FloatArray) -> float:
        return float(self.around.depths(point))


def tolerance(
    radius: float, camera: Camera, position: tuple[float, float], planes: FloatArray
) -> Tolerance | None:
    """Check a tolerance in pixels; None for 0, ArgumentError if it is none."""
    reach = distance(radius, "tolerance")
    if reach == np.inf:
        raise ArgumentError("tolerance must be finite")
    if not reach:
        return None
    return Tolerance(AroundPixel(camera, *position), reach, planes, camera.is_perspective)


def _facing(scene: Scene, found: Triangles, toward: FloatArray) -> FloatArray:
    """Above 0 for triangles seen from behind, below 0 from the front, 0 where as a line: (N,)."""
    a, b, c = found.corners.transpose(1, 0, 2)
    facing = dot(cross(b - a, c - a), toward)
    for instance in np.unique(found.instance).tolist():
        if np.linalg.det(scene[instance].matrix[:3, :3]) < 0.0:
            facing[found.instance == instance] *= -1.0
    return facing


def _more_and_more(rows: IntArray) -> Iterator[IntArray]:
    """The first row alone, the next two, four ... : mostly the first is taken."""
    begin, count = 0, 1
    while begin < len(rows):
        yield rows[begin : begin + count]
        begin, count = begin + count, min(2 * count, 256)
