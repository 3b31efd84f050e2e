# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in files of other tools: export and import, for :mod:`.landmarks`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

import bpy

from ..bridge.landmarks import importing, storage
from ..bridge.landmarks.exporting import Exported, FileOptions, export_to, exported
from ..bridge.landmarks.file_frame import checked_offset
from ..bridge.landmarks.fitting import Arguments, UnfitError
from ..bridge.landmarks.importing import AUTO, Imported, LoadOptions
from ..bridge.validation import file_path, flag, object_in, optional_text, original_object
from ..bridge.validation import text as checked_text
from ..model.landmark_files.format import MarkFileError
from ..model.landmark_files.registry import format_of, formats
from ..model.landmarks.landmark_set import LandmarkRecord, LandmarkSet
from ..session.events import telling
from ..standalone_core import RaypickError
from ..standalone_core.extension import ArgumentError, described, instance_of, iterable

__all__ = ["Exported", "Loaded", "UnfitError", "export", "load", "text"]


class Loaded(list[LandmarkRecord]):
    """The landmarks that were placed, and how their positions were read.

    Attributes
    ----------
    unit, axes : str or None
        As in :func:`load`. None if the file gives triangles for all landmarks, or if its sets
        differ.
    equals : tuple of dict
        Other arguments with which the positions fit equally well, if neither the file nor the
        caller says which are right.
    moved : float or None
        The greatest distance of a position from the surface, in world space.
    """

    def __init__(self, object: str, found: Iterable[Imported]) -> None:
        sets = [*found]
        super().__init__(
            LandmarkRecord.of(object, each.set, landmark)
            for each in sets
            for landmark in each.set.landmarks
            if landmark.anchor is not None
        )
        frames = [each.frame for each in sets if each.moved is not None]
        self.unit = _only({each.unit for each in frames})
        self.axes = _only({each.axes for each in frames})
        self.equals: tuple[Arguments, ...] = next((each.equals for each in sets if each.equals), ())
        away = [each.moved for each in sets if each.moved is not None]
        self.moved = max(away, default=None)


def _only(values: Collection[str]) -> str | None:
    """The one value; None if there are several, or none."""
    return next(iter(values)) if len(values) == 1 else None


def export(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    path: str | os.PathLike[str],
    set: str | None = None,
    format: str | None = None,
    *,
    space: str = "WORLD",
    unit: str | None = None,
    axes: str | None = None,
    mesh: str | None = None,
    triangles: str | None = None,
    layout: str | None = None,
    columns: Iterable[str] | None = None,
    offset: Iterable[float] | None = None,
) -> Exported:
    """Write landmarks of an object, where they are now, to a file of another tool.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    path : str or path-like
        ``//`` at its start stands for the folder of the open file. An existing file is replaced.
    set : str, optional
        Name or id of the set to write; by default all sets, if the format can hold them.
    format : str, optional
        "slicer" (``.mrk.json``), "fcsv", "embedding" (``.npz``), "wrap", "meshlab" (``.pp``),
        "pts", "tps", "csv", "tsv", "npy" or "cloudcompare"; by default that of the path's ending.
    space : str
        "WORLD", or "LOCAL" for the space of the object.
    unit : str, optional
        "m", "cm", "mm", "µm", "in" or "ft", or "SCENE" for Blender's numbers as they are, whatever
        unit the file names. By default "mm" for Slicer, and else "SCENE".
    axes : str, optional
        "Z_UP" as in Blender, "Y_UP", "LPS" or "RAS". By default "LPS" for Slicer, and else "Z_UP".
    mesh : str, optional
        The mesh whose triangles are numbered: "ORIGINAL", without modifiers, or "EVALUATED", with
        them. By default the first of these that has all landmarks.
    triangles : str, optional
        How polygons are split into triangles: "BLENDER", as in ``loop_triangles``, or "FAN", from
        the first corner, as is usual for Wrap.
    layout : str, optional
        For embeddings "flame", "smplx", "mediapipe" or "deca"; for Wrap "named" or "list".
    columns : iterable of str, optional
        Columns of a table: any of "set", "name", "position", "normal", "object", "face",
        "triangle", "barycentric", "index", "description", "locked", "hidden", "unit" and "axes".
    offset : sequence of 3 floats, optional
        Added to positions, in the file's unit and axes and in double precision: the global shift
        that was subtracted when the mesh was imported.

    Returns
    -------
    Exported
        How many landmarks there are, how many of them are missing, the unit and axes of positions,
        and how triangles are numbered.

    Raises
    ------
    RaypickError
        If the format cannot hold the landmarks, or the file cannot be written.
    """
    where = file_path(path)
    named, table = _format(where, format), _texts(columns, "columns")
    shift = checked_offset(offset)
    options = FileOptions(named, space, unit, axes, mesh, triangles, layout, table, shift)
    obj = object_in(context, object)
    return export_to(where, context, obj, sets_of(obj, set), options)


def text(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    set: str | None = None,
    format: str = "csv",
    *,
    columns: Iterable[str] | None = None,
    space: str = "WORLD",
    unit: str | None = None,
    axes: str | None = None,
    offset: Iterable[float] | None = None,
) -> str:
    """A table of landmarks, with a row for each, as text: where they are now.

    Parameters
    ----------
    context : bpy.types.Context
    object, set, columns, space, unit, axes, offset
        As in :func:`export`.
    format : str
        "csv" or "tsv".
    """
    tables = [each.name for each in formats() if each.columns]
    if format not in tables:
        known = " or ".join(map(repr, tables))
        raise ArgumentError(f"format must be {known}, not {described(format)}")
    table, shift = _texts(columns, "columns"), checked_offset(offset)
    options = FileOptions(format, space, unit, axes, columns=table, offset=shift)
    obj = object_in(context, object)
    return exported(context, obj, sets_of(obj, set), options).data.decode()


@telling
def load(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    set: str | None = None,
    space: str = "WORLD",
    unit: str | None = AUTO,
    axes: str | None = None,
    mesh: str | None = None,
    triangles: str | None = None,
    only: str | Iterable[str] | None = None,
    offset: Iterable[float] | None = None,
    far: bool = False,
) -> Loaded:
    """Add the landmarks of a file of another tool to an object, as new sets.

    A landmark that the file gives by a triangle is exactly there. One given by a position alone, or
    by a triangle of another mesh, is moved to the closest point of the surface; `moved` of its
    record is the distance.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    path, format
        As in :func:`export`; formats with the same ending are told apart by the file's start.
    set : str, optional
        Name of the new set; by default the one in the file. A name in use gets a number.
    space : str
        The space of positions: "WORLD", or "LOCAL" for that of the object.
    unit : str, optional
        As in :func:`export`; None for the unit that the file names, or "SCENE" if it names none.
        "auto" (the default) is that unit if it fits the object, or else the one of "SCENE", "m",
        "cm" and "mm" that fits. The result's `unit` says which was taken.
    axes : str, optional
        As in :func:`export`. By default as the file says, or else "Z_UP".
    mesh, triangles : str, optional
        As in :func:`export`. By default the original mesh, if there is one.
    only : str or iterable of str, optional
        Names of the file's sets to load, by default all. A file of more than 16, such as a face
        model's with a set for each turn of the head, needs this argument.
    offset : sequence of 3 floats, optional
        Subtracted from positions first, in the file's unit and axes and in double precision: the
        global shift with which the mesh was imported.
    far : bool
        Whether to take positions in the file's unit, however far from the surface they are.

    Returns
    -------
    Loaded
        A list of LandmarkRecord, of the landmarks that were placed, with the unit and axes in which
        positions were read. Landmarks that the file lists as missing are added to their sets too,
        without a place; :func:`~raypick.api.landmarks.where` lists them.

    Raises
    ------
    UnfitError
        If positions do not fit the object: one would move by more than a tenth of the object's size
        or more than their own spread, or several would coincide; or if they fit far better, or over
        more of the object, in another unit or other axes. Its `fits` are dictionaries of the
        arguments `unit`, `axes` and `offset` with which they fit. Nothing is added.
    RaypickError
        If the file or a place in it cannot be read, or the object is linked or not visible.
    """
    obj, where = original_object(object), file_path(path)
    name = optional_text(set, "set")
    options = LoadOptions(
        *(space, unit, axes, mesh, triangles, _texts(only, "only")),
        *(checked_offset(offset), flag(far, "far")),
    )
    instance_of(context, bpy.types.Context, "context")
    named = optional_text(format, "format")
    return Loaded(obj.name, importing.load(context, obj, where, named, options, name))


def sets_of(obj: bpy.types.Object, set: str | None) -> list[LandmarkSet]:
    """All sets of an object, or the one with a name or id; RaypickError if there is none."""
    document = storage.read(obj)
    if set is None:
        return [*document.sets]
    found = document.find_set(checked_text(set, "set"))
    if found is None:
        raise RaypickError(f"the object {obj.name!r} has no set {set!r} of landmarks")
    return [found]


def _format(path: str, format: str | None) -> str:
    """The name of a file's format: the one given, or that of the path's ending."""
    try:
        return optional_text(format, "format") or format_of(os.path.basename(path)).name
    except MarkFileError as error:
        raise RaypickError(str(error)) from None


def _texts(values: str | Iterable[str] | None, name: str) -> list[str] | None:
    if values is None:
        return None
    several = [values] if isinstance(values, str) else iterable(values, name)
    found = [checked_text(each, f"each of {name}") for each in several]
    if not found:
        raise ArgumentError(f"{name} must be at least one")
    return found
