# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that use a hit: select it, put the cursor or an empty there, frame it, copy it."""

from __future__ import annotations

import json
import math
from typing import Any, Literal, cast

import bmesh
import bpy
from bpy.app.translations import pgettext_rpt, pgettext_tip
from bpy.props import StringProperty
from mathutils import Matrix, Vector
from mathutils.geometry import intersect_point_line

from .. import idnames
from ..bridge.hit_objects import object_of, owner_of
from ..model import record
from ..model.hit import PickHit
from ..model.record import PickRecord
from ..session import current, following, pointing
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons
from . import framing
from .base import UNSAVED, PointedOption, RaypickOperator, a_choice

_NO_FACE = "The face of the original mesh is unknown"
_Mode = Literal["VERT", "EDGE", "FACE"]
_MODES: dict[str, _Mode] = {"FACE": "FACE", "EDGE": "EDGE", "VERTEX": "VERT"}


class _HitOperator(PointedOption, RaypickOperator):
    """Base of operators on the hit that the panels show, where it is now, or on a pointed one.

    When they are adjusted afterwards, they act on the same hit again, unless another was kept.
    """

    bl_options = {"REGISTER", "UNDO"}

    _hit: PickHit | None = None
    _kept: tuple[PickRecord | None, int] | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if cls.is_pointed(context):
            hit = pointing.hit()
            why = None if hit is None else cls.why_not(context, hit)
            return cls.is_possible(why and reasons.translated(why))
        record = current.shown()
        if not cls.has_hits(record):
            return False
        record = present(record)
        if bpy.app.background:  # otherwise drawing updates it
            following.update(context)
        why = following.stale(record, context)
        if why in (None, following.UPDATING):  # the update ends before the operator runs
            why = cls.why_not(context, present(record.hit_now))
        return cls.is_possible(why and reasons.translated(why))

    @classmethod
    def why_not(cls, _context: bpy.types.Context, _hit: PickHit) -> str:
        """Why it cannot be done with this hit, in English; empty if it can."""
        return ""

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        """Do it; RaypickError where that fails."""
        raise NotImplementedError

    def run(self, context: bpy.types.Context) -> None:
        """Act on the hit, if its place is still known."""
        following.update(context)
        record = current.kept()
        kept = record, 0 if record is None else record.rank
        if self._hit is None or (self._kept != kept and not self.pointed):
            self._hit, self._kept = self._find(context), kept
        why = self.why_not(context, self._hit)
        if why:
            raise RaypickError(why)
        self.act(context, self._hit)

    def _find(self, context: bpy.types.Context) -> PickHit:
        """The hit to act on; RaypickError if there is none, or its place is not known now."""
        if self.pointed:
            return self.pointed_hit()
        record = current.shown()
        hit = None if record is None else record.hit_now
        if record is None or hit is None:
            raise RaypickError("Nothing has been hit yet")
        stale = following.stale(record, context)
        if stale:
            raise RaypickError(stale)
        return hit


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

    element: a_choice(
        "Element",
        "What is selected",
        ("FACE", "Face", "The face that was hit"),
        ("EDGE", "Edge", "Its nearest edge"),
        ("VERTEX", "Vertex", "Its nearest vertex"),
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context, hit: PickHit) -> str:
        if context.mode != "EDIT_MESH":
            return "Only in edit mode"
        if edited(context, hit) is None:
            return "The object is not in edit mode"
        return "" if hit.original_face is not None else hit.original_reason or _NO_FACE

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        _select(present(edited(context, hit)), hit, self.element)


class RAYPICK_OT_select_hit(_HitOperator):
    bl_idname = idnames.SELECT_HIT_OPERATOR
    bl_label = "Select Hit"
    edits_mesh = True
    level = "INFO"
    bl_description = "Select the face that was hit, in edit mode, or the object, in object mode"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Possible anywhere: else a double click would go to the next hit."""
        return cls.is_over_viewport(context)

    @classmethod
    def why_not(cls, context: bpy.types.Context, hit: PickHit) -> str:
        if context.mode == "EDIT_MESH":
            return RAYPICK_OT_select_element.why_not(context, hit)
        return RAYPICK_OT_select_object.why_not(context, hit)

    def act(self, context: bpy.types.Context, hit: PickHit) -> None:
        if context.mode == "EDIT_MESH":
            _select(present(edited(context, hit)), hit, "FACE")
        else:
            _select_alone(context, present(owner_of(hit, context.view_layer)))


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
    """The matrix of axes at a hit, with Z along the normal of the side that was hit."""
    turned = Vector(hit.side_normal).to_track_quat("Z", "Y").to_matrix().to_4x4()
    return Matrix.Translation(hit.point) @ turned


def edited(context: bpy.types.Context, hit: PickHit) -> bpy.types.Object | None:
    """The object in edit mode whose mesh was hit, or None."""
    found = object_of(hit)
    return found if found in context.objects_in_mode else None


def _select(obj: bpy.types.Object, hit: PickHit, element: str) -> None:
    """Select only the original face of a hit, or its nearest edge or vertex.

    The object is in edit mode; the element is ``"FACE"``, ``"EDGE"`` or ``"VERTEX"``. RaypickError
    if the face does not exist or is hidden.
    """
    mesh = cast(bpy.types.Mesh, obj.data)
    edited_mesh = bmesh.from_edit_mesh(mesh)
    edited_mesh.faces.ensure_lookup_table()
    index = present(hit.original_face)
    if not 0 <= index < len(edited_mesh.faces) or edited_mesh.faces[index].hide:
        raise RaypickError("The face is not there any more: pick again")
    face = edited_mesh.faces[index]
    bpy.ops.mesh.select_all(action="DESELECT")  # of all objects in edit mode
    mode = _MODES[element]
    edited_mesh.select_mode = {mode}
    settings: Any = bpy.context.tool_settings
    settings.mesh_select_mode = [name == mode for name in ("VERT", "EDGE", "FACE")]
    found: Any = face if element == "FACE" else _nearest(face, hit, element)
    found.select_set(True)
    edited_mesh.select_history.clear()
    edited_mesh.select_history.add(found)
    if element == "FACE":
        edited_mesh.faces.active = face
    edited_mesh.select_flush_mode()
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


def _nearest(face: bmesh.types.BMFace, hit: PickHit, element: str) -> Any:
    """The face's edge or vertex that is nearest to the place in world space."""
    places, point = _places(face, hit), Vector(hit.point)

    def to_vertex(i: int) -> float:
        return math.dist(places[i], hit.point)

    def to_edge(i: int) -> float:
        start, end = Vector(places[i]), Vector(places[(i + 1) % len(places)])
        foot, share = intersect_point_line(point, start, end)
        if not 0.0 < share < 1.0:
            foot = start if share <= 0.0 else end
        return float((foot - point).length)

    is_edge = element == "EDGE"
    loop: Any = face.loops[min(range(len(places)), key=to_edge if is_edge else to_vertex)]
    return loop.edge if is_edge else loop.vert


def _places(face: bmesh.types.BMFace, hit: PickHit) -> list[tuple[float, float, float]]:
    """Where the corners of the edited face are displayed, in world space.

    If modifiers leave the face whole, the corners are those of the hit face, in the same order;
    else they are those of the edited mesh, though modifiers may display them elsewhere.
    """
    if len(hit.face_corners) == len(face.loops) and hit.face == hit.original_face:
        return list(hit.face_corners)
    rows = hit.matrix_world
    return [
        tuple(sum(row[i] * loop.vert.co[i] for i in range(3)) + row[3] for row in rows[:3])
        for loop in face.loops
    ]


class RAYPICK_OT_copy(RaypickOperator):
    bl_idname = idnames.COPY_OPERATOR
    bl_label = "Copy Value"
    bl_description = "Copy this value to the clipboard, with all its digits"
    bl_options = {"INTERNAL"}

    text: StringProperty(name="Text", options=UNSAVED)
    value: StringProperty(name="Key of the Value", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Say in the tooltip what the value is, and show it in full: a line may be too short."""
        about = record.tooltip(properties.value)
        if not about:
            return ""
        lines = [f"{pgettext_tip(about)}:", properties.text, pgettext_tip(cls.bl_description)]
        return "\n".join(lines)

    def run(self, context: bpy.types.Context) -> str:
        context.window_manager.clipboard = self.text
        return pgettext_rpt("Copied: {}").format(self.text)


def copied_all(context: bpy.types.Context, hit: PickHit) -> str:
    """Copy all values of a hit as JSON; return what to report."""
    context.window_manager.clipboard = json.dumps(hit.as_dict(), indent=2, allow_nan=False)
    return pgettext_rpt("Copied all values as JSON")


class RAYPICK_OT_copy_report(PointedOption, RaypickOperator):
    bl_idname = idnames.COPY_REPORT_OPERATOR
    bl_label = "Copy All as JSON"
    bl_description = "Copy all values of all hits of the last pick to the clipboard, as JSON"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_pointed(context) or cls.has_hits(current.shown())

    def run(self, context: bpy.types.Context) -> str:
        if self.pointed:
            return copied_all(context, self.pointed_hit())
        record = present(current.shown())
        hits = [
            hit.as_dict() | ({"stale": stale} if (stale := record.stale_at(rank)) else {})
            for rank, hit in enumerate(record.hits_now)
        ]
        context.window_manager.clipboard = json.dumps(hits, indent=2, allow_nan=False)
        return pgettext_rpt("Copied {} hits as JSON").format(len(hits))
