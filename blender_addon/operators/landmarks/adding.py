# SPDX-License-Identifier: GPL-3.0-or-later
"""Add landmarks where something was hit, and remove them."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import IntProperty

from ... import idnames
from ...bridge.landmarks import editing
from ...model.hit import PickHit
from ...model.record import PickRecord
from ...session import current, following, history, landmarks, queries, selected_landmarks
from ...standalone_core import RaypickError
from ...translations import reasons
from ..base import Result
from .base import NONE_SELECTED, LandmarkOperator, SelectedOperator


class RAYPICK_OT_add_landmark(LandmarkOperator):
    bl_idname = idnames.ADD_LANDMARK_OPERATOR
    bl_label = "Add Landmark"
    bl_description = "Add a landmark where the surface was hit, to the active set of its object"

    rank: IntProperty(
        name="Rank",
        description="Number of the hit, counted from the nearest, starting at 0; -1 for the one "
        "that is shown",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    )
    record: IntProperty(
        name="Number of the Pick",
        description="Number of the pick in the history, counted from the newest, starting at 0; "
        "-1 for the one that is shown",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Of which pick it is to be, is known only later."""
        has_hit = current.shown_hit() is not None or history.count() > 0
        return cls.is_possible(None if has_hit else "Nothing has been hit yet")

    def run(self, context: bpy.types.Context) -> str:
        hit = self._hit(context)
        obj, group, added = editing.add(context, hit)
        return added_message(obj, group.name, added.name)

    def _hit(self, context: bpy.types.Context) -> PickHit:
        """The hit where it is now; RaypickError where that is not known."""
        record = self._record(context)
        rank = record.rank if self.rank < 0 else self.rank
        if rank >= len(record.hits):
            raise RaypickError("There is no such hit")
        stale = record.stale_at(rank) if record.is_of(context.scene) else following.ELSEWHERE
        if stale:
            raise RaypickError(stale)
        return record.hits_now[rank]

    def _record(self, context: bpy.types.Context) -> PickRecord:
        following.update(context)
        if self.record < 0:
            record = current.shown()
            if record is None:
                raise RaypickError("Nothing has been hit yet")
            return record
        records, number = history.records(), int(self.record)
        if number >= len(records):
            raise RaypickError("This pick is not remembered any more")
        record = records[number]
        if record.is_of(context.scene):
            queries.follow(context, record)
        return record


class RAYPICK_OT_remove_landmarks(SelectedOperator):
    bl_idname = idnames.REMOVE_LANDMARKS_OPERATOR
    bl_label = "Remove Landmarks"
    bl_description = "Remove the selected landmarks"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Where there are landmarks at all: its key must not go on to delete objects."""
        has_any = bool(landmarks.holders(context))
        return cls.is_possible(None if has_any else "There is no landmark")

    def execute(self, context: bpy.types.Context) -> Result:
        """Remove them; a key that was pressed in vain raises no dialog."""
        if selected_landmarks.selected(context):
            return super().execute(context)
        self.report({"INFO"}, reasons.translated(NONE_SELECTED))
        return {"CANCELLED"}

    def run(self, context: bpy.types.Context) -> str:
        count = selected_landmarks.change(self.chosen(context), lambda _: None)
        return pgettext_rpt("Removed {} landmarks").format(count)


def added_message(obj: bpy.types.Object, group: str, name: str) -> str:
    """Says what was added, and where."""
    return pgettext_rpt("Added {} to {} of {}").format(name, group, obj.name)
