# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the pick: its values, what can be done with it, and all its hits.

It is as high with a hit as without, and while the mouse moves: what is below it stays in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface

from .. import api, formatting, idnames, settings
from ..formatting import NONE
from ..model import record as records
from ..model.record import PickRecord
from ..operators import inspect, survey_view
from ..session import current, following, survey
from ..translations import reasons
from . import keymap
from .rows import SidebarPanel, draw_copy, draw_group, draw_line, draw_vectors, is_narrow

MOST = 24  # at most this many hits are listed, around the current one

_COLUMNS = {"#": 0.17, "Object": 0.33, "Face": 0.2, "Distance": 0.3}
"""The headings of the table, and each column's share of its width."""

_VECTORS = {"barycentric": "Barycentric", "point": "Point"}

_NAME_SHARE = 0.4  # of a line's width, for the name of an attribute


class RAYPICK_PT_main(SidebarPanel):
    """What was picked and where, and what can be done with it."""

    bl_idname = idnames.MAIN_PANEL
    bl_label = "Pick"
    bl_order = 0

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True, but first update what panels show."""
        following.update_to_draw(context)
        return True

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        if not is_narrow(context):
            name = "End Inspection" if inspect.is_running() else "Inspect"
            _draw_inspect(self.layout.row(align=True), name)

    def draw(self, context: bpy.types.Context) -> None:
        layout, record = self.layout, current.shown()
        hit = None if record is None else record.hit_now
        values = layout.column(align=True)
        values.active = record is None or not following.stale(record, context)
        _draw_names(values, context, record)
        rows = {label: records.row(key, hit) for key, label in _VECTORS.items()}
        draw_vectors(values, context, rows)
        _draw_walk(layout, context, record)
        _draw_status(layout.row(align=True), context, record)
        _draw_actions(layout, context)
        if is_narrow(context):
            _draw_inspect(layout.row(align=True), "")


def _draw_inspect(row: bpy.types.UILayout, name: str) -> None:
    """Draw the button of the inspector, the options and the other ways to pick."""
    is_running = inspect.is_running()
    row.operator(idnames.INSPECT_OPERATOR, text=name, icon="EYEDROPPER", depress=is_running)
    row.popover(panel=idnames.OPTIONS_PANEL, text="", icon="OPTIONS")
    row.menu(idnames.PICK_MENU, text="", icon="DOWNARROW_HLT")


def _draw_names(
    layout: bpy.types.UILayout, context: bpy.types.Context, record: PickRecord | None
) -> None:
    """Draw the object and the side, and the numbers of face and triangle; or how to begin."""
    hit = None if record is None else record.hit_now
    if record is None and settings.is_new():
        hotkey = keymap.shown(context, idnames.PICK_OPERATOR)
        narrow = is_narrow(context)
        name = "Raypick" if narrow else pgettext_iface("Take the Raypick Tool")
        button = layout.operator("wm.tool_set_by_id", text=name, icon="EYEDROPPER", translate=False)
        button.name = idnames.PICK_TOOL
        form = "and click a surface, or press {}" if hotkey else "and click a surface"
        text = hotkey if narrow else pgettext_iface(form).format(hotkey)
        layout.label(text=text, translate=False)
        if narrow:
            layout.label(text="")  # the triangle has a line of its own there
        return
    first = layout.row()
    numbers = layout.column(align=True) if is_narrow(context) else layout.row()
    nothing = NONE if record is None else pgettext_iface("Nothing hit")
    first.label(text=hit.place_name if hit else nothing, icon="OBJECT_DATA", translate=False)
    if not is_narrow(context):
        side = first.row()
        side.alignment = "RIGHT"
        side.label(text=hit.side if hit else "")
    for key, form in (("face", "Face {}"), ("triangle", "Triangle {}")):
        text = pgettext_iface(form).format(NONE if hit is None else getattr(hit, key))
        number = numbers.row(align=True)
        number.label(text=text, translate=False)
        if key == "face" or not is_narrow(context):
            draw_copy(number, records.row(key, hit))


def _draw_walk(
    layout: bpy.types.UILayout, context: bpy.types.Context, record: PickRecord | None
) -> None:
    """Draw which of the hits is shown, with buttons for the others."""
    row = layout.row(align=True)
    count = len(record.hits) if record else 0
    row.operator(idnames.WALK_OPERATOR, text="", icon="TRIA_LEFT").step = -1
    rank = NONE if record is None or not count else record.rank + 1
    form = "{}/{}" if is_narrow(context) else pgettext_iface("Hit {} of {}")
    text = form.format(rank, count or NONE)
    middle = row.row(align=True)
    middle.alignment = "CENTER"
    middle.label(text=text, translate=False)
    row.operator(idnames.WALK_OPERATOR, text="", icon="TRIA_RIGHT").step = 1
    if not is_narrow(context):
        row.separator()
        row.operator(idnames.COPY_REPORT_OPERATOR, text="", icon="COPYDOWN")
    row.operator(idnames.CLEAR_OPERATOR, text="", icon="X")


def _draw_status(
    row: bpy.types.UILayout, context: bpy.types.Context, record: PickRecord | None
) -> None:
    """Draw a line that is always there: what goes on, or what there is to know about the pick."""
    share = api.indexing()
    if survey.running is not None:
        survey_view.draw_progress(row, survey.running)
        row.operator(idnames.STOP_SURVEY_OPERATOR, text="", icon="X")
        return
    if share is not None:
        row.progress(factor=share, text=pgettext_iface("Indexing"))
        return
    text, icon = _status(context, record)
    row.label(text=text, icon=icon, translate=False)


def _status(context: bpy.types.Context, record: PickRecord | None) -> tuple[str, Any]:
    """What there is to know about the pick, and an icon."""
    if record is None:
        return "", "BLANK1"
    stale, hit = following.stale(record, context), record.hit_now
    if stale:
        return reasons.translated(stale), "ERROR"
    if record.unpickable and record.now is None:  # unknown once the scene has changed
        return formatting.not_picked(record.unpickable), "INFO"
    if hit is None:
        return pgettext_iface("No visible face there"), "INFO"
    if hit.is_base_mesh:
        return pgettext_iface("Base mesh, not the sculpted level"), "INFO"
    if hit.pixels_away > 0.0:
        return pgettext_iface("{} px away").format(f"{hit.pixels_away:.1f}"), "INFO"
    if record is not current.kept():
        return pgettext_iface("Click to keep it"), "MOUSE_LMB"
    return "", "BLANK1"


def _draw_actions(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the buttons, in a narrow sidebar only their icons."""
    grid, narrow = layout.column(align=True), is_narrow(context)
    grid.enabled = current.shown_hit() is not None
    line = grid.row(align=True)
    line.menu(idnames.SELECT_MENU, text="" if narrow else "Select", icon="RESTRICT_SELECT_OFF")
    for operator, text, icon in _ACTIONS:
        if operator == idnames.ADD_LANDMARK_OPERATOR and not narrow:
            line = grid.row(align=True)
        line.operator(operator, text="" if narrow else text, icon=icon)


_ACTIONS: tuple[tuple[str, str, Any], ...] = (
    (idnames.CURSOR_OPERATOR, "Cursor", "PIVOT_CURSOR"),
    (idnames.ADD_LANDMARK_OPERATOR, "Landmark", "ADD"),
    (idnames.FRAME_OPERATOR, "Frame in View", "ZOOM_SELECTED"),
)


class RAYPICK_MT_select(bpy.types.Menu):
    """What of the hit can be selected; in edit mode its face, and the edge or vertex near to it."""

    bl_idname = idnames.SELECT_MENU
    bl_label = "Select"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout, select = self.layout, idnames.SELECT_ELEMENT_OPERATOR
        layout.operator(idnames.SELECT_OBJECT_OPERATOR, text="Object", icon="OBJECT_DATA")
        layout.operator(select, text="Face", icon="FACESEL").element = "FACE"
        layout.operator(select, text="Edge", icon="EDGESEL").element = "EDGE"
        layout.operator(select, text="Vertex", icon="VERTEXSEL").element = "VERTEX"


class _SubPanel(SidebarPanel):
    """Base of a panel with more about the kept pick: it does not change as the mouse moves."""

    bl_parent_id = idnames.MAIN_PANEL
    bl_options = {"DEFAULT_CLOSED"}


def _kept_to_draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> PickRecord | None:
    """The kept pick, gray where its values may no longer hold; if there is none, say so."""
    record = current.kept()
    if record is None or record.hit is None:
        layout.label(text="No pick is kept", icon="INFO")
        return None
    layout.active = not following.stale(record, context)
    return record


class RAYPICK_PT_details(_SubPanel):
    """Everything else about the hit, and what the mesh stores at the place."""

    bl_label = "Details"

    def draw(self, context: bpy.types.Context) -> None:
        layout, record = self.layout, _kept_to_draw(self.layout, context)
        if record is None:
            return
        for group in records.groups(record):
            draw_group(layout, context, group)
        for heading, stored in records.tables(record):
            column = layout.column(align=True)
            column.label(text=heading)
            for row in stored:
                draw_line(column, context, row, row.label, _NAME_SHARE)


class RAYPICK_PT_stack(_SubPanel):
    """All hits, to walk through."""

    bl_label = "All Hits"

    def draw(self, context: bpy.types.Context) -> None:
        record = _kept_to_draw(self.layout, context)
        if record is None:
            return
        headings = list(_COLUMNS)[: None if record.origin else -1]
        narrow = is_narrow(context)
        if narrow:
            headings = ["#", "Face"]
        table, count = self.layout.column(align=True), len(record.hits)
        line = table.row(align=True)
        for cell, heading in zip(_cells(line, headings), headings, strict=True):
            cell.alignment = "CENTER"
            cell.label(text=heading)
        if not narrow:
            line.label(text="", icon="BLANK1")  # above the buttons
        first = max(0, min(record.rank - MOST // 2, count - MOST))
        for rank in range(first, min(first + MOST, count)):
            line = table.row(align=True)
            _draw_hit(_cells(line, headings), headings, record, rank, context.scene)
            if not narrow:
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
    cells: Iterator[bpy.types.UILayout],
    headings: list[str],
    record: PickRecord,
    rank: int,
    scene: bpy.types.Scene,
) -> None:
    """Draw a row of buttons that show the hit: a hollow dot marks a back side, gray a stale hit."""
    hit, is_stale = record.hits_now[rank], record.stale_at(rank) is not None
    distance = NONE if is_stale else formatting.shown_length(hit.distance, scene)
    texts = dict(zip(_COLUMNS, (str(rank + 1), hit.object, str(hit.face), distance), strict=True))
    for column, (cell, heading) in enumerate(zip(cells, headings, strict=True)):
        cell.active = not is_stale
        button = cell.operator(
            idnames.LOOK_AT_OPERATOR,
            text=texts[heading],
            translate=False,
            icon="NONE" if column else "LAYER_ACTIVE" if hit.front else "LAYER_USED",
            depress=rank == record.rank,
        )
        button.rank = rank
