# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks of an object from files of other tools.

Landmarks on triangles of this object's mesh come back exactly; those with a position alone are put
onto the closest point of the surface.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np

from ...model.hit import known_vector
from ...model.landmark_files.format import METERS, SCENE, Mark, MarkFile, Triple, from_screen
from ...model.landmark_files.registry import recognized
from ...model.landmark_files.text import first_of
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Names, missing
from ...model.landmarks.landmark_set import LandmarkSet
from ...settings import present
from ...standalone_core import RaypickError
from ...standalone_core.extension import FloatArray
from ..query import asked_again_if_outdated, reading
from ..validation import one_of
from . import storage
from .anchoring import Anchored, anchored_points
from .editing import landmark_at, new_set
from .file_frame import NO_OFFSET, FileFrame, file_errors
from .fitting import TOO_FAR, Arguments, Positions, can_be_measured, chosen_frames
from .locating import located
from .places import FacePlaces
from .triangle_numbers import NO_ORIGINAL, TriangleNumbers, checked

AUTO = "auto"  # the unit that the file says, or else the one that fits

_MOST_SETS = 16  # more are rarely meant: a face model has one for each turn of the head
_ROUNDED = 1e-9  # a sum of weights that is farther from 1 was rounded in the file
_AGREES = 1e-3  # how far a triangle's place may be from the mark's position, in object sizes


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How a file is read; for None the file or else the format decides."""

    space: str = "WORLD"
    unit: str | None = AUTO
    axes: str | None = None
    mesh: str | None = None  # of MESHES; by default the original one, where there is one
    triangles: str | None = None  # of CUTS
    only: Collection[str] | None = None  # names of the sets; by default all, up to _MOST_SETS
    offset: Triple = NO_OFFSET
    far: bool = False  # whether to take positions however far from the surface they are

    def __post_init__(self) -> None:
        one_of(self.unit or AUTO, (*METERS, SCENE, AUTO), "unit")


@dataclass(frozen=True, slots=True)
class Imported:
    """A set that was read from a file, to be reported."""

    set: LandmarkSet
    frame: FileFrame  # in which positions were read
    usual: FileFrame  # as the user or else the file says, by default in scene units and Z up
    equals: tuple[Arguments, ...]
    """Other arguments with which positions fit as well, if neither user nor file says which."""
    left_out: tuple[str, ...]

    @property
    def moved(self) -> float | None:
        """The farthest that a landmark was from the surface; None where all were on triangles."""
        away = (each.moved for each in self.set.landmarks if each.moved is not None)
        return max(away, default=None)


def load(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    path: str,
    format: str | None,
    options: LoadOptions,
    name: str | None = None,
) -> list[Imported]:
    """Add all sets of a file to an object; RaypickError, with none added, where one cannot be read.

    The default of `format` follows from the path's ending and the file's beginning, that of `name`
    from the sets of the file.
    """
    why = storage.why_not_editable(obj)
    if why is not None:
        raise RaypickError(why)
    document = storage.read(obj)
    with file_errors():  # also those of a path, such as a null character
        found, files = recognized(Path(path), format)
    mesh, cut = checked(options.mesh, options.triangles, found.triangles)
    options = replace(options, mesh=mesh, triangles=cut)
    files = _wanted(files, options.only)
    read = [*_Placing(context, obj, options).imported(files, document, name)]
    for each in read:
        document = document.with_set(each.set)
    storage.write(obj, document)
    return read


def _wanted(files: list[MarkFile], names: Collection[str] | None) -> list[MarkFile]:
    """The sets of a file that are wanted; RaypickError where the caller has to choose."""
    own = [each.name for each in files]
    if names is None and len(files) > _MOST_SETS:
        raise RaypickError(
            f"the file has {len(files)} sets: say with only= which of {first_of(own)}"
        )
    for name in names or ():
        if name not in own:
            raise RaypickError(f"the file has no set {name!r}, but {first_of(own)}")
    return [each for each in files if names is None or each.name in names]


class _Placing(NamedTuple):
    """How and onto which object the sets of a file are placed."""

    context: bpy.types.Context
    obj: bpy.types.Object
    options: LoadOptions

    def imported(
        self, files: Sequence[MarkFile], document: Document, name: str | None
    ) -> Iterator[Imported]:
        """New sets for a document, read in frames in which all positions of the file fit."""
        usual = [self._usual(each) for each in files]
        exact = [self._on_triangles(file, frame) for file, frame in zip(files, usual, strict=True)]
        points = [_points(file, known) for file, known in zip(files, exact, strict=True)]
        frames, equals = self._fitting(files, usual, points)
        for i, (file, frame) in enumerate(zip(files, frames, strict=True)):
            if frame != usual[i]:
                exact[i] = self._on_triangles(file, frame)
                points[i] = _points(file, exact[i])
            near = self._on_surface(points[i], frame)
            into = new_set(document, name or file.name or None)
            made = _filled(into, file, exact[i], near)
            document = document.with_set(made)
            yield Imported(made, frame, usual[i], equals if near else (), file.left_out)

    def _usual(self, file: MarkFile) -> FileFrame:
        """The frame as the user or else the file says, by default in scene units and Z up."""
        unit = (None if self.options.unit == AUTO else self.options.unit) or file.unit or SCENE
        axes = self.options.axes or file.axes or "Z_UP"
        return FileFrame(self.context.scene, self.options.space, unit, axes, self.options.offset)

    def _fitting(
        self,
        files: Sequence[MarkFile],
        usual: list[FileFrame],
        points: Sequence[Mapping[int, Triple]],
    ) -> tuple[list[FileFrame], tuple[Arguments, ...]]:
        """The frames in which positions are read, and other arguments that fit as well."""
        rows = [i for i, each in enumerate(points) if each]
        if self.options.far or not rows:
            return usual, ()
        free = {"unit"} if self.options.unit == AUTO else set[str]()
        free |= {"axes"} if self.options.axes is None else set()
        unsaid = {name for name in free if all(getattr(files[i], name) is None for i in rows)}
        sets = [Positions(np.array([*points[i].values()]), usual[i]) for i in rows]
        taken, equals = chosen_frames(self.context, self.obj, sets, free, unsaid)
        by_row = dict(zip(rows, taken, strict=True))
        return [by_row.get(i, frame) for i, frame in enumerate(usual)], equals

    @asked_again_if_outdated
    def _on_triangles(self, file: MarkFile, frame: FileFrame) -> dict[int, Anchored]:
        """The places of marks on triangles of the object, by the numbers of the marks."""
        marks = {i: mark for i, mark in enumerate(file.marks) if mark.barycentric is not None}
        if not any(mark.triangle is not None for mark in marks.values()):
            return {}
        with self.context.temp_override(area=None), reading():
            on, is_same = self._numbers_of(file)
            if file.triangle_count not in (None, on.polygons.triangle_count):
                raise RaypickError(
                    f"the file counts {file.triangle_count} triangles, and {self.obj.name!r} has "
                    f"{on.polygons.triangle_count}: it is of another mesh"
                )
            faces = {i: _face_of(on, mark, is_same) for i, mark in marks.items()}
            found = {i: face for i, face in faces.items() if face is not None}
            for i, mark in marks.items():
                if i not in found and mark.point is None:
                    raise RaypickError(
                        f"there is no triangle {mark.triangle} for landmark {mark.name!r}: "
                        f"{self.obj.name!r} has {on.polygons.triangle_count}"
                    )
            anchors = dict(zip(found, on.anchors(_places(found, marks)), strict=True))
            last = {i: on.place(anchor) for i, anchor in anchors.items()}
            size = float(np.linalg.norm(np.subtract(*on.mesh.bounds[::-1])))
        (places,) = located(self.context, [(self.obj, [*anchors.values()])])
        if not frame.in_world:
            now = places.local
        else:
            now, size = places.points, size * max(map(abs, self.obj.matrix_world.to_scale()[:]))
        placed = {}
        for row, (i, anchor) in enumerate(anchors.items()):
            point = marks[i].point
            if is_same or point is None or _agree(now[row], frame.from_file(np.array(point)), size):
                local = places.local[row]
                placed[i] = Anchored(anchor, known_vector(local) or last[i], last[i])
        return placed

    def _numbers_of(self, file: MarkFile) -> tuple[TriangleNumbers, bool]:
        """The triangles that a file numbers, and whether the mesh has the file's fingerprint."""
        mesh, cut = self.options.mesh, present(self.options.triangles)
        meshes = {None: (False, True), "ORIGINAL": (False,), "EVALUATED": (True,)}[mesh]
        usual = None
        for evaluated in meshes:
            try:
                numbers = TriangleNumbers.of(self.context, self.obj, evaluated, cut)
            except RaypickError as error:
                if str(error) != NO_ORIGINAL or not meshes[-1]:
                    raise
                continue
            if file.topology and numbers.polygons.topology == file.topology:
                return numbers, True
            if file.triangle_count == numbers.polygons.triangle_count:
                return numbers, False
            usual = usual or numbers
        return present(usual), False

    def _on_surface(self, points: Mapping[int, Triple], frame: FileFrame) -> dict[int, Anchored]:
        if not points:
            return {}
        there = frame.from_file(np.array([*points.values()]))
        if not can_be_measured(there):
            raise RaypickError(TOO_FAR)
        placed = anchored_points(self.context, self.obj, there, world=frame.in_world)
        return dict(zip(points, placed, strict=True))


def _filled(
    into: LandmarkSet, file: MarkFile, exact: Mapping[int, Anchored], near: Mapping[int, Anchored]
) -> LandmarkSet:
    """Fill an empty set with the marks of a file; their places are keyed by row in the file."""
    color = into.color if file.color is None else from_screen(file.color)
    landmarks, names = [], Names()
    for number, mark in enumerate(file.marks):
        place = exact.get(number) or near.get(number)
        # A mark without a name is named by its index, or else by its row in the file.
        usual = f"Landmark.{number + 1:03d}" if mark.index is None else str(mark.index)
        name = names.free(mark.name or usual)
        moved = None if number in exact or not place else place.distance
        row = landmark_at(place, name, moved) if place else missing(name)
        notes = {key: getattr(mark, key) for key in ("description", "locked", "hidden")}
        landmarks.append(replace(row, **notes))
    made = replace(
        into, color=color, locked=file.locked, hidden=file.hidden, landmarks=tuple(landmarks)
    )
    return replace(made, asks=bool(made.missing))


def _face_of(on: TriangleNumbers, mark: Mark, is_same: bool) -> tuple[int, Sequence[int]] | None:
    """The face and three corners of a mark; `is_same` if the mesh has the file's fingerprint."""
    if is_same and mark.face is not None and mark.corners is not None:
        return (mark.face, mark.corners) if on.has(mark.face, mark.corners) else None
    return None if mark.triangle is None else on.face_of(mark.triangle)


def _places(
    found: Mapping[int, tuple[int, Sequence[int]]], marks: Mapping[int, Mark]
) -> FacePlaces:
    """The places of marks by their faces and corners; rounded weights add up to 1 again."""
    weights = np.array([present(marks[i].barycentric) for i in found]).reshape(-1, 3)
    totals = weights.sum(axis=1, keepdims=True)
    return FacePlaces(
        np.array([face for face, _ in found.values()], np.int64),
        np.array([corners for _, corners in found.values()], np.int64).reshape(-1, 3),
        np.where(np.abs(totals - 1.0) < _ROUNDED, weights, weights / totals),
    )


def _agree(place: FloatArray, point: FloatArray, size: float) -> bool:
    """Whether the place on a mark's triangle agrees with the position that the mark also has."""
    return bool(np.linalg.norm(place - point) <= _AGREES * abs(size))


def _points(file: MarkFile, known: Container[int]) -> dict[int, Triple]:
    """The positions of the marks that have no known place."""
    numbered = enumerate(file.marks)
    return {i: mark.point for i, mark in numbered if i not in known and mark.point is not None}
