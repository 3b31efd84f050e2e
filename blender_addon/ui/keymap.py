# SPDX-License-Identifier: GPL-3.0-or-later
"""The hotkey: Shift Alt P over the 3D viewport, to be changed in the preferences."""

from __future__ import annotations

import bpy

from .. import declarations

_items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Add the hotkey to the add-ons' key configuration; there is none without a window."""
    manager = bpy.context.window_manager
    configuration = manager.keyconfigs.addon if manager else None
    if configuration is None:
        return
    keymap = configuration.keymaps.new(name="3D View", space_type="VIEW_3D")
    item = keymap.keymap_items.new(
        declarations.PICK_OPERATOR, type="P", value="PRESS", shift=True, alt=True
    )
    _items.append((keymap, item))


def unregister() -> None:
    """Take the hotkey back."""
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()


def shown(context: bpy.types.Context) -> str:
    """The hotkey as the person has set it, for the interface; empty if there is none."""
    configuration = context.window_manager.keyconfigs.user
    keymap = configuration.keymaps.get("3D View") if configuration else None
    for item in keymap.keymap_items if keymap else ():
        if item.idname == declarations.PICK_OPERATOR and item.active:
            return item.to_string()
    return ""
