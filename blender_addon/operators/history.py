# SPDX-License-Identifier: GPL-3.0-or-later
"""Show, remove, save, clear and export the picks of the history."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import EnumProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from .. import idnames
from ..model import export
from ..model.record import PickRecord
from ..session import current, history, redraw
from ..standalone_core import RaypickError
from ..standalone_core.extension import atomic_write


class _OfNumber:
    """Mixin of operators on one pick of the history."""

    number: IntProperty(
        name="Number of the Pick",
        description="Number of the pick, counted from the newest, starting at 0",
        min=0,
    )

    def record(self) -> PickRecord | None:
        """The pick; where there is none, that is told as an error."""
        records = history.records()
        if self.number < len(records):
            return records[self.number]
        self.report({"ERROR"}, "This pick is not remembered any more")
        return None


class _WithHistory:
    """Mixin of operators that need a history."""

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Only where something was picked."""
        if not history.records():
            cls.poll_message_set("No picks yet")
            return False
        return True


class RAYPICK_OT_show_record(_OfNumber, _WithHistory, bpy.types.Operator):
    """Show a pick of the history again."""

    bl_idname = idnames.SHOW_RECORD_OPERATOR
    bl_label = "Show Pick"
    bl_description = "Show this pick again, where its triangle is now"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Show it."""
        record = self.record()
        if record is None:
            return {"CANCELLED"}
        current.show(record)
        redraw.redraw(context)
        return {"FINISHED"}


class RAYPICK_OT_remove_record(_OfNumber, _WithHistory, bpy.types.Operator):
    """Forget a pick of the history."""

    bl_idname = idnames.REMOVE_RECORD_OPERATOR
    bl_label = "Remove Pick"
    bl_description = (
        "Remove this pick from the history. If it was saved with the file, it stays in the file"
    )
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Forget it."""
        record = self.record()
        if record is None:
            return {"CANCELLED"}
        history.remove(record)
        redraw.redraw(context)
        return {"FINISHED"}


class RAYPICK_OT_save_history(_WithHistory, bpy.types.Operator):
    """Have the file hold the history."""

    bl_idname = idnames.SAVE_HISTORY_OPERATOR
    bl_label = "Save History with File"
    bl_description = (
        "Store the picks made in this file in its scene, so that they are saved and "
        "loaded with the file"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only where nothing is lost by it."""
        if not super().poll(context):
            return False
        trouble = history.trouble(context.scene)
        if trouble is not None:
            cls.poll_message_set(trouble)
        return trouble is None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Write it."""
        try:
            count = history.save_to(context.scene)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, pgettext_rpt("{} picks are saved with the file").format(count))
        return {"FINISHED"}


class RAYPICK_OT_clear_history(_WithHistory, bpy.types.Operator):
    """Forget the history."""

    bl_idname = idnames.CLEAR_HISTORY_OPERATOR
    bl_label = "Clear History"
    bl_description = "Remove all picks from the history. Those saved with the file stay in the file"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask first: it cannot be undone."""
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Forget it."""
        history.clear()
        redraw.redraw(context)
        return {"FINISHED"}


class RAYPICK_OT_export_history(_WithHistory, bpy.types.Operator, ExportHelper):
    """Write the history to a file."""

    bl_idname = idnames.EXPORT_HISTORY_OPERATOR
    bl_label = "Export History"
    bl_description = "Write the history to a file, with all digits"

    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv;*.json", options={"HIDDEN"})
    format: EnumProperty(
        name="Format",
        description="Contents of the file",
        items=(
            ("CSV", "CSV", "A table with a line for each hit; a name like =A1 is written as '=A1"),
            ("JSON", "JSON", "All values of all hits, with all names as they are"),
        ),
    )

    def check(self, _context: bpy.types.Context) -> bool:
        """Keep the name's ending that of the format while the person chooses."""
        before, path = self.filepath, Path(self.filepath)
        if path.suffix.lower() in {".csv", ".json"}:
            path = path.with_suffix("")
        self.filepath = f"{path}.{self.format.lower()}"
        return self.filepath != before

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Write it."""
        records = history.records()[::-1]
        write = export.json_bytes if self._is_json() else export.csv_bytes
        try:
            with atomic_write(bpy.path.abspath(self.filepath)) as file:
                file.write(write(records))
        except (OSError, RaypickError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, pgettext_rpt("Wrote {} picks").format(len(records)))
        return {"FINISHED"}

    def _is_json(self) -> bool:
        """By the format, or else by the name's ending."""
        if self.properties.is_property_set("format"):
            return self.format == "JSON"
        return self.filepath.lower().endswith(".json")
