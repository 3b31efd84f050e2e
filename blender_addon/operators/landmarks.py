# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on landmarks: add, remove, select, order, color, hide, lock and copy them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeAlias

import bpy
from bpy.app.translations import pgettext_rpt, pgettext_tip
from bpy.props import FloatVectorProperty

from .. import api, idnames
from ..bridge.landmarks import editing, storage
from ..model.hit import PickHit
from ..model.landmarks.document import Document, with_selected
from ..model.landmarks.landmark import Landmark, reordered
from ..model.landmarks.landmark_set import LandmarkRecord, LandmarkSet
from ..session import active_landmarks, current, following, history, landmarks, queries
from ..session.active_landmarks import Selected
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons
from .base import (
    UNSAVED,
    PointedOption,
    RaypickOperator,
    Result,
    a_choice,
    a_flag,
    a_number,
    a_text,
)
from .history import remembered

NO_SET = "There is no set of landmarks"
NO_LANDMARK = "There is no landmark"
NONE_SELECTED = "No landmark is selected"
ALL_LOCKED = "All selected landmarks are locked, or linked from a library"

_ITEMS = (
    ("hidden", "Hidden", "It is not drawn in viewports, and a click passes it"),
    ("locked", "Locked", "It can neither be moved nor removed, and a click passes it"),
)


Needs: TypeAlias = Mapping[str, Callable[[Document], object]]


def a_color(description: str) -> Any:
    """Declare the property of a color."""
    return FloatVectorProperty(
        name="Color",
        description=description,
        size=3,
        min=0.0,
        max=1.0,
        subtype="COLOR",
        default=(0.8, 0.4, 0.0),
    )


class LandmarkOperator(RaypickOperator):
    """Base of operators that change landmarks of the active object."""

    bl_options = {"REGISTER", "UNDO"}
    needs: Needs = {}
    """Conditions on a document, by the message for one that does not hold."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj, document = active_landmarks.holder(context), active_landmarks.document(context)
        why = active_landmarks.why_not_editable(context)
        if obj is not None and document is not None:
            why = why or cls.why_not(obj, document)
        return cls.is_possible(why and reasons.translated(why))

    @classmethod
    def why_not(cls, _obj: bpy.types.Object, document: Document) -> str | None:
        """Why it cannot be done with these landmarks, in English; None if it can."""
        return next((why for why, has in cls.needs.items() if not has(document)), None)


class SetOperator(LandmarkOperator):
    """Base of operators on the active set."""

    needs: Needs = {NO_SET: lambda document: document.set}

    @staticmethod
    def of(context: bpy.types.Context) -> tuple[bpy.types.Object, Document, LandmarkSet]:
        """The active object, its landmarks and the active set; RaypickError if there is none."""
        obj, document = active_landmarks.editable(context)
        if document.set is None:
            raise RaypickError(NO_SET)
        return obj, document, document.set


class SelectedOperator(LandmarkOperator):
    """Base of operators on the selected landmarks of any objects."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        chosen = active_landmarks.selected(context)
        return cls.is_possible(None if chosen else NONE_SELECTED)

    @staticmethod
    def chosen(context: bpy.types.Context) -> list[Selected]:
        """The selected landmarks that may be changed; RaypickError where there are none."""
        found = active_landmarks.changeable(context)
        if not found:
            raise RaypickError(ALL_LOCKED if active_landmarks.selected(context) else NONE_SELECTED)
        return found


class OfLandmark:
    """Mixin of operators on one landmark of the active object."""

    landmark: a_text(
        "Landmark",
        "Id of the landmark or set; by default it is the active landmark",
        options=UNSAVED,
    )

    def found(self, context: bpy.types.Context) -> tuple[bpy.types.Object, Document, Landmark]:
        """The landmark with its object and document; RaypickError where there is none."""
        obj, document = active_landmarks.editable(context)
        which = self.landmark or (document.landmark.id if document.landmark else "")
        pair = document.find(which)
        if pair is None:
            raise RaypickError(NO_LANDMARK)
        return obj, document, pair[1]


class RAYPICK_OT_add_landmark(PointedOption, LandmarkOperator):
    bl_idname = idnames.ADD_LANDMARK_OPERATOR
    bl_label = "Add Landmark"
    bl_description = "Add a landmark where the surface was hit, to the active set of its object"

    rank: a_number(
        "Rank",
        "Number of the hit, counted from the nearest, starting at 0; -1 for the one that is shown",
        default=-1,
        min=-1,
        options=UNSAVED,
    )
    record: a_number(
        "Number of the Pick",
        "Number of the pick in the history, counted from the newest, starting at 0; "
        "-1 for the one that is shown",
        default=-1,
        min=-1,
        options=UNSAVED,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Possible if anything was hit; which hit is meant is known only once the operator runs."""
        has_hit = current.shown_hit() is not None or history.count() > 0 or cls.is_pointed(context)
        return cls.is_possible(None if has_hit else "Nothing has been hit yet")

    def run(self, context: bpy.types.Context) -> str:
        return added_at(context, self._hit(context))

    def _hit(self, context: bpy.types.Context) -> PickHit:
        """The hit where it is now; RaypickError if that is unknown."""
        following.update(context)
        if self.pointed:
            return self.pointed_hit()
        if self.record < 0:
            record = current.shown() if self.rank < 0 else current.kept()
            if record is None:
                raise RaypickError("Nothing has been hit yet")
        else:
            record = remembered(self.record)
            if record.is_of(context.scene):
                queries.follow(context, record)
        rank = record.rank if self.rank < 0 else self.rank
        if rank >= len(record.hits):
            raise RaypickError("There is no such hit")
        stale = record.stale_at(rank) if record.is_of(context.scene) else following.ELSEWHERE
        if stale:
            raise RaypickError(stale)
        return record.hits_now[rank]


class RAYPICK_OT_remove_landmarks(SelectedOperator):
    bl_idname = idnames.REMOVE_LANDMARKS_OPERATOR
    bl_label = "Remove Landmarks"
    bl_description = "Remove the selected landmarks"

    or_active: a_flag("Or Active", "Where none is selected, remove the active one", options=UNSAVED)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Possible if there are landmarks, selected or not: else its key would delete objects."""
        return cls.is_possible(None if landmarks.holders(context) else NO_LANDMARK)

    def execute(self, context: bpy.types.Context) -> Result:
        """Remove them; if none is selected, say so without an error popup."""
        document = active_landmarks.document(context)
        if self.or_active and document and document.landmark:
            self._select_active(context, document.landmark)
        if active_landmarks.selected(context):
            return super().execute(context)
        self.report({"INFO"}, reasons.translated(NONE_SELECTED))
        return {"CANCELLED"}

    def run(self, context: bpy.types.Context) -> str:
        chosen = self.chosen(context)
        active_landmarks.change(chosen, lambda _: None)
        if len(chosen) == 1:
            return pgettext_rpt("Removed {}").format(chosen[0][2].name)
        return pgettext_rpt("Removed {} landmarks").format(len(chosen))

    @staticmethod
    def _select_active(context: bpy.types.Context, active: Landmark) -> None:
        if not active_landmarks.selected(context):
            obj, _ = active_landmarks.editable(context)
            active_landmarks.click(context, obj, active.id, "SET")


def added_at(context: bpy.types.Context, hit: PickHit) -> str:
    """Add a landmark at a hit, select it alone, and return the report."""
    obj, group, added = editing.add(context, hit)
    active_landmarks.click(context, obj, added.id, "SET")
    return added_message(obj, group, added)


def added_message(obj: bpy.types.Object, group: LandmarkSet, added: Landmark) -> str:
    """The report of what was added, and where."""
    return pgettext_rpt("Added {} to {} of {}").format(added.name, group.name, obj.name)


class RAYPICK_OT_click_landmark(OfLandmark, LandmarkOperator):
    bl_idname = idnames.CLICK_LANDMARK_OPERATOR
    bl_label = "Select Landmark"
    bl_description = (
        "Select this landmark alone.\n"
        "Shift: all from the active one to this one.\n"
        "Ctrl: this one too, or no longer"
    )

    bl_options = {"UNDO", "INTERNAL"}

    extend: a_choice(
        "Extend",
        "What happens to the landmarks that are selected already",
        ("SET", "Set", "This landmark alone is selected"),
        ("RANGE", "Range", "All from the active one to this one are selected"),
        ("TOGGLE", "Toggle", "This one is selected too, or no longer"),
        options=UNSAVED,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.shift:
            self.extend = "RANGE"
        elif event.ctrl or event.oskey:
            self.extend = "TOGGLE"
        return self.execute(context)

    def run(self, context: bpy.types.Context) -> None:
        obj, _, landmark = self.found(context)
        active_landmarks.click(context, obj, landmark.id, self.extend)


class RAYPICK_OT_select_landmarks(SetOperator):
    bl_idname = idnames.SELECT_LANDMARKS_OPERATOR
    bl_label = "Select Landmarks"
    bl_description = "Change the selection of the landmarks of the active set"

    action: a_choice(
        "Action",
        "Which are selected then",
        ("SELECT", "All", "All landmarks of the active set"),
        ("DESELECT", "None", "No landmark of any set or object"),
        ("INVERT", "Invert", "Those of the active set that were not selected"),
    )

    def run(self, context: bpy.types.Context) -> None:
        if self.action == "DESELECT":
            active_landmarks.select_none(context)
            return
        obj, document, group = self.of(context)
        every = self.action == "SELECT"
        own = {each.id for each in group.landmarks if every or not each.selected}
        here = {each.id for each in group.landmarks}
        chosen = own | {each.id for each in document.landmarks if each.selected} - here
        storage.write(obj, with_selected(document, lambda each: each.id in chosen))


def _has_selected(document: Document) -> bool:
    group = document.set
    return group is not None and any(each.selected for each in group.landmarks)


class RAYPICK_OT_order_landmarks(SetOperator):
    bl_idname = idnames.ORDER_LANDMARKS_OPERATOR
    bl_label = "Move Landmarks"
    bl_description = "Move the selected landmarks of the active set in the list"

    way: a_choice(
        "Direction",
        "Where to move them",
        ("UP", "Up", "Before the previous one"),
        ("DOWN", "Down", "Behind the next one"),
        ("TOP", "To Top", "Before all others"),
        ("BOTTOM", "To Bottom", "Behind all others"),
    )

    needs: Needs = {**SetOperator.needs, NONE_SELECTED: _has_selected}

    def run(self, context: bpy.types.Context) -> None:
        obj, document, group = self.of(context)
        moved = reordered(group.landmarks, lambda each: each.selected, self.way)
        active = moved.index(group.landmarks[group.active]) if group.active < len(moved) else 0
        storage.write(obj, document.with_set(replace(group, landmarks=moved, active=active)))


class RAYPICK_OT_color_landmarks(SelectedOperator):
    bl_idname = idnames.COLOR_LANDMARKS_OPERATOR
    bl_label = "Set Color"
    bl_description = "Give the selected landmarks a color of their own"

    color: a_color("Color of the landmarks, whatever that of their set is")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask for the color, starting with that of the first selected landmark."""
        chosen = active_landmarks.changeable(context)
        if not chosen:
            return self.execute(context)
        _, group, first = chosen[0]
        self.color = first.color or group.color
        return context.window_manager.invoke_props_popup(self, event)

    def run(self, context: bpy.types.Context) -> None:
        color = self.color[:]
        active_landmarks.change(self.chosen(context), lambda each: replace(each, color=color))


class RAYPICK_OT_reset_landmark_colors(SelectedOperator):
    bl_idname = idnames.RESET_LANDMARK_COLORS_OPERATOR
    bl_label = "Use Color of Set"
    bl_description = "Have the selected landmarks in the color of their set again"

    def run(self, context: bpy.types.Context) -> None:
        active_landmarks.change(self.chosen(context), lambda each: replace(each, color=None))


class RAYPICK_OT_mark_landmarks(LandmarkOperator):
    bl_idname = idnames.MARK_LANDMARKS_OPERATOR
    bl_label = "Hide or Lock Landmarks"
    bl_description = "Hide, show, lock or unlock landmarks"

    what: a_choice("What", "What they are then, or no longer", *_ITEMS)
    on: a_flag("On", "Whether they are", default=True)
    every: a_flag("All", "All landmarks of the active object, not the selected ones alone")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_possible(None if landmarks.holders(context) else NO_LANDMARK)

    def run(self, context: bpy.types.Context) -> None:
        if self.every:
            obj, document = active_landmarks.editable(context)
            storage.write(obj, document.changed(self._changed))
            return
        found = active_landmarks.selected(context)
        chosen = [each for each in found if storage.why_not_editable(each[0]) is None]
        if not chosen:
            raise RaypickError(NONE_SELECTED)
        active_landmarks.change(chosen, self._changed)

    def _changed(self, landmark: Landmark) -> Landmark:
        change: dict[str, Any] = {self.what: self.on}
        return replace(landmark, **change)


class RAYPICK_OT_turn_landmark(OfLandmark, LandmarkOperator):
    bl_idname = idnames.TURN_LANDMARK_OPERATOR
    bl_label = "Hide or Lock"
    bl_description = "Hide, show, lock or unlock a landmark or a set"
    bl_options = {"UNDO", "INTERNAL"}

    what: a_choice("What", "What it is then, or no longer", *_ITEMS)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        tips = {"hidden": "Hide in viewports, or show", "locked": "Lock against changes, or unlock"}
        return pgettext_tip(tips[properties.what])

    def run(self, context: bpy.types.Context) -> None:
        obj, document = active_landmarks.editable(context)
        which, what = self.landmark, str(self.what)
        group = next((each for each in document.sets if each.id == which), None)
        one = group or self.found(context)[2]
        change: dict[str, Any] = {what: not getattr(one, what)}
        if group is not None:
            sets = tuple(replace(s, **change) if s is group else s for s in document.sets)
            document = replace(document, sets=sets)
        else:
            document = document.changed(lambda s: replace(s, **change) if s.id == one.id else s)
        storage.write(obj, document)


class RAYPICK_OT_copy_landmark(LandmarkOperator):
    bl_idname = idnames.COPY_LANDMARK_OPERATOR
    bl_label = "Copy Landmark as JSON"
    bl_description = "Copy all values of the active landmark to the clipboard, as JSON"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        document = active_landmarks.document(context)
        return cls.is_possible(None if document and document.landmark else NO_LANDMARK)

    def run(self, context: bpy.types.Context) -> str:
        obj = present(active_landmarks.holder(context))
        document = present(active_landmarks.document(context))
        group, landmark = present(document.set), present(document.landmark)
        record = LandmarkRecord.of(obj.name, group, landmark)
        place = api.landmarks.where(context, obj, group.id)[group.active]
        values = asdict(record) | asdict(place)
        context.window_manager.clipboard = json.dumps(values, indent=2, allow_nan=False)
        return pgettext_rpt("Copied: {}").format(record.name)
