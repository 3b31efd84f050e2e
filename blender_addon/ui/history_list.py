# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the history's list, which Blender scrolls, searches and highlights.

Blender lists nothing but collections of its own. This one belongs to the window manager, which no
file holds, and has but a number in each row; the picks themselves stay in :mod:`.history`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface
from bpy.props import CollectionProperty, IntProperty, StringProperty

from .. import idnames, registration
from ..model.record import PickRecord
from ..session import current, history, redraw
from ..settings import present
from .numbered_rows import fit

ROWS = "raypick_history"
ACTIVE = "raypick_history_active"


def _tooltip(row: RaypickHistoryRow) -> str:
    """When and where a row's pick was made; the list shows it as the row's tooltip."""
    record = record_of(row)
    if record is None:
        return ""
    places = [f"{record.when:%Y-%m-%d %H:%M:%S}", record.scene, bpy.path.basename(record.file)]
    text = "\n".join(filter(None, places))
    return text.encode("utf-8", "backslashreplace").decode()  # a path's bytes may be no UTF-8


class RaypickHistoryRow(bpy.types.PropertyGroup):
    """A pick of the history, by its number counted from the newest."""

    number: IntProperty()
    tooltip: StringProperty(get=_tooltip)


class RAYPICK_UL_history(bpy.types.UIList):
    """The picks that are remembered, the newest first."""

    bl_idname = idnames.HISTORY_LIST

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
        record = record_of(row)
        if record is None:
            return
        line = layout.row(align=True)
        line.label(text=f"{shown_time(record)}  {hit_of(record)}", translate=False)
        add = line.operator(idnames.ADD_LANDMARK_OPERATOR, text="", icon="ADD", emboss=False)
        add.record = row.number
        button = line.operator(idnames.REMOVE_RECORD_OPERATOR, text="", icon="X", emboss=False)
        button.number = row.number

    def filter_items(self, _context: object, data: object, name: str) -> Any:
        """Keep what the user searches for: a date, or a part of an object's name."""
        sought = self.filter_name.casefold()
        if not sought:
            return [], []
        shows = [sought in _searched(record_of(row)).casefold() for row in getattr(data, name)]
        return [self.bitflag_filter_item * found for found in shows], []


def shown_time(record: PickRecord) -> str:
    """The time of a pick of today, or else the date and the time, in local time."""
    when = record.when.astimezone()
    is_today = when.date() == datetime.now().astimezone().date()
    return f"{when:%H:%M:%S}" if is_today else f"{when:%Y-%m-%d %H:%M}"


def hit_of(record: PickRecord) -> str:
    """Object and face of the hit that was looked at last, and its rank if it is not the first."""
    hit, rank = present(record.hit), pgettext_iface("{} of {}")
    parts = [hit.object, str(hit.face), rank.format(record.rank + 1, len(record.hits))]
    return "  ".join(parts if record.rank else parts[:2])


def record_of(row: RaypickHistoryRow) -> PickRecord | None:
    """The pick of a row, if it is still remembered."""
    records = history.records()
    return records[row.number] if row.number < len(records) else None


def _searched(record: PickRecord | None) -> str:
    if record is None:
        return ""
    return f"{record.when:%Y-%m-%d %H:%M:%S} {present(record.hit).object}"


def _active(_manager: bpy.types.WindowManager) -> int:
    """The row of the kept pick; -1 for none."""
    kept = current.kept()
    rows = (number for number, record in enumerate(history.records()) if record is kept)
    return next(rows, -1)


def _choose(_manager: bpy.types.WindowManager, number: int) -> None:
    """Show the pick of a row again."""
    records = history.records()
    if 0 <= number < len(records):
        current.show(records[number])
        redraw.redraw(bpy.context)


def _follow() -> None:
    """Have as many rows as there are picks; a panel's drawing could not change them."""
    fit(getattr(bpy.context.window_manager, ROWS), history.count())


_CLASSES = registration.Classes(RaypickHistoryRow, RAYPICK_UL_history)


def register() -> None:
    """Follow the history from now on."""
    _CLASSES.register()
    manager = bpy.types.WindowManager
    setattr(manager, ROWS, CollectionProperty(type=RaypickHistoryRow))
    setattr(manager, ACTIVE, IntProperty(get=_active, set=_choose))
    history.on_change = _follow
    _follow()


def unregister() -> None:
    """Take rows and list back."""
    history.on_change = None
    if hasattr(bpy.types.WindowManager, ROWS):
        getattr(bpy.context.window_manager, ROWS).clear()
    for name in (ACTIVE, ROWS):
        if hasattr(bpy.types.WindowManager, name):
            delattr(bpy.types.WindowManager, name)
    _CLASSES.unregister()
