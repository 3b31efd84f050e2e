# SPDX-License-Identifier: MIT
"""The surface area heuristic: what a random ray costs in a tree."""

from __future__ import annotations

import numpy as np

from .. import arguments
from ..numerics.arrays import FloatArray
from .tree import LEAF, WIDTH, NodeArray, Tree


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
            shares = _half_areas(nodes) / whole
            shares[np.isnan(shares)] = 1.0  # boxes that hold everything, or nothing but a line
            cost += float(shares.sum()) * (WIDTH if height else LEAF)
    return cost


def _half_areas(nodes: NodeArray) -> FloatArray:
    """Half the surface of each box that is not empty, (N,)."""
    boxes = nodes.astype(np.float64).transpose(0, 2, 1).reshape(-1, 6)
    boxes = boxes[boxes[:, 0] <= boxes[:, 3]]
    return np.asarray(_half_area(*(boxes[:, 3:] - boxes[:, :3]).T))


def _half_area(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    return x * y + y * z + z * x
