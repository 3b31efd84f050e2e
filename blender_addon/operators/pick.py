# SPDX-License-Identifier: GPL-3.0-or-later
"""Pick what is under the mouse."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, IntVectorProperty

from .. import api, declarations
from .answer import answer
from .options import CastOptions


class RAYPICK_OT_pick(CastOptions, bpy.types.Operator):
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
    clip: BoolProperty(
        name="Clip",
        description="Leave out what the viewport leaves out: nearer than Clip Start, beyond End, "
        "outside the clipping region, or a back face where these are culled",
        default=True,
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
        if not self.properties.is_property_set("position"):
            self.report({"ERROR"}, "A position is needed: pixels of the region")
            return {"CANCELLED"}
        region, view = context.region, context.region_data
        position = tuple(self.position)
        options = {"clip": self.clip, **self.cast_options()}
        return answer(self, context, lambda: api.pick(context, region, view, position, **options))
