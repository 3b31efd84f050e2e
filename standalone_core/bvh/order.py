# SPDX-License-Identifier: MIT
"""The order of the items in a tree: halved at medians until runs of a leaf's size are left.

Cuts fall only where the implied tree has its borders, so that all its nodes hold what one cell of
a k-d tree (Bentley 1975) holds. A ray meets less than half as many of them as with runs along a
space-filling curve, whose borders fall anywhere.
"""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from ..concurrency.progress import Progress
from ..concurrency.threads import one_by_one
from ..numerics.arrays import IndexArray, SingleArray
from .tree import LEAF

OrderItems = Callable[[SingleArray, Progress], IndexArray]
"""What finds an order: :func:`order_items`, or an engine's way."""

# Runs of at most so many items are halved together, level by level, in one NumPy call each.
_BLOCK = 1 << 16

# The widest axis of a run is judged by so many of its items, a power of two from 2 LEAF on.
_SAMPLES = 8


def order_items(middles: SingleArray, progress: Progress) -> IndexArray:
    """Items 0 ... N - 1 in the order of a tree's leaves.

    By the finite middles (3, N) of their boxes, in any units.
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
    """At most _BLOCK items in order; empty places are filled up far away, in the last leaves."""
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
