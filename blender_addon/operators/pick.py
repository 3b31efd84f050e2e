# SPDX-License-Identifier: GPL-3.0-or-later
"""Pick what is under the mouse, and keep it."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.props import IntVectorProperty

from .. import idnames, settings
from ..model.record import PickRecord
from ..options import PICK_NAMES, PickOptions
from ..session import clicks, current, queries
from .run_query import answer


class RAYPICK_OT_pick(PickOptions, bpy.types.Operator):
    """Pick at the mouse, or at a given pixel.

    What a key or a script does not set is as the person has set it in the options.
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

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only in the main region of a 3D viewport."""
        if context.area is None or context.area.type != "VIEW_3D" or context.region_data is None:
            cls.poll_message_set("The mouse must be over a 3D viewport")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Pick at the mouse, with the person's options."""
        self.position = event.mouse_region_x, event.mouse_region_y
        self._take_options()
        clicked = clicks.click(context.region, context.region_data, *self.position)
        return self._pick(context, lambda record: clicks.keep_or_walk(record, clicked))

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Pick at the center of the given pixel."""
        if not self.properties.is_property_set("position"):
            self.report({"ERROR"}, "A position is needed: pixels of the region")
            return {"CANCELLED"}
        return self._pick(context, current.keep)

    def _take_options(self) -> None:
        """Set what the caller has not set as the person has it."""
        preferences = settings.preferences()
        for name in PICK_NAMES if preferences else ():
            if not self.properties.is_property_set(name):
                setattr(self, name, getattr(preferences.options, name))

    def _pick(self, context: bpy.types.Context, keep: Callable[[PickRecord], None]) -> set[str]:
        region, view, pixel = context.region, context.region_data, tuple(self.position)
        options = self.pick_options()
        return answer(
            self, context, lambda: queries.pick(context, region, view, pixel, options), keep
        )
