# SPDX-License-Identifier: GPL-3.0-or-later
"""Export landmarks to files of other tools and to the clipboard, and import them from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt
from bpy.props import CollectionProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from .. import formatting, idnames
from ..api import landmarks as api
from ..bridge.landmarks import importing, storage
from ..bridge.landmarks.file_frame import read_offset
from ..bridge.landmarks.fitting import Arguments, UnfitError
from ..bridge.landmarks.importing import AUTO, Imported, LoadOptions
from ..model.landmark_files.format import TYPED_UNITS, Format, MarkFileError
from ..model.landmark_files.registry import endings, format_named, format_of, formats, read
from ..model.landmark_files.table import COLUMNS
from ..session import active_landmarks, landmarks
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons
from .base import (
    UNSAVED,
    RaypickOperator,
    Result,
    a_choice,
    a_flag,
    a_text,
    draw_properties,
    reportable,
    with_ending,
)

_MOST_NOTES = 3

FORMAT_ITEMS = tuple((each.name, each.label, each.purpose) for each in formats())
UNITS = {typed.upper(): unit for typed, unit in TYPED_UNITS.items()}
_UNIT_LABELS = {
    "m": "Meters",
    "cm": "Centimeters",
    "mm": "Millimeters",
    "µm": "Micrometers",
    "in": "Inches",
    "ft": "Feet",
}
UNIT_ITEMS = (
    ("SCENE", "Scene Units", "Numbers as Blender has them, whatever a unit of the scene is"),
    *((item, _UNIT_LABELS[unit], "By the unit scale of the scene") for item, unit in UNITS.items()),
)
AXES_ITEMS = (
    ("Z_UP", "Z Up", "As in Blender"),
    ("Y_UP", "Y Up", "Z points to the viewer, as in most OBJ and glTF files"),
    ("LPS", "LPS", "Left, posterior, superior: as in Blender, for one who faces the front view"),
    ("RAS", "RAS", "Right, anterior, superior: X and Y are negated"),
)
SPACE_ITEMS = (
    ("WORLD", "World", "Positions in world space"),
    ("LOCAL", "Local", "Positions in the local space of the object"),
)
MESH_ITEMS = (
    ("AUTO", "Automatic", "The original mesh, unless landmarks are on the evaluated one alone"),
    ("ORIGINAL", "Original", "The mesh without its modifiers"),
    ("EVALUATED", "Evaluated", "The mesh with its modifiers"),
)
CUT_ITEMS = (
    ("AUTO", "As Usual", "Fans for Wrap, and Blender's triangles for all else"),
    ("BLENDER", "Blender's Triangles", "Faces are cut as Blender cuts them where it draws them"),
    ("FAN", "Fans", "Faces are cut from their first corner"),
)
SETS_ITEMS = (
    ("ACTIVE", "Active Set", "The set that was used last"),
    ("ALL", "All Sets", "All sets of the object, if the format holds several"),
)


class InSpace:
    """Mixin of operators that ask for the space and the offset of positions."""

    space: a_choice("Space", "The space of positions", *SPACE_ITEMS)
    offset: a_text(  # float properties have too few digits for coordinates of a survey
        "Offset",
        "X, Y, Z of the file where the space begins: the global shift of a scan",
        options=UNSAVED,
    )


class OnMesh:
    """Mixin of operators that ask how triangles are numbered."""

    mesh: a_choice("Mesh", "The mesh in which triangles count", *MESH_ITEMS)
    triangles: a_choice(
        "Triangles", "How faces with more than three corners are cut into triangles", *CUT_ITEMS
    )


class ReadOperator(RaypickOperator):
    """Base of operators that read the landmarks of the active object."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        if obj is None:
            return cls.is_possible(active_landmarks.NO_OBJECT)
        document = landmarks.readable(obj)
        if document is None:
            return cls.is_possible(reasons.translated(storage.why_not_editable(obj) or ""))
        has_any = any(each.landmarks for each in document.sets)
        return cls.is_possible(None if has_any else "The active object has no landmarks")


class _ToFile:
    """Mixin of the operators that write landmarks: their options."""

    sets: a_choice("Sets", "The sets that are written", *SETS_ITEMS)
    unit: a_choice("Unit", "The unit of positions in the file", *UNIT_ITEMS)
    axes: a_choice("Axes", "Where the axes of the file point", *AXES_ITEMS)
    columns: a_choice(
        "Columns",
        "What the table has of each landmark",
        *[(name, each.label, each.purpose) for name, each in COLUMNS.items()],
        options={"ENUM_FLAG"},
        default={*format_named("csv").usual_columns},
    )

    def chosen_columns(self) -> list[str]:
        """The columns in their usual order."""
        return [name for name in COLUMNS if name in self.columns]


class _InLayout:
    """Mixin of a property for each format whose layout people choose, such as `wrap_layout`."""

    __annotations__ = {
        f"{each.name}_layout": a_choice(
            "Layout",
            each.layouts_tell,
            *[(name, *layout[:2]) for name, layout in each.layouts.items()],
        )
        for each in formats()
        if each.layouts_tell
    }


def _filter(endings: Iterable[str]) -> str:
    """The pattern of files that the file browser shows."""
    return ";".join(f"*{each}" for each in endings)


def _draw_columns(operator: bpy.types.Operator) -> None:
    column = operator.layout.column(heading="Columns")
    column.prop(operator, "columns", expand=True)
    column.label(text="Shift Click to choose several")


def _set_usual_frame(operator: RAYPICK_OT_export_landmarks, _context: bpy.types.Context) -> None:
    """Set the unit and axes to the usual ones of the chosen format."""
    found = format_named(operator.format)
    operator.unit, operator.axes = _item_of(found.unit), found.axes


class RAYPICK_OT_export_landmarks(ExportHelper, _ToFile, _InLayout, InSpace, OnMesh, ReadOperator):
    bl_idname = idnames.EXPORT_LANDMARKS_OPERATOR
    bl_label = "Export Landmarks"
    bl_description = "Write landmarks of the active object, where they are now, to a file"

    if TYPE_CHECKING:
        filepath: str
    filename_ext = ".mrk.json"
    filter_glob: StringProperty(
        default=_filter(each.endings[0] for each in formats()), options={"HIDDEN"}
    )
    format: a_choice("Format", "The format of the file", *FORMAT_ITEMS, update=_set_usual_frame)

    def invoke(  # type: ignore[override] # what it returns has a narrower type in Blender's stubs
        self, context: bpy.types.Context, event: bpy.types.Event
    ) -> Result:
        """Start with the object's name, and with the usual unit and axes of the format.

        Blender remembers the last file, which may be that of another object: only the folder stays.
        """
        if not self.properties.is_property_set("unit"):
            _set_usual_frame(self, context)
        if not self.properties.is_property_set("filepath"):
            name = bpy.path.clean_name(present(context.object).name)
            self.filepath = os.path.join(os.path.dirname(self.filepath or bpy.data.filepath), name)
        self.check(context)
        return cast(Result, ExportHelper.invoke(self, context, event))

    def check(self, _context: bpy.types.Context) -> bool:
        return with_ending(self, endings(), format_named(self.format).endings[0])

    def draw(self, _context: bpy.types.Context) -> None:
        found = format_named(self.format)
        names = ["format", "sets"]
        if found.layouts_tell:
            names.append(f"{found.name}_layout")
        if "positions" in found.holds:
            names += "space", "unit", "axes", "offset"
        if "triangles" in found.holds:
            names += "mesh", "triangles"
        draw_properties(self, *names)
        if found.columns:
            _draw_columns(self)

    def run(self, context: bpy.types.Context) -> str:
        found, obj = self._format(), present(context.object)
        is_set = self.properties.is_property_set
        written = api.export(
            context,
            obj,
            self.filepath,
            set_of(obj, self.sets),
            found.name,
            space=self.space,
            unit=chosen(self.unit) if is_set("unit") else None,
            axes=self.axes if is_set("axes") else None,
            mesh=chosen(self.mesh),
            triangles=chosen(self.triangles),
            layout=getattr(self, f"{found.name}_layout") if found.layouts_tell else None,
            columns=self.chosen_columns() if found.columns else None,
            offset=read_offset(self.offset),
        )
        return ". ".join(_told_written(written, found, chosen(self.triangles), context.scene))

    def _format(self) -> Format:
        """The format by the property, or else by the file name's ending."""
        if not self.properties.is_property_set("format"):
            with suppress(MarkFileError):
                return format_of(os.path.basename(self.filepath))
        return format_named(self.format)


class RAYPICK_OT_copy_landmark_table(_ToFile, InSpace, ReadOperator):
    bl_idname = idnames.COPY_LANDMARK_TABLE_OPERATOR
    bl_label = "Copy Landmarks as Table"
    bl_description = "Copy landmarks of the active object, where they are now, to the clipboard"

    format: a_choice(
        "Format",
        "What separates the columns",
        ("tsv", "TSV", "Tabs, for spreadsheets"),
        ("csv", "CSV", "Commas, for programs"),
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        draw_properties(self, "format", "sets", "space", "unit", "axes", "offset")
        _draw_columns(self)

    def run(self, context: bpy.types.Context) -> str:
        obj = present(context.object)
        table = api.text(
            context,
            obj,
            set_of(obj, self.sets),
            self.format,
            columns=self.chosen_columns(),
            space=self.space,
            unit=chosen(self.unit),
            axes=self.axes,
            offset=read_offset(self.offset),
        )
        context.window_manager.clipboard = table
        return pgettext_rpt("Copied {} landmarks").format(len(table.splitlines()) - 1)


def _told_written(
    written: api.Exported, found: Format, triangles: str | None, scene: bpy.types.Scene
) -> list[str]:
    """What was written, in the language of the interface."""
    parts = [pgettext_rpt("Exported {} landmarks").format(written.landmarks)]
    if written.unit is not None and written.axes is not None:
        parts[0] += f" ({_in_unit(written.unit, written.axes)})"
    if written.missing:
        text = pgettext_rpt("It is not known where {} of them are")
        parts.append(text.format(written.missing))
    if written.mesh is not None and (found.columns or "positions" not in found.holds):
        parts.append(_numbering(written, (triangles or found.triangles) == "FAN"))
    if written.moved:
        moved = formatting.shown_length(written.moved, scene)
        parts.append(pgettext_rpt("They moved by at most {} onto these triangles").format(moved))
    return parts


def _numbering(written: api.Exported, are_fans: bool) -> str:
    """Which triangles the numbers in a file refer to, to be reported."""
    original = "Triangles are Blender's own of the original mesh"
    evaluated = "Triangles are Blender's own of the evaluated mesh"
    if written.are_faces:
        original = "Triangles are the faces of the original mesh"
        evaluated = "Triangles are the faces of the evaluated mesh"
    elif are_fans:
        original = "Triangles are those of fans in the original mesh"
        evaluated = "Triangles are those of fans in the evaluated mesh"
    return pgettext_rpt(original if written.mesh == "ORIGINAL" else evaluated)


def _sets_in_file(
    operator: RAYPICK_OT_import_landmarks, _context: bpy.types.Context, text: str
) -> Iterator[str]:
    """Names of sets in the chosen files that contain a text, for the search field."""
    for path in _paths(operator):
        try:
            found = read(Path(path), chosen(operator.format))
        except ValueError:
            continue
        yield from (each.name for each in found if text.casefold() in each.name.casefold())


class RAYPICK_OT_import_landmarks(ImportHelper, InSpace, OnMesh, RaypickOperator):
    bl_idname = idnames.IMPORT_LANDMARKS_OPERATOR
    bl_label = "Import Landmarks"
    bl_description = (
        "Add the landmarks of files to the active object. What has a position alone is put onto "
        "the surface"
    )
    bl_options = {"REGISTER"}
    pushes_step = True

    if TYPE_CHECKING:
        filepath: str
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options=UNSAVED)
    directory: StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(default=_filter(endings()), options={"HIDDEN"})
    format: a_choice(
        "Format",
        "The format of the files",
        ("AUTO", "Automatic", "By the ending and the beginning of a file"),
        *FORMAT_ITEMS,
    )
    unit: a_choice(
        "Unit",
        "The unit of positions in the files",
        ("AUTO", "Automatic", "As the file says, or else the unit in which positions fit"),
        ("FILE", "As the File Says", "Or scene units, where it says none"),
        ("SCENE", "Scene Units", "Numbers as Blender has them, whatever the file says"),
        *UNIT_ITEMS[1:],
    )
    axes: a_choice(
        "Axes",
        "Where the axes of the files point",
        ("FILE", "As the File Says", "Or Z up, where it says none"),
        *AXES_ITEMS,
    )
    only: a_text(
        "Set",
        "The one set of the files that is wanted; by default all",
        search=_sets_in_file,
        options=UNSAVED,
    )
    far: a_flag(
        "Far Positions",
        "Take positions as the file has them, however far from the surface they are",
        options=UNSAVED,
    )
    _is_invoked = False

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        if obj is None:
            return cls.is_possible(active_landmarks.NO_OBJECT)
        why = storage.why_not_editable(obj)
        return cls.is_possible(why and reasons.translated(why))

    def invoke(  # type: ignore[override] # what it returns has a narrower type in Blender's stubs
        self, context: bpy.types.Context, event: bpy.types.Event
    ) -> Result:
        """Ask for files, and then for what to do with those that do not fit."""
        self._is_invoked = True
        return cast(Result, ImportHelper.invoke(self, context, event))

    def draw(self, _context: bpy.types.Context) -> None:
        draw_properties(self, "format", "only", "space", "unit", "axes", "offset", "far")
        draw_properties(self, "mesh", "triangles")

    def run(self, context: bpy.types.Context) -> str:
        options = LoadOptions(
            self.space,
            AUTO if self.unit == "AUTO" else chosen(self.unit),
            chosen(self.axes),
            chosen(self.mesh),
            chosen(self.triangles),
            [self.only] if self.only else None,
            read_offset(self.offset),
            self.far,
        )
        obj, found, wrong = present(context.object), list[Imported](), list[str]()
        unfit: dict[str, UnfitError] = {}
        for path in _paths(self):
            try:
                found += importing.load(context, obj, path, chosen(self.format), options)
            except UnfitError as error:
                unfit[path] = error
                wrong.append(_refusal(error, context.scene))
            except RaypickError as error:
                wrong.append(str(error))
        if unfit and self._is_invoked:
            self.level = "INFO"
            title = pgettext_rpt("Landmarks Do Not Fit")
            context.window_manager.popup_menu(self._offers(unfit), title=title, icon="ERROR")
        if not found:
            raise RaypickError(". ".join(wrong) or pgettext_rpt("No file is chosen"))
        for text in wrong:
            self.report({"WARNING" if self.level == "ERROR" else self.level}, reportable(text))
        return ". ".join(_told_read(found, context.scene))

    def _offers(self, unfit: dict[str, UnfitError]) -> Callable[[Any, bpy.types.Context], None]:
        """A function that draws a button for each way to import files that do not fit."""
        given = self.as_keywords(ignore=("files", "directory", "filepath", "filter_glob"))

        def draw(menu: Any, context: bpy.types.Context) -> None:
            menu.layout.operator_context = "EXEC_DEFAULT"
            form = pgettext_iface("Import {} with {}")
            for path, error in unfit.items():
                menu.layout.label(text=_why_unfit(error, context.scene))
                ways = [(_shown_arguments(each), _properties_of(each)) for each in error.fits]
                ways.append((pgettext_iface("Far Positions"), {"far": True}))
                for label, way in ways:
                    text = form.format(os.path.basename(path), label)
                    button = menu.layout.operator(idnames.IMPORT_LANDMARKS_OPERATOR, text=text)
                    for key, value in {**given, "filepath": path, **way}.items():
                        setattr(button, key, value)

        return draw


def _paths(operator: RAYPICK_OT_import_landmarks) -> list[str]:
    """The chosen files. No method, as search callbacks get an operator without methods."""
    names = [each.name for each in operator.files if each.name]
    paths = [os.path.join(operator.directory, name) for name in names] or [operator.filepath]
    return [bpy.path.abspath(path) for path in paths if path]


def _why_unfit(error: UnfitError, scene: bpy.types.Scene) -> str:
    """Why positions are not read, in the language of the interface."""
    size, away = (formatting.shown_length(each, scene) for each in (error.length, error.away))
    text = pgettext_rpt("Positions ({}) do not fit {}, whose size is {}: one would move by {}")
    return text.format(_in_unit(error.frame.unit, error.frame.axes), error.name, size, away)


def _refusal(error: UnfitError, scene: bpy.types.Scene) -> str:
    """Why positions are not read, and with which arguments they would fit."""
    ways = " | ".join(map(_shown_arguments, error.fits))
    fits = "They fit with {}" if ways else "No unit, axes or offset that was tried fits"
    return f"{_why_unfit(error, scene)}. {pgettext_rpt(fits).format(ways)}"


def _told_read(found: list[Imported], scene: bpy.types.Scene) -> list[str]:
    """What was read, in the language of the interface."""
    count = sum(len(each.set.landmarks) for each in found)
    parts = [pgettext_rpt("Added {} landmarks").format(count)]
    placed = [each for each in found if each.moved is not None]
    if placed:
        frames = dict.fromkeys(_in_unit(each.frame.unit, each.frame.axes) for each in placed)
        parts[0] += f" ({'; '.join(frames)})"
        moved = formatting.shown_length(max(present(each.moved) for each in placed), scene)
        parts[0] += ", " + pgettext_rpt("moved by at most {}").format(moved)
    others = dict.fromkeys(each.usual.unit for each in placed if each.usual.unit != each.frame.unit)
    parts += [pgettext_rpt("In {} they do not fit").format(_shown(each)) for each in others]
    equals = dict.fromkeys(_shown_arguments(way) for each in placed for way in each.equals)
    if equals:
        parts.append(pgettext_rpt("They fit as well with {}").format(" | ".join(equals)))
    missing = sum(len(each.set.missing) for each in found)
    if missing:
        parts.append(pgettext_rpt("{} landmarks have no place in the file").format(missing))
    notes = [note for each in found for note in each.left_out]
    if notes:
        text = "; ".join(notes[:_MOST_NOTES]) + (" …" if len(notes) > _MOST_NOTES else "")
        parts.append(pgettext_rpt("Left out: {}").format(text))
    return parts


def set_of(obj: bpy.types.Object, which: str) -> str | None:
    """The id of an object's active set, or None for all sets, by an item of SETS_ITEMS."""
    active = storage.read(obj).set
    return None if which == "ALL" or active is None else active.id


def chosen(value: str) -> str | None:
    """The API's value for an item; None for its default."""
    return None if value in ("AUTO", "FILE") else UNITS.get(value, value)


def _item_of(value: Any) -> Any:
    """The item for a value of the API; other than units, both are the same."""
    return next((item for item, unit in UNITS.items() if unit == value), value)


def _in_unit(unit: str, axes: str) -> str:
    """The unit and axes of positions, to be reported."""
    return f"{_shown(unit)}, {_shown(axes)}"


def _shown(value: Any) -> str:
    """A unit, axes or an offset as its field shows it, to be reported."""
    if isinstance(value, tuple):
        return ", ".join(repr(each).removesuffix(".0") for each in value)
    labels = {item: label for item, label, _ in (*UNIT_ITEMS[:1], *AXES_ITEMS)}
    return pgettext_iface(labels[value]) if value in labels else str(value)


def _shown_arguments(arguments: Arguments) -> str:
    """Arguments of an import as its fields show them, to be reported."""
    labels = {"unit": "Unit", "axes": "Axes", "offset": "Offset"}
    parts = [f"{pgettext_iface(labels[name])}: {_shown(arguments[name])}" for name in arguments]
    return ", ".join(parts)


def _properties_of(arguments: Arguments) -> dict[str, Any]:
    """Arguments of an import as properties of its operator."""
    return {
        name: _shown(value) if name == "offset" else _item_of(value)
        for name, value in arguments.items()
    }
