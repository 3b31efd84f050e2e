# SPDX-License-Identifier: MIT
"""Triangles in the order of a tree, in float32: most that a ray does not hit are left out there.

The corners are kept in the tree's units, P = p + e, where |P| <= 2 and |e| <= 2**-23. Across a ray
(:mod:`..numerics.shear`) a corner is at X = p_x + s p_z - h, where s is the shear and h the same
sum of the origin; so is Y. The ray's line goes through a triangle only if the edge functions
X_i Y_j - X_j Y_i of the three pairs of its corners have one sign, or are 0.

In float32, with u = 2**-24 and |s| <= 1, X is off by at most (2 + 2) u for P, 2 u for s, 2 u for
the product, 4 u for the sum, |h| u for h, and (4 + |h|) u for the difference: (16 + 2 |h|) u.
To this come squares of u, and what h itself is off by: float64 rounds the origin o in the tree's
units, the shear, a product and a sum, less than 8 EPS |o| together. So the error is below

    d = (32 + 4 |h|) u + 16 EPS |o|.

Let m be the largest |X| or |Y| of a triangle, as found; it is at most 4 + |h| + d. An edge function
is off by 4 d m + 2 d**2 at most for the errors of its factors, and by 4.1 u m**2 < 1.1 d m for its
own roundings. It is compared with 8 d m + 16 d**2, which leaves room for the roundings of that.
Numbers that underflow lose 2**-149, which is nothing beside d**2.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..bvh import LEAF, Tree
from ..cast.rays import Geometry, RayBatch
from ..concurrency.threads import on_all_cores
from ..numerics.arrays import EPS, FloatArray, IntArray, SingleArray, largest
from ..numerics.ray_triangle import frame_of_many

# Lines that pass the tree's center further away meet nothing in it, and products may overflow.
_FAR = 1e6

_UNIT = 2.0**-24

# Blocks are made once so many triangles a ray of a batch were left to the tree without them: each
# ray saves about what those of so many triangles cost.
_TRIANGLES_A_RAY = 10


class LeafBlocks:
    """The triangles of a tree's leaves, and how many rays asked for them before they were there."""

    def __init__(self) -> None:
        self.rays = 0
        self.corners: SingleArray | None = None  # (3, 3 * leaves, LEAF): corners, x y z of a leaf


class RaysAcross(NamedTuple):
    """R rays as the test takes them: each number as often as a leaf has triangles."""

    row: IntArray  # (3, R), which components are x, y and z across the ray
    shear: SingleArray  # (2, R, LEAF)
    start: SingleArray  # (2, R, LEAF), h
    margin: SingleArray  # (R, LEAF), 8 d


# Trees are never changed, so what belongs to them lives as long as they do.
_blocks: WeakKeyDictionary[Tree, LeafBlocks] = WeakKeyDictionary()


def nbytes(tree: Tree) -> int:
    """Memory that is kept beside a tree, in bytes."""
    corners = known(tree)
    return 0 if corners is None else corners.nbytes


def known(tree: Tree) -> SingleArray | None:
    """The corners of a tree's triangles in blocks, if they have been made."""
    blocks = _blocks.get(tree)
    return None if blocks is None else blocks.corners


def make_if_due(geometry: Geometry, tree: Tree, rays: int) -> None:
    """Make the blocks if the rays so far, and so many more, pay for them."""
    blocks = _blocks.get(tree)
    if blocks is None:
        blocks = _blocks.setdefault(tree, LeafBlocks())
    if blocks.corners is None:
        blocks.rays += rays
        if blocks.rays * _TRIANGLES_A_RAY >= len(tree.order) > 0:
            blocks.corners = _packed(geometry, tree)


def _packed(geometry: Geometry, tree: Tree) -> SingleArray:
    """Corners (3, 3 * leaves, LEAF); NaN, of which nothing is sure, where one is not within 2."""
    with np.errstate(all="ignore"):
        places = ((geometry.vertices - tree.center) / tree.scale).T.astype(np.float32)
    places[:, ~(np.abs(places) <= 2.0).all(axis=0)] = np.nan
    count = tree.leaf_count
    corners = np.zeros((3, count, 3, LEAF), dtype=np.float32)
    filled = np.concatenate([tree.order, tree.order[:1].repeat(count * LEAF - len(tree.order))])

    def pack(corner: int) -> None:
        vertex = geometry.triangles[:, corner].take(filled)
        for axis in range(3):
            corners[corner, :, axis] = places[axis].take(vertex).reshape(count, LEAF)

    on_all_cores(pack, range(3), len(filled))
    return corners.reshape(3, 3 * count, LEAF)


def across(tree: Tree, rays: RayBatch) -> RaysAcross:
    """Rays as the test takes them."""
    frame = np.stack(frame_of_many(rays.directions))
    with np.errstate(all="ignore"):
        origins = (rays.origins - tree.center) / tree.scale
        dx, dy, dz = np.take_along_axis(rays.directions.T, frame, axis=0)
        x, y, z = np.take_along_axis(origins.T, frame, axis=0)
        shear = np.stack([-dx / dz, -dy / dz])
        start = np.stack([x + shear[0] * z, y + shear[1] * z])
        away = np.abs(start).max(axis=0)
        error = (32 + 4 * away) * _UNIT + 16 * EPS * largest(origins)
        error[~(away < _FAR)] = np.inf
        return RaysAcross(frame, *(_repeated(x) for x in (shear, start, 8 * error)))


def _repeated(columns: FloatArray) -> SingleArray:
    """Columns (..., R) as (..., R, LEAF)."""
    return np.repeat(columns.astype(np.float32)[..., None], LEAF, axis=-1)


def items_near(
    tree: Tree, corners: SingleArray, local: RaysAcross, row: IntArray, leaf: IntArray
) -> tuple[IntArray, IntArray]:
    """Pairs (N,) of a ray and a leaf as pairs (M,) of a ray and a triangle that it may hit."""
    place = local.row.take(row, axis=1)
    place += leaf * 3
    (x, y, z) = corners.take(place, axis=1).swapaxes(0, 1).reshape(3, 3, -1)
    with np.errstate(all="ignore"):
        shear_x, shear_y = local.shear.take(row, axis=1).reshape(2, -1)
        start_x, start_y = local.start.take(row, axis=1).reshape(2, -1)
        x += z * shear_x
        x -= start_x
        y += z * shear_y
        y -= start_y
        u = x[2] * y[1] - y[2] * x[1]
        v = x[0] * y[2] - y[0] * x[2]
        w = x[1] * y[0] - y[1] * x[0]
        margin = local.margin.take(row, axis=0).ravel()
        size = np.maximum(np.abs(x, out=x).max(axis=0), np.abs(y, out=y).max(axis=0))
        bound = (size + margin * np.float32(0.25)) * margin
        least = np.minimum(np.minimum(u, v), w)
        most = np.maximum(np.maximum(u, v), w)
        passed = (least < -bound) & (most > bound)
    near = np.flatnonzero(~passed)
    pair = near // LEAF
    order = leaf.take(pair) * LEAF + near % LEAF
    row = row.take(pair)
    if len(order) and int(order.max()) >= len(tree.order):
        there = order < len(tree.order)
        row, order = row[there], order[there]
    return row, tree.order.take(order).astype(np.int64)
