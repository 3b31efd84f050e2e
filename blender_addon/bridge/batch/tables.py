# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects and instances of a snapshot, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...model.scene_hits import InstanceTable
from ...model.survey_numbers import Name
from ...standalone_core.extension import IndexArray
from ..hit_objects import name_of, names_of
from ..scene.instances import ListedMesh, persistent_ids
from ..scene.snapshot import Snapshot


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
