# SPDX-License-Identifier: MIT
"""Casting of rays from a shell: ``raypick-core``, or ``python -m standalone_core``."""

from .main import main

__all__ = ["main"]
