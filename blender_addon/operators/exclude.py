# SPDX-License-Identifier: GPL-3.0-or-later
"""Exclude objects from picks, and include them again."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from .. import idnames
from ..bridge.hit_objects import object_of
from ..session import current, exclusions
from .base import RaypickOperator


class RAYPICK_OT_leave_out(RaypickOperator):
    bl_idname = idnames.LEAVE_OUT_OPERATOR
    bl_label = "Exclude"
    bl_description = (
        "Exclude the selected objects from picking or, with none selected, the object that was hit"
    )
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obstacle = "Nothing is selected, and nothing has been hit yet"
        return cls.is_possible(None if _objects(context) else obstacle)

    def run(self, context: bpy.types.Context) -> None:
        for obj in _objects(context):
            exclusions.add(obj)


class RAYPICK_OT_take_in(RaypickOperator):
    bl_idname = idnames.TAKE_IN_OPERATOR
    bl_label = "Include"
    bl_description = "Stop excluding this object from picking"
    bl_options = {"INTERNAL"}

    uid: IntProperty(name="Session UID", description="The object's ID in this session")

    def run(self, _context: bpy.types.Context) -> None:
        exclusions.remove(self.uid)


def _objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected ones, or else the one whose hit the panels show."""
    hit = current.shown_hit()
    found = object_of(hit) if hit is not None else None
    return context.selected_objects or ([found] if found is not None else [])
