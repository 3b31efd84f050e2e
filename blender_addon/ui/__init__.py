# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panels, toolbar tool, menu entries, keymap."""

import bpy

from . import (
    history_list,
    history_panel,
    hit_panels,
    keymap,
    main_panel,
    menu,
    options_panel,
    performance_panel,
    stack_panel,
    tool,
)

# In the order in which the sidebar shows them.
PANELS = (
    *main_panel.CLASSES,
    *hit_panels.CLASSES,
    *stack_panel.CLASSES,
    *history_panel.CLASSES,
    *options_panel.CLASSES,
    *performance_panel.CLASSES,
)
_PARTS = (history_list, tool, menu, keymap)


def register() -> None:
    """Register panels, tool, menu entries and keymap."""
    for cls in PANELS:
        bpy.utils.register_class(cls)
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Take them back, in the reverse order."""
    for part in reversed(_PARTS):
        part.unregister()
    for cls in reversed(PANELS):
        bpy.utils.unregister_class(cls)
