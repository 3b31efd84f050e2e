# SPDX-License-Identifier: MIT
"""The nearest places on the instances of a scene: the nearest boxes first."""

from collections.abc import Sequence

import numpy as np

from ..cast.hits import put
from ..closest.places import ClosestPoints, without_places
from ..closest.search import closest_points
from ..engines import engine_named
from ..numerics.arrays import EPS, BoolArray, FloatArray, length, moved
from .placements import Placements

# Pairs of a point and an instance whose boxes are compared together.
_PAIRS = 1 << 20

# What a box in the scene, and a distance from it, round.
_ROUNDING = 32 * EPS

# Points with a larger coordinate in the space of a mesh are looked for in that of the scene: up to
# here the bounds of closest points hold.
_MOST = 2.0**1022

# How far a matrix may be from a rotation with one scale, and still count as that.
_SIMILAR = 64 * EPS


def closest(
    parts: Sequence[Placements], points: FloatArray, limits: FloatArray, excluded: BoolArray | None
) -> ClosestPoints:
    """The nearest places to points (N, 3), not beyond limits (N,), on instances not excluded."""
    found = without_places(len(points))
    for part in parts:
        step = max(_PAIRS // max(len(part), 1), 1)
        for first in range(0, len(points), step):
            some = slice(first, first + step)
            with np.errstate(all="ignore"):
                _search(part, points[some], limits[some], excluded, found.take(some))
    return found


def _search(
    part: Placements,
    points: FloatArray,
    limits: FloatArray,
    excluded: BoolArray | None,
    found: ClosestPoints,
) -> None:
    """Put what is nearer to points (N, 3) on the instances of a part into `found` (N,)."""
    gaps = _gaps(part, points)
    gaps[:, ~part._is_met(np.arange(len(part)), excluded)] = np.inf
    while gaps.size:
        place = gaps.argmin(axis=1)
        gap = gaps[np.arange(len(points)), place]
        reach = np.minimum(limits, found.distance)
        left = np.flatnonzero((gap <= reach) & (gap < np.inf))
        if not len(left):
            return
        for each in np.unique(place[left]).tolist():
            row = left[place[left] == each]
            gaps[row, each] = np.inf
            others = _closest_at(part, each, points[row], reach[row])
            nearer = others.hit & _comes_before(others, found.take(row))
            put(found, row[nearer], others.take(nearer))


def _comes_before(one: ClosestPoints, other: ClosestPoints) -> BoolArray:
    """Whether places (N,) are nearer than others, or as near and on an earlier instance."""
    same = one.distance == other.distance
    return np.asarray((one.distance < other.distance) | (same & (one.instance < other.instance)))


def _gaps(part: Placements, points: FloatArray) -> FloatArray:
    """The least distances of points (N, 3) from the boxes of instances, (N, K); inf where none."""
    outside = np.maximum(part.lower - points[:, None], points[:, None] - part.upper)
    outside = np.maximum(outside, 0.0)
    size = np.abs([part.lower, part.upper]).max(axis=(0, 2)) + np.abs(points).max(axis=1)[:, None]
    gaps = length(outside) * (1 - 8 * EPS) - _ROUNDING * size
    return np.where(np.isnan(gaps), np.inf, gaps)


def _closest_at(
    part: Placements, place: int, points: FloatArray, limits: FloatArray
) -> ClosestPoints:
    """The nearest places on one instance."""
    matrix, inverse = part.placed.matrices[place], part.inverses[place]
    scale = _scale_of(matrix[:3, :3])
    local = moved(points - matrix[:3, 3], np.column_stack([inverse, np.zeros(3)]))
    fits = (np.abs(local).max(axis=1) <= _MOST) & (scale is not None)
    near = without_places(len(points))
    if scale is not None:
        mesh, row = part.meshes[part.kinds[place]], np.flatnonzero(fits)
        found = mesh._closest_points(local[row], limits[row] / scale * (1 + 16 * EPS), None)
        found.distance[:] *= scale
        found.point[:] = moved(found.point, matrix[:3])
        put(near, row, found)
    if not fits.all():
        row = np.flatnonzero(~fits)
        put(near, row, _closest_moved(part, place, points[row], limits[row]))
    beyond = np.flatnonzero(near.distance > limits)
    put(near, beyond, without_places(len(beyond)))
    near.instance[near.hit] = part.placed.ids[place]
    return near


def _closest_moved(
    part: Placements, place: int, points: FloatArray, limits: FloatArray
) -> ClosestPoints:
    """The nearest places on the triangles of one instance in the scene's space."""
    geometry, tree = part.moved_shape(place, len(points))
    if tree is None:
        return closest_points(geometry, None, points, limits, None)
    engine = engine_named(part.meshes[part.kinds[place]].engine)
    return engine.closest(geometry, tree, points, limits, None)


def _scale_of(linear: FloatArray) -> float | None:
    """By what a rotation, or a reflection, with one scale makes things larger; None of others."""
    size = float(np.abs(linear).max())
    unit = linear / size
    square = unit.T @ unit
    mean = float(np.trace(square)) / 3
    if np.abs(square - mean * np.eye(3)).max() > _SIMILAR * mean:
        return None
    return float(np.sqrt(mean)) * size
