# SPDX-License-Identifier: MIT
"""One ray through a packed tree, compiled: the nearest boxes first, or for any hit the furthest."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .block_simd import LANES, met_children
from .kernel_cache import helper
from .simd import at, bits_of, lowest_bit, prefetch, put, whole_at

NODE = 7 * LANES
"""Numbers of a node, float32: six rows of planes, and a row of the children's numbers."""

BLOCK = 13 * LANES
"""Numbers of a block, float32: nine rows of corners, and rows of triangles and their vertices."""

STACK = 640
"""Nodes and blocks that may wait: seven a level, of which no tree has 80."""

_CHILDREN = 6 * LANES
_LOW = 0xFFFFFFFF


@helper(inline=True)
def _key(packed: Any, entries: Any, node: int, child: int) -> int:
    """Where a child is entered, and its number: the nearer, the smaller."""
    number = np.int64(whole_at(packed.nodes, node + _CHILDREN + child))
    if number >= 0:
        for line in range(0, NODE, 16):
            prefetch(packed.nodes, number * NODE + line)
    else:
        for line in range(0, 9 * LANES, 16):
            prefetch(packed.blocks, ~number * BLOCK + line)
    return bits_of(at(entries, child)) << 32 | (number & _LOW)  # type: ignore[no-any-return]


@helper(inline=True)
def _furthest(packed: Any, stack: Any, entries: Any, node: int, met: Any, top: int) -> Any:
    """As :func:`_nearest`, of the child that is met last; the others are in no order."""
    far = _key(packed, entries, node, lowest_bit(met))
    met = np.uint8(met & (met - 1))
    while met:
        key = _key(packed, entries, node, lowest_bit(met))
        met = np.uint8(met & (met - 1))
        put(stack, top, min(far, key))
        far = max(far, key)
        top += 1
    return far, top


@helper(inline=True)
def _nearest(packed: Any, stack: Any, entries: Any, node: int, met: Any, top: int) -> Any:
    """The key of the nearest child that is met; the others go on the stack, whose top is new."""
    near = _key(packed, entries, node, lowest_bit(met))
    met = np.uint8(met & (met - 1))
    if met == 0:
        return near, top
    key = _key(packed, entries, node, lowest_bit(met))
    met = np.uint8(met & (met - 1))
    put(stack, top, max(near, key))
    near = min(near, key)
    base = top
    top += 1
    while met:
        key = _key(packed, entries, node, lowest_bit(met))
        met = np.uint8(met & (met - 1))
        key, near = max(key, near), min(key, near)
        place = top
        while place > base and at(stack, place - 1) < key:
            put(stack, place, at(stack, place - 1))
            place -= 1
        put(stack, place, key)
        top += 1
    return near, top


def packed_descent(visit: Callable[..., Any]) -> Any:
    """A compiled descent to the blocks that a ray meets.

    ``visit(search, block, bound) -> bound`` looks at a block, and tells how far the ray still goes,
    in depths; a negative bound ends the descent. `stack` (STACK,) and `entries` (LANES,) are room.
    Who is content with any hit goes to the furthest box of a node first: nothing is sorted, and
    the boxes around the ray's origin, of which there may be many, come last.
    """

    @helper(inline=True)
    def descend(
        packed: Any,
        local: Any,
        bound: Any,
        stack: Any,
        entries: Any,
        search: Any,
        is_furthest_first: bool,
    ) -> None:
        top, number = 0, np.int64(0)
        limit = bits_of(bound)
        while True:
            if number >= 0:
                node = number * NODE
                met = met_children(
                    packed.nodes, node, local.rows, local.starts, local.inverse, bound, entries
                )
                if met:
                    if is_furthest_first:
                        key, top = _furthest(packed, stack, entries, node, met, top)
                    else:
                        key, top = _nearest(packed, stack, entries, node, met, top)
                    number = np.int64(np.int32(key & _LOW))
                    continue
            else:
                bound = visit(search, ~number, bound)
                limit = bits_of(bound) if bound >= 0.0 else np.int64(-1)
            while True:
                if top == 0:
                    return
                top -= 1
                key = at(stack, top)
                if key >> 32 <= limit:
                    break
            number = np.int64(np.int32(key & _LOW))

    return descend
