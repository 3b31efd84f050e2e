# SPDX-License-Identifier: GPL-3.0-or-later
"""Raypick's entry in Blender's context menus: what to do with what is under the mouse there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface

from .. import idnames
from ..model.hit import FIELDS, PickHit
from ..operators.under_mouse import menu_opens, text_of
from ..session import pointing
from ..settings import present

_MENUS = (
    *("VIEW3D_MT_object_context_menu", "VIEW3D_MT_edit_mesh_context_menu"),
    *("VIEW3D_MT_edit_curve_context_menu", "VIEW3D_MT_edit_curves_context_menu"),
    *("VIEW3D_MT_edit_font_context_menu", "VIEW3D_MT_edit_lattice_context_menu"),
    *("VIEW3D_MT_edit_metaball_context_menu", "VIEW3D_MT_armature_context_menu"),
    *("VIEW3D_MT_pose_context_menu", "VIEW3D_MT_particle_context_menu"),
    *("VIEW3D_MT_greasepencil_edit_context_menu", "VIEW3D_PT_greasepencil_draw_context_menu"),
    *("VIEW3D_PT_sculpt_context_menu", "VIEW3D_PT_paint_weight_context_menu"),
    *("VIEW3D_PT_paint_vertex_context_menu", "VIEW3D_PT_paint_texture_context_menu"),
)
"""Blender's context menus in all modes; some versions lack some of them."""

_COPIED = ("face", "barycentric", "point")


def register() -> None:
    """Add the entry at the ends of the menus."""
    for menu in _menus():
        menu.append(_draw_entry)


def unregister() -> None:
    """Remove it."""
    for menu in _menus():
        with suppress(ValueError):  # if it is not in the menu
            menu.remove(_draw_entry)


def _menus() -> list[Any]:
    found = (getattr(bpy.types, name, None) for name in _MENUS)
    return [menu for menu in found if menu is not None]


def _draw_entry(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    if context.region_data is None:  # opened by something other than a viewport
        return
    popup = context.region_popup
    if popup is None or popup.width == 0:  # it is drawn for the first time
        menu_opens(context)
    menu.layout.separator()
    menu.layout.menu(idnames.POINTED_MENU, icon="EYEDROPPER")


class RAYPICK_MT_pointed(bpy.types.Menu):
    """What can be done with the hit where the context menu was opened."""

    bl_idname = idnames.POINTED_MENU
    bl_label = "Raypick"

    def draw(self, context: bpy.types.Context | None) -> None:
        context, layout = present(context), self.layout
        hit = pointing.ask(context, layout)
        if hit is None:
            layout.enabled = False
            layout.label(text="Nothing hit")
            return
        heading = f"{hit.object} · {pgettext_iface('Face')} {hit.face}"
        layout.label(text=heading, translate=False)
        layout.separator()
        if context.mode == "EDIT_MESH":
            line = layout.operator(idnames.SELECT_ELEMENT_OPERATOR, text="Select Face")
            line.element = "FACE"
        else:
            line = layout.operator(idnames.SELECT_OBJECT_OPERATOR)
        line.pointed = True
        for operator, icon in _LINES:
            layout.operator(operator, icon=icon).pointed = True
        layout.menu(idnames.COPY_POINTED_MENU, icon="COPYDOWN")


_LINES: tuple[tuple[str, Any], ...] = (
    (idnames.LEAVE_OUT_OPERATOR, "NONE"),
    (idnames.ADD_LANDMARK_OPERATOR, "NONE"),
    (idnames.CURSOR_OPERATOR, "PIVOT_CURSOR"),
    (idnames.FRAME_OPERATOR, "NONE"),
)


class RAYPICK_MT_copy_pointed(bpy.types.Menu):
    """The values of this hit that are copied most."""

    bl_idname = idnames.COPY_POINTED_MENU
    bl_label = "Copy"

    def draw(self, context: bpy.types.Context | None) -> None:
        layout = self.layout
        hit: PickHit | None = pointing.ask(present(context), layout)
        if hit is None:
            return
        for key in _COPIED:
            line = layout.operator(idnames.COPY_OPERATOR, text=FIELDS[key].label)
            line.text, line.value = present(text_of(hit, key)), key
        layout.operator(idnames.COPY_REPORT_OPERATOR).pointed = True
