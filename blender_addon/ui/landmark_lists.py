# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of the active object's sets, and of the landmarks of its active set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from .. import idnames
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkSet
from ..session import active_landmarks
from .landmark_rows import SETS, landmark_of, landmarks, set_of, sets
from .numbered_rows import flags

_COLOR_UNITS = 1.0  # the width of a swatch


class _NamedList:
    """Mixin of lists that are searched by name."""

    def filter_items(self: Any, _context: object, data: object, name: str) -> Any:
        """Keep what the user searches for, and no row that is left of another object."""
        every: Sequence[LandmarkSet | Landmark] = sets() if name == SETS else landmarks()
        found = flags(self, (each.name for each in every), len(getattr(data, name)))
        order: list[int] = []
        if self.use_filter_sort_alpha:
            order = bpy.types.UI_UL_list.sort_items_by_name(getattr(data, name), "name")
        return found, order


class RAYPICK_UL_landmark_sets(_NamedList, bpy.types.UIList):
    """The sets of the active object."""

    bl_idname = idnames.LANDMARK_SET_LIST

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: bpy.types.UILayout,
        _data: object,
        row: Any,
        _icon: int | None,
        _active_data: object,
        _active_property: str | None,
        *_: object,
    ) -> None:
        of = set_of(row)
        if of is None:
            return
        line = layout.row(align=True)
        _draw_swatch(line, row)
        line.prop(row, "name", text="", emboss=False)
        count = line.row()
        count.alignment = "RIGHT"
        total, missing = len(of.landmarks), len(of.missing)
        text = f"{total - missing}/{total}" if missing else str(total)
        count.label(text=text, translate=False)
        _draw_turns(line, of)


class RAYPICK_UL_landmarks(_NamedList, bpy.types.UIList):
    """The landmarks of the active set."""

    bl_idname = idnames.LANDMARK_LIST

    def draw_item(
        self,
        context: bpy.types.Context | None,
        layout: bpy.types.UILayout,
        _data: object,
        row: Any,
        _icon: int | None,
        _active_data: object,
        _active_property: str | None,
        *_: object,
    ) -> None:
        one = landmark_of(row)
        if one is None or context is None:
            return
        line = layout.row(align=True)
        icon: Any = "CHECKBOX_HLT" if one.selected else "CHECKBOX_DEHLT"
        button = line.operator(idnames.CLICK_LANDMARK_OPERATOR, text="", icon=icon, emboss=False)
        button.landmark, button.extend = one.id, "TOGGLE"
        _draw_swatch(line, row)
        line.prop(row, "name", text="", emboss=False)
        if one.anchor is None:
            line.label(text="", icon="MESH_CIRCLE")
        elif active_landmarks.reason(context, one.id):
            line.label(text="", icon="ERROR")
        _draw_turns(line, one)


def _draw_swatch(line: bpy.types.UILayout, row: Any) -> None:
    swatch = line.row()
    swatch.ui_units_x = _COLOR_UNITS
    swatch.prop(row, "color", text="")


def _draw_turns(line: bpy.types.UILayout, of: Landmark | LandmarkSet) -> None:
    """Draw the buttons that hide and lock a landmark or set."""
    icons: tuple[tuple[str, Any], ...] = (
        ("hidden", "HIDE_ON" if of.hidden else "HIDE_OFF"),
        ("locked", "LOCKED" if of.locked else "UNLOCKED"),
    )
    for what, icon in icons:
        button = line.operator(idnames.TURN_LANDMARK_OPERATOR, text="", icon=icon, emboss=False)
        button.landmark, button.what = of.id, what
