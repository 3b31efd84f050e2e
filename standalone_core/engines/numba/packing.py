# SPDX-License-Identifier: MIT
"""The trees of the compiled engine: nodes that name their children, and packed blocks.

A node (7, LANES) has lower x, y, z and upper x, y, z of its children's boxes, and their indices: i
for node i, or ~i for block i. A block (13, LANES) has the corners of LANES triangles in the units
of the tree, x, y, z of a, of b and of c, then the triangles' indices, and those of their vertices.
A leaf is one block, so a cast reads it in one piece, and then the vertices of hits.

A tree is packed in the order of a :class:`.Tree`, which is fast, or by :mod:`.sah_kernel`, which
takes longer and gives a better tree.
"""

import math
from typing import Any

import numpy as np
from numba import types

from ...bvh import Tree
from ...cast.rays import Geometry
from ...concurrency.threads import Progress, on_all_cores
from ...numerics.arrays import IndexArray, SingleArray
from ...numerics.ray_triangle import cross3, dot3
from ...numerics.vectors import difference
from .block_kernel import BLOCK
from .kernel_cache import helper, kernel
from .kernel_types import INDICES, POINTS, TRIANGLES, VECTOR, PackedTree
from .sah_kernel import collapsed, halved
from .simd import LANES, at, prefetch, put

# Blocks that a thread fills at a time.
_PART = 1 << 11

# Share of the time that halving takes.
_HALVED = 0.8

# The alignment of arrays in bytes: each row of a node or block then lies in one cache line.
_ALIGNED = 64


def packed_along(geometry: Geometry, tree: Tree) -> PackedTree:
    """Pack a tree over this geometry, whose triangles were checked, in the order of the tree."""
    count = -(-len(tree.order) // LANES)
    if not count:
        return PackedTree(_aligned(0), _aligned(0), *_units(tree))
    starts = np.minimum(np.arange(count + 1) * LANES, len(tree.order)).astype(np.int32)
    blocks, boxes = _blocks(geometry, tree, tree.order, starts)
    return PackedTree(_copied(_implied(boxes)), blocks, *_units(tree))


def packed_by_area(geometry: Geometry, tree: Tree, progress: Progress) -> PackedTree:
    """As :func:`packed_along`, but by the surface area heuristic: rays meet fewer boxes.

    An error of `progress` ends the work.
    """
    progress(0.0)
    vertices, triangles, _ = geometry
    boxes = np.empty((len(triangles) + 1, 7), dtype=np.float32)
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
    """An aligned array of so many numbers, not filled."""
    room = np.empty(count + _ALIGNED // 4, dtype=np.float32)
    first = -room.ctypes.data % _ALIGNED // 4
    return room[first : first + count]


# How many triangles ahead triangles and their vertices are prefetched.
_TRIANGLES_AHEAD = 48
_VERTICES_AHEAD = 16

_GIVEN = (POINTS, TRIANGLES, VECTOR, types.float64)


@helper(inline=True)
def _corner(vertices: Any, vertex: int, center: Any, unit: float) -> Any:
    """A vertex in the units of the tree."""
    return (
        np.float32((at(vertices, 3 * vertex) - center[0]) * unit),
        np.float32((at(vertices, 3 * vertex + 1) - center[1]) * unit),
        np.float32((at(vertices, 3 * vertex + 2) - center[2]) * unit),
    )


@helper(inline=True)
def _vertices(triangles: Any, triangle: int) -> Any:
    """The three vertices of a triangle."""
    row = 3 * triangle
    return (
        np.int64(at(triangles, row)),
        np.int64(at(triangles, row + 1)),
        np.int64(at(triangles, row + 2)),
    )


_LEAVES = (INDICES, INDICES, types.int64, types.int64)
_FILLED = (types.float32[::1], types.int32[::1], types.float32[:, ::1])


@kernel(types.void(*_GIVEN, *_LEAVES, *_FILLED))
def fill_blocks(
    vertices: Any,
    triangles: Any,
    center: Any,
    unit: float,
    order: Any,
    starts: Any,
    begin: int,
    end: int,
    blocks: Any,
    wholes: Any,
    boxes: Any,
) -> None:
    """Fill the blocks from `begin` to `end`, and write their boxes (6, blocks), slightly enlarged.

    Block i holds the triangles ``order[starts[i] : starts[i + 1]]``; `wholes` is the memory
    of the blocks as int32. Lanes without a finite triangle are NaN.
    """
    last = len(order) - 1
    for block in range(begin, end):
        first, count = np.int64(starts[block]), starts[block + 1] - starts[block]
        lx = ly = lz = np.float32(np.inf)
        hx = hy = hz = np.float32(-np.inf)
        for lane in range(LANES):
            later = np.int64(at(order, min(first + lane + _TRIANGLES_AHEAD, last)))
            prefetch(triangles, 3 * later)
            ahead = np.int64(at(order, min(first + lane + _VERTICES_AHEAD, last)))
            for corner in range(3):
                prefetch(vertices, 3 * np.int64(at(triangles, 3 * ahead + corner)))
            triangle = np.int64(at(order, first + lane if lane < count else first))
            i, j, k = _vertices(triangles, triangle)
            ax, ay, az = _corner(vertices, i, center, unit)
            bx, by, bz = _corner(vertices, j, center, unit)
            cx, cy, cz = _corner(vertices, k, center, unit)
            nothing = np.float32(0.0) if lane < count else np.float32(np.nan)
            nothing += ((ax + bx + cx) + (ay + by + cy) + (az + bz + cz)) * np.float32(0.0)
            numbers = (ax, ay, az, bx, by, bz, cx, cy, cz)
            place = block * BLOCK + lane
            for row in range(9):
                put(blocks, place + row * LANES, numbers[row] + nothing)
            put(wholes, place + 9 * LANES, triangle)
            put(wholes, place + 10 * LANES, i)
            put(wholes, place + 11 * LANES, j)
            put(wholes, place + 12 * LANES, k)
            if nothing == np.float32(0.0):
                lx, hx = min(lx, ax, bx, cx), max(hx, ax, bx, cx)
                ly, hy = min(ly, ay, by, cy), max(hy, ay, by, cy)
                lz, hz = min(lz, az, bz, cz), max(hz, az, bz, cz)
        more = np.float32(2.0**-23)
        for axis, (low, high) in enumerate(((lx, hx), (ly, hy), (lz, hz))):
            boxes[axis, block], boxes[3 + axis, block] = low - more, high + more


@kernel(types.int64(*_GIVEN, types.float32[:, ::1], types.int32[::1]))
def fill_records(
    vertices: Any, triangles: Any, center: Any, unit: float, boxes: Any, items: Any
) -> int:
    """Write the boxes (T, 7), as :func:`.halved` takes them, and indices of the finite triangles.

    Returns how many there are.
    """
    count = 0
    for triangle in range(len(triangles)):
        i, j, k = _vertices(triangles, triangle)
        a, b = _corner(vertices, i, center, unit), _corner(vertices, j, center, unit)
        c = _corner(vertices, k, center, unit)
        nothing = np.float32(0.0)
        for axis in range(3):
            nothing += (a[axis] + b[axis] + c[axis]) * np.float32(0.0)
            boxes[count, axis] = min(a[axis], b[axis], c[axis])
            boxes[count, 3 + axis] = max(a[axis], b[axis], c[axis])
        n = cross3(difference(b, a), difference(c, a))
        boxes[count, 6] = math.sqrt(dot3(n, n))
        items[count] = triangle
        if nothing == np.float32(0.0):
            count += 1
    return count
