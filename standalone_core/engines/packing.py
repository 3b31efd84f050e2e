# SPDX-License-Identifier: MIT
"""The trees of the compiled engine: nodes that name their children, and packed blocks.

A node (7, LANES) has lower x, y, z and upper x, y, z of its children's boxes, and their numbers: of
a node, or ~ of a block. A block (13, LANES) has the corners of LANES triangles in the units of the
tree, x, y, z of a, of b and of c, then the triangles' numbers, and the rows of their vertices. A
leaf is one block, so a cast reads it in one piece, and the winner's vertices beside it.

Two ways lead to a tree: along the order of a :class:`.Tree`, which is there at once, or by
:mod:`.sah_kernel`, which takes a while and is better.
"""

import numpy as np

from ..bvh import Tree
from ..cast.rays import Geometry
from ..concurrency.threads import Progress, on_all_cores
from ..numerics.arrays import IndexArray, SingleArray
from .block_simd import LANES
from .kernel_types import PackedTree
from .pack_kernel import fill_blocks, fill_records
from .packed_descent import BLOCK
from .sah_kernel import collapsed, halved

# Blocks that a thread fills at a time.
_PART = 1 << 11

# Share of the time that halving takes.
_HALVED = 0.8

# Where numbers begin, in bytes: rows of a node or block then lie in one line of a cache.
_ALIGNED = 64


def packed_along(geometry: Geometry, tree: Tree) -> PackedTree:
    """A packed tree of the tree's order; of the same geometry, whose triangles were checked."""
    count = -(-len(tree.order) // LANES)
    if not count:
        return PackedTree(_aligned(0), _aligned(0), *_units(tree))
    starts = np.minimum(np.arange(count + 1) * LANES, len(tree.order)).astype(np.int32)
    blocks, boxes = _blocks(geometry, tree, tree.order, starts)
    return PackedTree(_copied(_implied(boxes)), blocks, *_units(tree))


def packed_by_area(geometry: Geometry, tree: Tree, progress: Progress) -> PackedTree:
    """A packed tree that rays meet less of, by the surface area heuristic; else as the other.

    What `progress` raises ends the work.
    """
    progress(0.0)
    vertices, triangles, _ = geometry
    boxes = np.empty((len(triangles) + 1, 6), dtype=np.float32)
    items = np.empty(len(triangles) + 1, dtype=np.int32)
    count = fill_records(vertices, triangles, *_units(tree), boxes, items)
    if not count:
        return PackedTree(_aligned(0), _aligned(0), *_units(tree))
    boxes, items = boxes[:count], items[:count]
    binary = halved(boxes, items, lambda done: progress(done * _HALVED))
    progress(_HALVED)
    nodes, starts, order = collapsed(binary)
    blocks, _ = _blocks(geometry, tree, order, starts)
    progress(1.0)
    return PackedTree(_copied(nodes), blocks, *_units(tree))


def nbytes(tree: PackedTree) -> int:
    """Memory of a packed tree, in bytes."""
    return int(tree.nodes.nbytes + tree.blocks.nbytes)


def _units(tree: Tree) -> tuple[tuple[float, float, float], float]:
    x, y, z = tree.center.tolist()
    return (x, y, z), 1.0 / tree.scale


def _blocks(
    geometry: Geometry, tree: Tree, order: IndexArray, starts: IndexArray
) -> tuple[SingleArray, SingleArray]:
    """Blocks, flat, and their boxes (6, b)."""
    count = len(starts) - 1
    blocks = _aligned(count * BLOCK)
    boxes = np.empty((6, count), dtype=np.float32)
    given = geometry.vertices, geometry.triangles, *_units(tree), order, starts

    def fill(begin: int) -> None:
        end = min(begin + _PART, count)
        fill_blocks(*given, begin, end, blocks, blocks.view(np.int32), boxes)

    on_all_cores(fill, range(0, count, _PART), count * LANES)
    return blocks, boxes


def _implied(boxes: SingleArray) -> SingleArray:
    """Nodes (n, 7, LANES), the root first, around boxes (6, b) of blocks, at least one."""
    numbers = ~np.arange(boxes.shape[1], dtype=np.int32)
    levels: list[SingleArray] = []
    while not levels or len(levels[-1]) > 1:
        nodes, boxes = _parents(boxes, numbers)
        levels.append(nodes)
        numbers = np.arange(len(nodes), dtype=np.int32)
    start = 1
    for level, below in zip(levels[:0:-1], levels[-2::-1], strict=True):
        level.view(np.int32)[:, 6] += start
        start += len(below)
    return np.concatenate(levels[::-1])


def _parents(boxes: SingleArray, numbers: IndexArray) -> tuple[SingleArray, SingleArray]:
    """Nodes (n, 7, LANES) around runs of boxes (6, b), and their own boxes (6, n)."""
    width = boxes.shape[1]
    count = -(-width // LANES)
    rows = np.zeros((7, count * LANES), dtype=np.float32)
    rows[:3, width:], rows[3:6, width:] = np.inf, -np.inf
    rows[:6, :width] = boxes
    rows.view(np.int32)[6, :width] = numbers
    nodes = rows.reshape(7, count, LANES)
    own = np.concatenate([nodes[:3].min(axis=2), nodes[3:6].max(axis=2)])
    return np.ascontiguousarray(nodes.transpose(1, 0, 2)), own


def _copied(nodes: SingleArray) -> SingleArray:
    flat = _aligned(nodes.size)
    flat[:] = nodes.reshape(-1)
    return flat


def _aligned(count: int) -> SingleArray:
    """Room for so many numbers."""
    room = np.empty(count + _ALIGNED // 4, dtype=np.float32)
    first = -room.ctypes.data % _ALIGNED // 4
    return room[first : first + count]
