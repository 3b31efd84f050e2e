# SPDX-License-Identifier: GPL-3.0-or-later
"""What many rays hit: columns of numbers, and tables of names that the numbers refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..standalone_core.extension import ArgumentError, by_fields, of_this_copy
from .columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class InstanceTable:
    """All objects and instances that rays were cast at; the column `instance` has their rows."""

    object: npt.NDArray[np.int32]  # (I,), of the object with the mesh: index in `SceneHits.objects`
    instancer: tuple[str | None, ...]  # the object that makes it; None for an object itself
    persistent_id: tuple[tuple[int, ...] | None, ...]  # as in a hit
    matrix_world: npt.NDArray[np.float64]  # (I, 4, 4), local to world space
    instancer_library: tuple[str | None, ...]  # the file that the instancer is linked from
    mesh_size: tuple[tuple[int, int, int, int], ...] = ()  # of the meshes, as in a hit

    def __len__(self) -> int:
        return len(self.instancer)

    __raypick__ = by_fields

    def text(self, row: int) -> str:
        """The instancer and the persistent id of a row; no text for an object itself."""
        if self.instancer[row] is None:
            return ""
        return f"{self.instancer[row]} {', '.join(map(str, self.persistent_id[row] or ()))}"


@dataclass(frozen=True, slots=True, eq=False)
class SceneHits(Columns):
    """The hits of many rays, as columns by name: ``hits["face"]``.

    With one hit per ray, rows have the shape (...) of the rays. A row without a hit is a miss: its
    indices are -1, its distance inf, and the rest NaN or False. With all hits, the rows are hits in
    the order of their rays, whose indices are in the column `ray`.

    Attributes
    ----------
    columns : dict of str to ndarray (..., k)
        The columns asked for, and always `instance`.
    shape : tuple of int
        The shape of the rows: (...) as of the rays, or (N,) with all hits.
    objects, libraries : tuple
        Names of all objects in the file, in order, and the library file that each is linked from,
        None for this file. The column `object` has indices into them, which do not depend on what
        is shown. Of :func:`.api.places`, only objects that are found.
    materials, material_libraries : tuple
        The same for materials and the column `material`; empty without that column.
    instances : InstanceTable
        The table whose rows the column `instance` refers to.
    splits : ndarray (R + 1,) or None
        With all hits: the hits of ray i are the rows ``splits[i]`` to ``splits[i + 1]``.
    done : int
        How many rays were cast, in the order of :meth:`numpy.ndarray.ravel`; fewer than `rays`
        if the cast was stopped. The other rays are misses, or have no rows.
    rays : int
        How many rays there were.
    evaluated : bool
        Whether indices of faces and triangles are of evaluated meshes, as displayed.
    reasons : tuple of (str or None)
        Of :func:`.api.places`: why each row is a miss, in English; None for a hit.
    """

    shape: tuple[int, ...]
    objects: tuple[str, ...]
    libraries: tuple[str | None, ...]
    materials: tuple[str, ...]
    material_libraries: tuple[str | None, ...]
    instances: InstanceTable
    done: int
    rays: int
    splits: npt.NDArray[np.int64] | None = field(default=None)
    evaluated: bool = True
    reasons: tuple[str | None, ...] = ()

    __raypick__ = by_fields

    @classmethod
    def _of_plain(cls, instances: Any, **others: Any) -> SceneHits:
        return cls(instances=of_this_copy(instances, InstanceTable), **others)

    @property
    def is_complete(self) -> bool:
        """Whether all rays were cast."""
        return self.done == self.rays

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Which rows (...) are hits."""
        return np.asarray(self.columns["instance"] >= 0)

    @property
    def texts(self) -> dict[str, list[str]]:
        """The names that the indices in `object`, `instance` and `material` refer to, by column.

        An instance is called by its instancer and persistent id, an object by its own name.
        """
        own = enumerate(self.instances.object.tolist())
        found = {
            "object": [*self.objects],
            "instance": [self.instances.text(row) or self.objects[number] for row, number in own],
            "material": [*self.materials],
        }
        return {column: each for column, each in found.items() if column in self.columns}

    def names(self, column: str = "object") -> npt.NDArray[Any]:
        """The :attr:`texts` (...) for a column's indices; empty for misses.

        Parameters
        ----------
        column : {"object", "instance", "material"}
            One of the columns asked for; ArgumentError for others.
        """
        texts = self.texts
        if column not in texts:
            known = ", ".join(texts)
            raise ArgumentError(f"column must be one with names, of {known}, not {column!r}")
        table = np.array([*texts[column], ""], dtype=np.str_)
        return np.asarray(table[self.columns[column]])

    def __len__(self) -> int:
        """How many rows there are; a shape (H, W) has H W rows."""
        return prod(self.shape)

    def __repr__(self) -> str:
        hits = np.count_nonzero(self.hit)
        rest = "" if self.is_complete else f", {self.done} of {self.rays} rays done"
        return f"<SceneHits {self.shape}, {hits} hits, {', '.join(self.columns)}{rest}>"
