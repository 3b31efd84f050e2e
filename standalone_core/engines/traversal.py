# SPDX-License-Identifier: MIT
"""Traversal of a tree by rays in NumPy, and float32 tests that rule out most triangles of leaves.

The descent is breadth first, with as many boxes in a call as fit the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..bvh import LEAF, WIDTH, Tree
from ..bvh.approach import Approach, LoneApproach, approach, approach_many
from ..bvh.tree import items_of
from ..cast.rays import Geometry, LoneRay, Query, RayBatch, end_of
from ..concurrency.threads import on_all_cores
from ..numerics.arrays import EPS, FloatArray, IntArray, SingleArray, largest
from ..numerics.columns import rank_in_runs
from ..numerics.ray_triangle import frame_of_many

_CHILDREN = np.arange(WIDTH)
_SHIFT = WIDTH.bit_length() - 1

# Pairs of a ray and a node that are tested together; more are cut into blocks, which stay in the
# processor's cache.
_BLOCK = 8192

# Pairs that are sorted together: enough for each ray to meet many nodes.
_HELD = 1 << 18

# Nodes below this height are visited in the order in which rays meet them.
_GATE = 2

# So few pairs are not sorted any more: another wave would cost as much as testing them.
_LAST_WAVE = 256

# A single ray starts at a level of so many nodes: testing them all costs less than another call.
_FIRST_NODES = 64

# Lines that pass the tree's center further away meet nothing in it, and products may overflow.
_FAR = 1e6

# The relative rounding error of float32.
_UNIT = 2.0**-24

# Blocks are made once the rays so far, times this, reach the number of triangles: a ray saves about
# as much time as packing so many triangles takes.
_TRIANGLES_A_RAY = 10


class _Pairs(NamedTuple):
    """Pairs of a ray and a node that it meets, all of one height, which is -1 for leaves; (N,)."""

    height: int
    row: IntArray
    node: IntArray
    entry: SingleArray

    def take(self, rows: IntArray | slice) -> _Pairs:
        return _Pairs(self.height, self.row[rows], self.node[rows], self.entry[rows])


class _Slabs(NamedTuple):
    """R rays for the slab test, each number repeated for every child of a node.

    NumPy gathers such rows fastest.
    """

    row: IntArray  # (6, R), which rows of a node are the near planes x, y, z and the far ones
    start: SingleArray  # (6, R, WIDTH), for these planes
    inverse: SingleArray  # (3, R, WIDTH)


Leaves = Callable[[IntArray, IntArray], tuple[IntArray, IntArray]]
"""A function from pairs (N,) of a ray and a leaf to pairs (M,) of a ray and an item."""


def approach_of(tree: Tree, rays: RayBatch) -> Approach:
    """Rays in the units of a tree."""
    with np.errstate(all="ignore"):
        ends = end_of(rays.limits, rays.lengths)
    return approach_many(tree, rays.origins, rays.directions, ends)


def candidates(
    tree: Tree, local: Approach, leaves: Leaves | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Blocks of pairs (N,) of a ray and an item in a leaf that it meets, in no order.

    `leaves` may leave out items; by default it is :func:`items_in`.
    """
    leaves = leaves or partial(items_in, tree)
    for pairs in _down(tree, local, _slabs(local), _at_top(tree, local)):
        yield leaves(pairs.row, pairs.node)


def nearest_candidates(
    tree: Tree, local: Approach, leaves: Leaves | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """:func:`candidates`, in about the order in which the rays meet them.

    The rays may be shortened between blocks (:meth:`.Approach.shorten`): boxes behind their ends
    are then left out.
    """
    leaves = leaves or partial(items_in, tree)
    slabs = _slabs(local)
    gate = min(_GATE, len(tree.levels) - 1)
    for held in _gathered(_down(tree, local, slabs, _at_top(tree, local), gate)):
        for wave in _waves(held):
            for pairs in _down(tree, local, slabs, _ahead(local, wave)):
                yield leaves(pairs.row, pairs.node)


def items_in(tree: Tree, row: IntArray, leaf: IntArray) -> tuple[IntArray, IntArray]:
    """All items in leaves: the simplest of :data:`Leaves`."""
    taken, item = items_of(tree, leaf)
    return row.repeat(LEAF)[taken], item


def _slabs(local: Approach) -> _Slabs:
    up = local.inverse[:3] > 0
    lower, upper = np.array([[0], [1], [2]]), np.array([[3], [4], [5]])
    row = np.concatenate([np.where(up, lower, upper), np.where(up, upper, lower)])
    start = np.take_along_axis(local.start, row, axis=0)
    return _Slabs(row, _repeated(start, WIDTH), _repeated(local.inverse[:3], WIDTH))


def _repeated(columns: SingleArray | FloatArray, count: int) -> SingleArray:
    """Columns (..., R) as rows (..., R, count) of equal numbers."""
    return np.repeat(columns.astype(np.float32, copy=False)[..., None], count, axis=-1)


def _at_top(tree: Tree, local: Approach) -> _Pairs:
    rows = np.arange(len(local.limit) if tree.levels else 0)
    entry = np.zeros(len(rows), dtype=np.float32)
    return _Pairs(len(tree.levels) - 1, rows, np.zeros_like(rows), entry)


def _down(
    tree: Tree, local: Approach, slabs: _Slabs, pairs: _Pairs, end: int = 0
) -> Iterator[_Pairs]:
    """Blocks of pairs of a ray and a child that it meets, of a node at the height `end`."""
    waiting = [pairs]
    while waiting:
        pairs = waiting.pop()
        if len(pairs.row) > _BLOCK:
            starts = range(0, len(pairs.row), _BLOCK)
            waiting += [pairs.take(slice(first, first + _BLOCK)) for first in starts]
        elif pairs.height < end:
            yield pairs
        elif len(pairs.row):
            waiting.append(_met_many(tree, local, slabs, pairs))


def _gathered(blocks: Iterator[_Pairs]) -> Iterator[_Pairs]:
    while parts := list(_some(blocks)):
        yield _Pairs(
            parts[0].height,
            np.concatenate([part.row for part in parts]),
            np.concatenate([part.node for part in parts]),
            np.concatenate([part.entry for part in parts]),
        )


def _some(blocks: Iterator[_Pairs]) -> Iterator[_Pairs]:
    """The next blocks, until they have enough pairs."""
    count = 0
    while count < _HELD and (pairs := next(blocks, None)) is not None:
        count += len(pairs.row)
        yield pairs


def _waves(pairs: _Pairs) -> Iterator[_Pairs]:
    """Pairs in groups: the node that each ray meets first, the second, the next two, four ...

    The last few pairs make one group, as another call would cost more.
    """
    # Floats that are not negative sort as their bits do; the sum turns -0.0 into 0.0. The rows come
    # in long runs, which a stable sort merges.
    bits = (pairs.entry + np.float32(0)).view(np.int32)
    order = np.argsort((pairs.row << 32) + bits, kind="stable")
    rank = rank_in_runs(pairs.row.take(order))
    wave = np.frexp(rank)[1].astype(np.int8)
    pairs = pairs.take(order.take(np.argsort(wave, kind="stable")))
    first = 0
    for last in np.cumsum(np.bincount(wave)).tolist():
        if len(order) - first <= _LAST_WAVE:
            last = len(order)
        if last > first:
            yield pairs.take(slice(first, last))
        first = last


def candidates_of_one(tree: Tree, ray: LoneRay) -> IntArray:
    """The items (N,) in leaves that one ray meets, in no order.

    It goes down two levels at a time: for one ray, calls of NumPy cost more than tests of boxes.
    The descent for batches would take five times as long.
    """
    if not tree.levels:
        return np.empty(0, dtype=np.int64)
    local = approach(tree, ray)
    if local is None:
        return tree.order.astype(np.int64)
    height = next(h for h, nodes in enumerate(tree.levels) if len(nodes) <= _FIRST_NODES)
    node: IntArray = np.arange(len(tree.levels[height]))
    boxes = tree.levels[height]
    with np.errstate(all="ignore"):
        while True:
            pair, child = _met(boxes, local)
            node = node.take(pair) * WIDTH + child
            if height == 0 or not len(node):
                break
            step = min(height, 2)
            height -= step
            if step == 2:
                node = (node[:, None] * WIDTH + _CHILDREN).ravel()
            node = node[node < len(tree.levels[height])]
            boxes = tree.levels[height].take(node, axis=0)
    return items_of(tree, node)[1]


def near(tree: Tree, point: FloatArray) -> IntArray:
    """The items (N,) in leaves whose boxes contain a point (3,), or nearly."""
    still = LoneRay(tuple(point.tolist()), (1.0, 0.0, 0.0), 1.0, 0.0, 0.0, Query(0, True, None))
    return candidates_of_one(tree, still)


def _met(boxes: SingleArray, local: LoneApproach) -> tuple[IntArray, IntArray]:
    """Which children (column) of nodes (P, 6, WIDTH) one ray meets, as two (N,)."""
    planes = boxes.transpose(1, 0, 2).copy().reshape(6, -1)
    planes -= local.start
    planes *= local.inverse
    x, y, z = local.near
    entry = np.maximum(planes[x], planes[y])
    np.maximum(entry, planes[z], out=entry)
    np.maximum(entry, 0.0, out=entry)
    x, y, z = local.far
    leave = np.minimum(planes[x], planes[y])
    np.minimum(leave, planes[z], out=leave)
    np.minimum(leave, local.limit, out=leave)
    pair, child = (entry <= leave).reshape(-1, WIDTH).nonzero()
    return pair, child


def _met_many(tree: Tree, local: Approach, slabs: _Slabs, pairs: _Pairs) -> _Pairs:
    height, row, node, _ = pairs
    place = slabs.row.take(row, axis=1)
    place += node * 6
    planes = tree.levels[height].reshape(-1, WIDTH).take(place, axis=0)
    with np.errstate(all="ignore"):
        planes -= slabs.start.take(row, axis=1)
        inverse = slabs.inverse.take(row, axis=1)
        near, far = planes[:3], planes[3:]
        near *= inverse
        far *= inverse
        entry = np.maximum(near[0], near[1])
        np.maximum(entry, near[2], out=entry)
        np.maximum(entry, np.float32(0), out=entry)
        leave = np.minimum(far[0], far[1])
        np.minimum(leave, far[2], out=leave)
        # The boxes of missing children are empty, so no ray meets them.
        met = np.flatnonzero(entry <= leave)
    pair, child = met >> _SHIFT, met & (WIDTH - 1)
    row, entry = row.take(pair), entry.ravel().take(met)
    return _ahead(local, _Pairs(height - 1, row, node.take(pair) * WIDTH + child, entry))


def _ahead(local: Approach, pairs: _Pairs) -> _Pairs:
    ahead = pairs.entry <= local.limit.take(pairs.row)
    return pairs if ahead.all() else pairs.take(np.flatnonzero(ahead))


# Trees never change, so these entries live as long as their trees: the number of rays so far, and
# the blocks.
_rays: WeakKeyDictionary[Tree, int] = WeakKeyDictionary()
_blocks: WeakKeyDictionary[Tree, SingleArray] = WeakKeyDictionary()


def nbytes(tree: Tree) -> int:
    """The memory of a tree's blocks in bytes."""
    corners = corners_in_leaves(tree)
    return 0 if corners is None else corners.nbytes


def corners_in_leaves(tree: Tree) -> SingleArray | None:
    """The corners (3, 3 * leaves, LEAF) of a tree's triangles, if they have been put in blocks."""
    return _blocks.get(tree)


def make_blocks_if_due(geometry: Geometry, tree: Tree, rays: int) -> None:
    """Count so many more rays at a tree, and make its blocks once they pay."""
    if tree not in _blocks:
        _rays[tree] = _rays.get(tree, 0) + rays
        if _rays[tree] * _TRIANGLES_A_RAY >= len(tree.order) > 0:
            _blocks[tree] = _packed(geometry, tree)


def _packed(geometry: Geometry, tree: Tree) -> SingleArray:
    """Corners (3, 3 * leaves, LEAF); NaN for those beyond 2, so that no test rules them out."""
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


class RaysAcross(NamedTuple):
    """R rays for :func:`items_near`, each number repeated for every triangle of a leaf."""

    row: IntArray  # (3, R), which components are x, y across the ray and z along it
    shear: SingleArray  # (2, R, LEAF)
    start: SingleArray  # (2, R, LEAF), h
    margin: SingleArray  # (R, LEAF), 8 d

    @classmethod
    def of(cls, tree: Tree, rays: RayBatch) -> RaysAcross:
        """Convert rays in the space of the tree's geometry."""
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
            return cls(frame, *(_repeated(x, LEAF) for x in (shear, start, 8 * error)))


def items_near(
    tree: Tree, corners: SingleArray, local: RaysAcross, row: IntArray, leaf: IntArray
) -> tuple[IntArray, IntArray]:
    """As :func:`items_in`, but float32 rules out most triangles that a ray misses.

    The corners are kept in the tree's units, P = p + e, where |P| <= 2 and |e| <= 2**-23. Across a
    ray (see :func:`.axes_across`) a corner is at X = p_x + s p_z - h, where s is the shear and h
    the same sum for the origin; likewise Y. The ray's line goes through a triangle only if the edge
    functions X_i Y_j - X_j Y_i of the three pairs of its corners have one sign, or are 0.

    In float32, with u = 2**-24 and |s| <= 1, X is off by at most (2 + 2) u for P, 2 u for s, 2 u
    for the product, 4 u for the sum, |h| u for h, and (4 + |h|) u for the difference: (16 + 2 |h|)
    u. Squares of u are added, and the error of h itself: float64 rounds the origin o in the tree's
    units, the shear, a product and a sum, by less than 8 EPS |o| together. So the error is below

        d = (32 + 4 |h|) u + 16 EPS |o|.

    Let m be the largest |X| or |Y| of a triangle, as found; it is at most 4 + |h| + d. An edge
    function is off by 4 d m + 2 d**2 at most for the errors of its factors, and by 4.1 u m**2 < 1.1
    d m for its own roundings. It is compared with 8 d m + 16 d**2, which leaves room for the
    roundings of that. Numbers that underflow lose 2**-149, which is nothing beside d**2.
    """
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
