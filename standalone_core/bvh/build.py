# SPDX-License-Identifier: MIT
"""Building of a tree: sort along a Morton curve, then bound run by run."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IndexArray, power_of_two
from .refit import refit
from .tree import Tree

_BITS = 21  # three times 21 bits fill a 63-bit key


def build(lower: FloatArray, upper: FloatArray) -> Tree:
    """A tree over boxes with the corners `lower`, `upper` (N, 3).

    Boxes with a corner that is not finite are left out. The order is that of the Morton codes of
    the boxes' middles (Lauterbach et al., "Fast BVH construction on GPUs", 2009).
    """
    finite = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
    usable = np.flatnonzero(finite)
    if len(usable) < len(lower):
        codes = _morton_codes(lower[usable], upper[usable])
    else:
        codes = _morton_codes(lower, upper)
    order: IndexArray = usable[np.argsort(codes)]
    if len(lower) < 2**31:
        order = order.astype(np.int32)
    return refit(order, lower, upper)


def _morton_codes(lower: FloatArray, upper: FloatArray) -> npt.NDArray[np.uint64]:
    """Interleaved bits of the boxes' middles, (N,)."""
    if not len(lower):
        return np.empty(0, dtype=np.uint64)
    middle = lower / 2 + upper / 2
    start = middle.min(axis=0)
    extent = (middle.max(axis=0) / 2 - start / 2).max()
    scale = power_of_two(extent)
    cells = (middle / 2 - start / 2) / scale * (2**_BITS - 1)
    codes = np.zeros(len(lower), dtype=np.uint64)
    for axis in range(3):
        codes |= _spread(cells[:, axis].astype(np.uint64)) << np.uint64(axis)
    return codes


def _spread(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Move bit i of each number to bit 3 i (Anderson, "Bit twiddling hacks")."""
    for shift, mask in (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    ):
        x = (x | (x << np.uint64(shift))) & np.uint64(mask)
    return x
