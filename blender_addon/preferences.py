# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences: what the user sets once for all files, and the page to set it."""

from __future__ import annotations

import zlib
from contextlib import suppress
from functools import cache
from typing import Any

import bpy
import rna_keymap_ui
from bpy.app.translations import pgettext_iface
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, IntProperty, PointerProperty

from . import api, compiled_code, formatting, registration, settings
from .bridge.scene import changes
from .model.hit import VALUES
from .options import RaypickOptions, declare
from .overlay.mouse_label import LABEL_PARTS
from .session import current
from .settings import (
    COPY_ALL,
    DEFAULT_ANGLE_DECIMALS,
    DEFAULT_CACHE_MEBIBYTES,
    DEFAULT_COPY_KEY,
    DEFAULT_DECIMALS,
)
from .standalone_core import compiled
from .standalone_core.extension import explain_missing, kernel_cache
from .ui import keymap

_number = declare(IntProperty)
_choice = declare(EnumProperty)
_flag = declare(BoolProperty)
_color = declare(FloatVectorProperty, size=4, min=0.0, max=1.0, subtype="COLOR_GAMMA")


def _forget_everything(_preferences: object, _context: bpy.types.Context) -> None:
    """Read all meshes again."""  # in an annotation, a lambda would not find names of this module
    changes.pending.forget_everything()


_COPIED = tuple(
    # Saved preferences refer to an item by its number: a new field must not change it.
    (key, label, tooltip, "NONE", zlib.crc32(key.encode()) >> 1)
    for key, label, tooltip in (
        *((each.key, each.label, each.tooltip) for each in VALUES),
        (COPY_ALL, "All as JSON", "All values of the hit"),
    )
)


class RaypickPreferences(bpy.types.AddonPreferences):
    """What the user sets once for all files."""

    bl_idname = __package__

    options: PointerProperty(type=RaypickOptions)

    cache_size: _number(
        "Cache Size",
        "Memory for picked meshes, in MiB. The least recently used are freed first, "
        "and read again when needed",
        default=DEFAULT_CACHE_MEBIBYTES,
        min=0,
        soft_min=64,
        soft_max=65536,
    )
    engine: _choice(
        "Engine",
        "What computes the hits; all engines give the same results",
        items=(
            ("AUTO", "Automatic", "Numba if this zip of Raypick brought it, otherwise NumPy"),
            ("NUMPY", "NumPy", "NumPy only"),
            ("NUMBA", "Numba", "Compiled by Numba, which larger zips of Raypick bring"),
        ),
        update=_forget_everything,
    )
    decimals: _number(
        "Decimals",
        "Digits after the decimal point in panels and labels. Copied values have all digits",
        default=DEFAULT_DECIMALS,
        min=0,
        max=17,
    )
    angle_decimals: _number(
        "Decimals of Angles",
        "Digits after the decimal point of angles in degrees",
        default=DEFAULT_ANGLE_DECIMALS,
        min=0,
        max=17,
    )
    units: _choice(
        "Lengths",
        "How panels and labels show lengths and points",
        items=(
            ("NONE", "Blender Units", "Plain numbers, as in Python"),
            ("SCENE", "Scene Units", "In the units and the unit scale of the scene"),
        ),
        default="SCENE",
    )
    copy_as: _choice(
        "Copy As",
        "Format of the values that the copy buttons put on the clipboard",
        items=(
            ("TEXT", "Plain Text", "Numbers and names, separated by commas"),
            ("PYTHON", "Python", "A Python literal"),
            ("JSON", "JSON", "A JSON value"),
        ),
    )
    copy_key: _choice(
        "Copy Key",
        "What the key copies that copies what is under the mouse",
        items=_COPIED,
        default=DEFAULT_COPY_KEY,
    )
    label: _choice(
        "Label",
        "What the label at the mouse shows: the first three at once, the others when it rests",
        items=LABEL_PARTS,
        default={"OBJECT", "FACE", "BARYCENTRIC"},
        options={"ENUM_FLAG"},
    )
    is_new: BoolProperty(default=True, options={"HIDDEN"})
    """Whether the user has not picked anything yet: the tab says how."""
    show_from_origin: _flag(
        "Line from World Origin", "Draw a line from the world's origin to the point of a kept pick"
    )
    live_color: _color(
        "Under the Mouse", "The face under the mouse", default=(0.25, 0.75, 1.0, 1.0)
    )
    triangle_color: _color(
        "Kept Triangle", "The triangle of a kept pick", default=(1.0, 0.85, 0.0, 1.0)
    )
    ray_color: _color("Ray", "The ray of a kept pick", default=(1.0, 1.0, 1.0, 1.0))
    point_color: _color("Point", "The place that was hit", default=(1.0, 0.25, 0.2, 1.0))
    normal_color: _color("Normal", "The normal at the place", default=(0.3, 1.0, 0.45, 1.0))
    measure_color: _color(
        "Measures", "The lines of measures between landmarks", default=(1.0, 0.6, 0.9, 1.0)
    )

    landmark_size: _number(
        "Point Size",
        "Width of a landmark's point, in pixels of the interface",
        default=8,
        min=2,
        max=40,
    )
    landmark_text_size: _number(
        "Text Size",
        "Size of the names of landmarks, in points of the interface",
        default=11,
        min=6,
        max=40,
    )
    landmark_labels: _choice(
        "Landmark Labels",
        "Of which landmarks the viewport shows the names, where there is room for them",
        items=(
            ("ALL", "All", "The names of all landmarks, the selected ones first"),
            ("SELECTED", "Selected", "The names of selected landmarks, and of the active one"),
            ("NONE", "None", "No names"),
        ),
    )
    landmark_behind: _flag(
        "Show Through Geometry", "Show landmarks behind other geometry too, dimmed", default=True
    )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        _draw_group(self, "Values", "decimals", "angle_decimals", "units", "copy_as", "copy_key")
        _draw_group(self, "Overlays", *_COLORS, "show_from_origin")
        layout.column().prop(self, "label")
        _draw_group(self, "Landmarks", *_LANDMARKS)
        _draw_group(self, "Performance", "engine")
        _draw_engine(layout, self.engine)
        layout.prop(self, "cache_size", text="Cache Size (MiB)")
        _draw_performance(layout)
        _draw_keymap(layout, context)


_LANDMARKS = ("landmark_size", "landmark_text_size", "landmark_labels", "landmark_behind")
_COLORS = (
    "live_color",
    "triangle_color",
    "ray_color",
    "point_color",
    "normal_color",
    "measure_color",
)


def _draw_group(preferences: Any, heading: str, *names: str) -> None:
    preferences.layout.label(text=heading)
    column = preferences.layout.column()
    for name in names:
        column.prop(preferences, name)


def _draw_engine(layout: bpy.types.UILayout, engine: str) -> None:
    """Say why compiled code is not used, and how to get it."""
    why = compiled_code.why_not(pgettext_iface)
    if engine != "NUMPY" and why is not None:
        is_wanted = engine == "NUMBA" or compiled.state().status == "failed"
        layout.label(text=why, translate=False, icon="ERROR" if is_wanted else "INFO")


def _draw_performance(layout: bpy.types.UILayout) -> None:
    """Draw what the last pick took, and what is kept for the next ones."""
    record, share = current.kept(), api.indexing()
    memory, limit = api.memory(), settings.cache_bytes()
    column = layout.column(align=True)
    for label, shown in (
        ("Last Pick", formatting.NONE if record is None else f"{record.seconds * 1e3:.2f} ms"),
        ("Engine in Use", settings.engine_name()),
        ("Indexing", pgettext_iface("None" if share is None else "{:.0%}").format(share)),
        ("Cached Meshes", str(memory.meshes)),
        ("Cache Memory", f"{memory.bytes / 2**20:.1f} / {limit / 2**20:.0f} MiB"),
    ):
        split = column.split(factor=0.4)
        name = split.row()
        name.alignment = "RIGHT"
        name.label(text=label)
        split.label(text=shown, translate=False)


def _draw_keymap(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the user's hotkeys, which can be changed in place."""
    layout.label(text="Keymap")
    column = layout.column()
    column.use_property_split = False
    configuration = context.window_manager.keyconfigs.user
    for map_, item in keymap.user_items(context):
        column.context_pointer_set("keymap", map_)
        rna_keymap_ui.draw_kmi([], configuration, map_, item, column, 0)


_CLASSES = registration.Classes(RaypickOptions, RaypickPreferences)


def register() -> None:
    """Register the preferences, and keep compiled code in the user's folder of the extension."""
    _CLASSES.register()
    explain_missing(cache(compiled_code.why_missing))
    with suppress(ValueError):  # raised if this copy is not installed as an extension
        kernel_cache.use(bpy.utils.extension_path_user(__package__, path="compiled"))


unregister = _CLASSES.unregister
