# SPDX-License-Identifier: GPL-3.0-or-later
"""Look at what is under the mouse, and at the other hits of a pick."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_tip
from bpy.props import IntProperty

from .. import idnames
from ..model.record import PickRecord
from ..present import present
from ..session import current, hover, redraw, viewports
from ..translations import reasons
from .base import RaypickOperator, Result


class RAYPICK_OT_hover(bpy.types.Operator):
    bl_idname = idnames.HOVER_OPERATOR
    bl_label = "Hover"
    bl_description = "Show what is under the mouse while the tool is active"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.window is not None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Look, and let others have the event too."""
        hover.follow(context, event)
        hover.watch_tool()
        return {"PASS_THROUGH"}


class RAYPICK_OT_leave(bpy.types.Operator):
    bl_idname = idnames.LEAVE_OPERATOR
    bl_label = "End Hover"
    bl_description = "Stop showing what is under the mouse when it leaves the 3D viewport"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.window is not None and current.hovered() is not None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Look away, and let others have the event too."""
        spot = viewports.under(present(context.window), event.mouse_x, event.mouse_y)
        if spot is None or not current.has_mouse(spot.region):
            hover.leave(context)
        return {"PASS_THROUGH"}


class RAYPICK_OT_walk(RaypickOperator):
    bl_idname = idnames.WALK_OPERATOR
    bl_label = "Cycle through Hits"
    bl_description = "Show the next hit of the pick, behind this one, or the previous one"
    bl_options = {"INTERNAL"}

    step: IntProperty(name="Step", description="Number of hits to move on by", default=1)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only where there is more than one hit, or others may be found."""
        record = _record(context)
        return cls.has_hits(record, 1 if record is current.hovered() else 2)

    def run(self, context: bpy.types.Context) -> None:
        hover.find_all()
        record = present(_record(context))
        record.look_at(record.rank + self.step)
        redraw.redraw(context)


class RAYPICK_OT_look_at(RaypickOperator):
    bl_idname = idnames.LOOK_AT_OPERATOR
    bl_label = "Show Hit"
    bl_description = "Show this hit in the panels and in the viewport"
    bl_options = {"INTERNAL"}

    rank: IntProperty(
        name="Rank", description="Number of the hit, counted from the nearest, starting at 0", min=0
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Say which side was hit: the row has but a hollow dot for a back side."""
        record = current.shown()
        if record is None or properties.rank >= len(record.hits):
            return ""
        side = record.hits[properties.rank].side
        about = f"{pgettext_tip(cls.bl_description)}.\n{pgettext_tip(side)}"
        stale = record.stale_at(properties.rank)
        return f"{about}.\n{reasons.translated(stale)}" if stale else about

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.has_hits(current.shown())

    def run(self, context: bpy.types.Context) -> None:
        present(current.shown()).look_at(self.rank)
        redraw.redraw(context)


class RAYPICK_OT_clear(RaypickOperator):
    bl_idname = idnames.CLEAR_OPERATOR
    bl_label = "Clear"
    bl_description = (
        "Remove the kept pick from the viewport and the panels. It stays in the history"
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.is_possible("Nothing is kept" if current.kept() is None else None)

    def run(self, context: bpy.types.Context) -> None:
        current.show(None)
        redraw.redraw(context)


def _record(context: bpy.types.Context) -> PickRecord | None:
    """In a viewport what is under the mouse, or else what was kept; in a panel what that shows."""
    if context.region is not None and context.region.type == "WINDOW":
        return current.hovered() or current.kept()
    return current.shown()
