# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panels, toolbar tool, menu entries, keymap."""

from .. import registration
from ..registration import Classes, classes_in
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
PANELS = tuple(
    classes_in(main_panel, hit_panels, stack_panel, history_panel, options_panel, performance_panel)
)
_PARTS = (Classes(*PANELS), history_list, tool, menu, keymap)


def register() -> None:
    """Register panels, tool, menu entries and keymap."""
    registration.register(_PARTS)


def unregister() -> None:
    """Take them back, in the reverse order."""
    registration.unregister(_PARTS)
