# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of landmarks of other tools: read to plain values, and written from them.

Where a place is on a surface, and in which units and axes, is the caller's to know.
"""

from .axes import AXES, convert
from .fans import fan_corners, fan_triangles, place_in_fan, places_in_fans
from .format import Format
from .mark import Kind, Mark, MarkFile, MarkFileError, Measurement, Triple
from .registry import format_named, format_of, formats, read, recognized, write
from .units import METERS, factor

__all__ = [
    "AXES",
    "METERS",
    "Format",
    "Kind",
    "Mark",
    "MarkFile",
    "MarkFileError",
    "Measurement",
    "Triple",
    "convert",
    "factor",
    "fan_corners",
    "fan_triangles",
    "format_named",
    "format_of",
    "formats",
    "place_in_fan",
    "places_in_fans",
    "read",
    "recognized",
    "write",
]
