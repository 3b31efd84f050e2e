# SPDX-License-Identifier: MIT
"""The hits of many rays as columns, put together from parts, with the row of each hit's ray.

The system clears fresh memory, which takes a tenth of the time of a batch of rays and more on
virtual machines. So the memory of the last answer, up to 64 MiB, is used again for the next one if
no array refers to it any more.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields

import numpy as np

from ..concurrency.threads import on_all_cores
from ..hit import Hit, RayHits
from ..numerics.arrays import BoolArray, FloatArray, IntArray, pieces
from ..numerics.columns import Columns, Records, concatenated, rank_in_runs, run_starts
from .rays import RayBatch

# From this many rows on, all columns are parts of one array of at least 4 MB, for which NumPy asks
# for large pages; a row in fresh small pages costs as much as casting its ray.
_LARGE = 40_000

# Rays in a block: all its hits are in memory while the nearest are chosen.
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False, repr=False)
class FoundHits(Columns):
    """Hits at one mesh as compiled code finds them; the other columns follow from these."""

    distance: FloatArray  # (N,)
    triangle: IntArray  # (N,)
    weights: FloatArray  # (N, 2), of the corners b and c; NaN for a miss
    front: BoolArray  # (N,)


def empty_found(count: int) -> FoundHits:
    """`count` rows that are not initialized."""
    distance, triangle, weights = _uninitialized_parts(count, (1, 1, 2))
    front = np.empty(count, dtype=np.bool_)
    return FoundHits(distance, triangle.view(np.int64), weights.reshape(-1, 2), front)


def _uninitialized_parts(count: int, widths: Sequence[int]) -> list[FloatArray]:
    """An array (width * count,) for each width."""
    if count < _LARGE:
        return [np.empty(width * count) for width in widths]
    ends = np.cumsum(widths) * count
    return np.split(uninitialized(int(ends[-1])), ends[:-1])


def empty_hits(count: int) -> RayHits:
    """`count` rows that are not initialized."""
    parts = _uninitialized_parts(count, (1, 3, 3, 1, 1, 3, 1))
    distance, point, normal, triangle, face, barycentric, instance = parts
    return RayHits(
        distance=distance,
        point=point.reshape(-1, 3),
        normal=normal.reshape(-1, 3),
        triangle=triangle.view(np.int64),
        face=face.view(np.int64),
        barycentric=barycentric.reshape(-1, 3),
        front=np.empty(count, dtype=np.bool_),
        instance=instance.view(np.int64),
    )


def misses(count: int) -> RayHits:
    """`count` rows that are all misses."""
    hits = empty_hits(count)
    # np.full would take most of the time of a few rays.
    hits.distance.fill(np.inf)
    hits.front.fill(False)
    for vectors in (hits.point, hits.normal, hits.barycentric):
        vectors.fill(np.nan)
    for indices in (hits.triangle, hits.face, hits.instance):
        indices.fill(-1)
    return hits


def as_columns(hits: Sequence[Hit]) -> RayHits:
    """Hits as columns."""
    if not hits:
        return misses(0)
    names = (field.name for field in fields(RayHits))
    return RayHits(*(np.array([getattr(hit, name) for hit in hits]) for name in names))


def in_a_row(parts: Sequence[Records], empty: Callable[[int], Records]) -> Records:
    """The rows of all parts, one part after the other, copied by several threads."""
    hits = empty(sum(map(len, parts)))
    if not parts:
        return hits

    def copy(name: str) -> None:
        np.concatenate([getattr(part, name) for part in parts], out=getattr(hits, name))

    # The largest first, so that no thread waits long for the last.
    names = sorted((f.name for f in fields(hits)), key=lambda name: -getattr(hits, name).nbytes)
    on_all_cores(copy, names, 3 * len(hits))
    return hits


def put(hits: Records, rows: IntArray, others: Records) -> None:
    """Replace some rows."""
    for field in fields(hits):
        getattr(hits, field.name)[rows] = getattr(others, field.name)


def scattered(rows: IntArray, hits: RayHits, count: int) -> RayHits:
    """`count` rows: hits at `rows`, which must be sorted, and misses elsewhere."""
    if len(rows) == count:
        return hits
    result = misses(count)
    put(result, rows, hits)
    return result


def joined(parts: Sequence[tuple[IntArray, RayHits]]) -> tuple[IntArray, RayHits]:
    """Rows and hits of all parts, one part after the other."""
    rows, hits = zip((np.empty(0, dtype=np.int64), misses(0)), *parts, strict=True)
    return np.concatenate(rows), concatenated(hits)


def nearest_of_each(
    cast_many: Callable[[RayBatch], tuple[IntArray, RayHits]], rays: RayBatch, most: int
) -> tuple[IntArray, RayHits]:
    """The row of each hit's ray (N,), and the nearest `most` hits of each ray; cast in blocks."""
    parts = []
    for part in pieces(len(rays), _BLOCK):
        row, hits = cast_many(rays.take(part))
        kept = np.flatnonzero(rank_in_runs(row) < most)
        parts.append((row[kept] + part.start, hits.take(kept)))
    return joined(parts)


def sorted_by_ray(rays: IntArray, hits: RayHits, every: bool) -> tuple[IntArray, RayHits]:
    """The rays (N,) of the hits and the hits, sorted by ray, distance, instance and triangle.

    Without `every`, only the first of each ray is kept.
    """
    rows = np.argsort(rays, kind="stable")
    if np.any(np.diff(rays.take(rows)) == 0):
        rows = np.lexsort((hits.triangle, hits.instance, hits.distance, rays))
    if not every:
        rows = rows[run_starts(rays[rows])]
    return rays[rows], hits.take(rows)


# Arrays of more numbers are not kept.
_MOST = 1 << 23

_kept: list[FloatArray] = []


def uninitialized(count: int) -> FloatArray:
    """An array (count,) that is not initialized, in the kept memory if it is free."""
    memory: list[FloatArray] = []
    with suppress(IndexError):
        memory.append(_kept.pop())  # So that no other thread takes it too.
        if not count <= len(memory[0]) <= 2 * count or _holders(memory) > _ALONE:
            memory.clear()
    if not memory:
        memory.append(np.empty(count))
    if len(memory[0]) <= _MOST:
        _kept[:] = memory
    return memory[0][:count]


def _holders(memory: list[FloatArray]) -> int:
    """How many references there are to the only array of a list; each view of it has one."""
    return sys.getrefcount(memory[0])


# Measured, as it is not the same in all versions of Python.
_ALONE = _holders([np.empty(1)])
