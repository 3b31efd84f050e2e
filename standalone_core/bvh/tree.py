# SPDX-License-Identifier: MIT
"""The bounding volume hierarchy, packed, wide and without pointers, and the cost of a ray in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import arguments
from ..numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray, SingleArray
from ..numerics.values import guarded, immutable

WIDTH = 8
"""Children of a node."""

LEAF = 4
"""Items of a leaf."""

_ITEMS = np.arange(LEAF)

NodeArray = SingleArray
"""Nodes (n, 6, WIDTH): lower x, y, z and upper x, y, z of the boxes of all children."""


@immutable
@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Tree:
    """Items in an order in which neighbours stand together, and boxes around runs of them.

    Leaf i holds the items ``order[i * LEAF : (i + 1) * LEAF]``. The children of node i of the
    lowest level are the leaves i * WIDTH ..., those of a higher node the nodes i * WIDTH ... of
    the level below. As the children are implied, new bounds need no new order. Where a last node
    has fewer children, the others' boxes are empty (lower inf, upper -inf).

    All arrays are read-only, and so become those passed in: compiled code reads them without
    checks.

    Attributes
    ----------
    center : ndarray (3,) of float64
    scale : float
        A power of two. Boxes are kept as (corner - center) / scale, of a size near 1 and rounded
        outward, so that float32 has digits enough wherever the mesh is and however large.
    order : ndarray (N,) of int32
        Items with finite bounds; others are in no leaf and so never found.
    levels : tuple of ndarray (n, 6, WIDTH) of float32
        From the lowest to the highest, which has one node; empty without items.
    nodes : ndarray (n, 6, WIDTH) of float32
        All levels in one array, the highest first; `levels` are views of it.
    starts : ndarray (levels,) of int64
        Where each of the levels starts in `nodes`, the highest first.

    Examples
    --------
    >>> from standalone_core import Mesh
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> mesh.build()
    >>> mesh.tree.order.tolist(), mesh.tree.node_count, mesh.tree.leaf_count
    ([0], 1, 1)
    """

    center: FloatArray
    scale: float
    order: IndexArray
    levels: tuple[NodeArray, ...]
    nodes: NodeArray = field(init=False)
    starts: IntArray = field(init=False)

    def __post_init__(self) -> None:
        empty = np.empty((0, 6, WIDTH), dtype=np.float32)
        nodes = guarded(np.concatenate([empty, *self.levels[::-1]]))
        ends = np.cumsum([len(level) for level in self.levels[::-1]]).tolist()
        starts = [0, *ends[:-1]]
        levels = tuple(nodes[a:b] for a, b in zip(starts, ends, strict=False))[::-1]
        places = np.array(starts[: len(ends)], dtype=np.int64)
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "starts", guarded(places))
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "order", guarded(self.order))
        object.__setattr__(self, "center", guarded(self.center))

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self.center, self.scale, self.order, self.levels)

    @property
    def nbytes(self) -> int:
        """Size of all arrays in bytes."""
        return self.order.nbytes + self.nodes.nbytes

    @property
    def leaf_count(self) -> int:
        """Number of leaves."""
        return -(-len(self.order) // LEAF)

    @property
    def node_count(self) -> int:
        """Number of nodes on all levels."""
        return len(self.nodes)


def child_count(tree: Tree, height: int) -> int:
    """How many children the nodes of a level have in all: nodes, or leaves at height 0."""
    return len(tree.levels[height - 1]) if height else tree.leaf_count


def items_of(tree: Tree, leaves: IntArray) -> tuple[BoolArray, IntArray]:
    """Which places in leaves (N,) hold an item, (LEAF * N,), and these items."""
    place = (leaves[:, None] * LEAF + _ITEMS).ravel()
    taken = place < len(tree.order)
    return taken, tree.order.take(place[taken]).astype(np.int64)


def sah_cost(tree: Tree) -> float:
    """Expected tests of boxes and triangles by a random line that meets the tree's box.

    A box inside another is met in proportion to their surface areas (Goldsmith and Salmon,
    "Automatic creation of object hierarchies for ray tracing", 1987).

    Examples
    --------
    >>> import numpy as np
    >>> from standalone_core import bvh
    >>> corners = np.random.default_rng(0).random((1000, 3))
    >>> tree = bvh.over_boxes(corners, corners + 0.01)
    >>> 0 < bvh.sah_cost(tree) < len(corners)
    True
    """
    arguments.instance_of(tree, Tree, "tree")
    if not tree.levels:
        return 0.0
    root = tree.levels[-1][0].astype(np.float64)
    extent = root[3:].max(axis=1) - root[:3].min(axis=1)
    cost = float(WIDTH)
    with np.errstate(all="ignore"):
        whole = _half_area(*extent)
        for height, nodes in enumerate(tree.levels):
            boxes = nodes.astype(np.float64).transpose(0, 2, 1).reshape(-1, 6)
            boxes = boxes[boxes[:, 0] <= boxes[:, 3]]  # without empty ones
            shares = _half_area(*(boxes[:, 3:] - boxes[:, :3]).T) / whole
            shares[np.isnan(shares)] = 1.0  # boxes that hold everything, or nothing but a line
            cost += float(shares.sum()) * (WIDTH if height else LEAF)
    return cost


def _half_area(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    return x * y + y * z + z * x
