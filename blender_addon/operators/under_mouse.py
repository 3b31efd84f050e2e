# SPDX-License-Identifier: GPL-3.0-or-later
"""Use what is under the mouse without keeping it: by a key that copies, or by a context menu."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt

from .. import formatting, idnames, settings
from ..model.hit import FIELDS, PickHit
from ..session import hover, pointing, redraw, viewports
from ..settings import present
from ..standalone_core import RaypickError
from .base import RaypickOperator, Result
from .use_hit import copied_all

_window: bpy.types.Window | None = None
"""Where a context menu has just been opened."""


class RAYPICK_OT_copy_under_mouse(RaypickOperator):
    bl_idname = idnames.COPY_UNDER_MOUSE_OPERATOR
    bl_label = "Copy under Mouse"
    bl_description = (
        "Copy the face index of what is under the mouse to the clipboard, or the value that is "
        "chosen in the preferences"
    )
    bl_options = {"DEPENDS_ON_CURSOR"}
    bl_cursor_pending = "EYEDROPPER"
    level = "INFO"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_over_viewport(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        self._spot = viewports.spot(context, (event.mouse_region_x, event.mouse_region_y))
        return self.execute(context)

    def run(self, context: bpy.types.Context) -> str:
        spot = getattr(self, "_spot", None)
        if spot is None:
            raise RaypickError("The mouse must be over a 3D viewport")
        hit = hover.look_at(context, spot).hit_now
        if hit is None:
            raise RaypickError("Nothing hit")
        return _copy(context, hit, settings.copy_key())


def _copy(context: bpy.types.Context, hit: PickHit, key: str) -> str:
    """Put a value of a hit on the clipboard, or all as JSON; return what to report.

    RaypickError if the hit has no such value.
    """
    if key == settings.COPY_ALL:
        return copied_all(context, hit)
    text = text_of(hit, key)
    if text is None:
        form = pgettext_rpt("Nothing to copy: {}")
        raise RaypickError(form.format(pgettext_iface(FIELDS[key].label)))
    context.window_manager.clipboard = text
    return pgettext_rpt("Copied: {}").format(text)


def text_of(hit: PickHit, key: str) -> str | None:
    """A value of a hit as it is copied; None if the hit has no such value."""
    if getattr(hit, key) is None:
        return None
    return formatting.copied(getattr(hit, FIELDS[key].read or key))


class RAYPICK_OT_point(bpy.types.Operator):
    bl_idname = idnames.POINT_OPERATOR
    bl_label = "Point"
    bl_description = "Note where a context menu was opened"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.window is not None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Note the place of the last press, which is the one that opened the menu."""
        x, y = event.mouse_prev_press_x, event.mouse_prev_press_y
        pointing.note(context, viewports.under(present(context.window), x, y))
        return {"FINISHED"}


def menu_opens(context: bpy.types.Context) -> None:
    """Note where the mouse is as soon as that is possible: while it draws, Blender does not say."""
    global _window
    pointing.forget()
    _window = context.window
    redraw.start_timer(_point, 0.0)


def _point() -> None:
    window = next((w for w in bpy.context.window_manager.windows if w == _window), None)
    if window is not None:
        operators: Any = bpy.ops
        with bpy.context.temp_override(window=window):
            operators.raypick.point("INVOKE_DEFAULT")
