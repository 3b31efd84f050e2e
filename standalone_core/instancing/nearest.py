# SPDX-License-Identifier: MIT
"""The nearest places on the instances of a scene to many points: the nearest boxes first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..cast.hits import put
from ..closest.in_tree import Nearby
from ..closest.places import ClosestPoints, without_places
from ..closest.search import closest_points
from ..engines import engine_named
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, largest, length, moved
from ..numerics.columns import alike, run_starts
from .instance import Placeable, applied
from .many_rays import in_waves
from .placements import Met, Placements

# Up to this many pairs of a point and an instance, looking at all boxes costs less than a tree.
_FEW = 1 << 11

# The rounding of a box in the scene, and of a distance from it.
_ROUNDING = 32 * EPS

# The largest coordinate for which the error bounds of closest points hold. Points beyond it in the
# space of a mesh are searched in the scene's space.
_MOST = 2.0**1022


class _Finder(NamedTuple):
    """How the nearest places to points (N, 3), within limits (N,), are found on one instance."""

    in_mesh: Callable[[Placeable, FloatArray, FloatArray], ClosestPoints]  # in the mesh's space
    in_scene: Callable[[Placements, int, FloatArray, FloatArray], ClosestPoints]


def closest(
    parts: Sequence[Placements], points: FloatArray, limits: FloatArray, excluded: BoolArray | None
) -> ClosestPoints:
    """The nearest places to points (N, 3), not beyond limits (N,), on instances not excluded."""
    return _closest(parts, points, limits, excluded, _POINTS)


def closest_vertices(
    parts: Sequence[Placements], points: FloatArray, limits: FloatArray
) -> ClosestPoints:
    """The nearest vertices to points (N, 3), not beyond limits (N,), in place of triangles."""
    return _closest(parts, points, limits, None, _VERTICES)


def _closest(
    parts: Sequence[Placements],
    points: FloatArray,
    limits: FloatArray,
    excluded: BoolArray | None,
    finder: _Finder,
) -> ClosestPoints:
    found = without_places(len(points))
    with np.errstate(all="ignore"):
        for part in parts:
            is_met = part.is_met(np.arange(len(part)), excluded)
            reach = np.minimum(limits, found.distance)
            _Search(part, points, largest(points), reach, is_met, finder, found).run()
    return found


@dataclass(eq=False)
class _Search:
    """Points on their way through the instances of a part to the nearest places."""

    part: Placements
    points: FloatArray  # (N, 3)
    sizes: FloatArray  # (N,), the absolute values of their largest coordinates
    reach: FloatArray  # (N,), shortened by what is found
    is_met: BoolArray  # which instances are searched
    finder: _Finder
    found: ClosestPoints  # (N,)

    def run(self) -> None:
        """Search all boxes, or those that the tree finds near enough."""
        part, points = self.part, self.points
        count = len(points) * len(part)
        if count <= _FEW:
            self._offer(*np.divmod(np.arange(count), len(part)))
            return
        for place in part.unbounded.tolist():
            self._offer(np.arange(len(points)), np.full(len(points), place))
        if not part.tree.levels:
            return
        # At least the margins that `_gaps` subtracts.
        margin = _ROUNDING * (part.extent + self.sizes)
        excluded = None if self.is_met.all() else ~self.is_met
        nearby = Nearby(part.tree, points, self.reach + margin, excluded)
        for row, place in nearby.pairs():
            self._offer(row, place)
            nearby.shorten(row, self.reach[row] + margin[row])

    def _offer(self, row: IntArray, place: IntArray) -> None:
        """Look for nearer places on instances, for pairs (M,) of a point and an instance."""
        met = Met(row, place, self._gaps(row, place))
        met = met.take(self.is_met[place] & (met.entry <= self.reach[row]))
        for wave in in_waves(met, self.reach):
            self._look_at(wave.row, wave.place)

    def _gaps(self, row: IntArray, place: IntArray) -> FloatArray:
        """The least distances (M,) of points from boxes of instances; NaN where not finite."""
        part, points = self.part, self.points[row]
        outside = np.maximum(part.lower[place] - points, points - part.upper[place])
        margins = _ROUNDING * (part.sizes[place] + self.sizes[row])
        gaps = length(np.maximum(outside, 0.0)) * (1 - 8 * EPS) - margins
        return np.where(gaps < np.inf, gaps, np.nan)

    def _look_at(self, row: IntArray, place: IntArray) -> None:
        """Keep nearer places on instances, for pairs (M,) of a point and an instance."""
        found, reach = self.found, self.reach[row]
        near = nearest_at(self.part, place, self.points[row], reach, self.finder)
        before = found.distance[row]
        first = near.instance < found.instance[row]
        nearer = (near.distance < before) | ((near.distance == before) & first)
        kept = np.flatnonzero(nearer & (near.distance <= reach))
        kept = kept[np.lexsort((near.instance[kept], near.distance[kept], row[kept]))]
        kept = kept[run_starts(row[kept])]
        row, near = row[kept], near.take(kept)
        put(found, row, near)
        self.reach[row] = near.distance


def nearest_at(
    part: Placements, places: IntArray, points: FloatArray, limits: FloatArray, finder: _Finder
) -> ClosestPoints:
    """The place nearest to each of points (N, 3), on the instance in `places` (N,).

    They are within limits (N,), or a little beyond.
    """
    matrices, scales = part.placed.matrices[places], part.scales[places]
    local = applied(part.inverses[places], points - matrices[:, :3, 3])
    fits = np.isfinite(scales) & (largest(local) <= _MOST)
    found, kinds = without_places(len(points)), part.kinds[places]
    for row in alike(kinds, np.flatnonzero(fits)):
        ends = limits[row] / scales[row] * (1 + 16 * EPS)
        near = finder.in_mesh(part.meshes[kinds[row[0]]], local[row], ends)
        near.distance[:] *= scales[row]
        near.point[:] = moved(near.point, matrices[row, :3])
        put(found, row, near)
    for row in alike(places, np.flatnonzero(~fits)):  # Their triangles are moved into the scene.
        put(found, row, finder.in_scene(part, places[row[0]], points[row], limits[row]))
    found.instance[:] = np.where(found.hit, part.placed.ids[places], -1)
    return found


def _points_in_scene(
    part: Placements, place: int, points: FloatArray, limits: FloatArray
) -> ClosestPoints:
    geometry, tree = part.moved_shape(place, len(points))
    mesh = part.meshes[part.kinds[place]]
    asked = points, limits, mesh._hidden
    if tree is None:
        return closest_points(geometry, None, *asked)
    found: ClosestPoints = engine_named(mesh.engine).closest(geometry, tree, *asked)
    return found


def _vertices_in_scene(
    part: Placements, place: int, points: FloatArray, limits: FloatArray
) -> ClosestPoints:
    mesh, matrix = part.meshes[part.kinds[place]], part.placed.matrices[place]
    found: ClosestPoints = mesh._closest_vertices(points, limits, None, matrix)
    return found


def _points_in_mesh(mesh: Placeable, points: FloatArray, limits: FloatArray) -> ClosestPoints:
    return mesh._closest_points(points, limits, None)


def _vertices_in_mesh(mesh: Placeable, points: FloatArray, limits: FloatArray) -> ClosestPoints:
    return mesh._closest_vertices(points, limits, None)


_POINTS = _Finder(_points_in_mesh, _points_in_scene)
_VERTICES = _Finder(_vertices_in_mesh, _vertices_in_scene)
