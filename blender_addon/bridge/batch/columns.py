# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of many hits: their types, and what a miss has there.

Columns that grow chunk by chunk.

Many places on one mesh, and what finds values there.

The objects and instances of a snapshot, numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, nan
from typing import Any, NamedTuple, TypeAlias

import bpy
import numpy as np
import numpy.typing as npt

from ...model.scene_hits import Column, InstanceTable
from ...model.survey_numbers import Name
from ...standalone_core import RayHits
from ...standalone_core.extension import ArgumentError, FloatArray, IndexArray, described, iterable
from ..hit_objects import name_of, names_of
from ..scene.instances import ListedMesh, persistent_ids
from ..scene.snapshot import Snapshot
from ..validation import text

ATTRIBUTE = "attribute:"
"""What the names of columns of attributes begin with."""


class Kind(NamedTuple):
    """What a column holds."""

    dtype: type[np.generic]
    miss: float
    width: int = 0  # numbers in a row of it; 0 for one that is no vector

    def empty(self, rows: int) -> npt.NDArray[Any]:
        """The column of so many misses."""
        shape = (rows, self.width) if self.width else (rows,)
        return np.full(shape, self.miss, dtype=self.dtype)


KINDS = {
    "instance": Kind(np.int32, -1),
    "object": Kind(np.int32, -1),
    "face": Kind(np.int32, -1),
    "triangle": Kind(np.int32, -1),
    "barycentric": Kind(np.float64, nan, 3),
    "point": Kind(np.float64, nan, 3),
    "normal": Kind(np.float64, nan, 3),
    "distance": Kind(np.float64, inf),
    "front": Kind(np.bool_, False),
    "vertices": Kind(np.int32, -1, 3),
    "original_face": Kind(np.int32, -1),
    "smooth_normal": Kind(np.float64, nan, 3),
    "uv": Kind(np.float64, nan, 2),
    "material": Kind(np.int32, -1),
    "depth": Kind(np.float64, inf),
}
"""All columns by name, but those of attributes."""

DEFAULT = (
    *("instance", "object", "face", "triangle", "barycentric", "point", "normal", "distance"),
    "front",
)
"""What is answered unless something else is asked for: it costs no look at Blender's meshes."""

OF_MESHES = frozenset({"vertices", "original_face", "smooth_normal", "uv", "material"})
"""Columns that Blender's meshes are read for, like attributes."""


def checked(columns: Iterable[str], attributes: Iterable[str], depth: bool) -> tuple[str, ...]:
    """The names of the columns that are asked for; without `depth` there is none."""
    known = [name for name in KINDS if depth or name != "depth"]
    asked = _names(columns, "columns")
    for name in asked:
        if name not in known:
            raise ArgumentError(
                f"there is no column {described(name)}: there are {', '.join(known)}; "
                "other data of meshes are named in attributes"
            )
    named = [ATTRIBUTE + text(name, "an attribute") for name in _names(attributes, "attributes")]
    return tuple(dict.fromkeys(["instance", *asked, *named]))


def _names(values: Iterable[str], argument: str) -> list[str]:
    if isinstance(values, str):
        raise ArgumentError(f"{argument} must be a list of names, not {described(values)}")
    return [text(value, f"each of {argument}") for value in iterable(values, argument)]


class ColumnStore:
    """Columns of a known number of rows, or of any number."""

    def __init__(self, names: Sequence[str], rows: int | None) -> None:
        self._names, self._rows = names, rows
        self._filled = 0
        self._whole: dict[str, Column] = {}
        if rows is not None:  # memory for all at once, which nothing has to be joined in later
            known = [name for name in names if name in KINDS]
            self._whole = {name: KINDS[name].empty(rows) for name in known}
        self._parts: dict[str, list[Column]] = {
            name: [] for name in names if name not in self._whole
        }

    def add(self, columns: Mapping[str, Column]) -> None:
        """Append rows to all columns."""
        count = len(columns["instance"])
        for name, whole in self._whole.items():
            whole[self._filled : self._filled + count] = columns[name]
        for name, parts in self._parts.items():
            parts.append(columns[name])
        self._filled += count

    def columns(self, shape: tuple[int, ...]) -> dict[str, Column]:
        """All rows in a shape; those that are not there yet are misses."""
        rows = self._filled if self._rows is None else self._rows
        found = {}
        for name in self._names:
            column = self._whole.get(name)
            if column is None:
                column = self._joined(name, rows)
            found[name] = column.reshape((*shape, *column.shape[1:]))
        return found

    def _joined(self, name: str, rows: int) -> Column:
        """The parts of a column, which may have different widths, one below the other."""
        parts = self._parts[name]
        if name in KINDS:
            return np.concatenate([KINDS[name].empty(0), *parts])
        width = max((part.shape[1] for part in parts), default=1)
        column = np.full((rows, width), np.nan)
        start = 0
        for part in parts:
            column[start : start + len(part), : part.shape[1]] = part
            start += len(part)
        return column[:, 0] if width == 1 else column


class Places(NamedTuple):
    """Hits at one mesh."""

    hits: RayHits  # (N,)
    matrices: FloatArray  # (N, 4, 4), local to world space
    corners: IndexArray  # (N, 3), the face corners of the triangles
    vertices: IndexArray  # (N, 3)


ValuesAt: TypeAlias = Callable[[Places], Column]


class Tables(NamedTuple):
    """What the numbers in columns stand for, and how ids of the core's scene lead to them."""

    objects: list[Name]  # all of the file, so that a number does not depend on what is shown
    instances: InstanceTable
    object_of: IndexArray  # numbers of the objects of instances (I + 1,), -1 at the end for misses
    group_of: IndexArray  # (I + 1,): instances of one mesh and one object are a group
    groups: list[ListedMesh]  # one of each group


def tables_of(shown: Snapshot) -> Tables:
    """Number what a snapshot shows."""
    rows = list(shown.listed.values())  # the scene's ids are their places here
    names = [name_of(row.original) for row in rows]
    objects = names_of(bpy.data.objects)
    numbers = {name: number for number, name in enumerate(objects)}
    groups: dict[tuple[int, int], int] = {}
    firsts: list[ListedMesh] = []
    group_of = []
    for row in rows:
        group = groups.setdefault((id(row.mesh), row.uid), len(firsts))
        if group == len(firsts):
            firsts.append(row)
        group_of.append(group)
    object_of = np.array([*(numbers[name] for name in names), -1], dtype=np.int32)
    table = InstanceTable(
        object_of[:-1],
        tuple(row.instancer for row in rows),
        tuple(persistent_ids(rows)),
        np.array([row.matrix for row in rows], dtype=np.float64).reshape(-1, 4, 4),
        _instancer_libraries(rows),
        tuple(row.mesh.size for row in rows),
    )
    return Tables(objects, table, object_of, np.array([*group_of, -1], dtype=np.int32), firsts)


def _instancer_libraries(rows: Sequence[ListedMesh]) -> tuple[str | None, ...]:
    objects = bpy.data.objects if bpy.data.libraries else ()
    libraries = {each.session_uid: name_of(each)[1] for each in objects}
    return tuple(libraries.get(row.instancer_uid or -1) for row in rows)
