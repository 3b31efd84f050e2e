# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panels, toolbar tool, menu entries, keymap."""

import bpy

from ..registration import Classes, classes_in, functions
from . import (
    hit_panels,
    keymap,
    landmarks_panel,
    lists,
    main_panel,
    menus,
    options_panel,
    tools,
    type_template,
)

# In the order in which the sidebar shows them.
_IN_SIDEBAR = tuple(classes_in(*(main_panel, hit_panels, landmarks_panel, lists, options_panel)))
PANELS = tuple(each for each in _IN_SIDEBAR if issubclass(each, bpy.types.Panel))
_PARTS = (
    *(Classes(*classes_in(menus)), Classes(*_IN_SIDEBAR)),
    *(lists, type_template, tools, menus, keymap),
)
register, unregister = functions(_PARTS)
