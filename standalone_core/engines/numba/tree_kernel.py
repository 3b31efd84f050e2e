# SPDX-License-Identifier: MIT
"""The compiled descent of a ray through a tree, the nearest nodes first, and its use for boxes."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ...box import LEAST_COMPONENT
from ...bvh import LEAF, WIDTH
from .kernel_cache import helper, kernel
from .kernel_types import POINTS, RAY, TREE, TreeArrays
from .ray_kernel import bound_of, local_ray
from .simd import lowest_bit, prefetch
from .vector_tests import met_children

FULL, UNSURE = -1, -2
"""Instead of a number of hits: there are more than there is room for, or only NumPy can tell."""

_NODE = 6 * WIDTH

# More levels than a tree of 2**31 triangles has, times the children that wait on each.
STACK = 16 * WIDTH


class Stack(NamedTuple):
    """Nodes that wait, with how far away they are; the nearest last."""

    nodes: Any  # (STACK,) of int64, each with its level in the lowest five bits
    entries: Any  # (WIDTH + STACK,) of float32: for a node's children, then for waiting nodes
    effort: Any  # (1,) of int64: how many nodes and items were tested


@helper(inline=False)
def new_stack() -> Stack:
    """An empty stack, which any number of descents may use one after the other."""
    return Stack(
        np.empty(STACK, dtype=np.int64),
        np.empty(WIDTH + STACK, dtype=np.float32),
        np.zeros(1, dtype=np.int64),
    )


@helper(inline=True)
def push(stack: Stack, node: int, level: int, met: Any, top: int) -> int:
    """Put the children that are met on the stack, the nearest last; return the new top."""
    base, nodes, entries = top, stack.nodes, stack.entries
    while met:
        child = lowest_bit(met)
        met = np.uint8(met & (met - 1))
        entry = entries[child]
        place = top
        while place > base and entries[WIDTH + place - 1] < entry:
            nodes[place] = nodes[place - 1]
            entries[WIDTH + place] = entries[WIDTH + place - 1]
            place -= 1
        nodes[place] = (node * WIDTH + child) << 5 | (level + 1)
        entries[WIDTH + place] = entry
        top += 1
    return top


@helper(inline=True)
def _prefetch_children(tree: Any, node: int, level: int, met: Any) -> None:
    while met:
        number = tree.starts[level + 1] + node * WIDTH + lowest_bit(met)
        for line in range(0, _NODE, 16):
            prefetch(tree.nodes, number * _NODE + line)
        met = np.uint8(met & (met - 1))


def descent(visit: Callable[..., Any], prefetch_leaf: Callable[..., None]) -> Any:
    """A compiled descent to the leaves that a ray meets.

    ``visit(search, leaf, count, reach) -> (count, reach)`` tests a leaf, and returns the number of
    finds so far and how far the ray still goes; a negative number ends the descent.
    ``prefetch_leaf(search, leaf)`` prefetches what `visit` reads. The tree, in
    :class:`.TreeArrays`, is not empty; the ray is a :class:`.LocalRay`, and distances are t times
    `length`.
    """

    @helper(inline=True)
    def descend(
        tree: Any, local: Any, length: float, reach: float, stack: Stack, search: Any
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
            met = met_children(tree.nodes, first, local, bound, entries)
            if level < len(tree.starts) - 1:
                _prefetch_children(tree, node, level, met)
                top = push(stack, node, level, met, top)
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


class _Search(NamedTuple):
    """A ray on its way to boxes; the fields are those of :func:`met_boxes`."""

    order: Any
    lower: Any
    upper: Any
    margin: float
    origin: Any
    inverse: Any
    length: float
    places: Any
    distances: Any


@helper(inline=False)
def _inverse(component: float) -> float:
    if abs(component) < LEAST_COMPONENT:
        component = np.copysign(LEAST_COMPONENT, component)
    return 1.0 / component


@helper(inline=False)
def inverse_of(direction: Any) -> Any:
    """As :func:`.inverse_direction`."""
    return _inverse(direction[0]), _inverse(direction[1]), _inverse(direction[2])


@helper(inline=True)
def entry_of(ray: Any, lower: Any, upper: Any, limit: float) -> Any:
    """Whether a ray meets a box made larger by its margin, and the distance there."""
    margin, origin, inverse = ray.margin, ray.origin, ray.inverse
    entry, leave = -np.inf, np.inf
    for axis in range(3):
        first = (lower[axis] - margin - origin[axis]) * inverse[axis]
        second = (upper[axis] + margin - origin[axis]) * inverse[axis]
        entry = max(entry, min(first, second))
        leave = min(leave, max(first, second))
    entry, leave = entry * ray.length, leave * ray.length
    return entry <= leave and leave >= 0.0 and entry <= limit, entry - margin


@helper(inline=True)
def insert(distances: Any, items: Any, count: int, distance: float, item: int) -> int:
    """Put an item where its distance belongs among `count` others; return the new count."""
    place = count
    while place > 0 and distances[place - 1] > distance:
        distances[place], items[place] = distances[place - 1], items[place - 1]
        place -= 1
    distances[place], items[place] = distance, item
    return count + 1


@helper(inline=False)
def _visit(search: Any, leaf: int, count: int, limit: float) -> Any:
    """Test the boxes of a leaf; see :func:`.descent`."""
    order, places, distances = search.order, search.places, search.distances
    for item in range(leaf * LEAF, min(leaf * LEAF + LEAF, len(order))):
        place = order[item]
        met, entry = entry_of(search, search.lower[place], search.upper[place], limit)
        if not met:
            continue
        if count == len(places):
            return FULL, limit
        count = insert(distances, places, count, entry, place)
    return count, limit


@helper(inline=True)
def _prefetch_leaf(search: Any, leaf: int) -> None:
    prefetch(search.order, leaf * LEAF)


_descend = descent(_visit, _prefetch_leaf)


_GIVEN = (*TREE, POINTS, POINTS, types.float64, *RAY[:3], types.float64)


@kernel(types.int64(*_GIVEN, types.int64[::1], types.float64[::1]))
def met_boxes(
    nodes: Any,
    starts: Any,
    order: Any,
    center: Any,
    scale: float,
    lower: Any,
    upper: Any,
    margin: float,
    origin: Any,
    direction: Any,
    length: float,
    limit: float,
    places: Any,
    distances: Any,
) -> Any:
    """Find the boxes that a ray meets, the nearest first; return their number, FULL or UNSURE.

    The tree, as in :class:`.TreeArrays`, is over boxes with the corners (N, 3), which grow by the
    margin; distances may be off by as much. `places` and `distances` (K,) get the rows of the
    boxes, and the distances where the ray enters them.
    """
    if len(order) == 0:
        return 0
    local = local_ray(center, 1.0 / scale, origin, direction)
    if not local.known:
        return UNSURE
    inverse = inverse_of(direction)
    search = _Search(order, lower, upper, margin, origin, inverse, length, places, distances)
    tree = TreeArrays(nodes, starts, order, center, scale)
    return _descend(tree, local, length, limit, new_stack(), search)
