# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of a pick: its hit, the triangle, what the mesh stores there, and all its hits."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
from bpy.app.translations import pgettext_iface

from .. import formatting, idnames
from ..model import record
from ..model.record import PickRecord
from ..session import current
from ..settings import present
from .rows import HitPanel, draw_group, draw_stored, record_to_draw

MOST = 24  # at most this many hits are listed, around the current one

_COLUMNS = {"#": 0.17, "Object": 0.33, "Face": 0.2, "Distance": 0.3}
"""The headings of the table, and each column's share of its width."""


class RAYPICK_PT_hit(HitPanel):
    """What was hit and where, and what can be done with it."""

    bl_label = "Hit"

    def draw(self, context: bpy.types.Context) -> None:
        for group in record.groups("hit", record_to_draw(self.layout, context)):
            draw_group(self.layout, group, context.scene)
        column = self.layout.column(align=True)
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


class RAYPICK_PT_triangle(HitPanel):
    """The triangle that was hit."""

    bl_label = "Triangle"

    def draw(self, context: bpy.types.Context) -> None:
        for group in record.groups("triangle", record_to_draw(self.layout, context)):
            draw_group(self.layout, group, context.scene)


class RAYPICK_PT_attributes(HitPanel):
    """What the mesh stores at the place."""

    bl_label = "Attributes"

    def draw(self, context: bpy.types.Context) -> None:
        tables = record.tables(record_to_draw(self.layout, context))
        if not tables:
            self.layout.label(text="The mesh stores nothing there", icon="INFO")
        for heading, stored in tables:
            column = self.layout.column(align=True)
            column.label(text=heading)
            for row in stored:
                draw_stored(column, row)


class RAYPICK_PT_stack(HitPanel):
    """All hits, to walk through."""

    bl_label = "All Hits"

    def draw(self, context: bpy.types.Context) -> None:
        record = present(current.shown())
        count = len(record.hits)
        row = self.layout.row(align=True)
        text = pgettext_iface("{} of {}").format(record.rank + 1, count)
        row.label(text=text, translate=False)
        row.operator(idnames.WALK_OPERATOR, text="", icon="TRIA_UP").step = -1
        row.operator(idnames.WALK_OPERATOR, text="", icon="TRIA_DOWN").step = 1
        headings = list(_COLUMNS)[: None if record.origin else -1]
        table = self.layout.column(align=True)
        line = table.row(align=True)
        for cell, heading in zip(_cells(line, headings), headings, strict=True):
            cell.alignment = "CENTER"
            cell.label(text=heading)
        line.label(text="", icon="BLANK1")  # above the buttons
        first = max(0, min(record.rank - MOST // 2, count - MOST))
        for rank in range(first, min(first + MOST, count)):
            line = table.row(align=True)
            _draw_hit(_cells(line, headings), record, rank, context.scene)
            button = line.operator(idnames.ADD_LANDMARK_OPERATOR, text="", icon="ADD")
            button.rank = rank


def _cells(line: bpy.types.UILayout, headings: list[str]) -> Iterator[bpy.types.UILayout]:
    """The cells of a row of the table."""
    rest, left = line.row(align=True), sum(_COLUMNS[heading] for heading in headings)
    for heading in headings[:-1]:
        split = rest.split(factor=_COLUMNS[heading] / left, align=True)
        yield split.row(align=True)
        rest, left = split.row(align=True), left - _COLUMNS[heading]
    yield rest


def _draw_hit(
    cells: Iterator[bpy.types.UILayout], record: PickRecord, rank: int, scene: bpy.types.Scene
) -> None:
    """Draw a row of buttons that show the hit: a hollow dot marks a back side, gray a stale hit."""
    hit, is_stale = record.hits_now[rank], record.stale_at(rank) is not None
    distance = "-" if is_stale else formatting.shown_length(hit.distance, scene)
    texts = (str(rank + 1), hit.object, str(hit.face), distance)
    for column, (cell, text) in enumerate(zip(cells, texts, strict=False)):
        cell.active = not is_stale
        button = cell.operator(
            idnames.LOOK_AT_OPERATOR,
            text=text,
            translate=False,
            icon="NONE" if column else "LAYER_ACTIVE" if hit.front else "LAYER_USED",
            depress=rank == record.rank,
        )
        button.rank = rank
