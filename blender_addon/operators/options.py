# SPDX-License-Identifier: GPL-3.0-or-later
"""The options that all picking operators share."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from .. import api


class CastOptions:
    """Mixin of operators that cast rays: its properties, and what the API takes of them."""

    all_hits: BoolProperty(
        name="All Hits",
        description="Also what is behind the nearest hit",
        default=True,
    )
    cull: EnumProperty(
        name="Cull",
        description="Sides that are not hit",
        items=(
            ("NONE", "None", "Hit both sides of faces"),
            ("BACK", "Back Faces", "Do not hit faces from behind"),
            ("FRONT", "Front Faces", "Do not hit faces from the front"),
        ),
    )
    max_distance: FloatProperty(
        name="Maximum Distance",
        description="Farther hits are none; 0 for no limit",
        min=0.0,
        subtype="DISTANCE",
    )

    selectable_only: BoolProperty(
        name="Selectable Only",
        description="Leave out what a click cannot select",
    )
    solid_only: BoolProperty(
        name="Solid Only",
        description="Leave out objects that are displayed as wire or bounds, and their instances",
    )

    def cast_options(self: bpy.types.Operator) -> dict[str, object]:
        """Keyword arguments for :func:`.api.ray_cast` and :func:`.api.pick`."""
        cull: api.Cull = None if self.cull == "NONE" else self.cull.lower()
        limit = self.max_distance or float("inf")
        return {
            "max_distance": limit,
            "cull": cull,
            "all_hits": self.all_hits,
            "selectable_only": self.selectable_only,
            "solid_only": self.solid_only,
        }
