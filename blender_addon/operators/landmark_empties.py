# SPDX-License-Identifier: GPL-3.0-or-later
"""Add empties that follow landmarks."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import BoolProperty, EnumProperty, IntProperty

from .. import idnames
from ..api import landmarks as api
from ..bridge.landmarks import storage
from ..present import present
from .base import Result
from .landmark_file_options import SETS_ITEMS, OfLandmarks, active_sets

_FRAMES = {"min": -1_048_574, "max": 1_048_574}  # those that Blender has


class RAYPICK_OT_add_landmark_empties(OfLandmarks):
    bl_idname = idnames.ADD_LANDMARK_EMPTIES_OPERATOR
    bl_label = "Add Empties"
    bl_description = "Add an empty for each landmark of the active object, which follows it"
    bl_options = {"REGISTER", "UNDO"}

    sets: EnumProperty(name="Sets", description="The sets that get empties", items=SETS_ITEMS)
    follow: EnumProperty(
        name="Follow",
        description="What keeps the empties at the landmarks",
        items=(
            (
                "EXTENSION",
                "Extension",
                "Raypick, while it is enabled. A render of an animation needs Lock Interface",
            ),
            (
                "KEYFRAMES",
                "Keyframes",
                "Keyframes at each frame of a range, which need no extension",
            ),
            (
                "NODES",
                "Geometry Nodes",
                "Vertices that nodes keep at the landmarks, as parents, which need no extension. "
                "Of faces that modifiers make, those that bend must be triangles",
            ),
        ),
    )
    normals: BoolProperty(
        name="Along Normals", description="Turn the Z axes of the empties along the normals"
    )
    start: IntProperty(
        name="Start", description="The first frame that is baked", default=1, **_FRAMES
    )
    end: IntProperty(name="End", description="The last frame that is baked", default=250, **_FRAMES)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            return cls.is_possible("Only in object mode")
        return super().poll(context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask how they follow, with the range of the scene."""
        self.start, self.end = context.scene.frame_start, context.scene.frame_end
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "sets")
        layout.prop(self, "follow")
        if self.follow != "NODES":
            layout.prop(self, "normals")
        if self.follow == "KEYFRAMES":
            column = layout.column(align=True)
            column.prop(self, "start")
            column.prop(self, "end")

    def run(self, context: bpy.types.Context) -> str:
        obj = present(context.object)
        is_set = self.properties.is_property_set
        frames = range(self.start, self.end + 1) if is_set("start") or is_set("end") else None
        made = api.add_empties(
            context,
            obj,
            active_sets(storage.read(obj), self.sets),
            self.follow.lower(),
            frames,
            normals=self.normals and self.follow != "NODES",
        )
        return pgettext_rpt("{} empties follow their landmarks").format(len(made))
