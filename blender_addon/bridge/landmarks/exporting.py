# SPDX-License-Identifier: GPL-3.0-or-later
"""From landmarks where they are now to what a file of another tool holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...model.landmark_files import (
    Format,
    Mark,
    MarkFile,
    MarkFileError,
    Triple,
    format_named,
    to_screen,
    write,
)
from ...model.landmarks.landmark import Landmark
from ...model.landmarks.landmark_set import LandmarkSet
from ...model.record import vector
from ...standalone_core import RaypickError
from ...standalone_core.extension import FloatArray, atomic_write, normalized
from ..query import asked_again_if_outdated, reading
from .file_frame import NO_OFFSET, FileFrame
from .locating import MISSING
from .topology import located_landmarks
from .triangle_numbers import MESHES, Numbered, TriangleNumbers, checked_cut, checked_mesh

_ON_TRIANGLES = {"triangle", "face", "barycentric"}


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How landmarks are written to a file; what is None is as usual for the format."""

    format: str
    space: str = "WORLD"
    unit: str | None = None
    axes: str | None = None
    mesh: str | None = None  # of MESHES
    triangles: str | None = None  # of CUTS
    layout: str | None = None
    columns: Sequence[str] | None = None
    offset: Triple = NO_OFFSET


@dataclass(frozen=True, slots=True)
class Exported:
    """What a file holds, to be reported."""

    data: bytes = field(repr=False)
    landmarks: int
    missing: int
    """How many of them the file has no place for, as it is not known where they are."""
    unit: str | None
    """"SCENE" for the units of the scene as they are; None where the file has no positions."""
    axes: str | None
    """None where the file has no positions."""
    mesh: str | None
    """"ORIGINAL" or "EVALUATED", in which triangles count; None where the file has none."""
    are_faces: bool
    """Whether all faces of that mesh are triangles, so that they have the numbers of the faces."""
    moved: float
    """How far at most a place moved onto another triangle of its face, in local space."""


def export_to(
    path: str,
    context: bpy.types.Context,
    obj: bpy.types.Object,
    sets: Sequence[LandmarkSet],
    options: FileOptions,
) -> Exported:
    """Write a file of sets of an object; RaypickError where that fails, and nothing is changed."""
    found = exported(context, obj, sets, options)
    try:
        with atomic_write(path) as file:
            file.write(found.data)
    except (OSError, ValueError) as error:
        raise RaypickError(str(error)) from None
    return found


@asked_again_if_outdated
def exported(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    sets: Sequence[LandmarkSet],
    options: FileOptions,
) -> Exported:
    """A file of sets of an object; RaypickError where the format cannot hold them."""
    try:
        found = format_named(options.format)
    except MarkFileError as error:
        raise RaypickError(str(error)) from None
    mesh, cut = checked_mesh(options.mesh), checked_cut(options.triangles, found.triangles)
    asked = options.space, options.unit, options.axes, options.offset
    frame = FileFrame.of_new(context.scene, found, *asked)
    holds = _held(found, options.columns)
    landmarks = [each for group in sets for each in group.landmarks]
    with context.temp_override(area=None), reading():
        on_triangles: TriangleNumbers | None = None
        numbers: list[Numbered | None] = [None] * len(landmarks)
        if holds & _ON_TRIANGLES:
            is_needed = "position" not in holds
            on_triangles, numbers = _numbered(context, obj, landmarks, mesh, cut, is_needed)
    marks = [_mark(each, number) for each, number in zip(landmarks, numbers, strict=True)]
    if "position" in holds:
        marks = _with_points(context, obj, landmarks, marks, frame)
    files = _files(obj, sets, marks, frame, on_triangles)
    try:
        data = write(options.format, files, options.layout, options.columns)
    except MarkFileError as error:
        raise RaypickError(str(error)) from None
    has_points = "position" in holds
    return Exported(
        data,
        len(marks),
        sum((mark.point if has_points else mark.triangle) is None for mark in marks),
        frame.unit if has_points else None,
        frame.axes if has_points else None,
        MESHES[on_triangles.mesh.source.is_evaluated] if on_triangles else None,
        on_triangles is None or on_triangles.are_faces,
        max((number.moved for number in numbers if number is not None), default=0.0),
    )


def _held(found: Format, columns: Sequence[str] | None) -> set[str]:
    """Which of position and the places on triangles the file is to have."""
    if found.columns:
        return {*(found.usual_columns if columns is None else columns)}
    names = {"positions": "position", "triangles": "triangle", "faces": "face"}
    return {names[each] for each in found.holds if each in names}


def _numbered(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    mesh: str | None,
    cut: str,
    is_needed: bool,
) -> tuple[TriangleNumbers | None, list[Numbered | None]]:
    """The triangles of landmarks in the mesh that is asked for, or that has them all.

    RaypickError, if they are needed, where it has not.
    """
    anchors = [each.anchor for each in landmarks]
    why, best = "", None
    for name in MESHES if mesh is None else (mesh,):
        try:
            on = TriangleNumbers.of(context, obj, name == "EVALUATED", cut)
        except RaypickError as error:
            why = why or str(error)
            continue
        found = on.numbered(anchors)
        numbers = [None if isinstance(each, str) else each for each in found]
        bad = [i for i, each in enumerate(found) if isinstance(each, str) and each != MISSING]
        if not bad:
            return on, numbers
        why = why or f"landmark {landmarks[bad[0]].name!r}: {found[bad[0]]}"
        if best is None or len(bad) < best[0]:
            best = len(bad), on, numbers
    if is_needed:
        raise RaypickError(why)
    return (None, [None] * len(landmarks)) if best is None else best[1:]


def _mark(landmark: Landmark, number: Numbered | None) -> Mark:
    """A landmark without its position."""
    mark = Mark(
        landmark.name,
        description=landmark.description,
        locked=landmark.locked,
        hidden=landmark.hidden,
    )
    if number is None:
        return mark
    return replace(
        mark,
        triangle=number.triangle,
        barycentric=number.barycentric,
        face=number.face,
        corners=number.corners,
    )


def _with_points(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    marks: Sequence[Mark],
    frame: FileFrame,
) -> list[Mark]:
    """Marks with points and normals, where these are known."""
    (places,) = located_landmarks(context, [(obj, landmarks)])
    points, normals = places.points, places.normals
    if not frame.in_world:
        # A plane's normal goes back by the transpose of the matrix that its points go forth by.
        points, linear = places.local, np.array(obj.matrix_world, np.float64)[:3, :3]
        normals = normalized(normals @ linear)
    rows = zip(marks, frame.to_file(points), frame.directions(normals), strict=True)
    return [
        replace(mark, point=_known(point), normal=_known(normal)) for mark, point, normal in rows
    ]


def _known(row: FloatArray) -> Triple | None:
    return vector(row.tolist()) if np.isfinite(row).all() else None


def _files(
    obj: bpy.types.Object,
    sets: Sequence[LandmarkSet],
    marks: Sequence[Mark],
    frame: FileFrame,
    on_triangles: TriangleNumbers | None,
) -> list[MarkFile]:
    """The sets, with the marks of all one after the other."""
    rest = iter(marks)
    return [
        MarkFile(
            group.name,
            _with_indices([next(rest) for _ in group.landmarks]),
            axes=frame.axes,
            unit=frame.unit_name,
            object=obj.name,
            topology=on_triangles.polygons.topology if on_triangles else "",
            triangle_count=on_triangles.polygons.triangle_count if on_triangles else None,
            color=to_screen(group.color),
            locked=group.locked,
            hidden=group.hidden,
        )
        for group in sets
    ]


def _with_indices(marks: list[Mark]) -> tuple[Mark, ...]:
    """Marks that are all called by a number have it as their index: those of MediaPipe's are."""
    if not all(
        mark.name.isascii() and mark.name.isdecimal() and len(mark.name) < 10 for mark in marks
    ):
        return tuple(marks)
    return tuple(replace(mark, index=int(mark.name)) for mark in marks)
