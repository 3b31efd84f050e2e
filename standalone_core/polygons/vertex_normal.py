# SPDX-License-Identifier: MIT
"""Normals of vertices, as smooth shading has them.

The normals of the faces around a vertex, each weighted by the angle of its corner there (Thürmer
and Wüthrich, "Computing vertex normals from polygonal facets", 1998).
"""

import numpy as np

from ..numerics.arrays import FloatArray, IntArray, normalized
from .polygons import Polygons, runs


def vertex_normals(polygons: Polygons, vertices: IntArray, faces: IntArray) -> FloatArray:
    """Unit normals (K, 3) of vertices (K,); NaN where no face of a vertex has a normal.

    `faces` (N,) are all that have one of the vertices; others do no harm.
    """
    sizes = polygons.sizes_of(faces)
    ends = np.cumsum(sizes)
    first = np.repeat(ends - sizes, sizes)
    row = np.arange(len(first))
    corner_vertices = polygons.corners.take(runs(polygons.corners_from(faces), sizes))
    points = polygons.vertices.take(corner_vertices, axis=0).astype(np.float64)
    after = np.where(row + 1 == np.repeat(ends, sizes), first, row + 1)
    before = np.empty_like(after)
    before[after] = row
    with np.errstate(all="ignore"):
        onward = normalized(points[after] - points)
        cosine = np.einsum("ij,ij->i", onward, -onward[before])
        angles = np.arccos(np.clip(cosine, -1.0, 1.0))
        moved = points - points[first]
        areas = np.cross(moved, moved[after])
        normals = normalized(np.add.reduceat(areas, ends - sizes)) if len(faces) else areas
        shares = angles[:, None] * np.repeat(normals, sizes, axis=0)
        shares[~np.isfinite(shares)] = 0.0
        return normalized(np.array([shares[corner_vertices == v].sum(axis=0) for v in vertices]))
