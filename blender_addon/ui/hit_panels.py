# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels that tell what was hit: the hit, its triangle, and what the mesh stores there."""

from __future__ import annotations

import bpy

from .. import idnames
from ..model import rows
from ..session import current, following
from .rows import draw_group, draw_stored
from .sidebar import HitPanel


class RAYPICK_PT_hit(HitPanel, bpy.types.Panel):
    """What was hit and where, and what can be done with it."""

    bl_label = "Hit"

    def draw(self, context: bpy.types.Context) -> None:
        fade_if_stale(self.layout, context)
        for group in rows.groups("hit", current.shown()):
            draw_group(self.layout, group, context.scene)
        _draw_actions(self.layout, context)


class RAYPICK_PT_triangle(HitPanel, bpy.types.Panel):
    """The triangle that was hit."""

    bl_label = "Triangle"

    def draw(self, context: bpy.types.Context) -> None:
        fade_if_stale(self.layout, context)
        for group in rows.groups("triangle", current.shown()):
            draw_group(self.layout, group, context.scene)


class RAYPICK_PT_attributes(HitPanel, bpy.types.Panel):
    """What the mesh stores at the place."""

    bl_label = "Attributes"

    def draw(self, context: bpy.types.Context) -> None:
        fade_if_stale(self.layout, context)
        tables = rows.tables(current.shown())
        if not tables:
            self.layout.label(text="The mesh stores nothing there", icon="INFO")
        for heading, stored in tables:
            column = self.layout.column(align=True)
            column.label(text=heading)
            for row in stored:
                draw_stored(column, row)


def fade_if_stale(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Gray out values of a pick that may no longer hold."""
    layout.active = not following.stale(current.shown(), context)


def _draw_actions(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    column = layout.column(align=True)
    column.operator(idnames.SELECT_OBJECT_OPERATOR, icon="RESTRICT_SELECT_OFF")
    if context.mode == "EDIT_MESH":
        row = column.row(align=True)
        for element, icon in (("FACE", "FACESEL"), ("EDGE", "EDGESEL"), ("VERTEX", "VERTEXSEL")):
            name = {"FACE": "Face", "EDGE": "Edge", "VERTEX": "Vertex"}[element]
            button = row.operator(idnames.SELECT_ELEMENT_OPERATOR, text=name, icon=icon)
            button.element = element
    column.operator(idnames.CURSOR_OPERATOR, icon="PIVOT_CURSOR")
    column.operator(idnames.ADD_EMPTY_OPERATOR, icon="EMPTY_AXIS")
    column.operator(idnames.FRAME_OPERATOR, icon="ZOOM_SELECTED")
