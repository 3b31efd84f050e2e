# SPDX-License-Identifier: GPL-3.0-or-later
"""Show, remove, save, clear and export the picks of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from .. import idnames
from ..model import record
from ..model.record import PickRecord
from ..session import current, history, redraw
from ..standalone_core import RaypickError
from ..standalone_core.extension import atomic_write
from .base import RaypickOperator, Result, a_choice, a_number, with_ending


def remembered(number: int) -> PickRecord:
    """The pick of a number, counted from the newest; RaypickError where there is none."""
    records = history.records()
    if number >= len(records):
        raise RaypickError("This pick is not remembered any more")
    return records[number]


class _OnePick:
    """Mixin of operators on one pick of the history, by its number."""

    number: a_number(
        "Number of the Pick", "Number of the pick, counted from the newest, starting at 0", min=0
    )


class _HistoryOperator(RaypickOperator):
    """Base of operators that need a history."""

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.is_possible(None if history.records() else "No picks yet")


class RAYPICK_OT_show_record(_OnePick, _HistoryOperator):
    bl_idname = idnames.SHOW_RECORD_OPERATOR
    bl_label = "Show Pick"
    bl_description = "Show this pick again, where its triangle is now"
    bl_options = {"INTERNAL"}

    def run(self, context: bpy.types.Context) -> None:
        current.show(remembered(self.number))
        redraw.redraw(context)


class RAYPICK_OT_remove_record(_OnePick, _HistoryOperator):
    bl_idname = idnames.REMOVE_RECORD_OPERATOR
    bl_label = "Remove Pick"
    bl_description = (
        "Remove this pick from the history. If it was saved with the file, it stays in the file"
    )
    bl_options = {"INTERNAL"}

    def run(self, context: bpy.types.Context) -> None:
        history.remove(remembered(self.number))
        redraw.redraw(context)


class RAYPICK_OT_save_history(_HistoryOperator):
    bl_idname = idnames.SAVE_HISTORY_OPERATOR
    bl_label = "Save History with File"
    bl_description = (
        "Store the picks made in this file in its scene, so that they are saved and "
        "loaded with the file"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and cls.is_possible(history.trouble(context.scene))

    def run(self, context: bpy.types.Context) -> str:
        try:
            count = history.save_to(context.scene)
        except ValueError as error:
            raise RaypickError(str(error)) from None
        return pgettext_rpt("{} picks are saved with the file").format(count)


class RAYPICK_OT_clear_history(_HistoryOperator):
    bl_idname = idnames.CLEAR_HISTORY_OPERATOR
    bl_label = "Clear History"
    bl_description = "Remove all picks from the history. Those saved with the file stay in the file"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask first: it cannot be undone."""
        return context.window_manager.invoke_confirm(self, event)

    def run(self, context: bpy.types.Context) -> None:
        history.clear()
        redraw.redraw(context)


class RAYPICK_OT_export_history(ExportHelper, _HistoryOperator):  # type: ignore[misc] # its invoke
    bl_idname = idnames.EXPORT_HISTORY_OPERATOR
    bl_label = "Export History"
    bl_description = "Write the history to a file, with all digits"

    if TYPE_CHECKING:
        filepath: str
    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv;*.json", options={"HIDDEN"})
    format: a_choice(
        "Format",
        "Contents of the file",
        ("CSV", "CSV", "A table with a line for each hit; a name like =A1 is written as '=A1"),
        ("JSON", "JSON", "All values of all hits, with all names as they are"),
    )

    def check(self, _context: bpy.types.Context) -> bool:
        return with_ending(self, (".csv", ".json"), f".{self.format.lower()}")

    def run(self, _context: bpy.types.Context) -> str:
        records = history.records()[::-1]
        is_json = self.filepath.lower().endswith(".json")
        if self.properties.is_property_set("format"):
            is_json = self.format == "JSON"
        write = record.json_bytes if is_json else record.csv_bytes
        try:
            with atomic_write(bpy.path.abspath(self.filepath)) as file:
                file.write(write(records))
        except OSError as error:
            raise RaypickError(str(error)) from None
        return pgettext_rpt("Exported {} picks").format(len(records))
