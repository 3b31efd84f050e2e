# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

DEFAULT_CACHE_MEBIBYTES = 1024


class RaypickPreferences(bpy.types.AddonPreferences):
    """What a person sets once for all files."""

    bl_idname = __package__

    cache_size: IntProperty(
        name="Cache Size",
        description="Memory for meshes that were picked, in MiB. The least recently used are "
        "let go first, and read again when they are needed",
        default=DEFAULT_CACHE_MEBIBYTES,
        min=0,
        soft_min=64,
        soft_max=65536,
    )

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the settings."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        self.layout.prop(self, "cache_size", text="Cache Size (MiB)")


def cache_bytes() -> int:
    """Memory for meshes that were picked, in bytes."""
    addon = bpy.context.preferences.addons.get(__package__)
    settings = addon.preferences if addon else None
    return (settings.cache_size if settings else DEFAULT_CACHE_MEBIBYTES) << 20


def register() -> None:
    """Register the preferences."""
    bpy.utils.register_class(RaypickPreferences)


def unregister() -> None:
    """Take the preferences back."""
    bpy.utils.unregister_class(RaypickPreferences)
