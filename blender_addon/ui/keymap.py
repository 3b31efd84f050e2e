# SPDX-License-Identifier: GPL-3.0-or-later
"""The hotkeys over the 3D viewport, which the user may change in the preferences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from .. import idnames
from ..operators.base import HOTKEYS_KEYMAP, hotkey_item, hotkeys_keymap

# By operator: what Blender's `KeyMapItems.new` takes.
HOTKEYS: dict[str, dict[str, Any]] = {
    idnames.PICK_OPERATOR: {"type": "P", "shift": True, "alt": True},
    idnames.INSPECT_OPERATOR: {"type": "I", "shift": True, "alt": True},
    idnames.COPY_UNDER_MOUSE_OPERATOR: {"type": "C", "shift": True, "alt": True},
}

_items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Add the hotkeys to the add-ons' key configuration; there is none without a window."""
    manager = bpy.context.window_manager
    configuration = manager.keyconfigs.addon if manager else None
    if configuration is None:
        return
    keymap = configuration.keymaps.new(name=HOTKEYS_KEYMAP, space_type="VIEW_3D")
    for operator, key in HOTKEYS.items():
        _items.append((keymap, keymap.keymap_items.new(operator, value="PRESS", **key)))
    keymap = configuration.keymaps.new(name="Window")  # runs when the mouse has left all viewports
    item = keymap.keymap_items.new(idnames.LEAVE_OPERATOR, "MOUSEMOVE", "ANY", any=True)
    _items.append((keymap, item))


def unregister() -> None:
    """Remove the hotkeys."""
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()


def user_items(
    context: bpy.types.Context,
) -> Iterator[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]]:
    """The hotkeys as the user has set them."""
    keymap = hotkeys_keymap(context)
    if keymap is not None:
        yield from ((keymap, item) for item in keymap.keymap_items if item.idname in HOTKEYS)


def shown(context: bpy.types.Context, operator: str) -> str:
    """The hotkey of an operator, for the interface; empty if there is none."""
    item = hotkey_item(context, operator)
    return item.to_string() if item else ""
