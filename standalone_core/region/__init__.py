# SPDX-License-Identifier: MIT
"""Parts of space between planes, and the triangles of meshes in them."""

from .region import MOST_PLANES, Region, Triangles

__all__ = ["MOST_PLANES", "Region", "Triangles"]
