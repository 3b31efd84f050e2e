# SPDX-License-Identifier: MIT
"""The bounding volume hierarchy: what it is, how it is built, refitted and checked.

How rays go through it is the engines' business (:mod:`standalone_core.engines`).
"""

from .boxes import boxes_of
from .build import ORDER_SHARE, build, order_finite, over_boxes
from .cost import sah_cost
from .order import order_items
from .refit import over_leaves, refit, unit_space
from .tree import LEAF, WIDTH, Tree
from .validate import validate

__all__ = [
    "LEAF",
    "ORDER_SHARE",
    "WIDTH",
    "Tree",
    "boxes_of",
    "build",
    "order_finite",
    "order_items",
    "over_boxes",
    "over_leaves",
    "refit",
    "sah_cost",
    "unit_space",
    "validate",
]
