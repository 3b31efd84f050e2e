# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the meshes that the scene shows are those of an object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy

from ..scene.instances import ListedMesh
from ..scene.snapshot import Snapshot


@dataclass(slots=True)
class ObjectRows:
    """The meshes of one object: its own, and those of its instances in the scene's order."""

    own: ListedMesh | None = None
    instances: dict[tuple[str | None, tuple[int, ...] | None], ListedMesh] = field(
        default_factory=dict
    )

    def find(self, instancer: str | None, instance: tuple[int, ...] | None) -> ListedMesh | None:
        """The mesh of an instance, or by default of the object; None where it is not shown.

        Of an object that is shown by instances alone, that is the first of them.
        """
        if instancer is not None:
            return self.instances.get((instancer, instance))
        return self.own or next(iter(self.instances.values()), None)


def rows_of(
    shown: Snapshot, objects: Iterable[bpy.types.Object]
) -> dict[bpy.types.Object, ObjectRows]:
    """The meshes that the scene shows of some original objects."""
    found = {obj.session_uid: ObjectRows() for obj in objects}
    for row in shown.listed.values():
        rows = found.get(row.uid)
        if rows is None:
            continue
        if row.instancer is None:
            rows.own = rows.own or row
        else:
            rows.instances.setdefault((row.instancer, row.persistent_id), row)
    return {obj: found[obj.session_uid] for obj in objects}
