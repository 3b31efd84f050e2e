# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators in the viewport's View menu, where the search (F3) finds them too."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import bpy

from .. import idnames

_MENU: Any = bpy.types.VIEW3D_MT_view


def register() -> None:
    """Add the entries at the end of the View menu."""
    _MENU.append(_draw)


def unregister() -> None:
    """Take the entries back."""
    with suppress(ValueError):  # where it is not in the menu
        _MENU.remove(_draw)


def _draw(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = menu.layout
    layout.separator()
    layout.operator_context = "INVOKE_REGION_WIN"
    layout.operator(idnames.INSPECT_OPERATOR, icon="EYEDROPPER")
    layout.operator(idnames.PICK_OPERATOR)
    layout.operator(idnames.CAST_OPERATOR)
    layout.operator(idnames.PLACE_OPERATOR)
    layout.menu(idnames.SURVEY_MENU, icon="IMAGE_DATA")
