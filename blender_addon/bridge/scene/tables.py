# SPDX-License-Identifier: GPL-3.0-or-later
"""What the numbers of objects and instances in the columns of many hits stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...model.scene_hits import InstanceTable
from ...model.survey_numbers import Name
from ...standalone_core.extension import IndexArray
from ..hit_objects import name_of, names_of
from .instances import ListedMesh, persistent_ids
from .snapshot import Snapshot


class Tables(NamedTuple):
    """What the numbers in columns stand for, and the numbers of the core's instances."""

    objects: list[Name]  # all of the file, so that a number does not depend on what is shown
    instances: InstanceTable
    object_of: IndexArray  # (I + 1,), the object number of each instance; the last, for misses, -1
    group_of: IndexArray  # (I + 1,): instances of one mesh and one object are a group
    groups: list[ListedMesh]  # the first instance of each group


def tables_of(shown: Snapshot) -> Tables:
    """Number the objects of the file, and the instances that a snapshot shows."""
    rows = list(shown.listed.values())  # in the order of the core scene's ids
    return numbered(rows, names_of(bpy.data.objects))


def numbered(rows: Sequence[ListedMesh], objects: list[Name] | None = None) -> Tables:
    """Number instances as their rows are, and objects as given, by default those of the rows."""
    names = [name_of(row.original) for row in rows]
    objects = [*dict.fromkeys(names)] if objects is None else objects
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
    has_makers = any(row.instancer is not None for row in rows)
    from_libraries = bpy.data.objects if has_makers and bpy.data.libraries else ()
    libraries = {each.session_uid: name_of(each)[1] for each in from_libraries}
    table = InstanceTable(
        object_of[:-1],
        tuple(row.instancer for row in rows),
        tuple(persistent_ids(rows)),
        np.array([row.matrix for row in rows], dtype=np.float64).reshape(-1, 4, 4),
        tuple(libraries.get(row.instancer_uid or -1) for row in rows),
        tuple(row.mesh.size for row in rows),
    )
    return Tables(objects, table, object_of, np.array([*group_of, -1], dtype=np.int32), firsts)
