# SPDX-License-Identifier: MIT
"""Files of rays and hits, as tables and pictures: written atomically, read as untrusted input."""

from .exr import write_exr
from .exr_reading import ExrPicture, read_exr
from .formats import RayTable, read_meta, read_rays, read_table, write_table
from .render import Render, list_renders, read_render
from .table import Table

__all__ = ["ExrPicture", "RayTable", "Render", "Table", "list_renders", "read_exr", "read_meta"]
__all__ += ["read_rays", "read_render", "read_table", "write_exr", "write_table"]
