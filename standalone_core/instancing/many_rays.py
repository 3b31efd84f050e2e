# SPDX-License-Identifier: MIT
"""Casts at the instances of a scene, by compiled code where it is available.

One ray goes from instance to instance, the nearest box first. Many rays go in waves: each to its
nearest boxes, and those at the same mesh are cast together. Where they share their origin, a view
(:mod:`.view`) is faster.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from ..cast.hits import as_columns, joined, misses, put, scattered, sorted_by_ray
from ..cast.rays import LoneRay, RayBatch
from ..engines.numba import compiling
from ..hit import Hit, RayHits
from ..numerics.arrays import FloatArray, IntArray, pieces
from ..numerics.columns import concatenated, rank_in_runs, run_starts
from .instance import Instance, to_mesh, to_mesh_many, to_scene, to_scene_many
from .placements import Met, Placements
from .view import View

# After this many rays, meshes without a tree may have built one.
_FIRST = 1 << 12

# Rays that go down the tree together.
_CHUNK = 1 << 14

# Rays that NumPy looks at in one view, which bounds its memory.
_VIEW = 1 << 18

# Up to this many rays are faster one by one: at a scene, and at a mesh by NumPy.
_FEW, _FEW_AT_MESH = 32, 16

Found = tuple[IntArray, RayHits]
"""The row of each hit's ray, and the hits."""


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
    """How many hits each of R rays has; where only the nearest is wanted, above 0 if it has any."""
    total = np.zeros(len(rays), dtype=np.int64)
    for part in parts:
        total += _count_at(part, rays)
    return total


def _nearest_at(part: Placements, rays: RayBatch) -> RayHits:
    compiled = part.compiled(rays)
    if compiled is None and len(rays) > _VIEW:  # it may come meanwhile
        return concatenated(
            [_nearest_at(part, rays.take(piece)) for piece in pieces(len(rays), _VIEW)]
        )
    if compiled is None:
        return _seen(part, rays) if len(rays) else misses(0)
    found, left = compiled.cast_nearest(rays, part.margins(rays))
    if len(left):
        put(found, left, scattered(*_cast_left(part, rays.take(left)), len(left)))
    return found


def _seen(part: Placements, rays: RayBatch) -> RayHits:
    """The nearest hits in a view, by which triangles find their rays, or else in waves."""
    valid = np.flatnonzero(rays.limits >= 0.0)
    if 0 < len(valid) < len(rays):
        return scattered(valid, _seen(part, rays.take(valid)), len(rays))
    view = View.of(part, rays)
    if view is None:
        return scattered(*cast_in_waves(part, rays), len(rays))
    found, left = view.cast_nearest()
    if len(left):
        put(found, left, scattered(*cast_in_waves(part, rays.take(left)), len(left)))
    return found


def _count_at(part: Placements, rays: RayBatch) -> IntArray:
    compiled = part.compiled(rays)
    if compiled is None:
        return np.bincount(cast_in_waves(part, rays)[0], minlength=len(rays))
    counts, left = compiled.count(rays, part.margins(rays))
    if len(left):
        rows, _ = _cast_left(part, rays.take(left))
        counts[left] = np.bincount(rows, minlength=len(left))
    return counts


def _every_at(part: Placements, rays: RayBatch) -> Found:
    row, hits, left = _cast_compiled(part, rays)
    if not len(left):
        return row, hits
    return _with_left((row, hits), left, _cast_left(part, rays.take(left)))


def _cast_left(part: Placements, rays: RayBatch) -> Found:
    """Hits of rays that compiled code left; it tries again once the first have built trees."""
    if len(rays) <= _FIRST:
        return cast_in_waves(part, rays)
    first = cast_in_waves(part, rays.take(slice(_FIRST)))
    return joined([first, _cast_from(_FIRST, part, rays)])


def _cast_from(start: int, part: Placements, rays: RayBatch) -> Found:
    """Hits of the rays from a row on, by compiled code as far as it goes."""
    rest = rays.take(slice(start, None))
    row, hits, left = _cast_compiled(part, rest)
    row, hits = _with_left((row, hits), left, cast_in_waves(part, rest.take(left)))
    return row + start, hits


def _cast_compiled(part: Placements, rays: RayBatch) -> tuple[IntArray, RayHits, IntArray]:
    """Hits by compiled code as :data:`Found`, then the rows of the rays that it leaves."""
    compiled = part.compiled(rays)
    if compiled is None:
        return np.empty(0, dtype=np.int64), misses(0), np.arange(len(rays))
    if rays.query.every:
        return compiled.cast_every(rays, part.margins(rays))
    found, left = compiled.cast_nearest(rays, part.margins(rays))
    found.triangle[left] = -1
    row = np.flatnonzero(found.hit)
    return row, found.take(row), left


def _with_left(found: Found, left: IntArray, others: Found) -> Found:
    """Join the hits with those of the rays that compiled code left, sorted by ray."""
    if not len(left):
        return found
    row, hits = joined([found, (left[others[0]], others[1])])
    order = np.argsort(row, kind="stable")
    return row[order], hits.take(order)


def cast_in_waves(part: Placements, rays: RayBatch) -> Found:
    """The hits of many rays, sorted as by :meth:`.Castable._cast_many`.

    Compiled code takes over once it pays, unless it is there before and has left these rays.
    """
    if len(rays) <= _FEW:
        return _one_by_one(partial(cast_one, [part]), rays)
    chunks: list[Found] = []
    may_come = compiling.engine(wait=False) is None
    seconds = 0.0
    for start in range(0, len(rays), _CHUNK):
        began = time.thread_time()
        # The first chunk is not timed, as it also builds trees.
        expected = seconds * (len(rays) - start) / _CHUNK if start > _CHUNK else 0.0
        if may_come and part.is_compiled_for(expected):
            chunks.append(_cast_from(start, part, rays))
            break
        row, hits = joined(list(_cast_chunk(part, rays.take(slice(start, start + _CHUNK)))))
        row, hits = sorted_by_ray(row, hits, rays.query.every)
        chunks.append((row + start, hits))
        seconds = time.thread_time() - began
    return joined(chunks)


def in_waves(met: Met, limits: FloatArray) -> Iterator[Met]:
    """Pairs in groups: the first box of each ray or point, the second, the next two, four ...

    Boxes beyond the limits are left out; the caller may lower the limits from group to group.
    """
    met = met.take(np.lexsort((met.entry, met.row)))
    rank, last = rank_in_runs(met.row), 1
    while len(rank):
        ahead = ~(met.entry > limits[met.row])
        met, rank = met.take(ahead), rank[ahead]
        now = rank < last
        if now.any():
            yield met.take(now)
        met, rank = met.take(~now), rank[~now]
        last *= 2


def _cast_chunk(part: Placements, rays: RayBatch) -> Iterator[Found]:
    """All hits; or, if the query wants the nearest, that one and perhaps some beyond it."""
    limits = rays.limits.copy()
    for met in part.met_many(rays, limits):
        if not len(met.row):
            continue
        for wave in [met] if rays.query.every else in_waves(met, limits):
            yield (found := _cast_pairs(part, replace(rays, limits=limits), wave))
            if not rays.query.every:
                np.minimum.at(limits, found[0], found[1].distance)


def _cast_pairs(part: Placements, rays: RayBatch, met: Met) -> Found:
    kinds = part.kinds[met.place]
    if len(part.meshes) > 1:
        order = np.argsort(kinds, kind="stable")
        met, kinds = met.take(order), kinds[order]
    placed = part.placed
    matrices, inverses = placed.matrices[met.place], part.inverses[met.place]
    inside, moved = to_mesh_many(matrices, inverses, rays.take(met.row))
    starts = run_starts(kinds[inside])
    parts = []
    for start, end in zip(starts, np.append(starts[1:], len(inside)), strict=True):
        mesh = part.meshes[kinds[inside[start]]]
        run = moved if end - start == len(moved) else moved.take(slice(start, end))
        few = len(run) <= _FEW_AT_MESH and mesh.engine != "numba"
        row, hits = _one_by_one(mesh._cast, run) if few else mesh._cast_many(run)
        parts.append((inside[start + row], hits))
    pair, hits = joined(parts)
    identifiers = placed.ids[met.place[pair]]
    return met.row[pair], to_scene_many(matrices[pair], inverses[pair], identifiers, hits)


def _one_by_one(cast: Callable[[LoneRay], list[Hit]], rays: RayBatch) -> Found:
    found = [cast(rays.ray(row)) for row in range(len(rays))]
    counts = [len(hits) for hits in found]
    return np.repeat(np.arange(len(rays)), counts), as_columns(list(chain(*found)))


def cast_one(parts: Sequence[Placements], ray: LoneRay) -> list[Hit]:
    """The hits at all parts, sorted as by :meth:`.Castable._cast`."""
    found: list[Hit] = []
    limit, every = ray.limit, ray.query.every
    met = met_instances(parts, ray)
    ray = ray._replace(query=ray.query._replace(excluded=None))
    for identifier, entry, instance in met:
        if entry > limit:
            break
        moved = to_mesh(instance, ray, limit)
        local = [] if moved is None else instance.mesh._cast(moved)
        hits = [to_scene(instance, hit, identifier) for hit in local]
        found += hits
        if not every and hits:
            limit = hits[0].distance
    found.sort(key=lambda hit: (hit.distance, hit.instance, hit.triangle))
    return found if every else found[:1]


def met_instances(parts: Sequence[Placements], ray: LoneRay) -> list[tuple[int, float, Instance]]:
    """Id, distance of the box, and instance for each box that a ray meets, the nearest first."""
    found: list[tuple[int, float, Instance]] = []
    for part in parts:
        _, places, entry = part.met(ray)
        ids, instances = part.placed.ids.take(places), part.placed.instances.take(places)
        found += zip(ids.tolist(), entry.tolist(), instances.tolist(), strict=True)
    if len(parts) > 1:
        found.sort(key=lambda each: each[1])
    return found
