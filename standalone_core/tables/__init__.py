# SPDX-License-Identifier: MIT
"""Tables of rays and hits in files, and pictures: written whole, read with distrust."""

from .exr import write_exr
from .formats import RayTable, read_meta, read_rays, read_table, write_table
from .table import Table

__all__ = ["RayTable", "Table", "read_meta", "read_rays", "read_table", "write_exr", "write_table"]
