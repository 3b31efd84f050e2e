# SPDX-License-Identifier: MIT
"""The engine that casts in NumPy alone."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TypeVar

import numpy as np

from ..box import inverse_direction, met_at
from ..bvh import Tree
from ..bvh.build import boxes_of, build_tree, leaf_boxes_of, over_leaves
from ..cast.hits import as_columns, joined, scattered, sorted_by_ray
from ..cast.many_rays import NO_CROSSINGS, Crossings, cross_many, hits_at
from ..cast.one_ray import intersect
from ..cast.rays import Geometry, LoneRay, RayBatch
from ..cast.scan import candidates
from ..closest.search import closest_points
from ..closest.winding import winding_numbers
from ..concurrency.forks import cached
from ..concurrency.threads import Progress, go_on, on_all_cores
from ..hit import Hit, RayHits
from ..numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray
from ..numerics.columns import concatenated
from ..numerics.ray_triangle import axes_across_many
from . import traversal

Result = TypeVar("Result")

# Rays that go through the tree together.
_CHUNK = 1 << 13

# Up to this many rays, casting one by one is faster: a batch has a fixed cost.
_FEW = 6

_NO_ROWS = np.empty(0, dtype=np.int64)


def build(geometry: Geometry, center: FloatArray, scale: float, progress: Progress) -> Tree:
    """A tree over the finite triangles, in units of `scale`; errors of `progress` end it."""
    boxes = boxes_of(geometry.vertices, geometry.triangles, center, scale)
    return build_tree(*boxes, center, scale, progress)


def refit(geometry: Geometry, order: IndexArray, center: FloatArray, scale: float) -> Tree:
    """A tree around the triangles in a given order."""
    if not len(order):
        return Tree(center, scale, order, ())
    boxes = leaf_boxes_of(geometry.vertices, geometry.triangles, order, center, scale)
    return over_leaves(order, *boxes, center, scale)


def improve(geometry: Geometry, tree: Tree, progress: Progress) -> None:
    """Do nothing: no other tree is faster in NumPy."""


def scan(geometry: Geometry, ray: LoneRay, extent: float) -> list[Hit]:
    """The hits of one ray, the nearest first, found without a tree."""
    return intersect(geometry, ray, scan_candidates(geometry, ray, extent))


def scan_candidates(geometry: Geometry, ray: LoneRay, extent: float) -> IntArray:
    """The triangles that a ray can hit, and a few others."""
    return candidates(ray, geometry.vertices, geometry.triangles, extent)


def cast(geometry: Geometry, tree: Tree, ray: LoneRay) -> list[Hit]:
    """The hits of one ray, the nearest first."""
    return intersect(geometry, ray, traversal.candidates_of_one(tree, ray))


def met_boxes(
    tree: Tree, lower: FloatArray, upper: FloatArray, margin: float, ray: LoneRay
) -> tuple[IntArray, FloatArray]:
    """The boxes that one ray meets and their distances, the nearest first."""
    return met_among(traversal.candidates_of_one(tree, ray), lower, upper, margin, ray)


def met_among(
    places: IntArray, lower: FloatArray, upper: FloatArray, margin: float, ray: LoneRay
) -> tuple[IntArray, FloatArray]:
    """Those of the boxes at some places that one ray meets, as from :func:`met_boxes`."""
    line = np.array(ray.origin), inverse_direction(np.array(ray.direction))
    boxes = lower.take(places, axis=0), upper.take(places, axis=0)
    met, distance = met_at(*line, *boxes, margin, ray.length, ray.limit)
    rows = np.flatnonzero(met)
    rows = rows[np.argsort(distance[rows], kind="stable")]
    return places[rows], distance[rows]


def cast_many(geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
    """The ray of each hit (N,), and the hits, sorted by ray and distance."""
    if len(rays) <= _FEW:
        return _one_by_one(geometry, tree, rays)
    every = rays.query.every

    def cast_chunk(chunk: _Chunk) -> tuple[IntArray, RayHits]:
        parts = chunk.crossings() if every else _perhaps_nearest(chunk)
        found = concatenated([NO_CROSSINGS, *parts])
        row, hit = sorted_by_ray(*hits_at(geometry, chunk.rays, found), every)
        return row + chunk.start, hit

    return joined(_in_chunks(cast_chunk, geometry, tree, rays))


def cast_nearest(geometry: Geometry, tree: Tree, rays: RayBatch) -> RayHits:
    """The nearest hit of each ray, misses included."""
    rows, hits = cast_many(geometry, tree, rays)
    return scattered(rows, hits, len(rays))


def any_hit(geometry: Geometry, tree: Tree, rays: RayBatch) -> BoolArray:
    """Whether each ray hits anything, (R,)."""

    def ask_chunk(chunk: _Chunk) -> IntArray:
        found = [_NO_ROWS]
        for some in chunk.crossings(nearest_first=True):
            rows = chunk.rows_hit(some)
            found.append(rows)
            chunk.local.limit[rows] = -1.0  # These rays end.
        return chunk.start + np.concatenate(found)

    hit = np.zeros(len(rays), dtype=np.bool_)
    if len(rays) <= _FEW:
        hit[_one_by_one(geometry, tree, rays)[0]] = True
        return hit
    for rows in _in_chunks(ask_chunk, geometry, tree, rays):
        hit[rows] = True
    return hit


def count_hits(geometry: Geometry, tree: Tree, rays: RayBatch) -> IntArray:
    """The number of hits of each ray, (R,)."""

    def count_chunk(chunk: _Chunk) -> IntArray:
        rows = [chunk.rows_hit(crossings) for crossings in chunk.crossings()]
        return np.bincount(np.concatenate([_NO_ROWS, *rows]), minlength=len(chunk.rays))

    if len(rays) <= _FEW:
        rays = replace(rays, query=rays.query._replace(every=True))
        return np.bincount(_one_by_one(geometry, tree, rays)[0], minlength=len(rays))
    return np.concatenate(_in_chunks(count_chunk, geometry, tree, rays))


class _Chunk:
    """Rays that go through the tree together, and where they start in their batch."""

    def __init__(self, geometry: Geometry, tree: Tree, rays: RayBatch, start: int) -> None:
        self.rays, self.start = rays.take(slice(start, start + _CHUNK)), start
        self._geometry, self._tree = geometry, tree
        self.local = traversal.approach_of(tree, self.rays)

    def crossings(self, nearest_first: bool = False) -> Iterator[Crossings]:
        """Where the rays go through triangles, in blocks and in no order.

        `nearest_first` yields them roughly by distance; the caller may shorten rays in between.
        """
        descend = traversal.nearest_candidates if nearest_first else traversal.candidates
        for row, item in descend(self._tree, self.local, self._items):
            go_on()
            if len(row):
                yield cross_many(self._geometry, self.rays, self._axes, row, item)

    @cached
    def _axes(self) -> FloatArray:
        return axes_across_many(self.rays.directions)

    @cached
    def _items(self) -> traversal.Leaves:
        """The function that picks the triangles of leaves to test exactly."""
        corners = traversal.corners_in_leaves(self._tree)
        if corners is None:
            return partial(traversal.items_in, self._tree)
        across = traversal.RaysAcross.of(self._tree, self.rays)
        return partial(traversal.items_near, self._tree, corners, across)

    def rows_hit(self, crossings: Crossings) -> IntArray:
        """The ray of each crossing that is a hit, in no order."""
        sure = crossings.are_hits(self.rays)
        if sure.all():
            return crossings.row
        unsure, _ = hits_at(self._geometry, self.rays, crossings.take(~sure))
        return np.concatenate([crossings.row[sure], unsure])


def _perhaps_nearest(chunk: _Chunk) -> list[Crossings]:
    """The crossings that may be the nearest hit of a ray."""
    parts = []
    end = np.full(len(chunk.rays), np.inf)
    for some in chunk.crossings(nearest_first=True):
        sure = some.take(some.are_hits(chunk.rays))
        chunk.local.shorten(sure.row, sure.most)
        np.minimum.at(end, sure.row, sure.most)
        parts.append(some)
    return [found.take(~(found.least > end.take(found.row))) for found in parts]


def _in_chunks(
    function: Callable[[_Chunk], Result], geometry: Geometry, tree: Tree, rays: RayBatch
) -> list[Result]:
    traversal.make_blocks_if_due(geometry, tree, len(rays))
    return on_all_cores(
        lambda start: function(_Chunk(geometry, tree, rays, start)),
        range(0, len(rays), _CHUNK),
        len(rays) * _CHUNK if len(rays) > _CHUNK else 0,
    )


def _one_by_one(geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
    """As :func:`cast_many`, each ray alone."""
    found = [cast(geometry, tree, rays.ray(row)) for row in range(len(rays))]
    rows = np.repeat(np.arange(len(rays)), [len(hits) for hits in found])
    return rows, as_columns([*chain.from_iterable(found)])


closest = closest_points
winding = winding_numbers
