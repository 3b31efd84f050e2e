# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators on landmarks have in common: what they change, and why they cannot."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Landmark
from ...model.landmarks.landmark_set import LandmarkSet
from ...session import active_landmarks, selected_landmarks
from ...session.selected_landmarks import Selected
from ...standalone_core import RaypickError
from ...translations import reasons
from ..base import RaypickOperator

NO_SET = "There is no set of landmarks"
NO_LANDMARK = "There is no landmark"
NONE_SELECTED = "No landmark is selected"
ALL_LOCKED = "All selected landmarks are locked, or linked from a library"


class LandmarkOperator(RaypickOperator):
    """Base of operators that change landmarks of the active object."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        why = active_landmarks.why_not_editable(context) or cls.why_not(context)
        return cls.is_possible(why and reasons.translated(why))

    @classmethod
    def why_not(cls, _context: bpy.types.Context) -> str | None:
        """Why it cannot be done with these landmarks, in English; None where it can."""
        return None


class SetOperator(LandmarkOperator):
    """Base of operators on the active set."""

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        document = active_landmarks.document(context)
        return None if document and document.set else NO_SET

    @staticmethod
    def of(context: bpy.types.Context) -> tuple[bpy.types.Object, Document, LandmarkSet]:
        """The active object, its landmarks and the active set; RaypickError without."""
        obj, document = active_landmarks.editable(context)
        if document.set is None:
            raise RaypickError(NO_SET)
        return obj, document, document.set


class SelectedOperator(LandmarkOperator):
    """Base of operators on the selected landmarks, of whatever objects."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        chosen = selected_landmarks.selected(context)
        return cls.is_possible(None if chosen else NONE_SELECTED)

    @staticmethod
    def chosen(context: bpy.types.Context) -> list[Selected]:
        """The selected landmarks that may be changed; RaypickError where there are none."""
        found = selected_landmarks.changeable(context)
        if not found:
            raise RaypickError(
                ALL_LOCKED if selected_landmarks.selected(context) else NONE_SELECTED
            )
        return found


class OfLandmark:
    """Mixin of operators on one landmark of the active object."""

    landmark: StringProperty(
        name="Landmark",
        description="Id of the landmark or set; by default it is the active landmark",
        options={"SKIP_SAVE"},
    )

    def found(
        self, context: bpy.types.Context
    ) -> tuple[bpy.types.Object, Document, LandmarkSet, Landmark]:
        """The landmark, and where it is kept; RaypickError where there is none."""
        obj, document = active_landmarks.editable(context)
        which = self.landmark or (document.landmark.id if document.landmark else "")
        pair = document.find(which)
        if pair is None:
            raise RaypickError(NO_LANDMARK)
        return obj, document, *pair
