# SPDX-License-Identifier: MIT
"""Tables of rays and hits in files, and pictures: written whole, read with distrust."""

from .exr import write_exr
from .formats import read_meta, read_table, write_table
from .rays import RayTable, read_rays
from .table import Table

__all__ = ["RayTable", "Table", "read_meta", "read_rays", "read_table", "write_exr", "write_table"]
