# SPDX-License-Identifier: MIT
"""The edges where a surface ends."""

from typing import NamedTuple

import numpy as np

from ..cast.rays import Geometry
from ..numerics.arrays import IntArray
from ..numerics.columns import distinct


class BorderEdges(NamedTuple):
    """K edges, each with the triangle that it is of, and its corner opposite of it."""

    triangle: IntArray  # (K,)
    corner: IntArray  # (K,), 0, 1 or 2


def border_edges(geometry: Geometry) -> BorderEdges:
    """The edges that an odd number of triangles meet at.

    Edges are the same where their ends are at the same places, whichever vertices these are: files
    of triangle soup have a vertex for each corner. A mesh without such an edge is crossed an even
    number of times by any line. Triangles at vertices that are not finite are not there.
    """
    vertices, triangles, _ = geometry
    finite = np.asarray(np.isfinite(vertices).all(axis=1))
    there = np.flatnonzero(finite[triangles].all(axis=1))
    _, place = distinct(np.where(finite[:, None], vertices, 0.0).T)
    a, b, c = place[triangles[there]].T
    first, second = np.concatenate([b, c, a]), np.concatenate([c, a, b])
    key = np.minimum(first, second) * len(vertices) + np.maximum(first, second)
    edges = np.flatnonzero(first != second)
    _, number, count = np.unique(key[edges], return_inverse=True, return_counts=True)
    edges = edges[count[number] % 2 == 1]
    return BorderEdges(there[edges % max(len(there), 1)], edges // max(len(there), 1))
