# SPDX-License-Identifier: GPL-3.0-or-later
"""Pick what is under the mouse, and keep it."""

from __future__ import annotations

import bpy
from bpy.props import IntVectorProperty

from .. import idnames
from ..model.record import PickRecord
from ..options import PickOptions, take_users
from ..present import present
from ..session import clicks, queries
from ..standalone_core import RaypickError
from .base import QueryOperator, Result


class RAYPICK_OT_pick(PickOptions, QueryOperator):
    """Pick at the mouse, or at a given pixel.

    What a key or a script does not set is as the user has set it in the options.
    """

    bl_idname = idnames.PICK_OPERATOR
    bl_label = "Pick under Mouse"
    bl_description = (
        "Show exactly which face, triangle and point is under the mouse. Pick the same "
        "place again for what is behind it"
    )
    bl_options = {"REGISTER", "DEPENDS_ON_CURSOR"}
    bl_cursor_pending = "EYEDROPPER"

    position: IntVectorProperty(
        name="Position",
        description="Pixel of the region, from its bottom left corner; its center is picked",
        size=2,
        options={"SKIP_SAVE"},
    )
    _click: clicks.Click | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        is_over = context.area and context.area.type == "VIEW_3D" and context.region_data
        return cls.is_possible(None if is_over else "The mouse must be over a 3D viewport")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        self.position = event.mouse_region_x, event.mouse_region_y
        take_users(self, PickOptions)
        region, view = present(context.region), present(context.region_data)
        self._click = clicks.click(region, view, *self.position)
        return self.execute(context)

    def query(self, context: bpy.types.Context) -> PickRecord:
        if not self.properties.is_property_set("position"):
            raise RaypickError("A position is needed: pixels of the region")
        region, view = present(context.region), present(context.region_data)
        return queries.pick(context, region, view, self.position[:], self.pick_options())

    def keep(self, context: bpy.types.Context, record: PickRecord) -> PickRecord:
        """Keep the record or, after a click at the same place, walk on in the kept one."""
        if self._click is None:
            return super().keep(context, record)
        click, self._click = self._click, None
        return clicks.keep_or_walk(record, click)
