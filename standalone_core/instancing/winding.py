# SPDX-License-Identifier: MIT
"""Winding numbers of points around the instances of a scene."""

from collections.abc import Iterator, Sequence
from math import inf, pi

import numpy as np

from ..closest.winding import INSIDE, scanned_numbers
from ..engines import engine_named
from ..numerics.arrays import BoolArray, FloatArray, IntArray, dot, largest, power_of_two
from ..numerics.rational import orientation
from .instance import applied
from .placements import Placements

# The largest coordinate in the space of a mesh that is asked there.
_MOST = 2.0**1022

# More than the rounding of a distance from a box, as a share of the largest coordinate.
_ROUNDING = 2.0**-40


def summed_numbers(parts: Sequence[Placements], points: FloatArray, tolerance: float) -> FloatArray:
    """The winding numbers of points (N, 3) around all instances together."""
    placed = list(_places(parts))
    numbers = np.zeros(len(points))
    for part, place in placed:
        numbers += _numbers_at(part, place, points, tolerance / len(placed))
    return numbers


def are_inside(parts: Sequence[Placements], points: FloatArray) -> BoolArray:
    """Whether points (N, 3) are inside of one of the instances."""
    inside = np.zeros(len(points), dtype=np.bool_)
    for part, place in _places(parts):
        row = _near(part, place, points, np.flatnonzero(~inside))
        if len(row):
            inside[row] = np.abs(_numbers_at(part, place, points[row], inf)) > INSIDE
    return inside


def _places(parts: Sequence[Placements]) -> Iterator[tuple[Placements, int]]:
    return ((part, place) for part in parts for place in part.visible_places().tolist())


def _near(part: Placements, place: int, points: FloatArray, row: IntArray) -> IntArray:
    """Those of the rows whose points an instance may be around.

    A surface of an area A that is at least d away has a winding number of A / (4 pi d**2) at most.
    """
    lower, upper, some = part.lower[place], part.upper[place], points[row]
    matrix = part.placed.matrices[place, :3, :3]
    with np.errstate(all="ignore"):
        gaps = np.maximum(np.maximum(lower - some, some - upper), 0.0)
        gaps = np.maximum(gaps - _ROUNDING * (part.sizes[place] + largest(some))[:, None], 0.0)
        # No area grows by more than the squares of all numbers of the matrix. It is divided by a
        # power of two, and so are the gaps, so that no square underflows.
        scale = power_of_two(np.abs(matrix).max())
        area = part.meshes[part.kinds[place]]._area() * np.square(matrix / scale).sum()
        gaps /= scale
        near: IntArray = row[~(dot(gaps, gaps) > area / (2.0 * pi) * (1.0 + _ROUNDING))]
    return near


def _numbers_at(part: Placements, place: int, points: FloatArray, tolerance: float) -> FloatArray:
    """The winding numbers of points (N, 3) around one instance.

    A matrix that keeps angles also keeps solid angles; else the triangles are moved into the scene.
    The fronts of a mirrored instance are those of its mesh.
    """
    matrix, mesh = part.placed.matrices[place], part.meshes[part.kinds[place]]
    with np.errstate(all="ignore"):
        local = applied(part.inverses[place], points - matrix[:3, 3])
    if np.isfinite(part.scales[place]) and (largest(local) <= _MOST).all():
        own: FloatArray = mesh._winding(local, tolerance)
        return own
    geometry, tree = part.moved_shape(place, len(points))
    asked = points, np.full(len(points), tolerance), mesh._hidden
    if tree is None:
        numbers = scanned_numbers(geometry, *asked)
    else:
        numbers = engine_named(mesh.engine).winding(geometry, tree, *asked)
    return np.asarray(numbers * orientation(*matrix[:3, :3].tolist()))
