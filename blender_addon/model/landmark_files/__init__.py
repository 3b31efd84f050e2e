# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmark files of other tools, read to plain values and written from them.

The caller knows where a place is on a surface, and in which units and axes.
"""

from .format import (
    AXES,
    METERS,
    SCENE,
    TYPED_UNITS,
    Format,
    Kind,
    Mark,
    MarkFile,
    MarkFileError,
    Measurement,
    Triple,
    convert,
    from_screen,
    to_screen,
)
from .registry import endings, format_named, format_of, formats, read, recognized, write
from .wrap import fan_corners, fan_triangles, place_in_fan, places_in_fans

__all__ = [
    "AXES",
    "METERS",
    "SCENE",
    "TYPED_UNITS",
    "Format",
    "Kind",
    "Mark",
    "MarkFile",
    "MarkFileError",
    "Measurement",
    "Triple",
    "convert",
    "endings",
    "fan_corners",
    "fan_triangles",
    "format_named",
    "format_of",
    "formats",
    "from_screen",
    "place_in_fan",
    "places_in_fans",
    "read",
    "recognized",
    "to_screen",
    "write",
]
