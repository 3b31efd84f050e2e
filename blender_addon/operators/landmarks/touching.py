# SPDX-License-Identifier: GPL-3.0-or-later
"""What a press with the landmark tool does: add a landmark, or take hold of one and move it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt
from bpy.props import BoolProperty

from ... import idnames, settings
from ...bridge.landmarks import editing, storage
from ...bridge.viewport_query import QueryOptions
from ...model.landmarks.landmark import Landmark
from ...present import present
from ...session import hover, landmark_under_mouse, landmarks, queries, redraw, selected_landmarks
from ...standalone_core import RaypickError
from ...translations import reasons
from ..base import PollOperator, Result
from .adding import added_message

_HINTS: dict[tuple[Any, ...], str] = {
    ("MOUSE_LMB_DRAG",): "Move",
    ("EVENT_CTRL",): "Snap to Vertex",
    ("EVENT_ESC", "MOUSE_RMB"): "Cancel",
}
"""Icons of the status bar, and what these keys do while a landmark is dragged."""


class RAYPICK_OT_touch_landmark(PollOperator):
    """Add a landmark to the surface under the mouse, or select a drawn one and drag it.

    All of a drag is one step to undo.
    """

    bl_idname = idnames.TOUCH_LANDMARK_OPERATOR
    bl_label = "Add or Move Landmark"
    bl_description = (
        "Add a landmark to the surface under the mouse, or select the landmark there and drag it "
        "over the surface"
    )
    bl_options = {"UNDO"}

    extend: BoolProperty(
        name="Extend", description="Keep the other landmarks selected", options={"SKIP_SAVE"}
    )
    snap: BoolProperty(name="Snap", description="Snap to the nearest vertex", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        is_over = context.area and context.area.type == "VIEW_3D" and context.region_data
        return cls.is_possible(None if is_over else "The mouse must be over a 3D viewport")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        pixel = event.mouse_region_x, event.mouse_region_y
        try:
            found = landmark_under_mouse.under(context, *_view(context), pixel)
            if found is None:
                return self._add(context, pixel)
            return self._take(context, event, *found)
        except RaypickError as error:
            self.report({"WARNING"}, reasons.translated(str(error)))
            return {"CANCELLED"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Move it, and end where the button is released."""
        try:
            return self._handle(context, event)
        except Exception:
            self._end(context)
            raise

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends it: the window is closed, or another file is loaded."""
        self._end(context)

    def _add(self, context: bpy.types.Context, pixel: tuple[int, int]) -> Result:
        record = queries.pick(context, *_view(context), pixel, self._options(self.snap))
        if not record.hits:
            self.report({"INFO"}, pgettext_rpt("Nothing hit"))
            return {"CANCELLED"}
        obj, group, added = editing.add(context, record.hits[0])
        selected_landmarks.click(context, obj, added.id, "TOGGLE" if self.extend else "SET")
        _make_active(context, obj)
        return self.finished(context, added_message(obj, group.name, added.name))

    def _take(
        self,
        context: bpy.types.Context,
        event: bpy.types.Event,
        obj: bpy.types.Object,
        landmark: Landmark,
    ) -> Result:
        """Select a landmark, and follow the mouse."""
        extend: Any = "TOGGLE" if self.extend else "SET"
        # Of several that are selected, a click leaves one, and a drag all.
        self._keeps = landmark.selected and not self.extend
        self._has_selected = not self._keeps and selected_landmarks.click(
            context, obj, landmark.id, extend
        )
        _make_active(context, obj)
        self._object, self._landmark = obj.session_uid, landmark.id
        self._place = present(context.area), *_view(context)
        self._start = event.mouse_x, event.mouse_y
        self._before = self._last = landmark
        self._is_moving = False
        hover.leave(context)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(_draw_hints)
        return {"RUNNING_MODAL"}

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        area, region, _ = self._place
        is_open = area in [*present(context.screen).areas] and region in [*area.regions]
        obj = next(
            (each for each in landmarks.holders(context) if each.session_uid == self._object), None
        )
        if not is_open or obj is None:
            return self._finished(context)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._restore(obj)
            self._is_moving = False
            return self._finished(context)
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            if self._keeps and not self._is_moving:
                self._has_selected = selected_landmarks.click(context, obj, self._landmark, "SET")
            return self._finished(context)
        if event.type in {"MOUSEMOVE", "LEFT_CTRL", "RIGHT_CTRL"}:
            self._follow(context, event, obj)
        return {"RUNNING_MODAL"}

    def _follow(
        self, context: bpy.types.Context, event: bpy.types.Event, obj: bpy.types.Object
    ) -> None:
        """Have the landmark at the mouse, if its object is there, once the mouse has moved."""
        x, y = event.mouse_x, event.mouse_y
        threshold = context.preferences.inputs.drag_threshold_mouse * settings.ui_scale()
        far = max(abs(x - self._start[0]), abs(y - self._start[1])) >= threshold
        if not (self._is_moving or far):
            return
        self._is_moving = True
        _, region, view = self._place
        pixel = x - region.x, y - region.y
        options = self._options(event.ctrl or self.snap)
        try:
            hit = landmark_under_mouse.on_surface(context, region, view, pixel, options, obj)
            if hit is not None:
                editing.move(context, obj, self._landmark, hit)
        except RaypickError as error:
            self.report({"WARNING"}, reasons.translated(str(error)))

    def _restore(self, obj: bpy.types.Object) -> None:
        """Put the landmark back to where it was taken."""
        document = storage.read(obj)
        if self._is_moving and document.find(self._landmark) is not None:
            was = self._before
            back = document.changed(
                lambda each: (
                    replace(was, selected=each.selected, order=each.order)
                    if each.id == was.id
                    else each
                )
            )
            storage.write(obj, back)

    def _finished(self, context: bpy.types.Context) -> Result:
        self._end(context)
        has_changed = self._is_moving or self._has_selected
        return self.finished(context) if has_changed else {"CANCELLED"}

    def _end(self, context: bpy.types.Context) -> None:
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        redraw.redraw(context)

    def _options(self, snaps: bool) -> QueryOptions:
        """As the user has set them; Ctrl snaps to vertices."""
        preferences = settings.preferences()
        options = preferences.options.pick_options() if preferences else QueryOptions()
        options = replace(options, all_hits=False)
        return replace(options, snap="vertex") if snaps else options


def _view(context: bpy.types.Context) -> tuple[bpy.types.Region, bpy.types.RegionView3D]:
    return present(context.region), present(context.region_data)


def _make_active(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Have the lists show an object, where the mode lets it become the active one."""
    layer = context.view_layer
    if layer.objects.active != obj and context.mode == "OBJECT" and obj.name in layer.objects:
        layer.objects.active = obj


def _draw_hints(header: bpy.types.Header, _context: bpy.types.Context) -> None:
    layout = present(header.layout)
    for icons, text in _HINTS.items():
        for icon in icons[:-1]:
            layout.label(text="", icon=icon)
        layout.label(text=pgettext_iface(text), icon=icons[-1], translate=False)
