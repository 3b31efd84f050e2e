# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the 3D viewports: landmarks, measures, the place under the mouse, the pick."""

from __future__ import annotations

from functools import reduce

import bpy

from . import faces, labels, landmarks, measures, mouse_label
from .labels import Names

_handles: list[object] = []


def register() -> None:
    """Draw in every 3D viewport from now on, unless there is no window."""
    if bpy.app.background:
        return
    for draw, when in (
        (measures.draw, "POST_VIEW"),
        (landmarks.draw, "POST_VIEW"),
        (faces.draw, "POST_VIEW"),
        (_draw_texts, "POST_PIXEL"),
    ):
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", when))


def _draw_texts() -> None:
    at_mouse = mouse_label.draw()
    found = [each for each in (landmarks.names(), measures.names(bpy.context)) if each is not None]
    if found:
        labels.draw(bpy.context, reduce(Names.followed_by, found), landmarks.marks(), at_mouse)


def unregister() -> None:
    """Stop drawing."""
    for handle in _handles:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    _handles.clear()
    landmarks.forget()
