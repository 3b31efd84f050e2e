# SPDX-License-Identifier: MIT
"""Batches at the instances of a scene by compiled code; importing this imports numba."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..bvh import Tree
from ..cast.hits import empty_hits, in_a_row, misses
from ..cast.rays import Geometry, Query, RayBatch
from ..concurrency.threads import go_on, on_all_cores
from ..hit import RayHits
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from . import scene_kernel
from .array_table import row_of
from .cast_kernel import ANY, COUNT, EVERY, NEAREST
from .kernel_types import HitColumns, columns_of
from .numba_engine import EFFORT, arrays_of, tree_arrays

# Rays that a thread takes at a time.
_CHUNK = 1 << 10

# Hits of one ray that there is room for, and those of rays that are cast together.
_MOST = 1 << 10
_BLOCK = 1 << 14

_NO_MASK = np.empty(0, dtype=np.bool_)
_NO_FACES = np.empty(0, dtype=np.int64)

Shape = tuple[Geometry, Tree]
"""Triangles with their tree."""


class MeshTable:
    """Where compiled code finds the arrays of M meshes, which live as long as this does."""

    def __init__(self, shapes: Sequence[Shape | None]) -> None:
        self._kept = [None if shape is None else arrays_of(*shape, Query()) for shape in shapes]
        self.rows = np.zeros((len(shapes), 2 * len(scene_kernel.MESH_ARRAYS)), dtype=np.int64)
        self.units = np.zeros((len(shapes), 4))
        self._faces = [_NO_FACES if shape is None else _faces(shape[0]) for shape in shapes]
        for number, kept in enumerate(self._kept):
            if kept is not None:
                nodes, blocks, center, unit, vertices, _ = kept
                arrays = nodes, blocks, vertices, self._faces[number]
                self.rows[number] = row_of(arrays, scene_kernel.MESH_ARRAYS)
                self.units[number] = *center, unit

    @property
    def is_empty(self) -> bool:
        """Whether there is no mesh that compiled code knows."""
        return all(kept is None for kept in self._kept)

    def is_of(self, shapes: Sequence[Shape | None]) -> bool:
        """Whether it is the table of these meshes with the trees that they have now."""
        return all(
            (kept is None) == (shape is None)
            and (kept is None or shape is None or kept[0] is arrays_of(*shape, Query())[0])
            for kept, shape in zip(self._kept, shapes, strict=True)
        )


def _faces(geometry: Geometry) -> IntArray:
    return _NO_FACES if geometry.faces is None else geometry.faces


@dataclass(frozen=True, slots=True, eq=False)
class CompiledScene:
    """N instances and a tree over their boxes, as :class:`.scene_kernel.SceneArrays` has them."""

    tree: Tree
    boxes: FloatArray
    ways: FloatArray
    ids: IntArray
    kinds: IntArray
    matrices: FloatArray
    inverses: FloatArray
    hidden: BoolArray | None
    table: MeshTable

    def cast_nearest(self, rays: RayBatch, margins: FloatArray) -> tuple[RayHits, IntArray]:
        """The nearest hit of each ray, misses included, and the rows (N,) that are left to NumPy.

        Boxes are made larger by the margins (R,).
        """
        found = empty_hits(len(rays))
        counts, _ = self._cast(rays, margins, NEAREST, 1, found)
        return found, np.flatnonzero(counts < 0)

    def cast_every(self, rays: RayBatch, margins: FloatArray) -> tuple[IntArray, RayHits, IntArray]:
        """All hits with the row of the ray of each, sorted, and the rows left to NumPy."""
        counts, parts = self._cast(rays, margins, EVERY, _MOST, None)
        row = np.repeat(np.arange(len(rays)), counts.clip(min=0))
        return row, in_a_row(parts), np.flatnonzero(counts < 0)

    def count(self, rays: RayBatch, margins: FloatArray) -> tuple[IntArray, IntArray]:
        """The number of hits of each ray, at most one if not all are wanted, and the rows left."""
        wanted = COUNT if rays.query.every else ANY
        counts, _ = self._cast(rays, margins, wanted, 1, misses(0))
        return counts, np.flatnonzero(counts < 0)

    def _cast(
        self,
        rays: RayBatch,
        margins: FloatArray,
        wanted: int,
        most_hits: int,
        columns: RayHits | None,
    ) -> tuple[IntArray, list[RayHits]]:
        """Cast rays on all processors: their numbers of hits, and new columns where none are given.

        See :func:`.scene_kernel.cast_many`.
        """
        counts = np.empty(len(rays), dtype=np.int64)
        masks = (self.hidden, rays.query.excluded)
        distances = (rays.lengths, rays.starts, rays.limits, margins)
        given = (rays.origins, rays.directions, *distances)
        arrays = (
            *(*tree_arrays(self.tree), self.boxes, self.ways, self.ids, self.kinds),
            *(self.matrices, self.inverses),
            *(_NO_MASK if mask is None else mask.view(np.bool_) for mask in masks),
            *(self.table.rows, self.table.units, *map(np.ascontiguousarray, given)),
            *(rays.query.cull_sign, wanted),
        )

        def cast_chunk(begin: int) -> list[RayHits]:
            end, parts = min(begin + _CHUNK, len(rays)), []
            while begin < end:
                go_on()
                found, first = empty_hits(_BLOCK) if columns is None else columns, begin
                begin = scene_kernel.cast_many(
                    *(*arrays, begin, end, most_hits, 0, EFFORT),
                    *(counts, HitColumns(*columns_of(found))),
                )
                if columns is None:
                    parts.append(found.take(slice(int(counts[first:begin].clip(min=0).sum()))))
            return parts

        # Even few rays take long enough to share them.
        work = len(rays) << 6 if len(rays) > _CHUNK else 0
        parts = on_all_cores(cast_chunk, range(0, len(rays), _CHUNK), work)
        return counts, list(chain.from_iterable(parts))
