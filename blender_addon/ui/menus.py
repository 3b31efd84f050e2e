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
from ..model.landmarks.landmark_set import LandmarkSet
from ..operators.survey_view import KIND_ITEMS
from ..session import active_landmarks
from ..settings import present

_MOST_LETTERS = 24  # of a name in a button or a header


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


def short(name: str) -> str:
    """The beginning of a name, which may come from an untrusted file, in one line."""
    begin = " ".join(name[:_MOST_LETTERS].split())
    return begin if len(name) <= _MOST_LETTERS else f"{begin}…"


def set_label(of: LandmarkSet) -> str:
    """The name of a set, and how many of its landmarks are placed."""
    total, missing = len(of.landmarks), len(of.missing)
    count = f"{total - missing}/{total}" if missing else str(total)
    return f"{short(of.name)}  {count}"


class RAYPICK_MT_choose_landmark_set(bpy.types.Menu):
    """The sets of the active object, and ways to get another one."""

    bl_idname = idnames.CHOOSE_SET_MENU
    bl_label = "Landmark Set"
    bl_description = "Choose the set that is shown, and that gets new landmarks"

    def draw(self, context: bpy.types.Context | None) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        document = active_landmarks.document(present(context))
        for each in document.sets if document else ():
            icon: Any = "RADIOBUT_ON" if document and each is document.set else "RADIOBUT_OFF"
            _draw_line(
                layout, idnames.CHOOSE_LANDMARK_SET_OPERATOR, icon, set_label(each), set=each.id
            )
        layout.separator()
        _draw_line(layout, idnames.ADD_LANDMARK_SET_OPERATOR, "ADD")
        _draw_line(layout, idnames.LOAD_TEMPLATE_OPERATOR, "PRESET")
        _draw_line(layout, idnames.TYPE_TEMPLATE_OPERATOR, "SYNTAX_OFF")
        if document and document.set:
            layout.separator()
            layout.menu(idnames.SET_MENU)


class RAYPICK_MT_landmark_set(bpy.types.Menu):
    """What can be done with the active set."""

    bl_idname = idnames.SET_MENU
    bl_label = "Active Set"

    def draw(self, context: bpy.types.Context | None) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        line, move = partial(_draw_line, layout), idnames.MOVE_LANDMARK_SET_OPERATOR
        document = active_landmarks.document(present(context))
        line(idnames.RENAME_LANDMARK_SET_OPERATOR, "GREASEPENCIL", "Rename")
        line(idnames.COLOR_LANDMARK_SET_OPERATOR, "COLOR", "Set Color")
        if document and document.set:
            of, turn = document.set, idnames.TURN_LANDMARK_OPERATOR
            show = ("HIDE_OFF", "Show") if of.hidden else ("HIDE_ON", "Hide")
            lock = ("UNLOCKED", "Unlock") if of.locked else ("LOCKED", "Lock")
            line(turn, *show, landmark=of.id, what="hidden")
            line(turn, *lock, landmark=of.id, what="locked")
        layout.separator()
        line(move, "TRIA_UP", "Move Up", way="UP")
        line(move, "TRIA_DOWN", "Move Down", way="DOWN")
        layout.separator()
        line(idnames.DUPLICATE_LANDMARK_SET_OPERATOR, "DUPLICATE", "Duplicate")
        line(idnames.REMOVE_LANDMARK_SET_OPERATOR, "REMOVE", "Remove")


class RAYPICK_MT_landmark_template(bpy.types.Menu):
    """Where names come from that are asked for one after the other."""

    bl_idname = idnames.TEMPLATE_MENU
    bl_label = "Template"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"  # operators ask for files and options
        line, step = partial(_draw_line, layout), idnames.STEP_TEMPLATE_OPERATOR
        line(idnames.LOAD_TEMPLATE_OPERATOR, "PRESET")
        line(idnames.TYPE_TEMPLATE_OPERATOR, "SYNTAX_OFF")
        line(idnames.TEMPLATE_FROM_SET_OPERATOR)
        layout.separator()
        line(step, "TRIA_LEFT", "Back", step=-1)
        line(step, "TRIA_RIGHT", "Skip", step=1)
        layout.separator()
        line(idnames.MIRROR_NAMES_OPERATOR, "MOD_MIRROR", "Mirror Template", of_what="TEMPLATE")
        line(idnames.CLEAR_TEMPLATE_OPERATOR, "X")


class RAYPICK_MT_select_landmarks(bpy.types.Menu):
    """Which landmarks of the active set to select."""

    bl_idname = idnames.SELECT_LANDMARKS_MENU
    bl_label = "Select"

    def draw(self, _context: bpy.types.Context | None) -> None:
        for action, text in (("SELECT", "All"), ("DESELECT", "None"), ("INVERT", "Invert")):
            _draw_line(self.layout, idnames.SELECT_LANDMARKS_OPERATOR, text=text, action=action)


class RAYPICK_MT_landmark_topology(bpy.types.Menu):
    """What keeps landmarks where the mesh changes, or brings them to other meshes."""

    bl_idname = idnames.TOPOLOGY_MENU
    bl_label = "Topology"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        line = partial(_draw_line, layout)
        line(idnames.CARRY_OVER_OPERATOR, "SNAP_FACE_NEAREST")
        line(idnames.TRANSFER_LANDMARKS_OPERATOR, "MOD_DATA_TRANSFER")
        layout.separator()
        line(idnames.BIND_LANDMARKS_OPERATOR, "LINKED")
        line(idnames.UNBIND_LANDMARKS_OPERATOR, "UNLINKED")


class RAYPICK_MT_landmark_files(bpy.types.Menu):
    """Ways for landmarks out of Blender and into it."""

    bl_idname = idnames.LANDMARK_FILES_MENU
    bl_label = "Files"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"  # operators ask for files and options
        line = partial(_draw_line, layout)
        line(idnames.IMPORT_LANDMARKS_OPERATOR, "IMPORT", "Import")
        line(idnames.EXPORT_LANDMARKS_OPERATOR, "EXPORT", "Export")
        layout.separator()
        line(idnames.COPY_LANDMARK_TABLE_OPERATOR, "COPYDOWN")
        line(idnames.COPY_LANDMARK_OPERATOR)
        layout.separator()
        line(idnames.ADD_LANDMARK_EMPTIES_OPERATOR, "EMPTY_ARROWS")


class RAYPICK_MT_landmark_specials(bpy.types.Menu):
    """All that can be done with landmarks and is not done often."""

    bl_idname = idnames.LANDMARK_MENU
    bl_label = "Landmark Specials"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"  # operators ask for colors
        line = partial(_draw_line, layout)
        order, mark = idnames.ORDER_LANDMARKS_OPERATOR, idnames.MARK_LANDMARKS_OPERATOR
        for menu in _LANDMARK_MENUS:
            layout.menu(menu)
        layout.separator()
        line(order, "TRIA_UP_BAR", "Move to Top", way="TOP")
        line(order, "TRIA_DOWN_BAR", "Move to Bottom", way="BOTTOM")
        layout.separator()
        line(mark, "HIDE_ON", "Hide Selected", what="hidden", on=True, every=False)
        line(mark, "HIDE_OFF", "Show Hidden", what="hidden", on=False, every=True)
        line(mark, "LOCKED", "Lock Selected", what="locked", on=True, every=False)
        line(mark, "UNLOCKED", "Unlock All", what="locked", on=False, every=True)
        layout.separator()
        line(idnames.COLOR_LANDMARKS_OPERATOR, "COLOR")
        line(idnames.RESET_LANDMARK_COLORS_OPERATOR)
        line(idnames.MIRROR_NAMES_OPERATOR, "MOD_MIRROR", of_what="SELECTED")


_LANDMARK_MENUS = (
    *(idnames.TEMPLATE_MENU, idnames.SET_MENU, idnames.SELECT_LANDMARKS_MENU),
    *(idnames.TOPOLOGY_MENU, idnames.LANDMARK_FILES_MENU),
)


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
