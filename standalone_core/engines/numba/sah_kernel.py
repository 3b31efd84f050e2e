# SPDX-License-Identifier: MIT
"""The compiled build by the surface area heuristic: of a binary tree, then of wide nodes from it.

The probability that a random ray meets a box is proportional to its surface area. Runs of triangles
are cut between bins of their centers where the fewest tests of blocks are expected (Wald, "On fast
construction of SAH-based bounding volume hierarchies", 2007). Of all ways to turn this binary tree
into wide nodes and blocks, dynamic programming finds one with the fewest expected tests (Ylitie,
Karras and Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", 2017).
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from ...concurrency.threads import Progress
from ...numerics.arrays import IndexArray, SingleArray
from .block_kernel import NODE
from .kernel_cache import helper, kernel
from .simd import LANES

_BINS = 16

# Runs below this depth are cut in the middle, so that no tree is too deep for a stack.
_DEEPEST = 48

# The most nodes that wait: two per level.
_STACK = 256

# Items that compiled code goes through between reports of progress: about 0.1 s.
_EFFORT = 1 << 21

_NUMBERS, _ITEMS = types.int64[::1], types.int32[::1]
_PAIRS = types.int32[:, ::1]
_BOXES = types.float32[:, ::1]
_CHOICES = types.uint8[:, ::1]
_INF = np.float32(np.inf)

# Of boxes: two corners, and twice the area of the triangles inside.
_COLUMNS, _SURFACE = 7, 6


class Halved(NamedTuple):
    """A binary tree of N nodes over items in order, parents before their children."""

    items: IndexArray  # (n,)
    children: IndexArray  # (N, 2), -1 where there are none
    runs: IndexArray  # (N, 2), where the items of a node begin and end
    boxes: SingleArray  # (N, 7), as those of the items


@helper(inline=True)
def _half_area(x: Any, y: Any, z: Any) -> Any:
    return x * y + y * z + z * x


@helper(inline=True)
def _area(low: Any, high: Any) -> Any:
    return _half_area(high[0] - low[0], high[1] - low[1], high[2] - low[2])


@helper(inline=True)
def _lower(a: Any, b: Any) -> Any:
    return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])


@helper(inline=True)
def _upper(a: Any, b: Any) -> Any:
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])


@helper(inline=True)
def _box(boxes: Any, row: int) -> Any:
    return (
        (boxes[row, 0], boxes[row, 1], boxes[row, 2]),
        (boxes[row, 3], boxes[row, 4], boxes[row, 5]),
    )


@helper(inline=True)
def _middle(low: Any, high: Any) -> Any:
    """Twice the middle of a box."""
    return low[0] + high[0], low[1] + high[1], low[2] + high[2]


@helper(inline=True)
def _bin(middle: Any, least: Any, step: Any) -> Any:
    return np.int64((middle - least) * step)


@helper(inline=False)
def _cost(low: Any, high: Any, count: int) -> Any:
    """The expected number of tests of a run's blocks, times the area of its parent."""
    return _area(low, high) * np.float32((count + LANES - 1) // LANES)


@helper(inline=False)
def _best_cut(counts: Any, bins: Any, costs: Any, steps: Any) -> Any:
    """The best cut of a run: its axis (-1 for none) and the last bin of the first part."""
    best, best_axis, best_bin = _INF, -1, 0
    for axis in range(3):
        if steps[axis] == 0.0:
            continue
        low, high, count = (_INF, _INF, _INF), (-_INF, -_INF, -_INF), 0
        for number in range(_BINS - 1, 0, -1):
            next_low, next_high = _box(bins, axis * _BINS + number)
            low, high = _lower(low, next_low), _upper(high, next_high)
            count += counts[axis * _BINS + number]
            costs[number] = _cost(low, high, count) if count else _INF
        low, high, count = (_INF, _INF, _INF), (-_INF, -_INF, -_INF), 0
        for number in range(_BINS - 1):
            next_low, next_high = _box(bins, axis * _BINS + number)
            low, high = _lower(low, next_low), _upper(high, next_high)
            count += counts[axis * _BINS + number]
            if count:
                cost = _cost(low, high, count) + costs[number + 1]
                if cost < best:
                    best, best_axis, best_bin = cost, axis, number
    return best_axis, best_bin


@helper(inline=False)
def _fill_bins(
    boxes: Any, begin: int, end: int, least: Any, steps: Any, counts: Any, bins: Any
) -> None:
    for row in range(3 * _BINS):
        counts[row] = 0
        for axis in range(3):
            bins[row, axis], bins[row, 3 + axis] = _INF, -_INF
    for item in range(begin, end):
        low, high = _box(boxes, item)
        middle = _middle(low, high)
        for axis in range(3):
            row = axis * _BINS + _bin(middle[axis], least[axis], steps[axis])
            counts[row] += 1
            for other in range(3):
                bins[row, other] = min(bins[row, other], low[other])
                bins[row, 3 + other] = max(bins[row, 3 + other], high[other])


@helper(inline=False)
def _part(
    boxes: Any, items: Any, begin: int, end: int, axis: int, least: Any, step: Any, last: int
) -> int:
    """Put the items in bins up to `last` first; return where the others begin."""
    i, j = begin, end - 1
    while True:
        while i <= j and _bin(boxes[i, axis] + boxes[i, 3 + axis], least, step) <= last:
            i += 1
        while i <= j and _bin(boxes[j, axis] + boxes[j, 3 + axis], least, step) > last:
            j -= 1
        if i >= j:
            return i
        for column in range(_COLUMNS):
            boxes[i, column], boxes[j, column] = boxes[j, column], boxes[i, column]
        items[i], items[j] = items[j], items[i]
        i, j = i + 1, j - 1


@helper(inline=True)
def _step(extent: Any) -> Any:
    """Bins per unit of length; 0 if the extent is negligible."""
    return np.float32(_BINS * 0.9999) / extent if extent > np.float32(1e-30) else np.float32(0.0)


@kernel(
    types.int64(_BOXES, _ITEMS, _PAIRS, _PAIRS, _BOXES, _NUMBERS, _NUMBERS, _NUMBERS, types.int64)
)
def _halve(
    boxes: Any,
    items: Any,
    children: Any,
    runs: Any,
    node_boxes: Any,
    stack: Any,
    depths: Any,
    counted: Any,
    effort: int,
) -> Any:
    """Halve runs of items until each fits a block, or `effort` items were gone through.

    Waiting nodes are on the stack, with their depths. `counted` (2,) has the number of nodes so
    far, and the number that wait, which is also returned.
    """
    counts = np.empty(3 * _BINS, dtype=np.int64)
    bins, costs = np.empty((3 * _BINS, 6), dtype=np.float32), np.empty(_BINS, dtype=np.float32)
    nodes, waiting, spent = counted[0], counted[1], np.int64(0)
    while waiting and spent < effort:
        waiting -= 1
        node, depth = stack[waiting], depths[waiting]
        begin, end = np.int64(runs[node, 0]), np.int64(runs[node, 1])
        spent += end - begin
        low, high = (_INF, _INF, _INF), (-_INF, -_INF, -_INF)
        least, most, surface = low, high, np.float32(0.0)
        for item in range(begin, end):
            surface += boxes[item, _SURFACE]
            item_low, item_high = _box(boxes, item)
            middle = _middle(item_low, item_high)
            low, high = _lower(low, item_low), _upper(high, item_high)
            least, most = _lower(least, middle), _upper(most, middle)
        for axis in range(3):
            node_boxes[node, axis], node_boxes[node, 3 + axis] = low[axis], high[axis]
        node_boxes[node, _SURFACE] = surface
        children[node, 0] = children[node, 1] = -1
        if end - begin <= LANES:
            continue
        steps = (_step(most[0] - least[0]), _step(most[1] - least[1]), _step(most[2] - least[2]))
        axis = -1
        if depth < _DEEPEST:
            _fill_bins(boxes, begin, end, least, steps, counts, bins)
            axis, last = _best_cut(counts, bins, costs, steps)
        cut = (begin + end) // 2
        if axis >= 0:
            cut = _part(boxes, items, begin, end, axis, least[axis], steps[axis], last)
        for side in range(2):
            children[node, side] = nodes + side
            runs[nodes + side, 0] = cut if side else begin
            runs[nodes + side, 1] = end if side else cut
            stack[waiting + 1 - side], depths[waiting + 1 - side] = nodes + side, depth + 1
        nodes, waiting = nodes + 2, waiting + 2
    counted[0], counted[1] = nodes, waiting
    return waiting


def halved(boxes: SingleArray, items: IndexArray, progress: Progress) -> Halved:
    """The binary tree over items (n,), at least one, and boxes (n, 7); sorts both into its order.

    A box is two corners, and twice the area of the triangles inside. An error of `progress` ends
    the work.
    """
    most = 2 * len(items)
    children, runs = (np.empty((most, 2), dtype=np.int32) for _ in range(2))
    node_boxes = np.empty((most, _COLUMNS), dtype=np.float32)
    stack, depths = np.zeros(_STACK, dtype=np.int64), np.zeros(_STACK, dtype=np.int64)
    counted = np.array([1, 1])
    runs[0] = 0, len(items)
    while _halve(boxes, items, children, runs, node_boxes, stack, depths, counted, _EFFORT):
        progress(float(counted[0]) / most)
    count = counted[0]
    return Halved(items, children[:count], runs[:count], node_boxes[:count])


@kernel(types.void(_PAIRS, _BOXES, _BOXES, _CHOICES))
def _weigh(children: Any, boxes: Any, costs: Any, choices: Any) -> None:
    """Write the least costs (N, LANES) of subtrees as at most 1, 2, ... roots, and the choices.

    A choice (N, LANES + 1) is how many of the roots the first child gets; 0 if fewer roots cost no
    more. Column 1 has the kind of a single root, block (1) or node (2), and the last column the
    choice for the children of a node. Columns 0 are not used.
    """
    for node in range(len(children) - 1, -1, -1):
        area = _area(*_box(boxes, node))
        first, second = children[node, 0], children[node, 1]
        if first < 0:
            for roots in range(1, LANES):
                costs[node, roots], choices[node, roots] = area, 0
            choices[node, 1] = 1
            continue
        best, choices[node, LANES] = _INF, 1
        for taken in range(1, LANES):
            cost = costs[first, taken] + costs[second, LANES - taken]
            if cost < best:
                best, choices[node, LANES] = cost, taken
        costs[node, 1], choices[node, 1] = area + best, 2
        for roots in range(2, LANES):
            costs[node, roots], choices[node, roots] = costs[node, roots - 1], 0
            for taken in range(1, roots):
                cost = costs[first, taken] + costs[second, roots - taken]
                if cost < costs[node, roots]:
                    costs[node, roots], choices[node, roots] = cost, taken


@helper(inline=False)
def _open(node: int, children: Any, choices: Any, stack: Any, found: Any) -> int:
    """Find the children of a wide node; return their number, LANES at most."""
    taken = np.int64(choices[node, LANES])
    stack[0, 0], stack[0, 1] = children[node, 1], LANES - taken
    stack[1, 0], stack[1, 1] = children[node, 0], taken
    waiting, count = 2, 0
    while waiting:
        waiting -= 1
        child, roots = stack[waiting, 0], stack[waiting, 1]
        while roots > 1 and choices[child, roots] == 0:
            roots -= 1
        if roots == 1:
            found[count] = child
            count += 1
            continue
        taken = np.int64(choices[child, roots])
        stack[waiting, 0], stack[waiting, 1] = children[child, 1], roots - taken
        stack[waiting + 1, 0], stack[waiting + 1, 1] = children[child, 0], taken
        waiting += 2
    return count


@helper(inline=True)
def _sort(found: Any, count: int, boxes: Any, costs: Any) -> None:
    """Sort the children of a wide node by the hits that a test in each is expected to find.

    A random ray meets triangles in proportion to their area. Any hit tests the best child first.
    """
    for last in range(1, count):
        child, place = found[last], last
        surface, cost = boxes[child, _SURFACE], costs[child, 1]
        while place > 0:
            other = found[place - 1]
            if not surface * costs[other, 1] > boxes[other, _SURFACE] * cost:
                break
            found[place] = other
            place -= 1
        found[place] = child


_TREE = (_PAIRS, _PAIRS, _BOXES, _BOXES, _CHOICES)


@kernel(types.UniTuple(types.int64, 2)(*_TREE, _BOXES, _PAIRS, _PAIRS))
def _collapse(
    children: Any,
    runs: Any,
    boxes: Any,
    costs: Any,
    choices: Any,
    nodes: Any,
    numbers: Any,
    blocks: Any,
) -> Any:
    """Write nodes (n, 6 * LANES), their children's indices (n, LANES) and blocks' runs (b, 2).

    Returns n and b. Parents come before their children, which :func:`_sort` has sorted, and nodes
    that rays meet together are close together.
    """
    more = np.float32(2.0**-23)
    stack, parts = np.empty((1024, 2), dtype=np.int64), np.empty((4 * LANES, 2), dtype=np.int64)
    found = np.empty(LANES, dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, 0
    waiting, node_count, block_count = 1, 1, 0
    while waiting:
        waiting -= 1
        node, row = stack[waiting, 0], stack[waiting, 1]
        if choices[node, 1] == 1:  # a tree that is one block
            found[0], count = node, 1
        else:
            count = _open(node, children, choices, parts, found)
            _sort(found, count, boxes, costs)
        for child in range(LANES):
            numbers[row, child] = 0
            for axis in range(3):
                low, high = _INF, -_INF
                if child < count:
                    low = boxes[found[child], axis] - more
                    high = boxes[found[child], 3 + axis] + more
                nodes[row, axis * LANES + child] = low
                nodes[row, (3 + axis) * LANES + child] = high
            if child >= count:
                continue
            if choices[found[child], 1] == 1:
                numbers[row, child] = ~block_count
                blocks[block_count, 0] = runs[found[child], 0]
                blocks[block_count, 1] = runs[found[child], 1]
                block_count += 1
            else:
                numbers[row, child] = node_count
                stack[waiting, 0], stack[waiting, 1] = found[child], node_count
                waiting, node_count = waiting + 1, node_count + 1
    return node_count, block_count


def collapsed(tree: Halved) -> tuple[SingleArray, IndexArray, IndexArray]:
    """Wide nodes (n, 7, LANES), where blocks begin (b + 1,) in an order of items, and the order."""
    count = len(tree.children)
    costs = np.empty((count, LANES), dtype=np.float32)
    choices = np.empty((count, LANES + 1), dtype=np.uint8)
    _weigh(tree.children, tree.boxes, costs, choices)
    planes = np.empty((count // 2 + 1, 6 * LANES), dtype=np.float32)
    numbers = np.empty((count // 2 + 1, LANES), dtype=np.int32)
    runs = np.empty((count, 2), dtype=np.int32)
    node_count, block_count = _collapse(*tree[1:], costs, choices, planes, numbers, runs)
    nodes = np.empty((node_count, NODE // LANES, LANES), dtype=np.float32)
    nodes[:, :6] = planes[:node_count].reshape(-1, 6, LANES)
    nodes.view(np.int32)[:, 6] = numbers[:node_count]
    runs = runs[:block_count]
    lengths = runs[:, 1] - runs[:, 0]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    places = np.arange(starts[-1]) + np.repeat(runs[:, 0] - starts[:-1], lengths)
    return nodes, starts, tree.items[places]
