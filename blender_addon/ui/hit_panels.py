# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels that tell what was hit: the hit, its triangle, and what the mesh stores there."""

from __future__ import annotations

import bpy

from .. import idnames
from ..model import rows
from .rows import draw_group, draw_stored
from .sidebar import HitPanel, record_to_draw


class RAYPICK_PT_hit(HitPanel):
    """What was hit and where, and what can be done with it."""

    bl_label = "Hit"

    def draw(self, context: bpy.types.Context) -> None:
        for group in rows.groups("hit", record_to_draw(self.layout, context)):
            draw_group(self.layout, group, context.scene)
        _draw_actions(self.layout, context)


class RAYPICK_PT_triangle(HitPanel):
    """The triangle that was hit."""

    bl_label = "Triangle"

    def draw(self, context: bpy.types.Context) -> None:
        for group in rows.groups("triangle", record_to_draw(self.layout, context)):
            draw_group(self.layout, group, context.scene)


class RAYPICK_PT_attributes(HitPanel):
    """What the mesh stores at the place."""

    bl_label = "Attributes"

    def draw(self, context: bpy.types.Context) -> None:
        tables = rows.tables(record_to_draw(self.layout, context))
        if not tables:
            self.layout.label(text="The mesh stores nothing there", icon="INFO")
        for heading, stored in tables:
            column = self.layout.column(align=True)
            column.label(text=heading)
            for row in stored:
                draw_stored(column, row)


def _draw_actions(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    column = layout.column(align=True)
    column.operator(idnames.SELECT_OBJECT_OPERATOR, icon="RESTRICT_SELECT_OFF")
    if context.mode == "EDIT_MESH":
        row = column.row(align=True)
        select = idnames.SELECT_ELEMENT_OPERATOR
        row.operator(select, text="Face", icon="FACESEL").element = "FACE"
        row.operator(select, text="Edge", icon="EDGESEL").element = "EDGE"
        row.operator(select, text="Vertex", icon="VERTEXSEL").element = "VERTEX"
    column.operator(idnames.CURSOR_OPERATOR, icon="PIVOT_CURSOR")
    column.operator(idnames.ADD_LANDMARK_OPERATOR, icon="ADD")
    column.operator(idnames.ADD_EMPTY_OPERATOR, icon="EMPTY_AXIS")
    column.operator(idnames.FRAME_OPERATOR, icon="ZOOM_SELECTED")
