# SPDX-License-Identifier: MIT
"""Rays in the units of a tree, moved near to it, in float32 with a margin for the rounding."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..cast.rays import LoneRay, end_of
from ..numerics.arrays import EPS, FloatArray, IntArray, dot_columns
from ..numerics.double_double import Number
from .tree import Tree

# How far before its point nearest to the tree's center a ray can meet a box. Coordinates of boxes
# are at most 2 (1 in new trees of meshes not near the limit of float64), and the largest component
# of a direction is 1, the others a and b. So the distance is at most
# 2 (1 + a + b) / (1 + a**2 + b**2), which is at most 2.74.
REACH = 2.75

# Bounds the rounding errors of points within 8.3 of the center in float32: of the start, and of the
# difference, inverse and product in the slab test (compare Ize, "Robust BVH ray traversal", JCGT
# 2013).
MARGIN = 2.0**-18

LARGEST_INVERSE = 1e30

_FAR = 1e30


class Approach(NamedTuple):
    """R rays for the slab test ``(box - start) * inverse`` of (n, 6, WIDTH) nodes."""

    # The origins (6, R), moved along the rays to where boxes begin; shifted apart for lower and
    # upper corners, which makes all boxes larger by the margin.
    start: npt.NDArray[np.float32]
    inverse: npt.NDArray[np.float32]  # (6, R)
    limit: npt.NDArray[np.float32]  # (R,), how far the rays go
    skipped: FloatArray  # (R,), how far the starts are from the origins
    unit: FloatArray  # (R,), what turns a parameter t into a length in the tree's units

    def shorten(self, row: IntArray, ends: FloatArray) -> None:
        """End the rays `row` (N,) at t = `ends` (N,), if not before; rows may repeat."""
        with np.errstate(all="ignore"):
            limit = limit_of(ends, self.unit[row], self.skipped[row]).astype(np.float32)
        np.fmin.at(self.limit, row, limit)


class LoneApproach(NamedTuple):
    """One ray, as in :class:`Approach`, for nodes with separate near and far planes."""

    start: npt.NDArray[np.float32]
    inverse: npt.NDArray[np.float32]
    near: tuple[int, int, int]
    far: tuple[int, int, int]
    limit: float


def approach(tree: Tree, ray: LoneRay) -> LoneApproach | None:
    """Bring one ray to a tree; None where float64 does not suffice."""
    cx, cy, cz = tree.center.tolist()
    x, y, z = ray.origin
    x, y, z = (x - cx) / tree.scale, (y - cy) / tree.scale, (z - cz) / tree.scale
    dx, dy, dz = ray.direction
    longest = max(abs(dx), abs(dy), abs(dz))
    dx, dy, dz = dx / longest, dy / longest, dz / longest
    along = -(x * dx + y * dy + z * dz) / (dx * dx + dy * dy + dz * dz)
    skipped = max(along - REACH, 0.0)
    pad = MARGIN + 16 * EPS * max(abs(x), abs(y), abs(z))
    x, y, z = x + skipped * dx, y + skipped * dy, z + skipped * dz
    if not max(abs(x), abs(y), abs(z), pad) < _FAR:
        return None
    ix, iy, iz = _inverse(dx), _inverse(dy), _inverse(dz)
    limit = _FAR
    if ray.limit < math.inf:
        limit = limit_of(end_of(ray.limit, ray.length), longest / tree.scale, skipped)
    nx, ny, nz = 0 if ix > 0 else 3, 1 if iy > 0 else 4, 2 if iz > 0 else 5
    return LoneApproach(
        np.array([[x + pad], [y + pad], [z + pad], [x - pad], [y - pad], [z - pad]], np.float32),
        np.array([[ix], [iy], [iz], [ix], [iy], [iz]], np.float32),
        (nx, ny, nz),
        (3 - nx, 5 - ny, 7 - nz),
        limit if limit < _FAR else _FAR,  # NaN where its factors are 0 and inf.
    )


def _inverse(component: float) -> float:
    if abs(component) < 1.0 / LARGEST_INVERSE:
        return math.copysign(LARGEST_INVERSE, component)
    return 1.0 / component


def limit_of(end: Number, unit: Number, skipped: Number) -> Number:
    """How far a ray goes in the tree's units if it ends at t = `end`, with a margin for rounding.

    For an origin far away, float64 rounds both terms by much more than their difference.
    """
    return (end * unit - skipped) * (1 + 1e-6) + (1e-6 + 64 * EPS * skipped)


def approach_many(
    tree: Tree, origins: FloatArray, directions: FloatArray, ends: FloatArray
) -> Approach:
    """Bring rays (R, 3) to a tree; `ends` (R,) is the largest t of each."""
    with np.errstate(all="ignore"):
        # Components first: NumPy is fastest with long rows.
        o = (np.ascontiguousarray(origins.T) - tree.center[:, None]) / tree.scale
        d = np.ascontiguousarray(directions.T)
        longest = np.abs(d).max(axis=0)
        d = d / longest
        along = -dot_columns(o, d) / dot_columns(d, d)
        skipped = np.maximum(along - REACH, 0.0)
        start = o + skipped * d
        margin = MARGIN + 16 * EPS * np.abs(o).max(axis=0)
        lost = ~np.isfinite(start).all(axis=0)
        if lost.any():
            start[:, lost], margin[lost], skipped[lost] = 0.0, np.inf, 0.0
        unit = longest / tree.scale
        limit = np.where(ends < np.inf, limit_of(ends, unit, skipped), np.inf)
        limit[lost | np.isnan(limit)] = np.inf
        inverse = np.clip(1.0 / d, -LARGEST_INVERSE, LARGEST_INVERSE).astype(np.float32)
        return Approach(
            np.concatenate([start + margin, start - margin]).astype(np.float32),
            np.concatenate([inverse, inverse]),
            limit.astype(np.float32),
            skipped,
            unit,
        )
