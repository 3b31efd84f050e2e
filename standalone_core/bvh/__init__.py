# SPDX-License-Identifier: MIT
"""The bounding volume hierarchy: what it is, how it is built, refitted and checked.

The engines send rays through it.
"""

from .build import over_boxes, validate
from .tree import LEAF, WIDTH, Tree, sah_cost

__all__ = ["LEAF", "WIDTH", "Tree", "over_boxes", "sah_cost", "validate"]


def __dir__() -> list[str]:
    return __all__
