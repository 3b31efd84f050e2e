# SPDX-License-Identifier: GPL-3.0-or-later
"""Have landmarks survive edits: carry them over, transfer them, bind them to their faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import BoolProperty, EnumProperty

from ... import formatting, idnames
from ...bridge.landmarks import binding, carrying_over
from ...session import active_landmarks
from ...standalone_core import RaypickError
from .base import NO_LANDMARK, LandmarkOperator

NO_TARGET = "Select the other object too"
NOTHING_LOST = "The topology has not changed for any landmark"

_BY: dict[str, Literal["topology", "closest"] | None] = {
    "AUTO": None,
    "TOPOLOGY": "topology",
    "CLOSEST": "closest",
}


class _OfObject(LandmarkOperator):
    """Base of operators on all landmarks of the active object, or the selected ones of it."""

    selected_only: BoolProperty(
        name="Selected Only",
        description="Only the selected landmarks, not all of the object",
        default=False,
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        document = active_landmarks.document(context)
        return None if document and document.landmarks else NO_LANDMARK

    def ids(self, context: bpy.types.Context) -> set[str] | None:
        """The ids of those that count; None for all."""
        if not self.selected_only:
            return None
        _, document = active_landmarks.editable(context)
        return {each.id for each in document.landmarks if each.selected}


class RAYPICK_OT_carry_over_landmarks(_OfObject):
    bl_idname = idnames.CARRY_OVER_OPERATOR
    bl_label = "Carry Over"
    bl_description = (
        "Put landmarks whose topology has changed onto the nearest places of the mesh as it is "
        "now, from the last known shape, and report how far they moved"
    )

    def run(self, context: bpy.types.Context) -> str:
        obj, _ = active_landmarks.editable(context)
        moved = carrying_over.carry_over(context, obj, self.ids(context))
        if not moved:
            raise RaypickError(NOTHING_LOST)
        return _moved(context, [distance for _, distance in moved])


class RAYPICK_OT_transfer_landmarks(_OfObject):
    bl_idname = idnames.TRANSFER_LANDMARKS_OPERATOR
    bl_label = "Transfer to Selected"
    bl_description = (
        "Copy the landmarks of the active object to the other selected objects: exactly where the "
        "topology is the same, else to the nearest places in world space"
    )

    by: EnumProperty(
        name="By",
        description="How places are found on the other objects",
        items=(
            ("AUTO", "Automatic", "By topology where that is the same, else by the closest point"),
            ("TOPOLOGY", "Topology", "The same faces and weights; refused for another topology"),
            ("CLOSEST", "Closest Point", "The nearest place in world space, of any mesh"),
        ),
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Also where the active object is linked: it is only read."""
        document = active_landmarks.document(context)
        if document is None or not document.landmarks:
            return cls.is_possible(NO_LANDMARK)
        return cls.is_possible(None if _targets(context) else NO_TARGET)

    def run(self, context: bpy.types.Context) -> str:
        source = active_landmarks.holder(context)
        document = active_landmarks.document(context)
        if source is None or document is None:
            raise RaypickError(NO_LANDMARK)
        ids = None
        if self.selected_only:
            ids = {each.id for each in document.landmarks if each.selected}
        distances: list[float | None] = []
        for target in _targets(context):
            found = carrying_over.transfer(context, source, target, ids, _BY[self.by])
            distances += [distance for _, distance in found]
        away = [distance for distance in distances if distance is not None]
        exact = pgettext_rpt("{} landmarks by topology").format(len(distances) - len(away))
        return exact if not away else f"{exact}, {_moved(context, away)}"


class RAYPICK_OT_bind_landmarks(_OfObject):
    bl_idname = idnames.BIND_LANDMARKS_OPERATOR
    bl_label = "Bind to Faces"
    edits_mesh = True
    bl_description = (
        "Mark the faces of landmarks by an attribute of the mesh, so that edits elsewhere leave "
        "the landmarks where they are"
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        obj = active_landmarks.holder(context)
        return super().why_not(context) or (binding.why_not_bindable(obj) if obj else None)

    def run(self, context: bpy.types.Context) -> str:
        obj, _ = active_landmarks.editable(context)
        count = binding.bind(context, obj, self.ids(context))
        return pgettext_rpt("Bound {} landmarks").format(count)


class RAYPICK_OT_unbind_landmarks(_OfObject):
    bl_idname = idnames.UNBIND_LANDMARKS_OPERATOR
    bl_label = "Unbind"
    edits_mesh = True
    bl_description = "Take the marks of landmarks off the faces of the mesh"

    def run(self, context: bpy.types.Context) -> str:
        obj, _ = active_landmarks.editable(context)
        count = binding.unbind(obj, self.ids(context))
        return pgettext_rpt("Unbound {} landmarks").format(count)


def _targets(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects with faces, without the active one."""
    source = active_landmarks.holder(context)
    types = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
    return [obj for obj in context.selected_objects if obj != source and obj.type in types]


def _moved(context: bpy.types.Context, distances: Sequence[float]) -> str:
    """How many landmarks were put onto a surface, and how far they moved at most."""
    form = pgettext_rpt("{} landmarks by the closest point, moved by at most {}")
    return form.format(len(distances), formatting.shown_length(max(distances), context.scene))
