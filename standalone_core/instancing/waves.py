# SPDX-License-Identifier: MIT
"""Many rays at instances: the nearest boxes first, and rays at the same mesh together."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from ..cast.hits import as_columns, joined, sorted_by_ray
from ..cast.rays import LoneRay, RayBatch
from ..hit import Hit, RayHits
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.columns import rank_in_runs, run_starts
from . import lone
from .instance import to_mesh_many, to_scene_many
from .placeable import Placeable
from .placements import Met, Placements

# Rays that go down the tree together.
_CHUNK = 1 << 14

# So few rays are cast sooner one by one than together: at a scene, and at a mesh by NumPy.
_FEW, _FEW_AT_MESH = 32, 16

Found = tuple[IntArray, RayHits]
"""Hits with the row of the ray of each."""


def cast_many(part: Placements, rays: RayBatch) -> Found:
    """The hits of many rays, sorted as by :meth:`.Castable._cast_many`."""
    if len(rays) <= _FEW:
        return _one_by_one(partial(lone.cast, [part]), rays)
    chunks = []
    for start in range(0, len(rays), _CHUNK):
        row, hits = joined(list(_cast_chunk(part, rays.take(slice(start, start + _CHUNK)))))
        row, hits = sorted_by_ray(row, hits, rays.query.every)
        chunks.append((row + start, hits))
    return joined(chunks)


def in_waves(met: Met, limits: FloatArray) -> Iterator[Met]:
    """Pairs in groups: the first box of each ray or point, the second, the next two, four ...

    What is beyond their limits is left out, which the caller may make smaller meanwhile.
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
    """All hits; where the nearest are wanted those, and perhaps others beyond them."""
    limits = rays.limits.copy()
    for met in part.met_many(rays, limits):
        if not len(met.row):
            continue
        for wave in [met] if rays.query.every else in_waves(met, limits):
            row, hits = _cast_pairs(part, replace(rays, limits=limits), wave)
            yield row, hits
            if not rays.query.every:
                np.minimum.at(limits, row, hits.distance)


def _cast_pairs(part: Placements, rays: RayBatch, met: Met) -> Found:
    """The hits of rays at the instances whose boxes they meet."""
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
        row, hits = _cast_at_mesh(mesh, run)
        parts.append((inside[start + row], hits))
    pair, hits = joined(parts)
    identifiers = placed.ids[met.place[pair]]
    return met.row[pair], to_scene_many(matrices[pair], inverses[pair], identifiers, hits)


def _cast_at_mesh(mesh: Placeable, rays: RayBatch) -> Found:
    if len(rays) <= _FEW_AT_MESH and mesh.engine != "numba":
        return _one_by_one(mesh._cast, rays)
    return mesh._cast_many(rays)


def _one_by_one(cast: Callable[[LoneRay], list[Hit]], rays: RayBatch) -> Found:
    """The hits of rays that are cast alone, as those of a batch."""
    found = [cast(rays.ray(row)) for row in range(len(rays))]
    counts = [len(hits) for hits in found]
    return np.repeat(np.arange(len(rays)), counts), as_columns(list(chain(*found)))
