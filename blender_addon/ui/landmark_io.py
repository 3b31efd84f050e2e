# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in Blender's menus of files to import and export."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import bpy

from .. import idnames

_EXPORT: Any = bpy.types.TOPBAR_MT_file_export
_IMPORT: Any = bpy.types.TOPBAR_MT_file_import


def register() -> None:
    """Add the entries at the ends of the import and export menus."""
    _IMPORT.append(_draw_import)
    _EXPORT.append(_draw_export)


def unregister() -> None:
    """Take the entries back."""
    for menu, draw in ((_IMPORT, _draw_import), (_EXPORT, _draw_export)):
        with suppress(ValueError):  # where it is not in the menu
            menu.remove(draw)


def _draw_import(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(
        idnames.IMPORT_LANDMARKS_OPERATOR, text="Landmarks (.mrk.json, .npz, .csv …)"
    )


def _draw_export(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(
        idnames.EXPORT_LANDMARKS_OPERATOR, text="Landmarks (.mrk.json, .npz, .csv …)"
    )
