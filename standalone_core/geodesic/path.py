# SPDX-License-Identifier: MIT
"""What a search for the shortest path along a surface answers."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np

from ..answers import Answer
from ..numerics.arrays import FloatArray, IndexArray, IntArray, length
from ..numerics.read_only import frozen
from ..numerics.value import record
from .places import Row


@record
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SurfacePath(Answer):
    """A path along the surface of a mesh, from a place to a place.

    It has K places, at the start, wherever it crosses an edge or goes through a vertex, and at the
    end. From each to the next it is straight, in the triangle of the first one. Where no path leads
    to the end, K is 0 and the distance inf, and the path is false; where that is the start, K is 1.
    The arrays are read-only.

    Attributes
    ----------
    distance : float
        Its length: the sum of the distances from each of the points to the next.
    points : ndarray (K, 3)
        The places, in the space of the mesh.
    triangle : ndarray (K,) of int64
        A triangle that contains each place, and the path to the next.
    weights : ndarray (K, 3)
        Weights of the triangle's vertices in their order: each from 0 to 1, with the sum 1.
    exact : bool
        Whether no path is shorter, but for rounding. Where it is not so, the search was ended, or
        triangles without area hid a way on: the path is the shortest among those near it, but there
        may be another way.

    Examples
    --------
    >>> import standalone_core as sc
    >>> roof = sc.Mesh([[0, 0, 0], [0, 4, 0], [3, 0, 0], [0, 0, 3]], [[0, 2, 1], [0, 1, 3]])
    >>> path = roof.surface_path((0, (0, 1, 0)), (1, (0, 0, 1)))
    >>> path.distance, path.points.tolist(), path.triangle.tolist()
    (6.0, [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0]], [0, 1, 1])
    """

    distance: float
    points: FloatArray
    triangle: IntArray
    weights: FloatArray
    exact: bool

    def __bool__(self) -> bool:
        """Whether it leads to the end."""
        return len(self.points) > 0


def no_path() -> SurfacePath:
    """What there is where no path leads to the end."""
    nothing = frozen(np.empty((0, 3)))
    return SurfacePath(np.inf, nothing, frozen(np.empty(0, dtype=np.int64)), nothing, True)


def path_over(
    vertices: FloatArray, triangles: IndexArray, rows: list[Row], exact: bool
) -> SurfacePath:
    """The path over places; of those at one point that follow each other, the last remains."""
    triangle = np.array([triangle for triangle, _ in rows], dtype=np.int64)
    weights = np.array([weights for _, weights in rows])
    corners = vertices[triangles[triangle]]
    # Summed term by term: a vertex is at exactly its own place.
    a, b, c = (weights[:, k, None] * corners[:, k] for k in range(3))
    points = a + b + c
    is_new = np.append(np.any(points[1:] != points[:-1], axis=1), True)
    triangle, weights, points = triangle[is_new], weights[is_new], points[is_new]
    quarter = 0.25 * points  # Differences of these are never beyond float64.
    distance = 4.0 * fsum(length(quarter[1:] - quarter[:-1]).tolist())
    return SurfacePath(distance, frozen(points), frozen(triangle), frozen(weights), exact)
