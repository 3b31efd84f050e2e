# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panels, toolbar tool, menu entries, keymap."""

import bpy

from ..registration import Classes, classes_in, functions
from . import (
    history_list,
    history_panel,
    hit_panels,
    keymap,
    landmark_lists,
    landmark_rows,
    landmarks_panel,
    main_panel,
    measure_rows,
    menus,
    options_panel,
    tools,
)

# In the order in which the sidebar shows them.
_IN_SIDEBAR = tuple(
    classes_in(*(main_panel, hit_panels, landmarks_panel, history_panel, options_panel))
)
PANELS = tuple(each for each in _IN_SIDEBAR if issubclass(each, bpy.types.Panel))
_PARTS = (
    *(Classes(*classes_in(landmark_lists, menus)), Classes(*_IN_SIDEBAR)),
    *(history_list, landmark_rows, measure_rows, tools, menus, keymap),
)
register, unregister = functions(_PARTS)
