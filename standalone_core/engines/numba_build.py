# SPDX-License-Identifier: MIT
"""Trees built and refitted by compiled code; importing this imports numba."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..bvh import LEAF, Tree
from ..bvh.build import ORDER_SHARE, order_finite, over_leaves
from ..cast.rays import Geometry
from ..concurrency.threads import Progress, on_all_cores, one_by_one
from ..errors import IndexRangeError
from ..numerics.arrays import FloatArray, IndexArray, SingleArray
from . import box_kernel
from .order_kernel import halve, order, record

# Triangles whose boxes a thread makes at a time.
_PART = 1 << 15

# Runs of items at most so long are ordered by one thread each.
_BLOCK = 1 << 18


def order_items(middles: SingleArray, progress: Progress) -> IndexArray:
    """As :func:`.order.order_items`, but compiled: another order, as good."""
    count = middles.shape[1]
    records = np.empty((count, 4), dtype=np.int32)
    record(middles, records)
    runs, done = [(0, count)], 0

    def halved(run: tuple[int, int]) -> list[tuple[int, int]]:
        begin, end = run
        if end - begin <= _BLOCK:
            return [run]
        cut = halve(records, begin, end)
        return [(begin, cut), (cut, end)]

    while any(end - begin > _BLOCK for begin, end in runs):
        runs = list(chain.from_iterable(on_all_cores(halved, runs, count)))
        progress(0.0)

    def ordered(run: tuple[int, int]) -> int:
        order(records, *run)
        return run[1] - run[0]

    for length in one_by_one(ordered, runs, count):
        done += length
        progress(done / max(count, 1))
    return records[:, 3].copy()


def build(geometry: Geometry, center: FloatArray, scale: float, progress: Progress) -> Tree:
    """A tree over the finite triangles, in its units; what `progress` raises ends it."""
    progress(0.0)
    middles = np.empty((3, len(geometry.triangles)), dtype=np.float32)
    _on_parts(box_kernel.middles, len(middles[0]), 1, geometry, center, scale, middles)
    order = order_finite(middles, order_items, lambda done: progress(done * ORDER_SHARE))
    tree = refit(geometry, order, center, scale)
    progress(1.0)
    return tree


def refit(geometry: Geometry, order: IndexArray, center: FloatArray, scale: float) -> Tree:
    """The tree of an order around the triangles."""
    if not len(order):
        return Tree(center, scale, order, ())
    count = -(-len(order) // LEAF)
    lower = np.empty((3, count), dtype=np.float32)
    upper = np.empty_like(lower)
    _on_parts(box_kernel.leaves, count, LEAF, geometry, center, scale, order, lower, upper)
    return over_leaves(order, lower, upper, center, scale)


def _on_parts(
    kernel: Callable[..., None],
    count: int,
    triangles_each: int,
    geometry: Geometry,
    center: FloatArray,
    scale: float,
    *columns: npt.NDArray[Any],
) -> None:
    """Run a kernel for so many columns, of so many triangles each, in threads."""
    vertices, triangles, _ = checked(geometry)
    part = _PART // triangles_each

    def run(begin: int) -> None:
        end = min(begin + part, count)
        units = tuple(center.tolist()), scale
        kernel(vertices, triangles, *units, begin, end, *columns)

    on_all_cores(run, range(0, count, part), count * triangles_each)


def checked(geometry: Geometry) -> Geometry:
    """The geometry, if its triangles are still as they were when the mesh was made.

    Their array is the caller's, and compiled code reads without looking.
    """
    triangles = geometry.triangles
    if triangles.size and triangles.view(np.uint32).max() >= len(geometry.vertices):
        raise IndexRangeError("the triangles were changed: they name vertices there are not")
    return geometry
