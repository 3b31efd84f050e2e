# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu of what can be done with landmarks and is not done often."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy

from .. import idnames


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
