# SPDX-License-Identifier: MIT
"""How the hits of many rays are put together: as columns, with the ray of each hit.

Fresh memory of the system has to be cleared, which takes a tenth of the time of a batch of rays and
more on virtual machines. So the memory of the last answer, of 64 MiB at most, serves the next one
when nobody holds it any more.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields

import numpy as np

from ..concurrency.threads import on_all_cores
from ..hit import Hit, RayHits
from ..numerics.arrays import FloatArray, IntArray, pieces
from ..numerics.columns import Records, concatenated, rank_in_runs, run_starts
from .rays import RayBatch

# Columns of so many rows are parts of one array, which takes 4 MB: NumPy asks for large pages from
# there on, and fresh small ones cost as much as a ray.
_LARGE = 40_000

# Rays whose hits are all in memory while the nearest of them are taken.
_BLOCK = 1 << 15


def empty_hits(count: int) -> RayHits:
    """`count` rows of anything, to be written to."""
    if count < _LARGE:
        parts = [np.empty(size * count) for size in (1, 3, 3, 1, 1, 3, 1)]
    else:
        ends = [end * count for end in (1, 4, 7, 8, 9, 12)]
        parts = np.split(numbers(13 * count), ends)
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
    for names in (hits.triangle, hits.face, hits.instance):
        names.fill(-1)
    return hits


def as_columns(hits: Sequence[Hit]) -> RayHits:
    """Hits as columns."""
    if not hits:
        return misses(0)
    names = (field.name for field in fields(RayHits))
    return RayHits(*(np.array([getattr(hit, name) for hit in hits]) for name in names))


def in_a_row(parts: Sequence[RayHits]) -> RayHits:
    """The rows of all parts, one part after the other, copied by several threads."""
    hits = empty_hits(sum(map(len, parts)))
    if not parts:
        return hits

    def copy(name: str) -> None:
        np.concatenate([getattr(part, name) for part in parts], out=getattr(hits, name))

    # The largest first, so that no thread waits long for the last.
    names = sorted((f.name for f in fields(hits)), key=lambda name: -getattr(hits, name).nbytes)
    on_all_cores(copy, names, hits.point.size)
    return hits


def put(hits: Records, rows: IntArray, others: Records) -> None:
    """Replace some rows."""
    for field in fields(hits):
        getattr(hits, field.name)[rows] = getattr(others, field.name)


def scattered(rows: IntArray, hits: RayHits, count: int) -> RayHits:
    """`count` rows, the hits at `rows`, which are in order, the others misses."""
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
    """The nearest so many hits of each ray, with the rows (N,) of these, by casts of some rays."""
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


# Pieces of more numbers go back to the system.
_MOST = 1 << 23

_kept: list[FloatArray] = []


def numbers(count: int) -> FloatArray:
    """An array (count,) of anything."""
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
