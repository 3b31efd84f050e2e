# SPDX-License-Identifier: MIT
"""How the hits of many rays are put together: as columns, with the row of the ray of each."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from ..hit import Hit, RayHits
from ..numerics.arrays import IntArray
from ..numerics.columns import Records, concatenated, run_starts


def empty_hits(count: int) -> RayHits:
    """`count` rows of anything, to be written to."""
    return RayHits(
        distance=np.empty(count),
        point=np.empty((count, 3)),
        normal=np.empty((count, 3)),
        triangle=np.empty(count, dtype=np.int64),
        face=np.empty(count, dtype=np.int64),
        barycentric=np.empty((count, 3)),
        front=np.empty(count, dtype=np.bool_),
        instance=np.empty(count, dtype=np.int64),
    )


def misses(count: int) -> RayHits:
    """`count` rows that are all misses."""
    hits = empty_hits(count)
    # np.full would take most of the time of a few rays.
    hits.distance.fill(np.inf)
    hits.front.fill(False)
    for numbers in (hits.point, hits.normal, hits.barycentric):
        numbers.fill(np.nan)
    for names in (hits.triangle, hits.face, hits.instance):
        names.fill(-1)
    return hits


def as_columns(hits: Sequence[Hit]) -> RayHits:
    """Hits as columns."""
    if not hits:
        return misses(0)
    names = (field.name for field in fields(RayHits))
    return RayHits(*(np.array([getattr(hit, name) for hit in hits]) for name in names))


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
