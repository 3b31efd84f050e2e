# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D viewports that are open."""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def viewports_of(window: bpy.types.Window) -> Iterator[bpy.types.Area]:
    """The 3D viewports of a window."""
    return (area for area in window.screen.areas if area.type == "VIEW_3D")


def is_kept(space: bpy.types.SpaceView3D) -> bool:
    """Whether an area has a viewport, seen or not; if none has, its memory may be gone."""
    return any(
        space == kept
        for screen in bpy.data.screens
        for area in screen.areas
        for kept in area.spaces
    )


def open_viewports(context: bpy.types.Context) -> Iterator[bpy.types.Area]:
    """The 3D viewports of all windows."""
    manager = context.window_manager
    for window in manager.windows if manager else ():
        yield from viewports_of(window)
