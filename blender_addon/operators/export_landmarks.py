# SPDX-License-Identifier: GPL-3.0-or-later
"""Write landmarks to a file of another tool, or to the clipboard."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from .. import formatting, idnames
from ..api import landmarks as api
from ..bridge.landmarks import storage
from ..bridge.landmarks.file_frame import read_offset
from ..model.landmark_files import MarkFileError, format_named, format_of, formats
from ..settings import present
from .base import Result
from .landmark_file_options import (
    AXES_ITEMS,
    FORMAT_ITEMS,
    SETS_ITEMS,
    UNIT_ITEMS,
    InSpace,
    OfLandmarks,
    OnMesh,
    active_sets,
    chosen,
    in_unit,
)

COLUMN_ITEMS = (
    ("set", "Set", "The name of the set"),
    ("name", "Name", "The name of the landmark"),
    ("position", "Position", "Three coordinates"),
    ("normal", "Normal", "The unit normal of the triangle, three coordinates"),
    ("object", "Object", "The name of the object"),
    ("face", "Face", "The index of the face"),
    ("triangle", "Triangle", "The index of the triangle"),
    ("barycentric", "Weights", "The weights of the triangle's vertices"),
    ("index", "Index", "The number that the landmark is called by"),
    ("description", "Description", "The notes of the landmark"),
    ("locked", "Locked", "1 for a landmark that is locked"),
    ("hidden", "Hidden", "1 for a landmark that is hidden"),
    ("unit", "Unit", "The unit of positions; empty for scene units"),
    ("axes", "Axes", "The axes of positions"),
)
_LAYOUTS = {"embedding": "embedding_layout", "wrap": "wrap_layout"}


class _ToFile:
    """Mixin of operators that ask what of the landmarks is written, and how."""

    sets: EnumProperty(name="Sets", description="The sets that are written", items=SETS_ITEMS)
    unit: EnumProperty(
        name="Unit", description="The unit of positions in the file", items=UNIT_ITEMS
    )
    axes: EnumProperty(
        name="Axes", description="Where the axes of the file point", items=AXES_ITEMS
    )
    columns: EnumProperty(
        name="Columns",
        description="What the table has of each landmark",
        items=COLUMN_ITEMS,
        options={"ENUM_FLAG"},
        default={"set", "name", "position"},
    )

    def chosen_columns(self) -> list[str]:
        """The columns in their usual order."""
        return [name for name, *_ in COLUMN_ITEMS if name in self.columns]

    def chosen_set(self, context: bpy.types.Context) -> str | None:
        """The set of the active object that is written; None for all."""
        return active_sets(storage.read(present(context.object)), self.sets)


def _as_usual(operator: RAYPICK_OT_export_landmarks, _context: bpy.types.Context) -> None:
    """Show the unit and axes that are usual for the format that was chosen."""
    is_medical = format_named(operator.format).is_medical
    operator.unit = "MM" if is_medical else "SCENE"
    operator.axes = "LPS" if is_medical else "Z_UP"


class RAYPICK_OT_export_landmarks(ExportHelper, _ToFile, InSpace, OnMesh, OfLandmarks):
    bl_idname = idnames.EXPORT_LANDMARKS_OPERATOR
    bl_label = "Export Landmarks"
    bl_description = "Write landmarks of the active object, where they are now, to a file"

    if TYPE_CHECKING:
        filepath: str
    filename_ext = ".mrk.json"
    filter_glob: StringProperty(
        default=";".join(f"*{each.endings[0]}" for each in formats()), options={"HIDDEN"}
    )
    format: EnumProperty(
        name="Format", description="The format of the file", items=FORMAT_ITEMS, update=_as_usual
    )
    embedding_layout: EnumProperty(
        name="Layout",
        description="Whose names and shapes the arrays have",
        items=(
            ("flame", "FLAME", "Arrays lmk_face_idx and lmk_b_coords"),
            ("smplx", "SMPL-X", "Arrays lmk_faces_idx and lmk_bary_coords"),
            ("mediapipe", "MediaPipe", "As FLAME, with the array landmark_indices"),
            ("deca", "DECA", "Arrays static_lmk_ and full_lmk_"),
        ),
    )
    wrap_layout: EnumProperty(
        name="Layout",
        description="Whether the points have names",
        items=(
            ("named", "Names", "Points by their names"),
            ("list", "List", "Points in their order, without names"),
        ),
    )

    def invoke(  # type: ignore[override] # what it returns has a narrower type in Blender's stubs
        self, context: bpy.types.Context, event: bpy.types.Event
    ) -> Result:
        """Begin with the name of the object, and with what is usual for the format."""
        if not self.properties.is_property_set("unit"):
            _as_usual(self, context)
        if not self.filepath:
            name = bpy.path.clean_name(present(context.object).name)
            self.filepath = os.path.join(os.path.dirname(bpy.data.filepath), name)
        self.check(context)
        return cast(Result, ExportHelper.invoke(self, context, event))

    def check(self, _context: bpy.types.Context) -> bool:
        """Keep the name's ending that of the format while the user chooses."""
        endings = {ending for each in formats() for ending in each.endings}
        path = self.filepath
        for ending in sorted(endings, key=len, reverse=True):
            if path.lower().endswith(ending):
                path = path[: -len(ending)]
                break
        path += format_named(self.format).endings[0]
        is_other = path != self.filepath
        self.filepath = path
        return is_other

    def draw(self, _context: bpy.types.Context) -> None:
        layout, found = self.layout, format_named(self.format)
        layout.use_property_split = True
        layout.prop(self, "format")
        layout.prop(self, "sets")
        if self.format in _LAYOUTS:
            layout.prop(self, _LAYOUTS[self.format])
        if "positions" in found.holds:
            for name in ("space", "unit", "axes", "offset"):
                layout.prop(self, name)
        if "triangles" in found.holds:
            for name in ("mesh", "triangles"):
                layout.prop(self, name)
        if found.columns:
            column = layout.column(heading="Columns")
            column.prop(self, "columns", expand=True)

    def run(self, context: bpy.types.Context) -> str:
        name = self._format()
        is_set = self.properties.is_property_set
        written = api.export(
            context,
            present(context.object),
            self.filepath,
            self.chosen_set(context),
            name,
            space=self.space,
            unit=chosen(self.unit) if is_set("unit") else None,
            axes=self.axes if is_set("axes") else None,
            mesh=chosen(self.mesh),
            triangles=chosen(self.triangles),
            layout=getattr(self, _LAYOUTS[name]) if name in _LAYOUTS else None,
            columns=self.chosen_columns() if format_named(name).columns else None,
            offset=read_offset(self.offset),
        )
        return ". ".join(_told(written, name, self.triangles, context.scene))

    def _format(self) -> str:
        """By the property, or else by the name's ending."""
        if not self.properties.is_property_set("format"):
            try:
                return format_of(os.path.basename(self.filepath)).name
            except MarkFileError:
                pass
        return str(self.format)


class RAYPICK_OT_copy_landmark_table(_ToFile, InSpace, OfLandmarks):
    bl_idname = idnames.COPY_LANDMARK_TABLE_OPERATOR
    bl_label = "Copy Landmarks as Table"
    bl_description = "Copy landmarks of the active object, where they are now, to the clipboard"

    format: EnumProperty(
        name="Format",
        description="What separates the columns",
        items=(("tsv", "TSV", "Tabs, for spreadsheets"), ("csv", "CSV", "Commas, for programs")),
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the columns."""
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        for name in ("format", "sets", "space", "unit", "axes", "offset"):
            self.layout.prop(self, name)
        self.layout.column(heading="Columns").prop(self, "columns", expand=True)

    def run(self, context: bpy.types.Context) -> str:
        table = api.text(
            context,
            present(context.object),
            self.chosen_set(context),
            self.format,
            columns=self.chosen_columns(),
            space=self.space,
            unit=chosen(self.unit),
            axes=self.axes,
            offset=read_offset(self.offset),
        )
        context.window_manager.clipboard = table
        return pgettext_rpt("Copied {} landmarks").format(len(table.splitlines()) - 1)


def _told(written: api.Exported, name: str, triangles: str, scene: bpy.types.Scene) -> list[str]:
    """What was written, in the language of the interface."""
    parts = [pgettext_rpt("Wrote {} landmarks").format(written.landmarks)]
    if written.unit is not None and written.axes is not None:
        parts[0] += f" ({in_unit(written.unit, written.axes)})"
    if written.missing:
        text = pgettext_rpt("It is not known where {} of them are")
        parts.append(text.format(written.missing))
    if written.mesh is not None and name != "slicer":
        parts.append(_counting(written, name, triangles))
    if written.moved:
        moved = formatting.shown_length(written.moved, scene)
        parts.append(pgettext_rpt("They moved by at most {} onto these triangles").format(moved))
    return parts


def _counting(written: api.Exported, name: str, triangles: str) -> str:
    """In which mesh the triangles of a file count, and how."""
    is_original = written.mesh == "ORIGINAL"
    if written.are_faces:
        return pgettext_rpt(
            "Triangles are the faces of the original mesh"
            if is_original
            else "Triangles are the faces of the evaluated mesh"
        )
    if triangles == "FAN" or (triangles == "AUTO" and name == "wrap"):
        return pgettext_rpt(
            "Triangles are those of fans in the original mesh"
            if is_original
            else "Triangles are those of fans in the evaluated mesh"
        )
    return pgettext_rpt(
        "Triangles are Blender's own of the original mesh"
        if is_original
        else "Triangles are Blender's own of the evaluated mesh"
    )
