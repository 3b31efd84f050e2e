# SPDX-License-Identifier: GPL-3.0-or-later
"""Pick what is under the mouse, cast a ray given by numbers, or show a place that is named.

Objects can be excluded from picks, and included again.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt, pgettext_tip
from bpy.props import FloatVectorProperty, IntVectorProperty

from .. import formatting, idnames
from ..bridge.hit_objects import object_of
from ..bridge.placing import REMOVED, Place
from ..bridge.validation import original_object, persistent_id
from ..model.hit import PickHit
from ..model.record import PickRecord
from ..options import CastOptions, MeshOption, PickOptions, flags_of, take_preferences
from ..session import current, pointing, queries, viewports
from ..standalone_core import RaypickError
from ..standalone_core.extension import ArgumentError
from . import framing
from .base import (
    UNSAVED,
    PointedOption,
    QueryOperator,
    RaypickOperator,
    Result,
    a_choice,
    a_flag,
    a_number,
    a_text,
    draw_properties,
)


class RAYPICK_OT_pick(PickOptions, QueryOperator):
    """Pick at the mouse, or at a given pixel.

    Options that neither a key nor a script sets come from the user's preferences.
    """

    bl_idname = idnames.PICK_OPERATOR
    bl_label = "Pick under Mouse"
    bl_description = (
        "Show exactly which face, triangle and point is under the mouse. Pick the same "
        "place again for what is behind it"
    )
    bl_options = {"REGISTER", "DEPENDS_ON_CURSOR"}
    bl_cursor_pending = "EYEDROPPER"

    position: IntVectorProperty(
        name="Position",
        description="Pixel of the region, from its bottom left corner; its center is picked",
        size=2,
        options=UNSAVED,
    )
    _click: current.Click | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_over_viewport(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        self.position = event.mouse_region_x, event.mouse_region_y
        take_preferences(self, PickOptions)
        self._click = current.Click.at(viewports.spot(context, self.position[:]))
        return self.execute(context)

    def query(self, context: bpy.types.Context) -> PickRecord:
        if not self.properties.is_property_set("position"):
            raise RaypickError("A position is needed: pixels of the region")
        spot = viewports.spot(context, self.position[:])
        return queries.pick(context, spot, self.query_options())

    def keep(self, context: bpy.types.Context, record: PickRecord) -> PickRecord:
        """Keep the record or, after another click at the place, go to the kept one's next hit."""
        if self._click is None:
            return super().keep(context, record)
        click, self._click = self._click, None
        return current.keep_or_walk(record, click)


class RAYPICK_OT_cast(CastOptions, QueryOperator):
    """Cast at the scene from a point in a direction.

    Properties of operators have single precision; :func:`.api.ray_cast` takes double precision.
    """

    bl_idname = idnames.CAST_OPERATOR
    bl_label = "Cast Ray"
    bl_description = "Cast a ray from a point in a direction and show what it hits"
    bl_options = {"REGISTER"}

    origin: FloatVectorProperty(
        name="Ray Origin",
        description="Where the ray starts, in world space",
        subtype="TRANSLATION",
        precision=6,
    )
    direction: FloatVectorProperty(
        name="Direction",
        description="Where the ray goes, in world space; any length above 0",
        default=(0.0, 0.0, -1.0),
        subtype="XYZ",
        precision=6,
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_decorate = False
        draw_properties(self, "origin", "direction", "max_distance", "cull", "mesh")
        column = self.layout.column(heading="Hits")
        for name in flags_of(self):
            column.prop(self, name)

    def query(self, context: bpy.types.Context) -> PickRecord:
        return queries.cast(context, self.origin[:], self.direction[:], self.query_options())


def _forget_instance(place: bpy.types.OperatorProperties, _context: bpy.types.Context) -> None:
    """Clear the instance, which was one of the previous object."""
    place.library = place.instancer = place.instance = ""


class RAYPICK_OT_place(MeshOption, QueryOperator):
    bl_idname = idnames.PLACE_OPERATOR
    bl_label = "Show Place"
    bl_description = (
        "Show the place given by an object, a face or triangle, and barycentric "
        "weights: the inverse of picking"
    )
    bl_options = {"REGISTER"}

    object: a_text("Object", "Object that the mesh belongs to", update=_forget_instance)
    count: a_choice(
        "Index Of",
        "Element that the index refers to",
        ("TRIANGLE", "Triangle", "Index of a triangle"),
        ("FACE", "Face", "Index of a face"),
    )
    triangle: a_number("Triangle", "Index, starting at 0", min=0)
    face: a_number("Face", "Index, starting at 0", min=0)
    triangle_of_face: a_number(
        "Triangle of Face",
        "Triangle within the face that the weights refer to, starting at 0",
        min=0,
    )
    library: a_text(
        "Library",
        "Library file that the object is linked from",
        subtype="FILE_PATH",  # it can hold paths that are not UTF-8
    )
    instancer: a_text("Instancer", "Object that creates the instance")
    instance: a_text("Instance", "Persistent ID of the instance: numbers separated by commas")
    barycentric: FloatVectorProperty(
        name="Barycentric Weights",
        description="Weights of the triangle's vertices A, B, C; the three must add up to 1",
        default=(1 / 3, 1 / 3, 1 / 3),
        min=0.0,
        max=1.0,
        precision=6,
    )
    frame: a_flag("Frame in View", "Turn the view to show the place", default=True)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the place, starting with that of the shown hit."""
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
        names = ("face", "triangle_of_face") if self.count == "FACE" else ("triangle",)
        draw_properties(self, *names)
        weights = layout.column(align=True)
        weights.label(text="Barycentric Weights")
        for index, letter in enumerate("ABC"):
            weights.prop(self, "barycentric", index=index, text=letter, translate=False)
        layout.prop(self, "frame")

    def query(self, context: bpy.types.Context) -> PickRecord:
        """Find the place, as :func:`.api.place` does."""
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
        return queries.place(context, place, self.query_options().evaluated)

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


class RAYPICK_OT_leave_out(PointedOption, RaypickOperator):
    bl_idname = idnames.LEAVE_OUT_OPERATOR
    bl_label = "Exclude"
    bl_description = (
        "Exclude the selected objects from picking or, with none selected, the object that was hit"
    )
    bl_options = {"INTERNAL"}

    hit: a_flag("Hit", "Exclude the object that was hit, even if others are selected")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        return pgettext_tip("Exclude the object that was hit") if properties.hit else ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obstacle = "Nothing is selected, and nothing has been hit yet"
        hit = pointing.hit() if cls.is_pointed(context) else None
        found = _objects(context, hit)
        return cls.is_possible(None if found else obstacle)

    def run(self, context: bpy.types.Context) -> str:
        hit = self.pointed_hit() if self.pointed else current.shown_hit() if self.hit else None
        if self.hit and hit is None:
            raise RaypickError("Nothing has been hit yet")
        found = _objects(context, hit)
        if not found:
            raise RaypickError(REMOVED)
        for obj in found:
            current.exclude(obj)
        return pgettext_rpt("Excluded: {}").format(formatting.few([obj.name for obj in found]))


class RAYPICK_OT_take_in(RaypickOperator):
    bl_idname = idnames.TAKE_IN_OPERATOR
    bl_label = "Include"
    bl_description = "Stop excluding this object from picking"
    bl_options = {"INTERNAL"}

    uid: a_number("Session UID", "The object's ID in this session")

    def run(self, _context: bpy.types.Context) -> None:
        current.include(self.uid)


def _objects(context: bpy.types.Context, pointed: PickHit | None) -> list[bpy.types.Object]:
    """The object of a pointed hit, or else those selected, or that of the hit the panels show."""
    if pointed is None and context.selected_objects:
        return context.selected_objects
    hit = pointed or current.shown_hit()
    found = object_of(hit) if hit is not None else None
    return [found] if found is not None else []
