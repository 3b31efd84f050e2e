# SPDX-License-Identifier: GPL-3.0-or-later
"""The menus of landmarks and of surveys, and the entries in Blender's own menus.

The search (F3) finds what is in these.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
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
    """Take the entries back."""
    for menu, draw in _ENTRIES:
        with suppress(ValueError):  # where it is not in the menu
            menu.remove(draw)


def _draw(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = menu.layout
    layout.separator()
    layout.operator_context = "INVOKE_REGION_WIN"
    layout.operator(idnames.INSPECT_OPERATOR, icon="EYEDROPPER")
    layout.operator(idnames.PICK_OPERATOR)
    layout.operator(idnames.CAST_OPERATOR)
    layout.operator(idnames.PLACE_OPERATOR)
    layout.menu(idnames.SURVEY_MENU, icon="IMAGE_DATA")


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of the menu: an operator, its icon, properties, and a label of its own."""

    operator: str
    icon: Any = "NONE"
    text: str | None = None
    properties: dict[str, Any] = field(default_factory=dict)


GROUPS: tuple[tuple[Line, ...], ...] = (
    (
        Line(idnames.ORDER_LANDMARKS_OPERATOR, "TRIA_UP_BAR", "Move to Top", {"way": "TOP"}),
        Line(
            idnames.ORDER_LANDMARKS_OPERATOR, "TRIA_DOWN_BAR", "Move to Bottom", {"way": "BOTTOM"}
        ),
    ),
    (
        Line(idnames.SELECT_LANDMARKS_OPERATOR, "NONE", "Select All", {"action": "SELECT"}),
        Line(idnames.SELECT_LANDMARKS_OPERATOR, "NONE", "Select None", {"action": "DESELECT"}),
        Line(idnames.SELECT_LANDMARKS_OPERATOR, "NONE", "Invert Selection", {"action": "INVERT"}),
    ),
    (
        Line(
            idnames.MARK_LANDMARKS_OPERATOR,
            "HIDE_ON",
            "Hide Selected",
            {"what": "hidden", "on": True, "every": False},
        ),
        Line(
            idnames.MARK_LANDMARKS_OPERATOR,
            "HIDE_OFF",
            "Show All",
            {"what": "hidden", "on": False, "every": True},
        ),
        Line(
            idnames.MARK_LANDMARKS_OPERATOR,
            "LOCKED",
            "Lock Selected",
            {"what": "locked", "on": True, "every": False},
        ),
        Line(
            idnames.MARK_LANDMARKS_OPERATOR,
            "UNLOCKED",
            "Unlock All",
            {"what": "locked", "on": False, "every": True},
        ),
    ),
    (
        Line(idnames.COLOR_LANDMARKS_OPERATOR, "COLOR"),
        Line(idnames.RESET_LANDMARK_COLORS_OPERATOR),
        Line(idnames.MIRROR_NAMES_OPERATOR, "MOD_MIRROR", "Mirror Names", {"of_what": "SELECTED"}),
    ),
    (
        Line(idnames.LOAD_TEMPLATE_OPERATOR, "PRESET"),
        Line(idnames.TYPE_TEMPLATE_OPERATOR),
        Line(idnames.TEMPLATE_FROM_SET_OPERATOR),
        Line(idnames.MIRROR_NAMES_OPERATOR, "NONE", "Mirror Template", {"of_what": "TEMPLATE"}),
        Line(idnames.CLEAR_TEMPLATE_OPERATOR),
    ),
    (
        Line(idnames.DUPLICATE_LANDMARK_SET_OPERATOR, "DUPLICATE"),
        Line(idnames.COPY_LANDMARK_OPERATOR, "COPYDOWN"),
    ),
    (
        Line(idnames.CARRY_OVER_OPERATOR, "SNAP_FACE_NEAREST"),
        Line(idnames.TRANSFER_LANDMARKS_OPERATOR, "MOD_DATA_TRANSFER"),
        Line(idnames.BIND_LANDMARKS_OPERATOR, "LINKED"),
        Line(idnames.UNBIND_LANDMARKS_OPERATOR, "UNLINKED"),
    ),
    (
        Line(idnames.IMPORT_LANDMARKS_OPERATOR, "IMPORT"),
        Line(idnames.EXPORT_LANDMARKS_OPERATOR, "EXPORT"),
        Line(idnames.COPY_LANDMARK_TABLE_OPERATOR, "COPYDOWN"),
        Line(idnames.ADD_LANDMARK_EMPTIES_OPERATOR, "EMPTY_ARROWS"),
    ),
)


class RAYPICK_MT_landmark_specials(bpy.types.Menu):
    """All that can be done with landmarks and is not done often."""

    bl_idname = idnames.LANDMARK_MENU
    bl_label = "Landmark Specials"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"  # files and options are asked for
        for number, group in enumerate(GROUPS):
            if number:
                layout.separator()
            for line in group:
                button = layout.operator(line.operator, text=line.text, icon=line.icon)
                for name, value in line.properties.items():
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
    """Draw an entry for each kind of image; ids, what is measured, and directions apart."""
    layout.operator_context = "INVOKE_REGION_WIN"
    for identifier, label, _ in KIND_ITEMS:
        if identifier in _FIRST_OF_GROUPS:
            layout.separator()
        button = layout.operator(idnames.SURVEY_OPERATOR, text=label)
        button.kind, button.source = identifier, source


_FIRST_OF_GROUPS = ("SIDE", "DEPTH", "UV", "NORMAL")


def _draw_import(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(
        idnames.IMPORT_LANDMARKS_OPERATOR, text="Landmarks (.mrk.json, .npz, .csv …)"
    )


def _draw_export(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(
        idnames.EXPORT_LANDMARKS_OPERATOR, text="Landmarks (.mrk.json, .npz, .csv …)"
    )


_ENTRIES: tuple[tuple[Any, Any], ...] = (
    (bpy.types.VIEW3D_MT_view, _draw),
    (bpy.types.TOPBAR_MT_file_import, _draw_import),
    (bpy.types.TOPBAR_MT_file_export, _draw_export),
)
"""Menus of Blender, and what draws our entries at their ends."""
