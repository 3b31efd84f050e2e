# SPDX-License-Identifier: GPL-3.0-or-later
"""Show a place that is named by object, face or triangle, and barycentric weights."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, IntProperty, StringProperty

from .. import idnames
from ..bridge.placing import Place
from ..bridge.validation import original_object, persistent_id
from ..model.record import PickRecord
from ..options import MeshOption
from ..session import current, queries
from ..standalone_core.extension import ArgumentError
from . import framing
from .base import QueryOperator, Result


def _forget_instance(place: bpy.types.OperatorProperties, _context: bpy.types.Context) -> None:
    """Of another object, the same instance is not meant."""
    place.library = place.instancer = place.instance = ""


class RAYPICK_OT_place(MeshOption, QueryOperator):
    bl_idname = idnames.PLACE_OPERATOR
    bl_label = "Show Place"
    bl_description = (
        "Show the place given by an object, a face or triangle, and barycentric "
        "weights: the inverse of picking"
    )
    bl_options = {"REGISTER"}

    object: StringProperty(
        name="Object", description="Object that the mesh belongs to", update=_forget_instance
    )
    count: EnumProperty(
        name="Index Of",
        description="Element that the index refers to",
        items=(
            ("TRIANGLE", "Triangle", "Index of a triangle"),
            ("FACE", "Face", "Index of a face"),
        ),
    )
    triangle: IntProperty(name="Triangle", description="Index, starting at 0", min=0)
    face: IntProperty(name="Face", description="Index, starting at 0", min=0)
    triangle_of_face: IntProperty(
        name="Triangle of Face",
        description="Triangle within the face that the weights refer to, starting at 0",
        min=0,
    )
    library: StringProperty(
        name="Library",
        description="Library file that the object is linked from",
        subtype="FILE_PATH",  # which may hold bytes that are no text
    )
    instancer: StringProperty(name="Instancer", description="Object that creates the instance")
    instance: StringProperty(
        name="Instance", description="Persistent ID of the instance: numbers separated by commas"
    )
    barycentric: FloatVectorProperty(
        name="Barycentric Weights",
        description="Weights of the triangle's vertices A, B, C; the three must add up to 1",
        default=(1 / 3, 1 / 3, 1 / 3),
        min=0.0,
        max=1.0,
        precision=6,
    )
    frame: BoolProperty(
        name="Frame in View", description="Turn the view to show the place", default=True
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the place, with that of the last pick to begin with."""
        hit = current.shown_hit()
        if hit is not None:
            self.object, self.library = hit.object, hit.library or ""
            self.instancer = hit.instancer or ""
            self.instance = ", ".join(map(str, hit.instance or ()))
            self.mesh = "EVALUATED" if hit.evaluated else "ORIGINAL"
            self.triangle, self.face = hit.triangle, hit.face
            self.triangle_of_face = hit.triangle_of_face
            self.barycentric = hit.barycentric
        elif context.object is not None:
            self.object = context.object.name
        return context.window_manager.invoke_props_dialog(self, confirm_text=self.bl_label)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop_search(self, "object", bpy.data, "objects")
        if self.instancer:
            layout.prop(self, "instancer")
            layout.prop(self, "instance")
        layout.prop(self, "mesh")
        layout.prop(self, "count", expand=True)
        is_face = self.count == "FACE"
        for name in ("face", "triangle_of_face") if is_face else ("triangle",):
            layout.prop(self, name)
        weights = layout.column(align=True)
        weights.label(text="Barycentric Weights")
        for index, letter in enumerate("ABC"):
            weights.prop(self, "barycentric", index=index, text=letter, translate=False)
        layout.prop(self, "frame")

    def query(self, context: bpy.types.Context) -> PickRecord:
        """Find the place, named as :func:`.api.place` takes it."""
        is_face = self.count == "FACE"
        place = Place(
            object=original_object(self.object, self.library or None),
            face=self.face if is_face else None,
            triangle=None if is_face else self.triangle,
            triangle_of_face=self.triangle_of_face if is_face else None,
            barycentric=self.barycentric[:],
            instance=self._persistent_id(),
            instancer=self.instancer or None,
        )
        return queries.place(context, place, self.mesh == "EVALUATED")

    def keep(self, context: bpy.types.Context, record: PickRecord) -> PickRecord:
        super().keep(context, record)
        if self.frame and context.region_data is not None:
            framing.frame(context, context.region_data, record.hits[0])
        return record

    def _persistent_id(self) -> tuple[int, ...] | None:
        if not self.instance:
            return None
        try:
            numbers = [int(number) for number in self.instance.split(",")]
        except ValueError:
            raise ArgumentError(f"no persistent id of an instance: {self.instance!r}") from None
        return persistent_id(numbers)
