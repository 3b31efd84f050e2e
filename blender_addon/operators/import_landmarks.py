# SPDX-License-Identifier: GPL-3.0-or-later
"""Add the landmarks of files of other tools to an object."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from .. import formatting, idnames
from ..bridge.landmarks import importing, storage
from ..bridge.landmarks.file_frame import read_offset
from ..bridge.landmarks.fitting import UnfitError
from ..bridge.landmarks.importing import AUTO, Imported, LoadOptions
from ..model.landmark_files import formats, read
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons
from .base import RaypickOperator, Result, reportable
from .landmark_file_options import (
    AXES_ITEMS,
    FORMAT_ITEMS,
    UNIT_ITEMS,
    InSpace,
    OnMesh,
    chosen,
    in_unit,
    properties_of,
    shown_arguments,
    shown_unit,
)

_MOST_NOTES = 3


def _sets_in_file(
    operator: RAYPICK_OT_import_landmarks, _context: bpy.types.Context, text: str
) -> Iterator[str]:
    """The names of the sets in the files that are chosen, for the field that asks for one."""
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
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE", "HIDDEN"})
    filter_glob: StringProperty(
        default=";".join(f"*{ending}" for each in formats() for ending in each.endings),
        options={"HIDDEN"},
    )
    format: EnumProperty(
        name="Format",
        description="The format of the files",
        items=(("AUTO", "Automatic", "By the ending and the beginning of a file"), *FORMAT_ITEMS),
    )
    unit: EnumProperty(
        name="Unit",
        description="The unit of positions in the files",
        items=(
            ("AUTO", "Automatic", "As the file says, or else the unit in which positions fit"),
            ("FILE", "As the File Says", "Or scene units, where it says none"),
            ("SCENE", "Scene Units", "Numbers as Blender has them, whatever the file says"),
            *UNIT_ITEMS[1:],
        ),
    )
    axes: EnumProperty(
        name="Axes",
        description="Where the axes of the files point",
        items=(("FILE", "As the File Says", "Or Z up, where it says none"), *AXES_ITEMS),
    )
    only: StringProperty(
        name="Set",
        description="The one set of the files that is wanted; by default all",
        search=_sets_in_file,
        options={"SKIP_SAVE"},
    )
    far: BoolProperty(
        name="Far Positions",
        description="Take positions as the file has them, however far from the surface they are",
        options={"SKIP_SAVE"},
    )
    _is_invoked = False

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        if obj is None:
            return cls.is_possible("There is no active object")
        why = storage.why_not_editable(obj)
        return cls.is_possible(why and reasons.translated(why))

    def invoke(  # type: ignore[override] # what it returns has a narrower type in Blender's stubs
        self, context: bpy.types.Context, event: bpy.types.Event
    ) -> Result:
        """Ask for files, and then for what to do with those that do not fit."""
        self._is_invoked = True
        return cast(Result, ImportHelper.invoke(self, context, event))

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        shown = "format", "only", "space", "unit", "axes", "offset", "far", "mesh", "triangles"
        for name in shown:
            self.layout.prop(self, name)

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
            context.window_manager.popup_menu(
                self._offers(unfit, context.scene), title=title, icon="ERROR"
            )
        if not found:
            raise RaypickError(". ".join(wrong) or pgettext_rpt("No file is chosen"))
        for text in wrong:
            self.report({"WARNING" if self.level == "ERROR" else self.level}, reportable(text))
        return ". ".join(_told(found, context.scene))

    def _offers(
        self, unfit: dict[str, UnfitError], scene: bpy.types.Scene
    ) -> Callable[[Any, Any], None]:
        """What draws a button for each way to import files that do not fit."""
        given = self.as_keywords(ignore=("files", "directory", "filepath", "filter_glob"))
        rows: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = []
        for path, error in unfit.items():
            ways = [*map(properties_of, error.fits), {"far": True}]
            labels = [*map(shown_arguments, error.fits), pgettext_iface("Far Positions")]
            form, name = pgettext_iface("Import {} with {}"), os.path.basename(path)
            texts = [form.format(name, label) for label in labels]
            buttons = [{**given, "filepath": path, **way} for way in ways]
            rows.append((_why_unfit(error, scene), [*zip(texts, buttons, strict=True)]))

        def draw(menu: Any, _context: bpy.types.Context) -> None:
            menu.layout.operator_context = "EXEC_DEFAULT"
            for why, buttons in rows:
                menu.layout.label(text=why)
                for text, values in buttons:
                    button = menu.layout.operator(idnames.IMPORT_LANDMARKS_OPERATOR, text=text)
                    for key, value in values.items():
                        setattr(button, key, value)

        return draw


def _paths(operator: RAYPICK_OT_import_landmarks) -> list[str]:
    """The files that are chosen. Fields of an operator know its properties, but no methods."""
    names = [each.name for each in operator.files if each.name]
    paths = [os.path.join(operator.directory, name) for name in names] or [operator.filepath]
    return [bpy.path.abspath(path) for path in paths if path]


def _why_unfit(error: UnfitError, scene: bpy.types.Scene) -> str:
    """Why positions are not read, in the language of the interface."""
    size, away = (formatting.shown_length(each, scene) for each in (error.length, error.away))
    text = pgettext_rpt("Positions ({}) do not fit {}, whose size is {}: one would move by {}")
    return text.format(in_unit(error.frame.unit, error.frame.axes), error.name, size, away)


def _refusal(error: UnfitError, scene: bpy.types.Scene) -> str:
    """The same, and how they would be read."""
    ways = " | ".join(map(shown_arguments, error.fits))
    fits = pgettext_rpt(
        "They fit with {}" if ways else "No unit, axes or offset that was tried fits"
    )
    return f"{_why_unfit(error, scene)}. {fits.format(ways)}"


def _told(found: list[Imported], scene: bpy.types.Scene) -> list[str]:
    """What was read, in the language of the interface."""
    count = sum(len(each.set.landmarks) for each in found)
    parts = [pgettext_rpt("Added {} landmarks").format(count)]
    placed = [each for each in found if each.moved is not None]
    if placed:
        frames = dict.fromkeys(in_unit(each.frame.unit, each.frame.axes) for each in placed)
        parts[0] += f" ({'; '.join(frames)})"
        moved = formatting.shown_length(max(present(each.moved) for each in placed), scene)
        parts[0] += ", " + pgettext_rpt("moved by at most {}").format(moved)
    others = dict.fromkeys(each.usual.unit for each in placed if each.usual.unit != each.frame.unit)
    parts += [pgettext_rpt("In {} they do not fit").format(shown_unit(each)) for each in others]
    equals = dict.fromkeys(shown_arguments(way) for each in placed for way in each.equals)
    if equals:
        parts.append(pgettext_rpt("They fit as well with {}").format(" | ".join(equals)))
    missing = sum(each.missing for each in found)
    if missing:
        parts.append(pgettext_rpt("{} landmarks have no place in the file").format(missing))
    notes = [note for each in found for note in each.left_out]
    if notes:
        text = "; ".join(notes[:_MOST_NOTES]) + (" …" if len(notes) > _MOST_NOTES else "")
        parts.append(pgettext_rpt("Left out: {}").format(text))
    return parts
