# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panels, toolbar tool, menu entries, keymap."""

from ..registration import Classes, classes_in, functions
from . import (
    history_list,
    history_panel,
    hit_panels,
    keymap,
    landmark_io,
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
_PARTS = (Classes(*PANELS), history_list, tool, menu, landmark_io, keymap)
register, unregister = functions(_PARTS)
