# SPDX-License-Identifier: MIT
"""The bounding volume hierarchy: what it is, how it is built, refitted and checked.

How rays go through it is the engines' business (:mod:`standalone_core.engines`).
"""

from .build import build
from .refit import refit
from .tree import WIDTH, Level, Tree
from .validate import validate

__all__ = ["WIDTH", "Level", "Tree", "build", "refit", "validate"]
