# SPDX-License-Identifier: MIT
"""Casts in NumPy alone."""

import numpy as np

from ..box import inverse_direction, met_at
from ..bvh import Tree
from ..bvh.boxes import boxes_of, leaf_boxes_of
from ..bvh.build import build_tree
from ..bvh.refit import over_leaves
from ..cast.geometry import Geometry
from ..cast.hits import joined, scattered, sorted_by_ray
from ..cast.one_ray import intersect
from ..cast.ray_pairs import intersect_many
from ..cast.rays import LoneRay, RayBatch, end_of
from ..cast.scan import candidates
from ..concurrency.progress import Progress
from ..concurrency.threads import go_on, on_all_cores
from ..hit import Hit, RayHits
from ..numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray
from ..numerics.shear import axes_across_many
from . import traversal

__all__ = [
    "any_hit",
    "build",
    "cast",
    "cast_many",
    "cast_nearest",
    "count_hits",
    "improve",
    "met_boxes",
    "refit",
    "scan",
]

# Rays that go through the tree together.
_CHUNK = 1 << 13


def build(geometry: Geometry, center: FloatArray, scale: float, progress: Progress) -> Tree:
    """A tree over the finite triangles, in its units; what `progress` raises ends it."""
    boxes = boxes_of(geometry.vertices, geometry.triangles, center, scale)
    return build_tree(*boxes, center, scale, progress)


def refit(geometry: Geometry, order: IndexArray, center: FloatArray, scale: float) -> Tree:
    """The tree of an order around the triangles."""
    if not len(order):
        return Tree(center, scale, order, ())
    boxes = leaf_boxes_of(geometry.vertices, geometry.triangles, order, center, scale)
    return over_leaves(order, *boxes, center, scale)


def improve(geometry: Geometry, tree: Tree, progress: Progress) -> None:
    """Do nothing: NumPy is as fast as it gets."""


def scan(geometry: Geometry, ray: LoneRay, extent: float) -> list[Hit]:
    """The hits of one ray, the nearest first, found without a tree."""
    return intersect(geometry, ray, scan_candidates(geometry, ray, extent))


def scan_candidates(geometry: Geometry, ray: LoneRay, extent: float) -> IntArray:
    """The triangles that a ray can hit, and few others."""
    return candidates(ray, geometry.vertices, geometry.triangles, extent)


def cast(geometry: Geometry, tree: Tree, ray: LoneRay) -> list[Hit]:
    """The hits of one ray, the nearest first."""
    return intersect(geometry, ray, traversal.candidates_of_one(tree, ray))


def met_boxes(
    tree: Tree, lower: FloatArray, upper: FloatArray, margin: float, ray: LoneRay
) -> tuple[IntArray, FloatArray]:
    """Boxes that one ray meets, and the distances there, the nearest first."""
    places = traversal.candidates_of_one(tree, ray)
    line = np.array(ray.origin), inverse_direction(np.array(ray.direction))
    boxes = lower.take(places, axis=0), upper.take(places, axis=0)
    met, distance = met_at(*line, *boxes, margin, ray.length, ray.limit)
    rows = np.flatnonzero(met)
    rows = rows[np.argsort(distance[rows], kind="stable")]
    return places[rows], distance[rows]


def cast_many(geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
    """The hits of many rays with the row of the ray of each, sorted by ray and distance."""
    every = rays.query.every
    descend = traversal.candidates if every else traversal.nearest_candidates

    def cast_chunk(start: int) -> tuple[IntArray, RayHits]:
        chunk = rays.take(slice(start, start + _CHUNK))
        axes = axes_across_many(chunk.directions)
        local = traversal.approach_of(tree, chunk)
        parts = []
        for row, item in descend(tree, local):
            go_on()
            found, hit = intersect_many(geometry, chunk, axes, row, item)
            parts.append((found, hit))
            if not every:
                local.shorten(found, end_of(hit.distance, chunk.lengths[found]))
        row, hit = sorted_by_ray(*joined(parts), every)
        return row + start, hit

    return joined(on_all_cores(cast_chunk, range(0, len(rays), _CHUNK), len(rays) * _CHUNK))


def cast_nearest(geometry: Geometry, tree: Tree, rays: RayBatch) -> RayHits:
    """The nearest hit of each ray, misses included."""
    rows, hits = cast_many(geometry, tree, rays)
    return scattered(rows, hits, len(rays))


def any_hit(geometry: Geometry, tree: Tree, rays: RayBatch) -> BoolArray:
    """Whether each ray hits anything, (R,)."""
    return cast_nearest(geometry, tree, rays).hit


def count_hits(geometry: Geometry, tree: Tree, rays: RayBatch) -> IntArray:
    """The number of hits of each ray, (R,)."""
    return np.bincount(cast_many(geometry, tree, rays)[0], minlength=len(rays))
