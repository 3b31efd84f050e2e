# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the extension's preferences."""

from __future__ import annotations

from typing import Any

import bpy
import rna_keymap_ui
from bpy.app.translations import pgettext_iface

from ..standalone_core import compiled
from . import keymap

_LANDMARKS = ("landmark_size", "landmark_text_size", "landmark_labels", "landmark_behind")
_COLORS = (
    *("live_color", "triangle_color", "ray_color", "point_color", "normal_color"),
    "measure_color",
)


def draw(preferences: Any, context: bpy.types.Context) -> None:
    """Draw all settings, in groups."""
    layout = preferences.layout
    layout.use_property_split = True
    layout.use_property_decorate = False
    _draw_group(preferences, "Values", "decimals", "units", "copy_as")
    _draw_group(preferences, "Overlays", *_COLORS, "show_from_origin")
    layout.column().prop(preferences, "label")
    _draw_group(preferences, "Landmarks", *_LANDMARKS)
    _draw_group(preferences, "Performance", "engine")
    _draw_engine(layout, preferences.engine)
    layout.prop(preferences, "cache_size", text="Cache Size (MiB)")
    _draw_keymap(layout, context)


def _draw_group(preferences: Any, heading: str, *names: str) -> None:
    preferences.layout.label(text=heading)
    column = preferences.layout.column()
    for name in names:
        column.prop(preferences, name)


def _draw_engine(layout: bpy.types.UILayout, engine: str) -> None:
    """Say why compiled code does not answer, and how to get it."""
    state = compiled.state()
    if engine == "NUMPY":
        return
    if state.status == "missing":
        if engine == "NUMBA":
            layout.label(text="Numba is not installed in Blender's Python", icon="ERROR")
        hint = "Larger zips of Raypick include Numba: scripts/build_extension.py --compiled"
        layout.label(text=hint, icon="INFO")
    elif state.status == "failed":
        text = pgettext_iface("Numba fails here, and NumPy answers: {}").format(state.reason)
        layout.label(text=text, translate=False, icon="ERROR")


def _draw_keymap(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the hotkeys as the user has them, to be changed in place."""
    layout.label(text="Keymap")
    column = layout.column()
    column.use_property_split = False
    configuration = context.window_manager.keyconfigs.user
    for map_, item in keymap.user_items(context):
        column.context_pointer_set("keymap", map_)
        rna_keymap_ui.draw_kmi([], configuration, map_, item, column, 0)
