# SPDX-License-Identifier: GPL-3.0-or-later
"""From hits of the core to columns in Blender's terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bpy
import numpy as np

from ...model.scene_hits import Column
from ...model.survey_numbers import Name
from ...standalone_core import RayHits
from ...standalone_core.extension import FloatArray, IntArray
from ..hit_objects import names_of
from ..scene.snapshot import Snapshot
from .columns import ATTRIBUTE, KINDS, OF_MESHES
from .mesh_values import MeshValues
from .tables import tables_of

Depths = Callable[[FloatArray], FloatArray]

_OF_HITS = ("face", "triangle", "barycentric", "point", "normal", "distance", "front")


class Collector:
    """Columns of hits at one snapshot; what meshes store is read when one is first hit."""

    def __init__(
        self, shown: Snapshot, columns: Sequence[str], scene: bpy.types.Scene, depths: Depths
    ) -> None:
        self.tables = tables_of(shown)
        materials = names_of(bpy.data.materials) if "material" in columns else []
        self.materials: dict[Name, int] = {name: row for row, name in enumerate(materials)}
        self._columns, self._scene, self._depths = columns, scene, depths
        self._of_meshes = [
            name for name in columns if name in OF_MESHES or name.startswith(ATTRIBUTE)
        ]
        self._values: dict[int, MeshValues] = {}  # by the number of the group

    def columns(self, hits: RayHits) -> dict[str, Column]:
        """The columns of hits (N,), misses included."""
        tables = self.tables
        ids = hits.instance
        made: dict[str, Column] = {"instance": ids.astype(np.int32)}
        if "object" in self._columns:
            made["object"] = tables.object_of[ids]
        for name in _OF_HITS:
            if name in self._columns:
                made[name] = getattr(hits, name).astype(KINDS[name].dtype, copy=False)
        if "depth" in self._columns:
            made["depth"] = np.where(hits.hit, self._depths(hits.point), np.inf)
        if self._of_meshes:
            made |= self._read(hits)
        return {name: made[name] for name in self._columns}

    def _read(self, hits: RayHits) -> dict[str, Column]:
        """The columns that Blender's meshes are read for, mesh after mesh."""
        rows = np.flatnonzero(hits.hit)
        groups = self.tables.group_of[hits.instance[rows]]
        rows = rows[np.argsort(groups, kind="stable")]
        found, starts = np.unique(self.tables.group_of[hits.instance[rows]], return_index=True)
        parts = [
            self._at_group(group, hits.take(run))
            for group, run in zip(found.tolist(), np.split(rows, starts[1:]), strict=False)
        ]
        return {
            name: _in_rows(name, len(hits.distance), rows, [part[name] for part in parts])
            for name in self._of_meshes
        }

    def _at_group(self, group: int, hits: RayHits) -> dict[str, Column]:
        values = self._values.get(group)
        if values is None:
            row = self.tables.groups[group]
            values = MeshValues(row, self._of_meshes, self._scene, self.materials)
            self._values[group] = values
        matrices = self.tables.instances.matrix_world
        return values.columns(hits, matrices[hits.instance])


def _in_rows(name: str, count: int, rows: IntArray, parts: Sequence[Column]) -> Column:
    """Values of some rows, those of one mesh after those of another, among misses."""
    kind = KINDS.get(name)
    if kind is not None:
        column = kind.empty(count)
        if parts:
            column[rows] = np.concatenate(parts)
        return column
    width = max((part.shape[1] for part in parts), default=0)
    column = np.full((count, max(width, 1)), np.nan)
    start = 0
    for part in parts:
        stop = start + len(part)
        column[rows[start:stop], : part.shape[1]] = part
        start = stop
    return column
