# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on faces of any shape: coordinates in a regular polygon that stands for the face.

A quad is the unit square, its corners at (0, 0), (1, 0), (1, 1), (0, 1). Any other face of n
corners is the regular polygon in the unit circle, its first corner at (1, 0). Each of a face's
triangles is mapped to that of the polygon's corners, whichever way the face is split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...standalone_core.extension import BoolArray, FloatArray, IntArray

_SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


class Spots(NamedTuple):
    """N places on faces of one mesh."""

    faces: IntArray  # (N,)
    sizes: IntArray  # (N,), how many corners these have
    at: FloatArray  # (N, 2), in their polygons
    corners: IntArray | None = None
    """The corners (N, 3) of the triangles that they are in; None where their faces were divided."""

    def mirrored(self, which: BoolArray) -> Spots:
        """The same places where some faces (N,) have their corners from the first one backward."""
        square = (self.sizes == 4)[:, None]
        other = np.where(square, self.at[:, ::-1], self.at * (1.0, -1.0))
        corners = self.corners
        if corners is not None:
            corners = np.where(which[:, None], -corners % self.sizes[:, None], corners)
        return self._replace(at=np.where(which[:, None], other, self.at), corners=corners)


def take(spots: Spots, rows: IntArray | BoolArray) -> Spots:
    """Some of the places."""
    corners = None if spots.corners is None else spots.corners[rows]
    return Spots(spots.faces[rows], spots.sizes[rows], spots.at[rows], corners)


def corners_at(numbers: IntArray, sizes: IntArray) -> FloatArray:
    """Where the corners (...) of faces of so many corners (...) are in their polygons (..., 2)."""
    angles = 2.0 * np.pi * numbers / sizes
    regular = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return np.where((sizes == 4)[..., None], _SQUARE[numbers % 4], regular)


def spots_of(faces: IntArray, sizes: IntArray, corners: IntArray, weights: FloatArray) -> Spots:
    """Places by three corners (N, 3) of their faces, counted from the first, with weights."""
    at = corners_at(corners, np.repeat(sizes[:, None], 3, axis=1))
    return Spots(faces, sizes, (weights[:, :, None] * at).sum(axis=1), corners)


def weights_in(spots: Spots, corners: IntArray) -> FloatArray:
    """The weights (N, 3) of three corners (N, 3) of the faces; negative where a place is beside."""
    at = corners_at(corners, np.repeat(spots.sizes[:, None], 3, axis=1))
    a, b, c = at.swapaxes(0, 1)
    area = _cross(b - a, c - a)
    ahead = spots.at[:, None] - at  # from each of the three corners
    return (
        np.stack(
            [_cross(c - b, ahead[:, 1]), _cross(a - c, ahead[:, 2]), _cross(b - a, ahead[:, 0])],
            axis=-1,
        )
        / area[:, None]
    )


def _cross(first: FloatArray, second: FloatArray) -> FloatArray:
    product: FloatArray = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return product
