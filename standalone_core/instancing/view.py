# SPDX-License-Identifier: MIT
"""The nearest hits of rays that share their origin, as a camera's do, at a scene, in NumPy.

The rays are sorted into the cells of a picture. A triangle is tried by the rays in the cells that
its outline meets. A test in float64 rules out most others, and is sure of nearly all that go
through it; the exact tests of :mod:`..cast.many_rays` decide on the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from ..bvh import Tree
from ..cast.hits import joined, misses, put, sorted_by_ray
from ..cast.many_rays import NO_CROSSINGS, Crossings, cross_many, hits_at
from ..cast.rays import Geometry, RayBatch
from ..concurrency.threads import go_on, on_all_cores
from ..hit import RayHits
from ..numerics.arrays import EPS, FloatArray, IntArray, components, dot_columns, repeated
from ..numerics.columns import concatenated
from ..numerics.ray_triangle import SIDE_FLOOR, axes_across_many
from ..numerics.vectors import matmul
from .instance import to_mesh_many, to_scene_many
from .picture import DEPTH_ERROR, Band, Box, Grid, Outlines, Picture, frame_along, within

if TYPE_CHECKING:
    from .placements import Placements

# Fewer rays are not worth it, nor fewer rays than triangles; an instance costs as many triangles.
_FEWEST, _INSTANCE = 1 << 12, 1 << 11

# Instances are not even counted in a picture if they are so many times as many as pay.
_TOO_MANY = 16

# Every so many rays are enough to see that there are too many instances.
_STEP = 64

# Pairs of a ray and a triangle that are tested together, and the most for a band of rays.
_PAIRS, _MOST_PAIRS = 1 << 15, 1 << 21

# Up to this size of coordinates, products neither overflow nor lose digits above SIDE_FLOOR.
_MOST_REACH = 1e60


class Target(NamedTuple):
    """An instance with its T triangles as the rays' origin sees them, in the mesh's space."""

    geometry: Geometry
    matrix: FloatArray  # (4, 4)
    inverse: FloatArray  # (3, 3)
    identifier: int
    box: Box  # around the instance, in the scene's picture
    origin: FloatArray  # (3,), of the rays
    frame: FloatArray  # (3, 3), of the picture
    outlines: Outlines
    nearest: FloatArray  # (T,), a lower bound of the depth
    farthest: FloatArray  # (T,), an upper one; inf unless all corners are ahead
    normals: FloatArray  # (3, 3, T), of the planes through the origin and an edge
    error: FloatArray  # (T,), of the edge functions, for directions of size 1

    @classmethod
    def of(
        cls,
        part: Placements,
        place: int,
        geometry: Geometry,
        ray: RayBatch,
        frame: FloatArray,
        around: Box,
        box: Box,
    ) -> Self | None:
        """The instance at a place, for rays like one; None if its numbers are beyond the proofs.

        An edge function is the product of a direction d with p x q, for corners p and q relative to
        the origin, with components of at most m. As p and q are rounded by u = EPS / 2, a component
        of p x q is off by 8 u m**2 at most, and the product by 14 u m**2 (|d_x| + |d_y| + |d_z|),
        which is at most 21 EPS m**2 for a d of size 1.
        """
        matrix, inverse = part.placed.matrices[place], part.inverses[place]
        frame = matmul(frame, matrix[:3, :3])
        inside, moved = to_mesh_many(matrix, inverse, ray)
        if not len(inside):
            return None
        origin = moved.origins[0]
        vertices = components(geometry.vertices - origin)
        rows = geometry.triangles.T.astype(np.int64)
        a, b, c = (vertices.take(row, axis=1) for row in rows)
        reach = np.abs([a, b, c]).max(axis=(0, 1))
        if not (reach.max(initial=0.0) < _MOST_REACH and np.abs(frame).max() < _MOST_REACH):
            return None
        seen = Picture.of(frame, vertices)
        outlines, depth = Outlines.of(seen, rows, around), seen.depth.take(rows)
        ahead = ~np.isnan(outlines.corners[0, 0])
        return cls(
            *(geometry, matrix, inverse, int(part.placed.ids[place])),
            *(box, origin, frame, outlines),
            np.where(ahead, depth.min(axis=0) * (1.0 - DEPTH_ERROR), 0.0),
            np.where(ahead, depth.max(axis=0) * (1.0 + DEPTH_ERROR), np.inf),
            np.stack([_cross(b, c), _cross(c, a), _cross(a, b)]),
            32 * EPS * reach * reach,
        )


def _cross(p: FloatArray, q: FloatArray) -> FloatArray:
    (px, py, pz), (qx, qy, qz) = p, q
    return np.stack([py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx])


class View:
    """The instances of a scene as R rays from one origin see them; made by :meth:`of`."""

    def __init__(self, rays: RayBatch, frame: FloatArray, place: FloatArray) -> None:
        self._rays, self._frame, self._place = rays, frame, place
        lower, upper = place.min(axis=1), place.max(axis=1)
        # By how much less a ray's place may differ in a mesh's picture.
        self._slack = 1e-6 * float((upper - lower).max())
        self._around = lower - self._slack, upper + self._slack
        self._targets: list[Target] = []  # about the nearest first
        self._left = np.zeros(len(rays), dtype=np.bool_)  # may hit others, too

    @classmethod
    def of(cls, part: Placements, rays: RayBatch) -> View | None:
        """What rays see; None if they do not share their origin, or if it does not pay.

        The picture's frame has its z about along the mean of the directions. Others would do as
        well: a place in a triangle is a mean of the corners, with weights from 0 to 1, so that it
        is between them in any picture that has them ahead.
        """
        count = len(rays)
        if count < _FEWEST or _INSTANCE * len(part) > _TOO_MANY * count or len(part.unbounded):
            return None
        if not (rays.origins == rays.origins[0]).all() or not (rays.limits >= 0.0).all():
            return None
        with np.errstate(all="ignore"):
            some = components(rays.directions[::_STEP])
            frame = frame_along(some.mean(axis=1))
            boxes = _Boxes.of(part, rays, frame)
            if _INSTANCE * len(boxes.near(Picture.of(frame, some).place)) > count:
                return None
            seen = Picture.of(frame, components(rays.directions))
            error = seen.largest_error()
            if error is None:
                return None
            boxes = boxes.grown(error)
            boxes = boxes.take(boxes.near(seen.place))
            shapes = part.shapes(boxes.places, rays)
            triangles = sum(len(shape[0].triangles) for shape in shapes if shape is not None)
            if triangles + _INSTANCE * len(shapes) > count:
                return None
            view = cls(rays, frame, seen.place)
            for row in boxes.nearest_first(part, rays.origins[0]):
                view._add(part, int(boxes.places[row]), shapes[row], boxes.box(row))
            return view

    def _add(
        self, part: Placements, place: int, shape: tuple[Geometry, Tree] | None, box: Box
    ) -> None:
        """Add an instance, or leave all rays that may hit it to others."""
        target = None
        if shape is not None and len(shape[1].order) == len(shape[0].triangles):
            one = self._rays.take(slice(1))
            target = Target.of(part, place, shape[0], one, self._frame, self._around, box)
        if target is None:
            self._left |= within(self._place, box)
        else:
            self._targets.append(target)

    def cast_nearest(self) -> tuple[RayHits, IntArray]:
        """The nearest hit of each ray, and the rows of rays that are left to others."""
        found = misses(len(self._rays))
        rows = np.flatnonzero(~self._left)
        if not len(rows):
            return found, np.arange(len(self._rays))

        def cast(band: Band) -> IntArray:
            own = rows.take(band.places)
            hits = self._cast(band, _some(self._rays, own), self._place.take(own, axis=1))
            if hits is None:
                return own
            put(found, own[hits[0]], hits[1])
            return own[:0]

        with np.errstate(all="ignore"):
            bands = Grid(self._place.take(rows, axis=1)).bands()
            left = on_all_cores(cast, bands, len(rows) << 3)
        return found, np.sort(np.concatenate([np.flatnonzero(self._left), *left]))

    def _cast(
        self, band: Band, rays: RayBatch, place: FloatArray
    ) -> tuple[IntArray, RayHits] | None:
        """The rows and the hits of the rays in a band; None if they are left to others."""
        ends = rays.limits.copy()
        aimed: list[tuple[_Aimed, Crossings]] = []
        for target in self._targets:
            go_on()
            rows = np.flatnonzero(within(place, target.box))
            if not len(rows):
                continue
            some = _Aimed(target, rays, rows)
            crossings = some.crossings(band, place, self._slack, ends)
            if crossings is None:
                return None
            some.shorten(ends, crossings)
            aimed.append((some, crossings))
        return sorted_by_ray(
            *joined([some.hits(ends, found) for some, found in aimed]), every=False
        )


class _Boxes(NamedTuple):
    """Bounds of N instances in a picture, NaN where there is nothing."""

    places: IntArray  # (N,)
    lower: FloatArray  # (N, 2)
    upper: FloatArray  # (N, 2)

    @classmethod
    def of(cls, part: Placements, rays: RayBatch, frame: FloatArray) -> Self:
        """Bounds of what is ahead in the boxes, which grow by the margins of the rays."""
        places = part.visible_places()
        places = places[part.is_met(places, rays.query.excluded)]
        margin, origin = 2 * part.margins(rays).max(), rays.origins[0]
        ends = part.lower[places] - margin - origin, part.upper[places] + margin - origin
        corners = np.array([[ends[i >> axis & 1][:, axis] for i in range(8)] for axis in range(3)])
        lower, upper = Picture.of(frame, corners.reshape(3, -1)).bounds()
        lower[:, np.isnan(corners).any(axis=0).ravel()] = np.nan
        return cls(
            places, lower.reshape(2, 8, -1).min(axis=1).T, upper.reshape(2, 8, -1).max(axis=1).T
        )

    def take(self, rows: IntArray) -> _Boxes:
        return _Boxes(self.places[rows], self.lower[rows], self.upper[rows])

    def grown(self, error: FloatArray) -> _Boxes:
        return self._replace(lower=self.lower - error, upper=self.upper + error)

    def box(self, row: int) -> Box:
        return self.lower[row], self.upper[row]

    def near(self, place: FloatArray) -> IntArray:
        """The rows (M,) of boxes that meet that around places (2, K)."""
        met = (self.lower <= place.max(axis=1)) & (self.upper >= place.min(axis=1))
        return np.flatnonzero(met.all(axis=1))

    def nearest_first(self, part: Placements, origin: FloatArray) -> list[int]:
        """All rows, by the distances of the boxes' middles."""
        middle = part.lower[self.places] / 2 + part.upper[self.places] / 2 - origin
        rows: list[int] = np.argsort(dot_columns(middle.T, middle.T), kind="stable").tolist()
        return rows


def _some(rays: RayBatch, rows: IntArray) -> RayBatch:
    """Some of the rays; as they share the origin, faster than :meth:`.RayBatch.take`."""
    return RayBatch(
        repeated(rays.origins[0], len(rows)),
        rays.directions.take(rows, axis=0),
        rays.lengths.take(rows),
        rays.starts.take(rows),
        rays.limits.take(rows),
        rays.query,
    )


class _Aimed:
    """The rays of a band that may hit one instance, moved to its mesh."""

    def __init__(self, target: Target, rays: RayBatch, rows: IntArray) -> None:
        self._target, self._rows = target, rows
        some = _some(rays, rows)
        given = components(some.directions)
        # As by to_mesh_many, but with components first.
        directions = np.stack([dot_columns(given, axis) for axis in target.inverse]).T
        query = rays.query._replace(excluded=None)
        self._rays = some.moved(repeated(target.origin, len(rows)), directions, query)
        self._directions = components(self._rays.directions)
        self._seen = Picture.of(target.frame, self._directions)

    def crossings(
        self, band: Band, place: FloatArray, slack: float, ends: FloatArray
    ) -> Crossings | None:
        """The crossings up to the rays' ends (distances); None if they are work for others.

        The rays' places in the scene's picture differ from those in the mesh's by some rounding, by
        which all outlines grow.
        """
        error = self._seen.largest_error()
        if error is None:
            return None
        place = place.take(self._rows, axis=1)
        error = 2 * error + np.abs(self._seen.place - place).max(axis=1)
        if not error.max() < slack:
            return None
        outlines = self._target.outlines.grown(error)
        items = outlines.near(place)
        item, begin, size = band.runs(self._rows, outlines.take(items))
        if size.sum() > _MOST_PAIRS:
            return None
        bound = self._target.error * np.abs(self._directions).max() + SIDE_FLOOR
        found = [NO_CROSSINGS]
        for row, which in _pairs(begin, size):
            found += self._tested(row, items.take(item.take(which)), bound, ends)
        return concatenated(found)

    def _tested(
        self, row: IntArray, item: IntArray, bound: FloatArray, ends: FloatArray
    ) -> list[Crossings]:
        """The crossings among pairs (N,): the sure ones, and the others.

        A ray goes through a triangle if the edge functions have one sign. The t of a hit is its
        depth, which is between those of the corners, divided by that of the direction.
        """
        target, rays = self._target, self._rays
        x, y, z = (axis.take(row) for axis in self._directions)
        u, v, w = (
            x * a.take(item) + y * b.take(item) + z * c.take(item) for a, b, c in target.normals
        )
        error = bound.take(item)
        least, most = np.minimum(np.minimum(u, v), w), np.maximum(np.maximum(u, v), w)
        near = np.flatnonzero(~((least < -error) & (most > error)))
        row, item = row.take(near), item.take(near)
        side = ((most < -error) * 1.0 - (least > error) * 1.0).take(near)
        rate, length = self._seen.depth.take(row), rays.lengths.take(row)
        least, most = target.nearest.take(item) / rate, target.farthest.take(item) / rate
        ahead = ~(least * length > ends.take(self._rows.take(row)))
        known, sign = (side != 0.0) & (most < np.inf), rays.query.cull_sign
        sure = np.flatnonzero(ahead & known & ((side == sign) if sign else True))
        found = [Crossings(row, item, side, least, most).take(sure)]
        unsure = np.flatnonzero(ahead & ~known)
        if len(unsure):
            row, some = row.take(unsure), rays.take(row.take(unsure))
            pairs = np.arange(len(unsure)), item.take(unsure)
            axes = axes_across_many(some.directions)
            crossed = cross_many(target.geometry, some, axes, *pairs)
            found.append(replace(crossed, row=row.take(crossed.row)))
        return found

    def shorten(self, ends: FloatArray, crossings: Crossings) -> None:
        """Lower the rays' ends to their sure hits."""
        sure = crossings.take(crossings.are_hits(self._rays))
        distance = sure.most * self._rays.lengths.take(sure.row)
        np.minimum.at(ends, self._rows.take(sure.row), distance)

    def hits(self, ends: FloatArray, crossings: Crossings) -> tuple[IntArray, RayHits]:
        """The rows and the hits of crossings that are not beyond the ends."""
        target, distance = self._target, crossings.least * self._rays.lengths.take(crossings.row)
        perhaps = crossings.take(~(distance > ends.take(self._rows.take(crossings.row))))
        row, hits = hits_at(target.geometry, self._rays, perhaps)
        identifiers = np.full(len(row), target.identifier)
        return self._rows[row], to_scene_many(target.matrix, target.inverse, identifiers, hits)


def _pairs(begin: IntArray, size: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """The rays of runs and the numbers of the runs, about _PAIRS at a time."""
    end = np.cumsum(size)
    cuts = np.searchsorted(end, np.arange(_PAIRS, int(size.sum()), _PAIRS))
    cuts = np.unique(np.concatenate([[0], cuts, [len(end)]]))
    for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        count = size[first:last]
        which = np.arange(first, last).repeat(count)
        start = begin[first:last] - (np.cumsum(count) - count)
        yield np.arange(len(which)) + start.repeat(count), which
