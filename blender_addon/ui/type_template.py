# SPDX-License-Identifier: GPL-3.0-or-later
"""The field in which the names of a template are typed; Enter starts the template."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from .. import idnames
from ..operators.landmark_template import take_tool
from ..registration import Classes
from ..settings import present

_NAMES = "raypick_template_names"
_MOST_LINES = 1000  # of a clipboard that may hold names


class RAYPICK_PT_type_template(bpy.types.Panel):
    """Names of landmarks in their order, separated by commas, semicolons or lines."""

    bl_idname = idnames.TYPE_TEMPLATE_PANEL
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"  # that of panels which are shown only where they are called
    bl_label = "Type Template"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 24

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.label(text="Names, separated by commas")
        row = self.layout.row()
        row.activate_init = True  # so that names can be typed at once
        row.prop(context.window_manager, _NAMES, text="")


def _pasted(manager: bpy.types.WindowManager) -> str:
    """The lines of the clipboard, if it may hold names."""
    lines = [line.strip() for line in manager.clipboard.splitlines()]
    return ", ".join(filter(None, lines)) if 1 < len(lines) < _MOST_LINES else ""


def _start(manager: bpy.types.WindowManager, names: str) -> None:
    """Start the template, or say why it cannot be."""
    if not names.strip():
        return
    operators: Any = bpy.ops
    try:
        operators.raypick.type_template("EXEC_DEFAULT", True, names=names)
        take_tool(bpy.context)
    except RuntimeError as error:
        _, _, why = str(error).strip().partition(": ")
        manager.popup_menu(
            lambda menu, _: present(menu.layout).label(text=why, translate=False),
            title="Type Template",
            icon="ERROR",
        )


_CLASSES = Classes(RAYPICK_PT_type_template)


def register() -> None:
    """Register the field; it belongs to the window manager, which is not saved."""
    field = StringProperty(
        name="Names",
        description=(
            "Names of the landmarks in their order, separated by commas, semicolons or lines"
        ),
        get=_pasted,
        set=_start,
        options={"SKIP_SAVE"},
    )
    setattr(bpy.types.WindowManager, _NAMES, field)
    _CLASSES.register()


def unregister() -> None:
    """Unregister the field."""
    _CLASSES.unregister()
    if hasattr(bpy.types.WindowManager, _NAMES):
        delattr(bpy.types.WindowManager, _NAMES)
