# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in files of other tools: the part of :mod:`.landmarks` for these."""

from __future__ import annotations

import os
from collections.abc import Iterable

import bpy

from ..bridge.landmarks import importing
from ..bridge.landmarks.exporting import Exported, FileOptions, export_to, exported
from ..bridge.landmarks.importing import LoadOptions
from ..bridge.validation import file_path, original_object
from ..bridge.validation import text as checked_text
from ..model.landmark_files import MarkFileError, format_of
from ..model.landmarks.landmark_record import LandmarkRecord
from ..standalone_core import RaypickError
from ..standalone_core.extension import ArgumentError, described, instance_of, iterable
from .landmark_sets import sets_of

__all__ = ["Exported", "export", "load", "text"]


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
) -> Exported:
    """Write landmarks of an object, where they are now, to a file of another tool.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    path : str or path-like
        ``//`` at its beginning is the folder of the file that is open. What is there is replaced.
    set : str, optional
        Name or id of the one set that is written; by default all are, if the format can hold them.
    format : str, optional
        "slicer" (``.mrk.json``), "fcsv", "embedding" (``.npz``), "wrap", "meshlab" (``.pp``),
        "pts", "tps", "csv", "tsv", "npy" or "cloudcompare"; by default that of the path's ending.
    space : str
        "WORLD", or "LOCAL" for the space of the object.
    unit : str, optional
        "m", "cm", "mm", "µm", "in" or "ft", or "SCENE" for the scene's units as they are, whatever
        the file calls them. By default "mm" for Slicer, and else "SCENE".
    axes : str, optional
        "Z_UP" as in Blender, "Y_UP", "LPS" or "RAS". By default "LPS" for Slicer, and else "Z_UP".
    mesh : str, optional
        "ORIGINAL" or "EVALUATED", without or with its modifiers: the mesh in which triangles
        count. By default the first that has all landmarks.
    triangles : str, optional
        How faces of more corners are cut: "BLENDER", as in ``loop_triangles``, or "FAN", from the
        first corner, as is usual for Wrap.
    layout : str, optional
        For embeddings "flame", "smplx", "mediapipe" or "deca"; for Wrap "named" or "list".
    columns : iterable of str, optional
        Of a table: some of "set", "name", "position", "normal", "object", "face", "triangle",
        "barycentric", "index", "description", "locked", "hidden", "unit" and "axes".

    Returns
    -------
    Exported
        How many landmarks there are, how many of them are missing, and how triangles count.

    Raises
    ------
    RaypickError
        If the format cannot hold the landmarks, or the file cannot be written.
    """
    where = file_path(path)
    named, table = _format(where, format), _texts(columns, "columns")
    options = FileOptions(named, space, unit, axes, mesh, triangles, layout, table)
    obj = original_object(object)
    instance_of(context, bpy.types.Context, "context")
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
) -> str:
    """A table of landmarks where they are now, a row for each.

    Parameters
    ----------
    context : bpy.types.Context
    object, set, columns, space, unit, axes
        As in :func:`export`.
    format : str
        "csv" or "tsv".
    """
    if format not in ("csv", "tsv"):
        raise ArgumentError(f"format must be 'csv' or 'tsv', not {described(format)}")
    options = FileOptions(format, space, unit, axes, columns=_texts(columns, "columns"))
    obj = original_object(object)
    instance_of(context, bpy.types.Context, "context")
    return exported(context, obj, sets_of(obj, set), options).data.decode()


def load(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    set: str | None = None,
    space: str = "WORLD",
    unit: str | None = None,
    axes: str | None = None,
    mesh: str | None = None,
    triangles: str | None = None,
    only: str | Iterable[str] | None = None,
) -> list[LandmarkRecord]:
    """Add the landmarks of a file of another tool to an object, as new sets.

    A landmark that the file has on a triangle is exactly there. One that has a position alone, or
    whose triangle is of another mesh, is put onto the surface by closest point, and its record's
    `moved` says how far that was.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    path, format
        As in :func:`export`; what the file begins with tells formats of the same ending apart.
    set : str, optional
        Name of the new set; by default as the file calls it. A name that is taken gets a number.
    space : str
        The space of positions: "WORLD", or "LOCAL" for that of the object.
    unit, axes : str, optional
        As in :func:`export`. By default as the file says, or else "SCENE" and "Z_UP".
    mesh, triangles : str, optional
        In which mesh triangles count, and how faces of more corners are cut, as in
        :func:`export`. By default the original mesh, where there is one.
    only : str or iterable of str, optional
        Names of the sets in the file that are wanted. By default all are; a file of more than 16,
        such as a face model's with its landmarks for each turn of the head, asks which.

    Returns
    -------
    list of LandmarkRecord
        The landmarks that were placed. Those that the file says are missing are added as well,
        as rows of their set, which :func:`~raypick.api.landmarks.where` tells.

    Raises
    ------
    RaypickError
        If the file or a place in it cannot be read, or the object is linked or not visible.
    """
    obj, where = original_object(object), file_path(path)
    name = None if set is None else checked_text(set, "set")
    options = LoadOptions(space, unit, axes, mesh, triangles, _texts(only, "only"))
    instance_of(context, bpy.types.Context, "context")
    found = importing.load(context, obj, where, _named(format), options, name)
    return [
        LandmarkRecord.of(obj.name, each.set, landmark)
        for each in found
        for landmark in each.set.landmarks
        if landmark.anchor is not None
    ]


def _format(path: str, format: str | None) -> str:
    """The name of the format that a file is to have."""
    try:
        return _named(format) or format_of(os.path.basename(path)).name
    except MarkFileError as error:
        raise RaypickError(str(error)) from None


def _named(format: str | None) -> str | None:
    return None if format is None else checked_text(format, "format")


def _texts(values: str | Iterable[str] | None, name: str) -> list[str] | None:
    if values is None:
        return None
    several = [values] if isinstance(values, str) else iterable(values, name)
    found = [checked_text(each, f"each of {name}") for each in several]
    if not found:
        raise ArgumentError(f"{name} must be at least one")
    return found
