# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface: sidebar panels, toolbar tool, menu entries, keymap."""

import bpy

from ..registration import Classes, classes_in, functions
from . import (
    context_menus,
    keymap,
    landmarks_panel,
    lists,
    menus,
    options_panel,
    pick_panel,
    render_panels,
    tools,
    type_template,
)

# In the order in which the sidebar shows them.
_IN_SIDEBAR = tuple(classes_in(*(pick_panel, landmarks_panel, lists, options_panel)))
PANELS = tuple(each for each in _IN_SIDEBAR if issubclass(each, bpy.types.Panel))
_PARTS = (
    *(Classes(*classes_in(menus, context_menus, render_panels)), Classes(*_IN_SIDEBAR)),
    *(lists, type_template, tools, menus, context_menus, keymap, render_panels),
)
register, unregister = functions(_PARTS)
