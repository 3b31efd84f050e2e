# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panels, toolbar tool, menu entries, keymap."""

from .. import registration
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
_PARTS = (registration.Classes(*PANELS), history_list, tool, menu, keymap)


def register() -> None:
    """Register panels, tool, menu entries and keymap."""
    registration.register(_PARTS)


def unregister() -> None:
    """Take them back, in the reverse order."""
    registration.unregister(_PARTS)
