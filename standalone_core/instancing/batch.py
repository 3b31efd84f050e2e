# SPDX-License-Identifier: MIT
"""Many rays at the instances of a scene, by compiled code as far as that is there."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..cast.hits import joined, misses, put, scattered, sorted_by_ray
from ..cast.rays import RayBatch
from ..hit import RayHits
from ..numerics.arrays import IntArray
from . import waves
from .placements import Placements

# Rays after which meshes may have a tree that had none before.
_FIRST = 1 << 12

Found = tuple[IntArray, RayHits]
"""Hits with the row of the ray of each, sorted."""


def cast_nearest(parts: Sequence[Placements], rays: RayBatch) -> RayHits:
    """The nearest hit of each ray, misses included, at all parts."""
    first, *others = parts
    found = _nearest_at(first, rays)
    for part in others:
        more = _nearest_at(part, replace(rays, limits=np.fmin(rays.limits, found.distance)))
        same = (more.distance == found.distance) & (more.instance < found.instance)
        nearer = np.flatnonzero(more.hit & ((more.distance < found.distance) | same))
        put(found, nearer, more.take(nearer))
    return found


def cast_many(parts: Sequence[Placements], rays: RayBatch) -> Found:
    """Hits of rays at all parts, sorted as by :meth:`.Castable._cast_many`."""
    if not rays.query.every:
        nearest = cast_nearest(parts, rays)
        rows = np.flatnonzero(nearest.hit)
        return rows, nearest.take(rows)
    found = [_every_at(part, rays) for part in parts]
    return found[0] if len(found) == 1 else sorted_by_ray(*joined(found), True)


def count_hits(parts: Sequence[Placements], rays: RayBatch) -> IntArray:
    """The number of hits of each of R rays; if not all are wanted, 0 where there is none."""
    total = np.zeros(len(rays), dtype=np.int64)
    for part in parts:
        total += _count_at(part, rays)
    return total


def _nearest_at(part: Placements, rays: RayBatch) -> RayHits:
    compiled = part.compiled(len(rays))
    if compiled is None:
        return scattered(*waves.cast_many(part, rays), len(rays))
    found, left = compiled.cast_nearest(rays, part.margins(rays))
    if len(left):
        put(found, left, scattered(*_cast_left(part, rays.take(left)), len(left)))
    return found


def _count_at(part: Placements, rays: RayBatch) -> IntArray:
    compiled = part.compiled(len(rays))
    if compiled is None:
        return np.bincount(waves.cast_many(part, rays)[0], minlength=len(rays))
    counts, left = compiled.count(rays, part.margins(rays))
    if len(left):
        rows, _ = _cast_left(part, rays.take(left))
        counts[left] = np.bincount(rows, minlength=len(left))
    return counts


def _every_at(part: Placements, rays: RayBatch) -> Found:
    row, hits, left = _cast_compiled(part, rays)
    return (
        _with_left((row, hits), left, _cast_left(part, rays.take(left)))
        if len(left)
        else (row, hits)
    )


def _cast_left(part: Placements, rays: RayBatch) -> Found:
    """Hits of rays that compiled code left, if only until some of them had trees built."""
    if len(rays) <= _FIRST:
        return waves.cast_many(part, rays)
    first = waves.cast_many(part, rays.take(slice(_FIRST)))
    rest = rays.take(slice(_FIRST, None))
    row, hits, left = _cast_compiled(part, rest)
    row, hits = _with_left((row, hits), left, waves.cast_many(part, rest.take(left)))
    return joined([first, (row + _FIRST, hits)])


def _cast_compiled(part: Placements, rays: RayBatch) -> tuple[IntArray, RayHits, IntArray]:
    """Hits by compiled code, as :data:`Found`, and the rows of the rays that it leaves."""
    compiled = part.compiled(len(rays))
    if compiled is None:
        return np.empty(0, dtype=np.int64), misses(0), np.arange(len(rays))
    if rays.query.every:
        return compiled.cast_every(rays, part.margins(rays))
    found, left = compiled.cast_nearest(rays, part.margins(rays))
    found.triangle[left] = -1
    row = np.flatnonzero(found.hit)
    return row, found.take(row), left


def _with_left(found: Found, left: IntArray, others: Found) -> Found:
    """Hits with those of rays that were left, by the rows of these."""
    if not len(left):
        return found
    row, hits = joined([found, (left[others[0]], others[1])])
    order = np.argsort(row, kind="stable")
    return row[order], hits.take(order)
