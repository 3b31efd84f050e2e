# SPDX-License-Identifier: GPL-3.0-or-later
"""The menus of landmarks and of surveys, and the entries in Blender's own menus.

Blender's search (F3) finds the operators in its menus.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import bpy

from .. import idnames
from ..operators.survey_view import KIND_ITEMS
from ..settings import present


def register() -> None:
    """Add the entries at the ends of the menus."""
    for menu, draw in _ENTRIES:
        menu.append(draw)


def unregister() -> None:
    """Remove the entries."""
    for menu, draw in _ENTRIES:
        with suppress(ValueError):  # if it is not in the menu
            menu.remove(draw)


def _draw_view(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = menu.layout
    layout.separator()
    layout.operator_context = "INVOKE_REGION_WIN"
    layout.operator(idnames.INSPECT_OPERATOR, icon="EYEDROPPER")
    _draw_picks(layout)


def _draw_picks(layout: bpy.types.UILayout) -> None:
    """Draw the other ways to pick, for Blender's menu and for ours."""
    layout.operator_context = "INVOKE_REGION_WIN"
    layout.operator(idnames.PICK_OPERATOR)
    layout.operator(idnames.CAST_OPERATOR)
    layout.operator(idnames.PLACE_OPERATOR)
    layout.menu(idnames.SURVEY_MENU, icon="IMAGE_DATA")


class RAYPICK_MT_pick(bpy.types.Menu):
    """Other ways to pick, and what to do with the pick as a whole."""

    bl_idname = idnames.PICK_MENU
    bl_label = "Pick"
    bl_description = "Other ways to pick, and what to do with the pick as a whole"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        _draw_picks(layout)
        layout.separator()
        layout.operator(idnames.ADD_EMPTY_OPERATOR, icon="EMPTY_AXIS")
        layout.operator(idnames.COPY_REPORT_OPERATOR, icon="COPYDOWN")
        layout.operator(idnames.CLEAR_OPERATOR, icon="X")


class RAYPICK_MT_landmark_specials(bpy.types.Menu):
    """All that can be done with landmarks and is not done often."""

    bl_idname = idnames.LANDMARK_MENU
    bl_label = "Landmark Specials"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"  # operators ask for files and options
        line = partial(_draw_line, layout)
        order, select = idnames.ORDER_LANDMARKS_OPERATOR, idnames.SELECT_LANDMARKS_OPERATOR
        mark, mirror = idnames.MARK_LANDMARKS_OPERATOR, idnames.MIRROR_NAMES_OPERATOR
        line(order, "TRIA_UP_BAR", "Move to Top", way="TOP")
        line(order, "TRIA_DOWN_BAR", "Move to Bottom", way="BOTTOM")
        layout.separator()
        line(select, text="Select All", action="SELECT")
        line(select, text="Select None", action="DESELECT")
        line(select, text="Invert Selection", action="INVERT")
        layout.separator()
        line(mark, "HIDE_ON", "Hide Selected", what="hidden", on=True, every=False)
        line(mark, "HIDE_OFF", "Show All", what="hidden", on=False, every=True)
        line(mark, "LOCKED", "Lock Selected", what="locked", on=True, every=False)
        line(mark, "UNLOCKED", "Unlock All", what="locked", on=False, every=True)
        layout.separator()
        line(idnames.COLOR_LANDMARKS_OPERATOR, "COLOR")
        line(idnames.RESET_LANDMARK_COLORS_OPERATOR)
        line(mirror, "MOD_MIRROR", "Mirror Names", of_what="SELECTED")
        layout.separator()
        line(idnames.LOAD_TEMPLATE_OPERATOR, "PRESET")
        line(idnames.TYPE_TEMPLATE_OPERATOR)
        line(idnames.TEMPLATE_FROM_SET_OPERATOR)
        line(mirror, text="Mirror Template", of_what="TEMPLATE")
        line(idnames.CLEAR_TEMPLATE_OPERATOR)
        layout.separator()
        line(idnames.DUPLICATE_LANDMARK_SET_OPERATOR, "DUPLICATE")
        line(idnames.COPY_LANDMARK_OPERATOR, "COPYDOWN")
        layout.separator()
        line(idnames.CARRY_OVER_OPERATOR, "SNAP_FACE_NEAREST")
        line(idnames.TRANSFER_LANDMARKS_OPERATOR, "MOD_DATA_TRANSFER")
        line(idnames.BIND_LANDMARKS_OPERATOR, "LINKED")
        line(idnames.UNBIND_LANDMARKS_OPERATOR, "UNLINKED")
        layout.separator()
        line(idnames.IMPORT_LANDMARKS_OPERATOR, "IMPORT")
        line(idnames.EXPORT_LANDMARKS_OPERATOR, "EXPORT")
        line(idnames.COPY_LANDMARK_TABLE_OPERATOR, "COPYDOWN")
        line(idnames.ADD_LANDMARK_EMPTIES_OPERATOR, "EMPTY_ARROWS")


def _draw_line(
    layout: bpy.types.UILayout,
    operator: str,
    icon: Any = "NONE",
    text: str | None = None,
    **properties: Any,
) -> None:
    """Draw an entry: an operator, its icon, a label of its own, and properties."""
    button = layout.operator(operator, text=text, icon=icon)
    for name, value in properties.items():
        setattr(button, name, value)


class RAYPICK_MT_survey(bpy.types.Menu):
    """What the viewport can be surveyed for."""

    bl_idname = idnames.SURVEY_MENU
    bl_label = "Survey View"
    bl_description = "Make an image of what is hit at every pixel of the viewport, or of a render"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        _draw_kinds(layout, "VIEW")
        layout.separator()
        layout.menu(idnames.CAMERA_SURVEY_MENU, icon="CAMERA_DATA")


class RAYPICK_MT_camera_survey(bpy.types.Menu):
    """What a render of the scene's camera can be surveyed for."""

    bl_idname = idnames.CAMERA_SURVEY_MENU
    bl_label = "Render Camera"

    def draw(self, context: bpy.types.Context | None) -> None:
        self.layout.active = present(context).scene.camera is not None
        _draw_kinds(self.layout, "CAMERA")


def _draw_kinds(layout: bpy.types.UILayout, source: str) -> None:
    """Draw an entry for each kind of image, with lines between groups of kinds."""
    layout.operator_context = "INVOKE_REGION_WIN"
    for identifier, label, _ in KIND_ITEMS:
        if identifier in _FIRST_OF_GROUPS:
            layout.separator()
        button = layout.operator(idnames.SURVEY_OPERATOR, text=label)
        button.kind, button.source = identifier, source


_FIRST_OF_GROUPS = ("SIDE", "DEPTH", "UV", "NORMAL")


def _landmark_files(operator: str) -> Callable[[bpy.types.Menu, bpy.types.Context], None]:
    """Return the function that draws the entry for importing or exporting landmarks."""

    def draw(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
        menu.layout.operator(operator, text="Landmarks (.mrk.json, .npz, .csv …)")

    return draw


_ENTRIES: tuple[tuple[Any, Any], ...] = (
    (bpy.types.VIEW3D_MT_view, _draw_view),
    (bpy.types.TOPBAR_MT_file_import, _landmark_files(idnames.IMPORT_LANDMARKS_OPERATOR)),
    (bpy.types.TOPBAR_MT_file_export, _landmark_files(idnames.EXPORT_LANDMARKS_OPERATOR)),
)
"""Menus of Blender, and the functions that draw our entries at their ends."""
