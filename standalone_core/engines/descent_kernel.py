# SPDX-License-Identifier: MIT
"""One ray through a tree, compiled: the nearest boxes first."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..bvh import WIDTH
from .approach_kernel import Approached, bound_of
from .kernel_cache import helper
from .simd import lowest_bit, prefetch, slab_test

FULL, UNSURE = -1, -2
"""Instead of a number of hits: there are more than there is room for; only NumPy can tell."""

_NODE = 6 * WIDTH

# More levels than 2**31 triangles have, times the children that wait on each.
_STACK = 16 * WIDTH


class Stack(NamedTuple):
    """Nodes that wait, with the distances at which the ray enters them; the nearest last."""

    nodes: Any  # (_STACK,) of int64, each with its level in the lowest five bits
    entries: Any  # (WIDTH + _STACK,) of float32: of a node's children, then of what waits
    effort: Any  # (1,) of int64: how many nodes and items were looked at


@helper(inline=False)
def new_stack() -> Stack:
    """An empty stack, which any number of descents may use one after the other."""
    return Stack(
        np.empty(_STACK, dtype=np.int64),
        np.empty(WIDTH + _STACK, dtype=np.float32),
        np.zeros(1, dtype=np.int64),
    )


@helper(inline=True)
def _push(tree: Any, stack: Stack, node: int, level: int, met: Any, top: int) -> int:
    """Put the children of a node that are met on the stack, the nearest last; the new top."""
    base = top
    while met:
        child = lowest_bit(met)
        met = np.uint8(met & (met - 1))
        entry = stack.entries[child]
        number = node * WIDTH + child
        ahead = (tree.starts[level + 1] + number) * _NODE
        for line in range(0, _NODE, 16):
            prefetch(tree.nodes, ahead + line)
        place = top
        while place > base and stack.entries[WIDTH + place - 1] < entry:
            stack.nodes[place] = stack.nodes[place - 1]
            stack.entries[WIDTH + place] = stack.entries[WIDTH + place - 1]
            place -= 1
        stack.nodes[place] = number << 5 | (level + 1)
        stack.entries[WIDTH + place] = entry
        top += 1
    return top


def descent(visit: Callable[..., Any], prefetch_leaf: Callable[..., None]) -> Any:
    """A compiled descent to the leaves that a ray meets.

    ``visit(search, leaf, count, reach) -> (count, reach)`` looks at a leaf, and changes how much is
    found and how far the ray goes; a negative count ends the descent. ``prefetch_leaf(search,
    leaf)`` fetches what it is going to read. The descent is for :class:`.TreeArrays` that are not
    empty and an :class:`.Approached` ray; distances are t times `length`.
    """

    @helper(inline=True)
    def descend(
        tree: Any, local: Approached, length: float, reach: float, stack: Stack, search: Any
    ) -> Any:
        nodes, entries = stack.nodes, stack.entries
        bound = bound_of(reach, length, local)
        nodes[0], entries[WIDTH], top, count = 0, 0.0, 1, 0
        while top:
            top -= 1
            if entries[WIDTH + top] > bound:
                continue
            stack.effort[0] += 1
            node, level = nodes[top] >> 5, nodes[top] & 31
            first = (tree.starts[level] + node) * _NODE
            met = slab_test(
                tree.nodes, first, local.rows, local.starts, local.inverse, bound, entries
            )
            if level < len(tree.starts) - 1:
                top = _push(tree, stack, node, level, met, top)
                continue
            leaves = met
            while leaves:
                prefetch_leaf(search, node * WIDTH + lowest_bit(leaves))
                leaves = np.uint8(leaves & (leaves - 1))
            while met:
                child = lowest_bit(met)
                met = np.uint8(met & (met - 1))
                if entries[child] > bound:
                    continue
                before = reach
                count, reach = visit(search, node * WIDTH + child, count, reach)
                if count < 0:
                    return count
                if reach < before:
                    bound = bound_of(reach, length, local)
        return count

    return descend
