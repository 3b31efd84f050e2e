# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks where they are now, written to files of other tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import bpy
import numpy as np

from ...model.hit import known_vector
from ...model.landmark_files.format import Mark, MarkFile, Triple, to_screen
from ...model.landmark_files.registry import format_named, write
from ...model.landmarks.landmark import Landmark
from ...model.landmarks.landmark_set import LandmarkSet
from ...standalone_core import PolygonMesh, RaypickError
from ...standalone_core.extension import atomic_write, normalized
from ..query import asked_again_if_outdated, reading
from .file_frame import NO_OFFSET, FileFrame, file_errors
from .locating import MISSING
from .topology import located_landmarks
from .triangle_numbers import MESHES, FilePlace, TriangleNumbers, checked

_ON_TRIANGLES = {"triangle", "triangles", "face", "faces", "barycentric"}
"""Columns of tables, and contents of other formats, that refer to triangles."""


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How landmarks are written to a file; for None the format decides."""

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
    """What was written to a file, as reported."""

    data: bytes = field(repr=False)
    landmarks: int
    missing: int
    """How many landmarks have no place in the file, as it is not known where they are."""
    unit: str | None
    """"SCENE" for the units of the scene as they are; None where the file has no positions."""
    axes: str | None
    """None where the file has no positions."""
    mesh: str | None
    """"ORIGINAL" or "EVALUATED", whose triangles are numbered; None where the file has none."""
    are_faces: bool
    """Whether all faces of that mesh are triangles, so that both have the same numbers."""
    moved: float
    """How far places moved at most, onto another triangle of their face, in local space."""


def export_to(
    path: str,
    context: bpy.types.Context,
    obj: bpy.types.Object,
    sets: Sequence[LandmarkSet],
    options: FileOptions,
) -> Exported:
    """Write a file of sets of an object; RaypickError where that fails: an old file then stays."""
    found = exported(context, obj, sets, options)
    with file_errors(), atomic_write(path) as file:
        file.write(found.data)
    return found


@asked_again_if_outdated
def exported(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    sets: Sequence[LandmarkSet],
    options: FileOptions,
) -> Exported:
    """A file of sets of an object; RaypickError where the format cannot hold them."""
    with file_errors():
        found = format_named(options.format)
    mesh, cut = checked(options.mesh, options.triangles, found.triangles)
    unit = found.unit if options.unit is None else options.unit
    axes = found.axes if options.axes is None else options.axes
    frame = FileFrame(context.scene, options.space, unit, axes, options.offset)
    columns = found.usual_columns if options.columns is None else options.columns
    held = {*(columns if found.columns else found.holds)}
    has_points = not held.isdisjoint({"position", "positions"})
    landmarks = [each for group in sets for each in group.landmarks]
    on_triangles: TriangleNumbers | None = None
    numbers: list[FilePlace | None] = [None] * len(landmarks)
    if not held.isdisjoint(_ON_TRIANGLES):
        with context.temp_override(area=None), reading():
            on_triangles, numbers = _file_places(context, obj, landmarks, mesh, cut, not has_points)
    marks = [_mark(each, number) for each, number in zip(landmarks, numbers, strict=True)]
    if has_points:
        marks = _with_points(context, obj, landmarks, marks, frame)
    on = None if on_triangles is None else on_triangles.polygons
    files = _files(obj, sets, marks, frame, on)
    with file_errors():
        data = write(options.format, files, options.layout, options.columns)
    return Exported(
        data,
        len(marks),
        sum((mark.point if has_points else mark.triangle) is None for mark in marks),
        frame.unit if has_points else None,
        frame.axes if has_points else None,
        MESHES[on_triangles.is_evaluated] if on_triangles else None,
        on is None or on.triangle_count == on.face_count,
        max((number.moved for number in numbers if number is not None), default=0.0),
    )


def _file_places(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    mesh: str | None,
    cut: str,
    is_needed: bool,
) -> tuple[TriangleNumbers | None, list[FilePlace | None]]:
    """The triangles of landmarks in the chosen mesh, or else in the first that has them all.

    Where none has them all: the mesh that lacks fewest, or RaypickError if all are needed.
    """
    anchors = [each.anchor for each in landmarks]
    why, best = "", None
    for name in MESHES if mesh is None else (mesh,):
        try:
            on = TriangleNumbers.of(context, obj, name == "EVALUATED", cut)
        except RaypickError as error:
            why = why or str(error)
            continue
        found = on.file_places(anchors)
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


def _mark(landmark: Landmark, number: FilePlace | None) -> Mark:
    """A landmark without its position."""
    values = {} if number is None else number._asdict()
    values.pop("moved", None)
    notes = {key: getattr(landmark, key) for key in ("description", "locked", "hidden")}
    return Mark(landmark.name, **notes, **values)


def _with_points(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    marks: Sequence[Mark],
    frame: FileFrame,
) -> list[Mark]:
    (places,) = located_landmarks(context, [(obj, landmarks)])
    points, normals = places.points, places.normals
    if not frame.in_world:
        # A normal is moved from world to local space by the transpose of the object's matrix.
        points, linear = places.local, np.array(obj.matrix_world, np.float64)[:3, :3]
        normals = normalized(normals @ linear)
    rows = zip(marks, frame.to_file(points), frame.directions(normals), strict=True)
    return [
        replace(mark, point=known_vector(point), normal=known_vector(normal))
        for mark, point, normal in rows
    ]


def _files(
    obj: bpy.types.Object,
    sets: Sequence[LandmarkSet],
    marks: Sequence[Mark],
    frame: FileFrame,
    on: PolygonMesh | None,
) -> list[MarkFile]:
    """The sets with their marks; `marks` are those of all sets, one set after the other.

    Where all names of a set are numbers, as MediaPipe's are, these become the indices.
    """
    remaining, files = iter(marks), []
    for group in sets:
        own = [*islice(remaining, len(group.landmarks))]
        if all(re.fullmatch("[0-9]{1,9}", mark.name) for mark in own):
            own = [replace(mark, index=int(mark.name)) for mark in own]
        file = MarkFile(
            group.name,
            tuple(own),
            axes=frame.axes,
            unit=frame.unit_name,
            object=obj.name,
            topology=on.topology if on else "",
            triangle_count=on.triangle_count if on else None,
            color=to_screen(group.color),
            locked=group.locked,
            hidden=group.hidden,
        )
        files.append(file)
    return files
