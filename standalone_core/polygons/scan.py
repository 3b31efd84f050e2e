# SPDX-License-Identifier: MIT
"""Casting at polygons without a tree: a scan over faces, then the few that can be hit are split."""

from dataclasses import replace
from functools import partial, reduce

import numpy as np

from ..cast import scan
from ..cast.one_ray import intersect
from ..cast.rays import Geometry, LoneRay
from ..cast.scan import Codes
from ..hit import Hit
from ..numerics.arrays import FloatArray, IndexArray, IntArray
from ..numerics.columns import runs
from ..region import Region, Triangles, codes_in, triangles_met
from .polygons import Polygons
from .split import Splitter

# Faces that are scanned together: they fit the processor's cache.
_CHUNK = 1 << 15


def cast(polygons: Polygons, splitter: Splitter, ray: LoneRay) -> list[Hit]:
    """The hits of one ray, the nearest first; only the faces that it can hit are split."""
    triangles, faces, positions = _split(polygons, splitter, candidates(ray, polygons))
    few = Geometry(positions.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3), faces)
    excluded = ray.query.excluded
    if excluded is not None:
        query = ray.query._replace(excluded=excluded.take(triangles))
        ray = ray._replace(query=query)
    hits = intersect(few, ray, np.arange(len(triangles)))
    return [replace(hit, triangle=int(triangles[hit.triangle])) for hit in hits]


def triangles_in(polygons: Polygons, splitter: Splitter, region: Region) -> Triangles:
    """The triangles that may reach into a region, in order; only faces that may do so are split."""
    codes = codes_in(region, polygons.vertices, _extent(polygons))
    faces = not_outside(polygons, polygons.corners, codes)
    return triangles_met(region, *_split(polygons, splitter, faces))


def candidates(ray: LoneRay, polygons: Polygons) -> IntArray:
    """The faces that one ray can hit, in order: all that it does hit, and few others."""
    left = partial(not_outside, polygons)
    extent = _extent(polygons)
    return scan.candidates(ray, polygons.vertices, polygons.corners, extent, left=left)


def _extent(polygons: Polygons) -> float:
    """The largest absolute value of a finite coordinate of the vertices."""
    return float(np.nan_to_num(np.abs(polygons.bounds)).max())


def _split(
    polygons: Polygons, splitter: Splitter, faces: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """All triangles (T,) of some faces, the face (T,) of each, and their corners (T, 3, 3)."""
    corners = splitter.split(polygons, faces)
    positions = polygons.positions(polygons.corners.take(corners))
    triangles = polygons.triangles_of(faces)
    return triangles, np.repeat(faces, polygons.sizes_of(faces) - 2), positions


def not_outside(polygons: Polygons, corners: IndexArray, codes: Codes) -> IntArray:
    """The faces whose corners' codes (V,) share no bit."""
    found = [np.empty(0, dtype=np.int64)]
    for begin in range(0, polygons.face_count, _CHUNK):
        faces = np.arange(begin, min(begin + _CHUNK, polygons.face_count))
        if isinstance(polygons.sizes, int):
            part = corners[begin * polygons.sizes :][: len(faces) * polygons.sizes]
            # Some versions of NumPy are twice as slow with `take`, or with int32.
            columns = [codes[column.astype(np.intp)] for column in part.reshape(len(faces), -1).T]
            shared = reduce(np.bitwise_and, columns)
        else:
            shared = _shared_by_faces(polygons, corners, codes, faces)
        found.append(faces[shared == 0])
    return np.concatenate(found)


def _shared_by_faces(
    polygons: Polygons, corners: IndexArray, codes: Codes, faces: IntArray
) -> Codes:
    """For each of a run of faces (N,) of any sizes, the bits in all its corners' codes."""
    first, sizes = polygons.corners_from(faces), polygons.sizes_of(faces)
    given = codes[corners[first[0] : first[-1] + sizes[-1]].astype(np.intp)]
    first -= first[0]
    # Most faces have no corners but the first three and the last.
    columns = [given[place] for place in (first, first + 1, first + 2, first + sizes - 1)]
    shared: Codes = reduce(np.bitwise_and, columns)
    larger = np.flatnonzero((sizes > 4) & (shared != 0))
    if len(larger):
        counts = sizes[larger]
        every = given.take(runs(first[larger], counts))
        shared[larger] = np.bitwise_and.reduceat(every, np.cumsum(counts) - counts)
    return shared
