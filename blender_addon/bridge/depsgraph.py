# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluated depsgraph of a context."""

from __future__ import annotations

import bpy


def evaluated_depsgraph(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """The depsgraph of the context's scene and view layer, up to date.

    Before Blender 4.5 whatever a context returns belongs, for Blender, to the scene whose tool
    settings were last read from it. Where that scene is gone with its file, Blender reads freed
    memory when it is handed the depsgraph. Reading them again sets that right.
    """
    _ = context.tool_settings
    return context.evaluated_depsgraph_get()
