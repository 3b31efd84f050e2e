# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluated depsgraph of a context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

_drawing = False


@contextmanager
def while_drawing() -> Iterator[None]:
    """Take the depsgraph as it is being drawn: nothing may be evaluated under Blender's drawing."""
    global _drawing
    _drawing = True
    try:
        yield
    finally:
        _drawing = False


def is_drawing() -> bool:
    """Whether the depsgraph is taken as it is being drawn."""
    return _drawing


def evaluated_depsgraph(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """The depsgraph of the context's scene and view layer, up to date.

    Before Blender 4.5 whatever a context returns belongs, for Blender, to the scene whose tool
    settings were last read from it. Where that scene is gone with its file, Blender reads freed
    memory when it is handed the depsgraph. Reading them again sets that right.
    """
    _ = context.tool_settings
    if _drawing and context.view_layer.depsgraph is not None:
        return context.view_layer.depsgraph
    return context.evaluated_depsgraph_get()
