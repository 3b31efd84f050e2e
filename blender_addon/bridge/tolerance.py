# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what a ray narrowly misses: the nearest visible thing within some pixels of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from ..standalone_core import Hit, Region, Scene, Triangles
from ..standalone_core.extension import (
    TIE,
    ArgumentError,
    AroundPixel,
    BoolArray,
    Cull,
    DegenerateError,
    FloatArray,
    IntArray,
    concatenated,
    connected_to,
    cross,
    cull_sign,
    distance,
    dot,
    instance_triangles,
    length,
    nearest_visible,
)
from .placing import hit_from, placed
from .scene.snapshot import Shown

_SINGLE = 2.0**-21
"""Places nearer than this to the plane of a face, relative to the coordinates, are not in front of
it: single precision is no more exact."""

TURNED: dict[Cull, Cull] = {None: None, "back": "front", "front": "back"}
"""The side of faces to cull for a reversed ray."""

ROUNDING = 1e-9
"""Places this near, relative to their coordinates and depth, do not hide each other."""


class NearHit(NamedTuple):
    """A hit beside the ray, and its distance from the position in pixels."""

    hit: Hit
    away: float


class _Places(NamedTuple):
    """Places that may be hit, the best first."""

    found: Triangles  # one for each of N places
    points: FloatArray  # (N, 3), in world space
    weights: FloatArray  # (N, 3), of the triangle's corners
    away: FloatArray  # (N,), in pixels from the position

    def take(self, rows: IntArray | BoolArray) -> _Places:
        found, *arrays = self
        return _Places(found.take(rows), *(array[rows] for array in arrays))


@dataclass(frozen=True, slots=True, eq=False)
class Tolerance:
    """How far from a position a thing may be and still be picked there.

    Triangles of one object or instance that are connected within that radius are one thing. A
    thing is picked if it is in front of the exact ray's first hit and is not the thing hit: else
    bumps of a surface, or the nearer part of a slope, would be picked instead of the exact hit.
    """

    around: AroundPixel
    radius: float  # in pixels, above 0
    planes: FloatArray  # (P, 4), as of `view_planes`; none where the view is not clipped

    def nearest(
        self,
        snapshot: Shown,
        first: Hit | None,
        min_distance: float,
        max_distance: float,
        cull: Cull,
        in_front_first: bool,
    ) -> NearHit | None:
        """The hit on the nearest thing in front, at its nearest place; None if nothing is.

        `first` is the exact ray's first hit; the other arguments are as in :class:`.PickQuery`.
        """
        behind = (snapshot.behind if in_front_first else None) or []
        sight = Sight(snapshot.scene, self.around, self.planes, cull, behind, min_distance)
        found = self._triangles(sight, first)
        near = found
        if first is not None:  # a quick test, which most fail: does a corner come before the hit?
            nearer = self.around.depths(found.corners).min(axis=1) < self._depth(first.point)
            ahead = (first.instance in behind) & ~np.isin(found.instance, behind)
            near = found.take(nearer | ahead)
        places = self._places(near, sight, min_distance, max_distance)
        if first is not None and len(places.away):
            places = places.take(self._are_before(first, places, sight))
            places = places.take(self._are_apart(first, places, found))
        for some in _growing(len(places.away)):
            found, points, weights, away = places.take(some)
            for row in np.flatnonzero(~sight.hidden(found, points)).tolist():
                try:
                    hit = self._hit(snapshot, found, row, weights[row])
                except DegenerateError:  # what has no area is never hit
                    continue
                return NearHit(hit, float(away[row]))
        return None

    def _triangles(self, sight: Sight, first: Hit | None) -> Triangles:
        """The triangles within the radius: all of the instance hit, and others in front of the hit.

        Triangles of other instances behind the hit are neither tested nor read, unless the
        instance is In Front and the hit one is not.
        """
        scene, behind = sight.scene, sight.behind
        region = self.around.region(self.radius).cut(Region.of(self.planes))
        if first is None:
            return scene.triangles_in(region)
        origin, direction = self.around.ray.origin, self.around.ray.direction
        before = np.append(-direction, direction @ origin + self._depth(first.point))
        nearer = region.cut(Region.of(before[None]))
        parts = [instance_triangles(scene[first.instance], region, first.instance)]
        if first.instance in behind:
            in_front = set(scene) - set(behind)
            parts.append(scene.triangles_in(region, behind))
            parts.append(scene.triangles_in(nearer, [first.instance, *in_front]))
        else:
            parts.append(scene.triangles_in(nearer, [first.instance, *behind]))
        return concatenated(parts)

    def _places(
        self, found: Triangles, sight: Sight, min_distance: float, max_distance: float
    ) -> _Places:
        """Nearest visible places of triangles within the radius that do not cover the position."""
        weights, away, covers = nearest_visible(found.corners, self.around, self.planes)
        points = (weights[..., None] * found.corners).sum(axis=1)
        facing = sight.facing(found)
        possible = ~covers & (away <= self.radius) & (facing * cull_sign(sight.cull) <= 0.0)
        far = length(points - self.around.ray.origin)
        if not len(self.planes):  # else these decide what is behind the origin
            far = np.copysign(far, self.around.depths(points))
        possible &= (min_distance <= far) & (far <= max_distance)
        rows = np.flatnonzero(possible)
        depth = self.around.depths(points[rows])
        as_deep = np.round(depth / (TIE * np.abs(depth).max(initial=1e-300)))
        as_near = np.round(away[rows] / TIE)
        order = np.lexsort((found.instance[rows], facing[rows] > 0.0, as_deep, as_near))
        return _Places(found, points, weights, away).take(rows[order])

    def _are_before(self, first: Hit, places: _Places, sight: Sight) -> BoolArray:
        """Which places are in front of the exact hit: nearer, and not in the plane of its face."""
        size = np.maximum(np.abs(places.points).max(axis=1), np.abs(first.point).max())
        depth, deep = self.around.depths(places.points), self._depth(first.point)
        nearer: BoolArray = depth < deep - ROUNDING * (size + abs(deep))
        nearer &= np.abs(dot(places.points - first.point, first.normal)) > _SINGLE * size
        late = np.isin(places.found.instance, sight.behind)
        return np.where(late == (first.instance in sight.behind), nearer, ~late)

    def _are_apart(self, first: Hit, places: _Places, found: Triangles) -> BoolArray:
        """Which places are on other things than the exact hit."""
        of_same = places.found.instance == first.instance
        own = found.take(found.instance == first.instance)
        row = np.flatnonzero(own.triangle == first.triangle)
        if not of_same.any() or not len(row):
            return np.ones(len(of_same), dtype=np.bool_)
        offsets = self.around.offsets(own.corners)
        thing = own.triangle[connected_to(int(row[0]), own, offsets, self.radius)]
        return np.asarray(~(of_same & np.isin(places.found.triangle, thing)))

    def _hit(self, snapshot: Shown, found: Triangles, row: int, weights: FloatArray) -> Hit:
        """The hit at weights (3,) of a triangle, with its distance from the ray's origin."""
        instance, triangle = int(found.instance[row]), int(found.triangle[row])
        face = int(found.face[row])
        triangles = snapshot.listed[instance].mesh.split_face(face)
        hit = placed(snapshot, instance, face, triangles, triangle - triangles.first, weights)
        behind = self._depth(hit.point) < 0.0  # in an orthographic view without clipping
        front = bool(dot(hit.normal, self.around.toward(hit.point)) < 0.0)
        return hit_from(self.around.ray.origin, hit, behind, front)

    def _depth(self, point: FloatArray) -> float:
        return float(self.around.depths(point))


def tolerance(pixels: float, around: AroundPixel, planes: FloatArray) -> Tolerance | None:
    """Check a tolerance; None for 0."""
    radius = distance(pixels, "tolerance")
    if radius == np.inf:
        raise ArgumentError("tolerance must be finite")
    return Tolerance(around, radius, planes) if radius else None


def _growing(count: int) -> Iterator[IntArray]:
    """The rows in growing parts: the first one alone, which mostly suffices, then 2, 4 ..."""
    begin, size = 0, 1
    while begin < count:
        yield np.arange(begin, min(begin + size, count))
        begin, size = begin + size, min(2 * size, 256)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A view of a scene around a position."""

    scene: Scene
    around: AroundPixel
    planes: FloatArray  # (P, 4): what is visible has a x + b y + c z + d >= 0 for each
    cull: Cull
    behind: list[int]  # ids of instances that all others hide, whatever their depth
    least: float = -inf  # what is nearer to the ray's origin hides nothing

    def facing(self, found: Triangles) -> FloatArray:
        """Numbers (N,): below 0 for triangles that face the eye, above 0 for those facing away."""
        a, b, c = found.corners.transpose(1, 0, 2)
        facing = dot(cross(b - a, c - a), self.around.toward(a))
        for instance in np.unique(found.instance).tolist():
            if np.linalg.det(self.scene[instance].matrix[:3, :3]) < 0.0:
                facing[found.instance == instance] *= -1.0
        return facing

    def hidden(self, found: Triangles, points: FloatArray) -> BoolArray:
        """Which of the places (N, 3) on triangles are behind something else."""
        backward = -self.around.toward(points)
        late = np.isin(found.instance, self.behind)
        hidden = np.zeros(len(points), dtype=np.bool_)
        for some, way, cull, exclude in (
            (late, backward, TURNED[self.cull], []),
            (late, -backward, self.cull, self.behind),
            (~late, backward, TURNED[self.cull], self.behind),
        ):
            if some.any():
                ways = found.take(some), points[some], way[some]
                hidden[some] |= self._meets(*ways, cull, exclude)
        return hidden

    def _meets(
        self,
        found: Triangles,
        points: FloatArray,
        directions: FloatArray,
        cull: Cull,
        exclude: list[int],
    ) -> BoolArray:
        """Whether rays from places meet anything visible but their own triangle."""
        unit = directions / length(directions)[:, None]
        margin = ROUNDING * (np.abs(points).max(axis=1) + np.abs(self.around.depths(points)))
        starts = points + margin[:, None] * unit
        limits = np.maximum(self._reach(points, unit) - margin, 0.0)
        if len(points) == 1:  # faster than a batch of one
            hit = self.scene.ray_cast(starts[0], unit[0], limits[0], cull, exclude)
            met = np.array([hit is not None])
            ids = (found.instance[0], found.triangle[0])
            own = np.array([hit is not None and (hit.instance, hit.triangle) == ids])
        else:
            hits = self.scene.cast_rays(starts, unit, limits, cull, exclude)
            met = hits.hit
            own = met & (hits.instance == found.instance) & (hits.triangle == found.triangle)
        for row in np.flatnonzero(own).tolist():  # a triangle seen edge-on may meet its own ray
            every = self.scene.ray_cast_all(starts[row], unit[row], limits[row], cull, exclude)
            met[row] = len({(hit.instance, hit.triangle) for hit in every}) > 1
        return met

    def _reach(self, points: FloatArray, directions: FloatArray) -> FloatArray:
        """Distances (N,) from points (N, 3) along directions (N, 3) to a clip plane or the eye."""
        reach = np.full(len(points), np.inf)
        for plane in self.planes:
            value, along = dot(points, plane[:3]) + plane[3], dot(directions, plane[:3])
            with np.errstate(all="ignore"):
                reach = np.where(along < 0.0, np.minimum(reach, value / -along), reach)
        comes_nearer = dot(self.around.toward(points), directions) < 0.0
        if self.around.is_perspective:
            left = length(points - self.around.ray.origin) - max(self.least, 0.0)
        else:
            left = self.around.depths(points) - self.least
        return np.where(comes_nearer, np.minimum(reach, left), reach)
