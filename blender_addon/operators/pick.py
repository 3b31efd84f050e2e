# SPDX-License-Identifier: GPL-3.0-or-later
"""Pick what is under the mouse."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntVectorProperty

from .. import api, declarations
from .answer import answer

CULL_ITEMS = (
    ("NONE", "None", "Hit both sides of faces"),
    ("BACK", "Back Faces", "Do not hit faces from behind"),
    ("FRONT", "Front Faces", "Do not hit faces from the front"),
)


def cull_of(operator: bpy.types.Operator) -> api.Cull:
    """The operator's choice as the API takes it."""
    return None if operator.cull == "NONE" else operator.cull.lower()


def limit_of(operator: bpy.types.Operator) -> float:
    """The operator's maximum distance as the API takes it: 0 is no limit."""
    return operator.max_distance or float("inf")


class RAYPICK_OT_pick(bpy.types.Operator):
    """Pick at the mouse, or at a given pixel."""

    bl_idname = declarations.PICK_OPERATOR
    bl_label = "Pick under Mouse"
    bl_description = "Show exactly which face, triangle and place is under the mouse"
    bl_options = {"REGISTER", "DEPENDS_ON_CURSOR"}
    bl_cursor_pending = "EYEDROPPER"

    position: IntVectorProperty(
        name="Position",
        description="Pixel of the region, from its bottom left corner",
        size=2,
        options={"SKIP_SAVE"},
    )
    all_hits: BoolProperty(
        name="All Hits",
        description="Also what is behind the nearest hit",
        default=True,
    )
    cull: EnumProperty(name="Cull", description="Sides that are not hit", items=CULL_ITEMS)
    max_distance: FloatProperty(
        name="Maximum Distance",
        description="Farther hits are none; 0 for no limit",
        min=0.0,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only in the main region of a 3D viewport."""
        if context.area is None or context.area.type != "VIEW_3D" or context.region_data is None:
            cls.poll_message_set("The mouse must be over a 3D viewport")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Pick at the mouse."""
        self.position = event.mouse_region_x, event.mouse_region_y
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Pick at the given pixel."""
        return answer(
            self,
            context,
            lambda: api.pick(
                context,
                _main_region(context),
                context.region_data,
                self.position,
                limit_of(self),
                cull_of(self),
                self.all_hits,
            ),
        )


def _main_region(context: bpy.types.Context) -> bpy.types.Region:
    if context.region and context.region.type == "WINDOW":
        return context.region
    return next(region for region in context.area.regions if region.type == "WINDOW")
