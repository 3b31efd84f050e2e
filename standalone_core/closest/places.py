# SPDX-License-Identifier: MIT
"""The results of searches for the nearest places, and the reading of their points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import arguments
from ..arguments import Invalid
from ..cast.hits import put
from ..hit import Answer, Answers, FaultArray
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.values import deprecated_alias, record
from ..numerics.vectors import is_finite


@record
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClosestPoint(Answer):
    """The place that is nearest to one point, as a row of :class:`ClosestPoints` has it.

    Attributes
    ----------
    distance : float
        0 or more.
    point : ndarray (3,)
        The place, in the space of the mesh or scene.
    triangle, face : int
        The triangle it is on, and the face that the mesh says this one belongs to.
    barycentric : ndarray (3,)
        Weights of the triangle's vertices in their order: each from 0 to 1, with the sum 1.
    instance : int
        Id of the scene's instance; 0 for a mesh by itself.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> place = mesh.closest_point([(0.25, 0.25, 2)])[0]
    >>> place.triangle, place.distance, place.as_dict()["barycentric"]
    (0, 2.0, [0.5, 0.25, 0.25])
    """

    distance: float
    point: FloatArray
    triangle: int
    face: int
    barycentric: FloatArray
    instance: int


REASONS = (
    "nothing is near enough",
    "the point is not finite",
    "the point's max_distance is not 0 or more",
)
"""Why a row has no place; all but the first are faults of the point."""


@record
@dataclass(frozen=True, eq=False, repr=False)
class ClosestPoints(Answers[ClosestPoint]):
    """The places on a mesh or scene that are nearest to points, as columns.

    Queries make them; the constructor takes columns as they are, without a check. The rows stand in
    the shape (...) of the points. Where there is no place (nothing counts, or nothing within the
    given distance, or the point is not finite) distance is inf, triangle, face and instance are -1,
    and the rest is NaN. An answer for one point, of shape (), is true if there is a place; for
    several use ``places.hit.any()`` or ``places.hit.all()``. The columns are read-only. A row by
    itself, as ``places[0]``, is a :class:`ClosestPoint`, or None.

    Attributes
    ----------
    distance : ndarray (...)
        0 or more.
    point : ndarray (..., 3)
        The place, in the space of the mesh or scene.
    triangle, face : ndarray (...) of int64
        The triangle it is on, of those at the same distance the one with the smallest index; and
        the face that the mesh says this one belongs to.
    barycentric : ndarray (..., 3)
        Weights of the triangle's vertices in their order: each from 0 to 1, with the sum 1.
    instance : ndarray (...) of int64
        Id of the scene's instance; 0 for a mesh by itself.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> near = mesh.closest_point([(0.25, 0.25, 2), (3, 0, 0)], max_distance=2.5)
    >>> near.triangle.tolist(), near.distance.tolist(), near.barycentric.tolist()
    ([0, 0], [2.0, 2.0], [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    """

    distance: FloatArray
    point: FloatArray
    triangle: IntArray
    face: IntArray
    barycentric: FloatArray
    instance: IntArray

    _one, _reasons = ClosestPoint, REASONS

    found = deprecated_alias("found", "hit", since="0.2")


Find: TypeAlias = Callable[[FloatArray, FloatArray], ClosestPoints]
"""Finds the nearest places to points (N, 3) within limits (N,)."""


class GivenPoints(NamedTuple):
    """N points with the largest distance for each, and the shape (...) they came in."""

    points: FloatArray  # (N, 3)
    limits: FloatArray  # (N,)
    shape: tuple[int, ...]
    faults: FaultArray | None  # (N,), rows of :data:`REASONS`; None if no point has a fault

    def answered(self, find: Find) -> ClosestPoints:
        """What `find` finds for the points without a fault; the others have no place."""
        points, limits, _, faults = self
        if faults is None:
            return find(points, limits)
        found, good = without_places(len(points)), np.flatnonzero(faults == 0)
        put(found, good, find(points[good], limits[good]))
        return found


def read_points(points: Any, max_distance: Any, invalid: Invalid) -> GivenPoints:
    """Read points (..., 3); those that are not finite are marked as faults, or raise."""
    arguments.one_of(invalid, "invalid", "miss", "raise")
    lone = arguments.single_points(points) if type(max_distance) is float else None
    if lone is not None and max_distance >= 0.0 and is_finite(lone[0]):
        return GivenPoints(np.array(lone), np.array([max_distance]), (), None)
    p = arguments.points(points, "points")
    shape, is_point = p.shape[:-1], np.isfinite(p).all(axis=-1).reshape(-1)
    if invalid == "raise":
        arguments.finite(p, "points")
    limits, bad = arguments.distances(max_distance, "max_distance", shape, invalid)
    faults = np.where(is_point, 0, 1).astype(np.uint8)
    if bad is not None:
        faults[is_point & bad] = 2
    return GivenPoints(p.reshape(-1, 3), limits, shape, faults if faults.any() else None)


def without_places(count: int) -> ClosestPoints:
    """`count` rows without a place."""
    # Each column has memory of its own, so that one can be kept without the others.
    point, barycentric = (np.full((count, 3), np.nan) for _ in range(2))
    triangle, face, instance = (np.full(count, -1, dtype=np.int64) for _ in range(3))
    return ClosestPoints(np.full(count, np.inf), point, triangle, face, barycentric, instance)
