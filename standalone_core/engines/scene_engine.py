# SPDX-License-Identifier: MIT
"""Batches at the instances of a scene by compiled code; importing this imports numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bvh import Tree
from ..cast.geometry import Geometry
from ..cast.hits import empty_hits, misses
from ..cast.rays import Query, RayBatch
from ..concurrency.threads import go_on, on_all_cores
from ..hit import RayHits
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.columns import concatenated
from . import scene_kernel
from .array_table import row_of
from .kernel_types import HitColumns, columns_of
from .numba_engine import _CHUNK, _EFFORT, _arrays, _tree_arrays

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
        self._shapes = list(shapes)
        self._kept: list[Any] = []
        self.rows = np.zeros((len(shapes), 2 * len(scene_kernel.MESH_ARRAYS)), dtype=np.int64)
        self.units = np.zeros((len(shapes), 4))
        for number, shape in enumerate(shapes):
            if shape is not None:
                self._set(number, *shape)

    def _set(self, number: int, geometry: Geometry, tree: Tree) -> None:
        nodes, starts, order, center, scale, vertices, triangles, _ = _arrays(
            geometry, tree, Query()
        )
        faces = _NO_FACES if geometry.faces is None else geometry.faces
        arrays = nodes, starts, order, vertices, triangles, faces
        self._kept.append(arrays)
        self.rows[number] = row_of(arrays, scene_kernel.MESH_ARRAYS)
        self.units[number] = *center, scale

    @property
    def is_empty(self) -> bool:
        """Whether there is no mesh that compiled code knows."""
        return not self._kept

    def is_of(self, shapes: Sequence[Shape | None]) -> bool:
        """Whether it still is the table of these meshes."""
        pairs = zip(self._shapes, shapes, strict=True)
        return all(_tree(one) is _tree(other) for one, other in pairs)


def _tree(shape: Shape | None) -> Tree | None:
    return None if shape is None else shape[1]


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
        found, counts = empty_hits(len(rays)), np.empty(len(rays), dtype=np.int64)
        cast = self._caster(rays, margins, counts)
        columns = HitColumns(*columns_of(found))

        def cast_chunk(begin: int) -> None:
            end = min(begin + _CHUNK, len(rays))
            while begin < end:
                go_on()
                begin = cast(begin, end, 1, 0, columns)

        on_all_cores(cast_chunk, range(0, len(rays), _CHUNK), _work(rays))
        return found, np.flatnonzero(counts < 0)

    def cast_every(self, rays: RayBatch, margins: FloatArray) -> tuple[IntArray, RayHits, IntArray]:
        """All hits with the row of the ray of each, sorted, and the rows left to NumPy."""
        counts = np.empty(len(rays), dtype=np.int64)
        cast = self._caster(rays, margins, counts)

        def cast_chunk(begin: int) -> RayHits:
            end, parts = min(begin + _CHUNK, len(rays)), []
            while begin < end:
                go_on()
                found = empty_hits(_BLOCK)
                first, begin = begin, cast(begin, end, _MOST, 0, HitColumns(*columns_of(found)))
                used = int(counts[first:begin].clip(min=0).sum())
                parts.append(found.take(slice(used)))
            return concatenated(parts)

        hits = on_all_cores(cast_chunk, range(0, len(rays), _CHUNK), _work(rays))
        row = np.repeat(np.arange(len(rays)), counts.clip(min=0))
        return row, concatenated(hits or [misses(0)]), np.flatnonzero(counts < 0)

    def _caster(
        self, rays: RayBatch, margins: FloatArray, counts: IntArray
    ) -> Callable[[int, int, int, int, Any], int]:
        """What casts rays from one row to another: see :func:`.scene_kernel.cast_many`."""
        given = (rays.origins, rays.directions, rays.lengths, rays.limits)
        query = rays.query
        masks = (_NO_MASK if mask is None else mask for mask in (self.hidden, query.excluded))
        arrays = (
            *(*_tree_arrays(self.tree), self.boxes, self.ways, self.ids, self.kinds),
            *(self.matrices, self.inverses, *masks, self.table.rows, self.table.units),
            *(*map(np.ascontiguousarray, given), margins, query.cull_sign, query.every),
        )

        def cast(begin: int, end: int, most_hits: int, row: int, columns: Any) -> int:
            return int(
                scene_kernel.cast_many(
                    *arrays, begin, end, most_hits, row, _EFFORT, counts, columns
                )
            )

        return cast


def _work(rays: RayBatch) -> int:
    return len(rays) << 4 if len(rays) > _CHUNK else 0
