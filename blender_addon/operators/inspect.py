# SPDX-License-Identifier: GPL-3.0-or-later
"""The inspector, which shows what is under the mouse; operators that go to hits of a pick."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt, pgettext_tip

from .. import idnames
from ..bridge.view.cameras import viewports_of
from ..model.record import PickRecord
from ..session import current, events, hover, redraw, undo, viewports
from ..session.viewports import Spot
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons
from .base import (
    PollOperator,
    RaypickOperator,
    Result,
    a_number,
    draw_hints,
    hotkey_icons,
    hotkey_item,
)
from .landmarks import added_at

_STEPS = {"WHEELDOWNMOUSE": 1, "WHEELUPMOUSE": -1}
_MARK = "M"
_RETURN = {"RET", "NUMPAD_ENTER"}
_PAINTING = ("SCULPT", "PAINT", "WEIGHT", "VERTEX", "PARTICLE")
"""Beginnings of the names of modes with brushes."""

_running: RAYPICK_OT_inspect | None = None
_hinting: tuple[bpy.types.Window | None, bpy.types.WorkSpace | None] = None, None
"""The window with the inspector's cursor and the workspace with its hints; they may be gone."""


class RAYPICK_OT_inspect(PollOperator):
    """Follow the mouse over the 3D viewports of a window.

    It passes on all events that it does not use, so that one can turn the view and change modes.
    """

    bl_idname = idnames.INSPECT_OPERATOR
    bl_label = "Inspect"
    bl_description = (
        "Show what is under the mouse as it moves: outline, vertices and label in the "
        "viewport, its values in the sidebar. Run again to end"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        has_viewport = context.window is not None and any(viewports_of(context.window))
        return cls.is_possible(None if has_viewport else "There is no 3D viewport in this window")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        global _hinting, _running
        if _running is not None:
            stop()
            return {"CANCELLED"}
        hover.follow(context, event)
        window = present(context.window)
        _running = self
        _hinting = window, context.workspace
        # It ends with this viewport; None if begun elsewhere, or in a maximised viewport.
        is_own = context.area in [*viewports_of(window)]
        self._area = context.area if is_own and not window.screen.show_fullscreen else None
        self._tool = _tool(context)
        self._swallow_release = False
        self.ended = False
        context.window_manager.modal_handler_add(self)
        window.cursor_modal_set("EYEDROPPER")
        context.workspace.status_text_set(_draw_hints)
        current.follow_mouse(True)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Follow the mouse, go to another hit, keep one or end; pass on all other events."""
        try:
            return self._handle(context, event)
        except Exception:
            self.end(context)  # after an error, nothing else would end it
            raise

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if self.ended or self._is_pointless(context):
            self.end(context)
            return {"CANCELLED", "PASS_THROUGH"}
        if event.type == "MOUSEMOVE":
            hover.follow(context, event)
            return {"PASS_THROUGH"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and self._swallow_release:
            self._swallow_release = False
            return {"RUNNING_MODAL"}
        if event.value != "PRESS":
            return {"PASS_THROUGH"}
        if event.type == "ESC":
            self.end(context)
            return {"CANCELLED"}
        spot = viewports.under(present(context.window), event.mouse_x, event.mouse_y)
        if spot is None or event.alt or event.shift or event.oskey:
            return {"PASS_THROUGH"}
        if event.type == "RIGHTMOUSE" and not event.ctrl:
            self.end(context)
            return {"CANCELLED"}
        if event.type in _STEPS:
            return self._walk(context, _STEPS[event.type])
        return self._take(context, event, spot)

    def _walk(self, context: bpy.types.Context, step: int) -> Result:
        hover.find_all()
        record = current.hovered()
        if record is None or len(record.hits) < 2:
            return {"PASS_THROUGH"}
        record.look_at(record.rank + step)
        redraw.redraw(context)
        return {"RUNNING_MODAL"}

    def _take(self, context: bpy.types.Context, event: bpy.types.Event, spot: Spot) -> Result:
        """Keep what is under the mouse or add a landmark there, if the key is for that."""
        if event.ctrl:
            return {"PASS_THROUGH"}
        if event.type == _MARK:
            return self._mark(context, spot)
        keys = _RETURN if _is_painting(context) else {"LEFTMOUSE", *_RETURN}
        if event.type not in keys:
            return {"PASS_THROUGH"}
        self._swallow_release = event.type == "LEFTMOUSE"
        hover.hover(context, spot)
        hover.find_all()
        record = current.hovered()
        if record is not None:
            current.keep_or_walk(replace(record), current.Click.at(spot))
            events.tell()
            redraw.redraw(context)
        return {"RUNNING_MODAL"}

    def _mark(self, context: bpy.types.Context, spot: Spot) -> Result:
        """Add a landmark at the hit under the mouse that the wheel has gone to."""
        hover.hover(context, spot)
        record = current.hovered()
        if record is None or record.hit is None:
            self.report({"INFO"}, pgettext_rpt("Nothing hit"))
            return {"RUNNING_MODAL"}
        try:
            message = added_at(context, record.hit)
        except RaypickError as error:
            self.refused(error)
            return {"RUNNING_MODAL"}
        events.tell()
        undo.push("Add Landmark")
        self.report({"INFO"}, present(undo.with_undo_note(context, message)))
        return {"RUNNING_MODAL"}

    def _is_pointless(self, context: bpy.types.Context) -> bool:
        """Whether the viewport where it began is gone, or another tool was chosen."""
        window = present(context.window)
        areas = [*viewports_of(window)]
        # While an area is maximised, Blender shows another one instead.
        if self._area not in (None, *areas) and not (window.screen.show_fullscreen and areas):
            return True
        mode, tool = _tool(context)
        was, self._tool = self._tool, (mode, tool)
        if was[0] != mode:
            context.workspace.status_text_set(_draw_hints)  # they depend on the mode
        return was[0] == mode and was[1] != tool

    def end(self, context: bpy.types.Context) -> None:
        """Take back at once what is shown, and end at the next event."""
        global _running
        self.ended = True
        if _running is not self:  # another may have begun since this one was stopped
            return
        _running = None
        current.follow_mouse(False)
        for window in bpy.context.window_manager.windows:
            if window == _hinting[0]:
                window.cursor_modal_restore()
        for workspace in bpy.data.workspaces:
            if workspace == _hinting[1]:
                workspace.status_text_set(None)
        hover.leave(context)

    cancel = end  # Blender calls it as the window is closed or another file is loaded


def stop() -> None:
    """End the inspector, if it runs."""
    if _running is not None:
        _running.end(bpy.context)


def is_running() -> bool:
    """Whether the inspector follows the mouse."""
    return _running is not None


def _tool(context: bpy.types.Context) -> tuple[str, str | None]:
    """The mode, and the active tool of 3D viewports in it."""
    return context.mode, viewports.active_tool(context)


def _is_painting(context: bpy.types.Context) -> bool:
    """Whether the left mouse button draws a stroke: in sculpt, paint and particle modes."""
    return context.mode.startswith(_PAINTING)


def _draw_hints(header: bpy.types.Header, context: bpy.types.Context) -> None:
    item = hotkey_item(context, idnames.COPY_UNDER_MOUSE_OPERATOR)
    draw_hints(header, _hints(_is_painting(context), hotkey_icons(item) if item else ()))


@cache
def _hints(is_painting: bool, to_copy: tuple[str, ...]) -> dict[tuple[Any, ...], str]:
    """Icons of the status bar, and what these keys do."""
    layout: Any = bpy.types.UILayout
    known = layout.bl_rna.functions["label"].parameters["icon"].enum_items.keys()
    wheel = "MOUSE_MMB_SCROLL" if "MOUSE_MMB_SCROLL" in known else "MOUSE_MMB"  # since 4.3
    has_icons = to_copy and {*to_copy} <= {*known}
    return {
        ("EVENT_RETURN" if is_painting else "MOUSE_LMB",): "Keep",
        (wheel,): "Next Hit",
        **({to_copy: "Copy"} if has_icons else {}),
        ("EVENT_M",): "Add Landmark",
        ("EVENT_ESC", "MOUSE_RMB"): "End Inspection",
    }


class RAYPICK_OT_hover(bpy.types.Operator):
    bl_idname = idnames.HOVER_OPERATOR
    bl_label = "Hover"
    bl_description = "Show what is under the mouse while the tool is active"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.window is not None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Show what is under the mouse, and pass on the event."""
        hover.follow(context, event)
        hover.watch_tool()
        return {"PASS_THROUGH"}


class RAYPICK_OT_leave(bpy.types.Operator):
    bl_idname = idnames.LEAVE_OPERATOR
    bl_label = "End Hover"
    bl_description = "Stop showing what is under the mouse when it leaves the 3D viewport"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.window is not None and current.hovered() is not None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Stop showing it if the mouse has left, and pass on the event."""
        spot = viewports.under(present(context.window), event.mouse_x, event.mouse_y)
        if spot is None or not current.has_mouse(spot.region):
            hover.leave(context)
        return {"PASS_THROUGH"}


class RAYPICK_OT_walk(RaypickOperator):
    bl_idname = idnames.WALK_OPERATOR
    bl_label = "Cycle through Hits"
    bl_description = "Show the next hit of the pick, behind this one, or the previous one"
    bl_options = {"INTERNAL"}

    step: a_number("Step", "Number of hits to move on by", default=1)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Possible with two hits; under the mouse with one, as others may be found."""
        record = _record(context)
        return cls.has_hits(record, 1 if record is current.hovered() else 2)

    def run(self, context: bpy.types.Context) -> None:
        hover.find_all()
        record = present(_record(context))
        record.look_at(record.rank + self.step)
        redraw.redraw(context)


class RAYPICK_OT_look_at(RaypickOperator):
    bl_idname = idnames.LOOK_AT_OPERATOR
    bl_label = "Show Hit"
    bl_description = "Show this hit in the panels and in the viewport"
    bl_options = {"INTERNAL"}

    rank: a_number("Rank", "Number of the hit, counted from the nearest, starting at 0", min=0)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Say which side was hit: the row shows a back side by a hollow dot alone."""
        record = current.kept()
        if record is None or properties.rank >= len(record.hits):
            return ""
        side = record.hits[properties.rank].side
        about = f"{pgettext_tip(cls.bl_description)}.\n{pgettext_tip(side)}"
        stale = record.stale_at(properties.rank)
        return f"{about}.\n{reasons.translated(stale)}" if stale else about

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.has_hits(current.kept())

    def run(self, context: bpy.types.Context) -> None:
        present(current.kept()).look_at(self.rank)
        redraw.redraw(context)


class RAYPICK_OT_clear(RaypickOperator):
    bl_idname = idnames.CLEAR_OPERATOR
    bl_label = "Clear"
    bl_description = (
        "Remove the kept pick from the viewport and the panels. It stays in the history"
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.is_possible("Nothing is kept" if current.kept() is None else None)

    def run(self, context: bpy.types.Context) -> None:
        current.show(None)
        redraw.redraw(context)


def _record(context: bpy.types.Context) -> PickRecord | None:
    """The pick to walk in: the one under the mouse or else kept; for a panel, the one shown.

    With the landmark tool it is the kept one: below the mouse only landmarks are placed.
    """
    if context.region is None or context.region.type != "WINDOW":
        return current.shown()
    under = None if current.is_marking() else current.hovered()
    return under if under is not None and under.hits else current.kept()
