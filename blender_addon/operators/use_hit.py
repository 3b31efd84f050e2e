# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done with a hit: go to it, select it, put something there."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from .. import idnames
from ..bridge.hit_objects import owner_of
from ..model.hit import PickHit
from ..model.record import PickRecord
from ..present import present
from ..session import current, following
from ..standalone_core import RaypickError
from ..translations import reasons
from . import elements, framing
from .base import RaypickOperator

_NO_FACE = "The face of the original mesh is unknown"


class _HitOperator(RaypickOperator):
    """Base of operators that act on the hit that the panels show, where it is now.

    Adjusted afterwards, they act on the same hit again, unless another was kept since.
    """

    bl_options = {"REGISTER", "UNDO"}

    _hit: PickHit | None = None
    _kept: tuple[PickRecord | None, int] | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        record = current.shown()
        if not cls.has_hits(record):
            return False
        record = present(record)
        if bpy.app.background:  # nothing is drawn that would look
            following.update(context)
        why = following.stale(record, context)
        if why in (None, following.UPDATING):  # the latter is over when it is executed
            why = cls.why_not(context, present(record.hit_now))
        return cls.is_possible(why and reasons.translated(why))

    @classmethod
    def why_not(cls, _context: bpy.types.Context, _hit: PickHit) -> str:
        """Why it cannot be done with this hit, in English; empty where it can."""
        return ""

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        """Do it; RaypickError where that fails."""
        raise NotImplementedError

    def run(self, context: bpy.types.Context) -> None:
        """Act on the hit, if it is still known where it is."""
        following.update(context)
        record = current.kept()
        kept = record, 0 if record is None else record.rank
        if self._hit is None or self._kept != kept:
            stale = following.stale(present(current.shown()), context)
            if stale:
                raise RaypickError(reasons.translated(stale))
            self._hit, self._kept = present(current.shown_hit()), kept
        self.act(context, self._hit)


class RAYPICK_OT_select_object(_HitOperator):
    bl_idname = idnames.SELECT_OBJECT_OPERATOR
    bl_label = "Select Object"
    bl_description = (
        "Select the object that was hit and make it active; for an instance, the object "
        "that creates it"
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context, hit: PickHit) -> str:
        if context.mode != "OBJECT":
            return "Only in object mode"
        if owner_of(hit, context.view_layer) is None:
            return "The object is not in the view layer"
        return ""

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        _select_alone(context, present(owner_of(hit, context.view_layer)))


class RAYPICK_OT_select_element(_HitOperator):
    bl_idname = idnames.SELECT_ELEMENT_OPERATOR
    bl_label = "Select Element"
    edits_mesh = True
    bl_description = "Select the face that was hit, or its edge or vertex nearest to the hit point"

    element: EnumProperty(
        name="Element",
        description="What is selected",
        items=(
            ("FACE", "Face", "The face that was hit"),
            ("EDGE", "Edge", "Its nearest edge"),
            ("VERTEX", "Vertex", "Its nearest vertex"),
        ),
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context, hit: PickHit) -> str:
        if context.mode != "EDIT_MESH":
            return "Only in edit mode"
        if elements.edited(context, hit) is None:
            return "The object is not in edit mode"
        return "" if hit.original_face is not None else hit.original_reason or _NO_FACE

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        if not elements.select(present(elements.edited(context, hit)), hit, self.element):
            raise RaypickError("The face is not there any more: pick again")


class RAYPICK_OT_cursor_to_hit(_HitOperator):
    bl_idname = idnames.CURSOR_OPERATOR
    bl_label = "Cursor to Hit"
    bl_description = "Snap the 3D cursor to the hit point, with its Z axis along the normal"
    bl_options = {"REGISTER"}  # Blender's undo leaves the cursor alone

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        context.scene.cursor.matrix = _frame_at(hit)


class RAYPICK_OT_add_empty(_HitOperator):
    bl_idname = idnames.ADD_EMPTY_OPERATOR
    bl_label = "Add Empty"
    bl_description = "Add an empty at the hit point, with its Z axis along the normal"

    @classmethod
    def why_not(cls, context: bpy.types.Context, _hit: PickHit) -> str:
        if context.mode != "OBJECT":
            return "Only in object mode"
        if not context.collection.is_editable:
            return "The active collection is linked from a library"
        return ""

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        empty = bpy.data.objects.new(f"{hit.object} {hit.face}", None)
        empty.empty_display_type = "ARROWS"
        empty.empty_display_size = framing.size_of(hit) / 2
        context.collection.objects.link(empty)
        empty.matrix_world = _frame_at(hit)
        _select_alone(context, empty)


class RAYPICK_OT_frame_hit(_HitOperator):
    bl_idname = idnames.FRAME_OPERATOR
    bl_label = "Frame in View"
    bl_description = "Turn the view so that the place that was hit is seen"
    bl_options = {"REGISTER"}

    @classmethod
    def why_not(cls, context: bpy.types.Context, _hit: PickHit) -> str:
        return "" if context.region_data is not None else "Only in a 3D viewport"

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        framing.frame(context, present(context.region_data), hit)


def _select_alone(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    for other in context.selected_objects:
        other.select_set(False)
    obj.select_set(True)
    context.view_layer.objects.active = obj


def _frame_at(hit: PickHit) -> Matrix:
    """A place in world space, its Z axis along the normal of the side that was hit."""
    turned = Vector(hit.side_normal).to_track_quat("Z", "Y").to_matrix().to_4x4()
    return Matrix.Translation(hit.point) @ turned
