# SPDX-License-Identifier: GPL-3.0-or-later
"""Small changes of meaning to the sources, and the tests that must notice each of them."""

from .blender import IN_BLENDER
from .core import IN_CORE
from .kernels import IN_KERNELS
from .mutant import Mutant

MUTANTS = (*IN_CORE, *IN_KERNELS, *IN_BLENDER)

__all__ = ["MUTANTS", "Mutant"]
