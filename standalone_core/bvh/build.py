# SPDX-License-Identifier: MIT
"""How a tree is built (an order of items, and boxes around runs of them), refitted and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..concurrency.threads import Progress, on_all_cores, one_by_one
from ..errors import ArgumentError, ShapeError
from ..numerics.arrays import FloatArray, IndexArray, SingleArray, power_of_two
from ..numerics.reading import counted
from ..types import Reals
from .tree import LEAF, WIDTH, NodeArray, Tree

OrderItems = Callable[[SingleArray, Progress], IndexArray]
"""A way to find an order: :func:`order_items`, or an engine's."""

ORDER_SHARE = 0.8
"""Share of a build's time that the order takes; the boxes take the rest."""

# Runs of at most so many items are halved together, level by level, in one NumPy call each.
_BLOCK = 1 << 16

# The widest axis of a run is judged by so many of its items: a power of two, at most 2 LEAF.
_SAMPLES = 8

_INFINITY_BITS = np.float32(np.inf).view(np.int32)


def build_tree(
    lower: SingleArray, upper: SingleArray, center: FloatArray, scale: float, progress: Progress
) -> Tree:
    """A tree over boxes, as :func:`refit_tree` takes them; those not finite are left out.

    An error that `progress` raises ends the build.
    """
    progress(0.0)
    with np.errstate(invalid="ignore"):
        middles = lower * np.float32(0.5) + upper * np.float32(0.5)
    order = order_finite(middles, order_items, lambda done: progress(done * ORDER_SHARE))
    tree = refit_tree(order, lower, upper, center, scale)
    progress(1.0)
    return tree


def order_finite(middles: SingleArray, order_items: OrderItems, progress: Progress) -> IndexArray:
    """The order of the items whose middles (3, N) are finite."""
    usable = np.isfinite(middles).all(axis=0)
    if usable.all():
        return order_items(middles, progress)
    places = order_items(middles[:, usable], progress)
    return np.flatnonzero(usable)[places].astype(places.dtype)


def over_boxes(lower: Reals, upper: Reals) -> Tree:
    """A tree over boxes with the corners `lower`, `upper` (N, 3); those not finite are left out.

    Raises
    ------
    ShapeError, DtypeError
        If the corners are not of this form, or their numbers differ.

    Examples
    --------
    >>> import numpy as np
    >>> lower = np.array([(0.0, 0, 0), (2, 0, 0), (4, 0, np.nan)])
    >>> over_boxes(lower, lower + 1).order.tolist()
    [0, 1]
    """
    boxes = read_boxes(lower, upper)
    finite = np.isfinite(boxes).all(axis=(0, 2))
    center, scale = np.zeros(3), 1.0
    if finite.any():
        center, scale = unit_space(boxes[0][finite].min(axis=0), boxes[1][finite].max(axis=0))
    with np.errstate(over="ignore"):
        low, high = (((corner - center) / scale).astype(np.float32).T for corner in boxes)
    return build_tree(low, high, center, scale, lambda done: None)


def order_items(middles: SingleArray, progress: Progress) -> IndexArray:
    """The order of items in a tree's leaves, (N,), by the finite middles (3, N) of their boxes.

    They are halved at medians until runs of a leaf's size are left. Cuts fall only at borders of
    the implied tree, so that each of its nodes holds one cell of a k-d tree (Bentley 1975). A ray
    meets less than half as many of them as of runs along a space-filling curve, whose borders fall
    anywhere.
    """
    count = middles.shape[1]
    items: IndexArray = np.arange(count, dtype=np.int32)
    parts: list[IndexArray] = []
    if count <= _BLOCK:
        return _halved(items, middles) if count else items
    blocks = _blocks(items, middles)
    for part in one_by_one(lambda block: _halved(*block), blocks, count):
        parts.append(part)
        progress(sum(map(len, parts)) / count)
    return np.concatenate(parts)


def _blocks(items: IndexArray, middles: SingleArray) -> Iterator[tuple[IndexArray, SingleArray]]:
    """Runs of at most _BLOCK items with their middles, in the order of the tree."""
    count = len(items)
    if count <= _BLOCK:
        yield items, middles
        return
    sample = middles[:, :: count // 1024]
    widest = int((sample.max(axis=1) - sample.min(axis=1)).argmax())
    size = _run(count) // 2
    place = np.argpartition(middles[widest], size)
    for half in (place[:size], place[size:]):
        yield from _blocks(items.take(half), middles.take(half, axis=1))


def _halved(items: IndexArray, middles: SingleArray) -> IndexArray:
    """Order at most _BLOCK items; fillers far away meanwhile complete the last leaves."""
    count, size = len(items), _run(len(items))
    empty = size - count
    if empty:
        items = np.concatenate([items, np.full(empty, -1, dtype=items.dtype)])
        far = np.full((3, empty), np.finfo(np.float32).max)
        middles = np.concatenate([middles, far.astype(np.float32)], axis=1)
    while size > LEAF:
        runs = middles.reshape(3, -1, size)
        rows = np.arange(runs.shape[1])
        key = runs[_widest(runs[..., :: size // _SAMPLES]), rows]
        place = np.argpartition(key, size // 2, axis=1)
        place += (rows * size)[:, None]
        items = items.take(place.ravel())
        middles = middles.take(place.ravel(), axis=1)
        size //= 2
    return items[items >= 0]


def _widest(runs: SingleArray) -> npt.NDArray[np.intp]:
    """The axis along which each run of (3, R, _SAMPLES) middles extends most, (R,)."""
    low = high = runs
    while low.shape[2] > 1:
        low = np.minimum(low[..., ::2], low[..., 1::2])
        high = np.maximum(high[..., ::2], high[..., 1::2])
    return np.asarray((high - low)[..., 0].argmax(axis=0))


def _run(count: int) -> int:
    """The smallest LEAF * 2**k that is at least `count`."""
    size = LEAF
    while size < count:
        size *= 2
    return size


def read_boxes(lower: Reals, upper: Reals) -> tuple[FloatArray, FloatArray]:
    """Read the corners (N, 3) of boxes, as many lower as upper ones."""
    low, high = arguments.positions(lower, "lower"), arguments.positions(upper, "upper")
    if len(low) != len(high):
        raise ShapeError(f"lower has {counted(len(low), 'corners')}, but upper {len(high)}")
    return low, high


def boxes_of(
    vertices: FloatArray, triangles: IndexArray, center: FloatArray, scale: float
) -> tuple[SingleArray, SingleArray]:
    """Lower and upper corners (3, T) of triangles: (corner - center) / scale to nearest float32.

    Rounding keeps order, so the minimum of rounded corners is their rounded minimum.
    """
    return _around(vertices, np.ascontiguousarray(triangles.T), center, scale)


def leaf_boxes_of(
    vertices: FloatArray, triangles: IndexArray, order: IndexArray, center: FloatArray, scale: float
) -> tuple[SingleArray, SingleArray]:
    """Lower and upper corners (3, L) of the leaves of ordered triangles; NaN where a vertex is.

    It takes less time than joining the boxes of :func:`boxes_of` to those of leaves.
    """
    filled = np.concatenate([order, order[-1:].repeat(-len(order) % LEAF)])
    corners = np.ascontiguousarray(triangles.take(filled, axis=0).reshape(-1, 3 * LEAF).T)
    return _around(vertices, corners, center, scale)


def _around(
    vertices: FloatArray, corners: IndexArray, center: FloatArray, scale: float
) -> tuple[SingleArray, SingleArray]:
    """Lower and upper corners (3, N) of N boxes, each around K of the `corners` (K, N)."""
    lower = np.empty((3, corners.shape[1]), dtype=np.float32)
    upper = np.empty_like(lower)

    def bound(axis: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            place = ((vertices[:, axis] - center[axis]) / scale).astype(np.float32)
            lower[axis] = upper[axis] = place.take(corners[0])
            for corner in corners[1:]:
                there = place.take(corner)
                np.minimum(lower[axis], there, out=lower[axis])
                np.maximum(upper[axis], there, out=upper[axis])

    on_all_cores(bound, range(3), corners.size // 3)
    return lower, upper


def refit_tree(
    order: IndexArray, lower: SingleArray, upper: SingleArray, center: FloatArray, scale: float
) -> Tree:
    """A tree over some of N boxes: those that `order` (n,) names.

    It is right whatever moved, and fast as long as items of a leaf are still neighbours. Above an
    item whose box is not finite, boxes are infinite: slow, but not wrong. The boxes (3, N) are in
    the tree's units, rounded to nearest.
    """
    if not len(order):
        return Tree(center, scale, order, ())

    def leaves(row: int) -> SingleArray:
        corners, pick = (lower, np.minimum) if row < 3 else (upper, np.maximum)
        return _runs(corners[row % 3].take(order)[None], LEAF, pick)

    rows = on_all_cores(leaves, range(6), len(order))
    return over_leaves(order, np.concatenate(rows[:3]), np.concatenate(rows[3:]), center, scale)


def over_leaves(
    order: IndexArray, lower: SingleArray, upper: SingleArray, center: FloatArray, scale: float
) -> Tree:
    """As :func:`refit_tree`, from the boxes (3, L) of one leaf or more, which are overwritten.

    A leaf whose box is not finite gets an infinite one.
    """
    unknown = ~(np.isfinite(lower) & np.isfinite(upper)).all(axis=0)
    lower[:, unknown], upper[:, unknown] = -np.inf, np.inf
    # Undo the rounding of corners to float32: rounding keeps order, so one step is enough.
    below, upper = on_all_cores(_next_above, (-lower, upper), lower.size)
    lower = -below
    levels = []
    while True:
        nodes = _nodes(lower, upper)
        levels.append(nodes)
        if len(nodes) == 1:
            return Tree(center, scale, order, tuple(levels))
        lower, upper = _runs(lower, WIDTH, np.minimum), _runs(upper, WIDTH, np.maximum)


def unit_space(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, float]:
    """Center and scale that bring the box of two corners (3,) to a size near 1; 0 and 1 for NaN."""
    center = np.nan_to_num(lower / 2 + upper / 2)
    return center, float(power_of_two((upper / 2 - lower / 2).max()))


def _runs(corners: SingleArray, run: int, pick: np.ufunc) -> SingleArray:
    """The minima or maxima of runs along the last axis; a run is a power of two long."""
    missing = -corners.shape[1] % run
    if missing:
        nothing = np.inf if pick is np.minimum else -np.inf
        tail = np.full((len(corners), missing), nothing, dtype=np.float32)
        corners = np.concatenate([corners, tail], axis=1)
    while run > 1:
        corners = pick(corners[:, ::2], corners[:, 1::2])
        run //= 2
    return corners


def _next_above(numbers: SingleArray) -> SingleArray:
    """The next float32 above each number but infinity, faster than by ``np.nextafter``.

    As integers, positive floats stand in order, and negative ones in the reverse order.
    """
    bits = (numbers + np.float32(0.0)).view(np.int32)  # the sum makes 0 of -0
    return np.minimum(bits + ((bits >> 31) | 1), _INFINITY_BITS).view(np.float32)


def _nodes(lower: SingleArray, upper: SingleArray) -> NodeArray:
    width = lower.shape[1]
    count = -(-width // WIDTH)
    boxes = np.empty((6, count * WIDTH), dtype=np.float32)
    boxes[:3, width:], boxes[3:, width:] = np.inf, -np.inf
    boxes[:3, :width], boxes[3:, :width] = lower, upper
    return np.ascontiguousarray(boxes.reshape(6, count, WIDTH).transpose(1, 0, 2))


def validate(tree: Tree, lower: Reals, upper: Reals) -> None:
    """Raise ArgumentError, which says what is wrong, if a tree does not fit boxes (N, 3).

    Examples
    --------
    >>> import numpy as np
    >>> from standalone_core import bvh
    >>> lower = np.array([(0.0, 0, 0), (2, 0, 0)])
    >>> tree = bvh.over_boxes(lower, lower + 1)
    >>> bvh.validate(tree, lower, lower + 1)
    >>> bvh.validate(tree, lower, lower + 5)
    Traceback (most recent call last):
        ...
    standalone_core.errors.ArgumentError: leaf 0 of level 0 does not hold 0
    """
    arguments.instance_of(tree, Tree, "tree")
    low, high = read_boxes(lower, upper)
    exist = (tree.order >= 0) & (tree.order < len(low))
    if not exist.all() or len(np.unique(tree.order)) != len(tree.order):
        raise ArgumentError("the tree's order names an item twice, or one that does not exist")
    usable = np.asarray((np.isfinite(low) & np.isfinite(high)).all(axis=1))
    missing = np.setdiff1d(np.flatnonzero(usable), tree.order)
    if len(missing):
        raise ArgumentError(f"item {missing[0]} is in no leaf of the tree")
    if bool(tree.levels) != bool(len(tree.order)):
        raise ArgumentError(f"{len(tree.levels)} levels cannot hold {len(tree.order)} items")
    # A refit keeps items whose boxes are not finite any more: no node needs to hold these.
    with np.errstate(over="ignore"):
        below = np.where(usable[:, None], (low - tree.center) / tree.scale, np.inf)[tree.order]
        above = np.where(usable[:, None], (high - tree.center) / tree.scale, -np.inf)[tree.order]
    run = LEAF
    for depth, nodes in enumerate(tree.levels):
        boxes = np.asarray(nodes, dtype=np.float64).transpose(0, 2, 1).reshape(-1, 6)
        needed = -(-len(below) // run)
        if len(nodes) != -(-needed // WIDTH):
            raise ArgumentError(f"level {depth} has {len(nodes)} nodes over {needed} boxes")
        parent = np.arange(len(below)) // run
        held = (boxes[parent, :3] <= below) & (boxes[parent, 3:] >= above)
        if not held.all():
            child = int(np.flatnonzero(~held.all(axis=1))[0])
            place = f"{'leaf' if run == LEAF else 'node'} {child // run} of level {depth}"
            raise ArgumentError(f"{place} does not hold {child}")
        below, above, run = boxes[:needed, :3], boxes[:needed, 3:], WIDTH
    if tree.levels and len(tree.levels[-1]) != 1:
        raise ArgumentError("the highest level has more than one node")
