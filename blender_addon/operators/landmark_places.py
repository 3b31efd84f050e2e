# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmark tool, and operators that keep landmarks through edits or add empties at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import bpy
from bpy.app.translations import pgettext_rpt

from .. import formatting, idnames, settings
from ..api import landmarks as api
from ..bridge.landmarks import editing, storage, topology
from ..bridge.query_options import QueryOptions
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Landmark
from ..session import active_landmarks, hover, landmarks, queries, redraw, viewports
from ..settings import present
from ..standalone_core import RaypickError
from .base import (
    UNSAVED,
    PollOperator,
    Result,
    a_choice,
    a_flag,
    a_number,
    draw_hints,
    draw_properties,
)
from .landmark_files import SETS_ITEMS, ReadOperator, set_of
from .landmarks import NO_LANDMARK, LandmarkOperator, Needs, added_message

_HINTS: dict[tuple[Any, ...], str] = {
    ("MOUSE_LMB_DRAG",): "Move",
    ("EVENT_CTRL",): "Snap to Vertex",
    ("EVENT_ESC", "MOUSE_RMB"): "Cancel",
}
"""What keys do while a landmark is dragged, by their icons in the status bar."""

NO_TARGET = "Select the other object too"
NOTHING_LOST = "The topology has not changed for any landmark"

_BY: dict[str, Literal["topology", "closest"] | None] = {
    "AUTO": None,
    "TOPOLOGY": "topology",
    "CLOSEST": "closest",
}
_FRAMES = {"min": -1_048_574, "max": 1_048_574}  # Blender's own limits


class RAYPICK_OT_touch_landmark(PollOperator):
    """Add a landmark to the surface under the mouse, or select a visible one and drag it.

    A drag is a single step of undo.
    """

    bl_idname = idnames.TOUCH_LANDMARK_OPERATOR
    bl_label = "Add or Move Landmark"
    bl_description = (
        "Add a landmark to the surface under the mouse, or select the landmark there and drag it "
        "over the surface"
    )
    bl_options = {"UNDO"}

    extend: a_flag("Extend", "Keep the other landmarks selected", options=UNSAVED)
    snap: a_flag("Snap", "Snap to the nearest vertex", options=UNSAVED)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_over_viewport(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        self._spot = viewports.spot(context, (event.mouse_region_x, event.mouse_region_y))
        try:
            found = hover.landmark_under(context, self._spot)
            return (
                self._take(context, event, found.object, found.landmark)
                if found
                else self._add(context)
            )
        except RaypickError as error:
            return self.refused(error, "WARNING")

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Move the landmark, until the button is released."""
        try:
            return self._handle(context, event)
        except Exception:
            self._end(context)
            raise

    def _add(self, context: bpy.types.Context) -> Result:
        record = queries.pick(context, self._spot, self._options(self.snap))
        if not record.hits:
            self.report({"INFO"}, pgettext_rpt("Nothing hit"))
            return {"CANCELLED"}
        obj, group, added = editing.add(context, record.hits[0])
        active_landmarks.click(context, obj, added.id, "TOGGLE" if self.extend else "SET")
        _make_active(context, obj)
        return self.finished(context, added_message(obj, group, added))

    def _take(
        self,
        context: bpy.types.Context,
        event: bpy.types.Event,
        obj: bpy.types.Object,
        landmark: Landmark,
    ) -> Result:
        """Select a landmark, and follow the mouse."""
        extend: Any = "TOGGLE" if self.extend else "SET"
        # A click on a selected landmark selects it alone, but a drag keeps the selection.
        self._keeps = landmark.selected and not self.extend
        self._has_selected = not self._keeps and active_landmarks.click(
            context, obj, landmark.id, extend
        )
        _make_active(context, obj)
        self._object, self._landmark = obj.session_uid, landmark.id
        self._start = event.mouse_x, event.mouse_y
        self._before = landmark
        self._is_moving = False
        hover.leave(context)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(_draw_hints)
        return {"RUNNING_MODAL"}

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        area, region, *_ = self._spot
        is_open = area in [*present(context.screen).areas] and region in [*area.regions]
        holders = landmarks.holders(context)
        obj = next((each for each in holders if each.session_uid == self._object), None)
        if not is_open or obj is None:
            return self._finished(context)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._restore(obj)
            self._is_moving = False
            return self._finished(context)
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            if self._keeps and not self._is_moving:
                self._has_selected = active_landmarks.click(context, obj, self._landmark, "SET")
            return self._finished(context)
        if event.type in {"MOUSEMOVE", "LEFT_CTRL", "RIGHT_CTRL"}:
            self._follow(context, event, obj)
        return {"RUNNING_MODAL"}

    def _follow(
        self, context: bpy.types.Context, event: bpy.types.Event, obj: bpy.types.Object
    ) -> None:
        """Once this is a drag, move the landmark to the mouse if its object is there."""
        x, y = event.mouse_x, event.mouse_y
        threshold = context.preferences.inputs.drag_threshold_mouse * settings.ui_scale()
        far = max(abs(x - self._start[0]), abs(y - self._start[1])) >= threshold
        if not (self._is_moving or far):
            return
        self._is_moving = True
        region = self._spot.region
        spot = self._spot._replace(pixel=(x - region.x, y - region.y))
        try:
            hit = hover.on_surface(context, spot, self._options(event.ctrl or self.snap), obj)
            if hit is not None:
                editing.move(context, obj, self._landmark, hit)
        except RaypickError as error:
            self.refused(error, "WARNING")

    def _restore(self, obj: bpy.types.Object) -> None:
        """Put the landmark back, but keep the selection as it is now."""

        def back(each: Landmark) -> Landmark:
            if each.id != self._landmark:
                return each
            return replace(self._before, selected=each.selected, order=each.order)

        document = storage.read(obj)
        if self._is_moving and document.find(self._landmark) is not None:
            storage.write(obj, document.changed(back))

    def _finished(self, context: bpy.types.Context) -> Result:
        self._end(context)
        has_changed = self._is_moving or self._has_selected
        return self.finished(context) if has_changed else {"CANCELLED"}

    def _end(self, context: bpy.types.Context) -> None:
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        redraw.redraw(context)

    cancel = _end  # Blender calls it as the window is closed or another file is loaded

    def _options(self, snaps: bool) -> QueryOptions:
        """The user's options, for one hit, snapped to a vertex if it `snaps`."""
        options = replace(hover.user_options(), all_hits=False)
        return replace(options, snap="vertex") if snaps else options


def _make_active(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Make an object the active one if the mode allows that, so that the lists show it."""
    layer = context.view_layer
    if layer.objects.active != obj and context.mode == "OBJECT" and obj.name in layer.objects:
        layer.objects.active = obj


def _draw_hints(header: bpy.types.Header, _context: bpy.types.Context) -> None:
    draw_hints(header, _HINTS)


class _OfObject(LandmarkOperator):
    """Base of operators on all landmarks of the active object, or on its selected ones."""

    selected_only: a_flag("Selected Only", "Only the selected landmarks, not all of the object")

    needs: Needs = {NO_LANDMARK: lambda document: document.landmarks}

    def ids(self, document: Document) -> set[str] | None:
        """The ids of the selected landmarks if only these are meant; else None, for all."""
        if not self.selected_only:
            return None
        return {each.id for each in document.landmarks if each.selected}


class RAYPICK_OT_carry_over_landmarks(_OfObject):
    bl_idname = idnames.CARRY_OVER_OPERATOR
    bl_label = "Reproject to Surface"
    bl_description = (
        "Put landmarks whose topology has changed onto the nearest places of the mesh as it is "
        "now, from the last known shape, and report how far they moved"
    )

    def run(self, context: bpy.types.Context) -> str:
        obj, document = active_landmarks.editable(context)
        moved = topology.carry_over(context, obj, self.ids(document))
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

    by: a_choice(
        "By",
        "How places are found on the other objects",
        ("AUTO", "Automatic", "By topology where that is the same, else by the closest point"),
        ("TOPOLOGY", "Topology", "The same faces and weights; refused for another topology"),
        ("CLOSEST", "Closest Point", "The nearest place in world space, of any mesh"),
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Possible even if the active object is linked: it is only read."""
        document = active_landmarks.document(context)
        if document is None or not document.landmarks:
            return cls.is_possible(NO_LANDMARK)
        return cls.is_possible(None if _targets(context) else NO_TARGET)

    def run(self, context: bpy.types.Context) -> str:
        source = present(active_landmarks.holder(context))
        document = present(active_landmarks.document(context))
        distances: list[float | None] = []
        for target in _targets(context):
            found = topology.transfer(context, source, target, self.ids(document), _BY[self.by])
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
    def why_not(cls, obj: bpy.types.Object, document: Document) -> str | None:
        return super().why_not(obj, document) or topology.why_not_bindable(obj)

    def run(self, context: bpy.types.Context) -> str:
        obj, document = active_landmarks.editable(context)
        count = topology.bind(context, obj, self.ids(document))
        return pgettext_rpt("Bound {} landmarks").format(count)


class RAYPICK_OT_unbind_landmarks(_OfObject):
    bl_idname = idnames.UNBIND_LANDMARKS_OPERATOR
    bl_label = "Unbind"
    edits_mesh = True
    bl_description = "Take the marks of landmarks off the faces of the mesh"

    def run(self, context: bpy.types.Context) -> str:
        obj, document = active_landmarks.editable(context)
        count = topology.unbind(obj, self.ids(document))
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


class RAYPICK_OT_add_landmark_empties(ReadOperator):
    bl_idname = idnames.ADD_LANDMARK_EMPTIES_OPERATOR
    bl_label = "Add Empties"
    bl_description = "Add an empty for each landmark of the active object, which follows it"
    bl_options = {"REGISTER", "UNDO"}

    sets: a_choice("Sets", "The sets that get empties", *SETS_ITEMS)
    follow: a_choice(
        "Follow",
        "What keeps the empties at the landmarks",
        (
            "EXTENSION",
            "Extension",
            "Raypick, while it is enabled. A render of an animation needs Lock Interface",
        ),
        ("KEYFRAMES", "Keyframes", "Keyframes at each frame of a range, which need no extension"),
        (
            "NODES",
            "Geometry Nodes",
            "Vertices that nodes keep at the landmarks, as parents, which need no extension. "
            "Of faces that modifiers make, those that bend must be triangles",
        ),
    )
    normals: a_flag("Along Normals", "Turn the Z axes of the empties along the normals")
    start: a_number("Start", "The first frame that is baked", default=1, **_FRAMES)
    end: a_number("End", "The last frame that is baked", default=250, **_FRAMES)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            return cls.is_possible("Only in object mode")
        return super().poll(context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask how the empties follow; the frames start as the scene's range."""
        self.start, self.end = context.scene.frame_start, context.scene.frame_end
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        draw_properties(self, "sets", "follow")
        if self.follow != "NODES":
            draw_properties(self, "normals")
        if self.follow == "KEYFRAMES":
            column = self.layout.column(align=True)
            column.prop(self, "start")
            column.prop(self, "end")

    def run(self, context: bpy.types.Context) -> str:
        obj = present(context.object)
        is_set = self.properties.is_property_set
        frames = range(self.start, self.end + 1) if is_set("start") or is_set("end") else None
        made = api.add_empties(
            context,
            obj,
            set_of(obj, self.sets),
            self.follow.lower(),
            frames,
            normals=self.normals and self.follow != "NODES",
        )
        return pgettext_rpt("{} empties follow their landmarks").format(len(made))
