# SPDX-License-Identifier: GPL-3.0-or-later
"""What many rays hit: columns of numbers, and tables of the names that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..standalone_core.extension import ArgumentError

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class InstanceTable:
    """All objects and instances that were cast at; the column `instance` numbers the rows (I)."""

    object: npt.NDArray[np.int32]  # (I,), which object's mesh it is: a number of the hits' objects
    instancer: tuple[str | None, ...]  # who makes the instance; None for an object itself
    persistent_id: tuple[tuple[int, ...] | None, ...]  # as of a hit
    matrix_world: npt.NDArray[np.float64]  # (I, 4, 4), local to world space
    instancer_library: tuple[str | None, ...]  # the file that the instancer is linked from
    mesh_size: tuple[tuple[int, int, int, int], ...] = ()  # of the meshes, as of a hit

    def __len__(self) -> int:
        return len(self.instancer)

    def text(self, row: int) -> str:
        """The instancer and the persistent id of a row; no text for an object itself."""
        if self.instancer[row] is None:
            return ""
        return f"{self.instancer[row]} {', '.join(map(str, self.persistent_id[row] or ()))}"


@dataclass(frozen=True, slots=True, eq=False)
class SceneHits(Mapping[str, Array]):
    """The hits of many rays, as columns by name: ``hits["face"]``.

    The rows stand in the shape (...) of the rays, and a row without a hit is a miss: there numbers
    of objects, faces and so on are -1, distances inf, and the rest NaN or False. Of all hits, the
    rows are the hits, those of one ray after those of another; the column `ray` numbers the rays.

    Attributes
    ----------
    columns : dict of str to ndarray (..., k)
        Those that were asked for; `instance` always.
    shape : tuple of int
        That of the rows: (...) of the rays, or (N,) of all hits.
    objects, libraries : tuple
        Names of all objects of the file, in order, which the column `object` numbers, and the
        library files that they are linked from, None for this file. So a number does not depend on
        what is shown.
    materials, material_libraries : tuple
        The same of materials and the column `material`; empty unless that was asked for.
    instances : InstanceTable
        What the column `instance` numbers.
    splits : ndarray (R + 1,) or None
        Of all hits: those of ray i are the rows ``splits[i]`` to ``splits[i + 1]``.
    done : int
        How many rays were cast, in the order of :meth:`numpy.ndarray.ravel`; fewer than `rays`
        where the cast was stopped. The rest are misses, or have no hits.
    rays : int
        How many rays there were.
    evaluated : bool
        Whether meshes as displayed were hit, which numbers of faces and triangles are of.
    """

    columns: dict[str, Array]
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

    @property
    def is_complete(self) -> bool:
        """Whether all rays were cast."""
        return self.done == self.rays

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Which rows are no misses, (...)."""
        return np.asarray(self.columns["instance"] >= 0)

    @property
    def texts(self) -> dict[str, list[str]]:
        """By column, what the numbers in it stand for: in `object`, `instance` and `material`.

        An instance has the name of what makes it and its persistent id; an object its own name.
        """
        own = enumerate(self.instances.object.tolist())
        found = {
            "object": [*self.objects],
            "instance": [self.instances.text(row) or self.objects[number] for row, number in own],
            "material": [*self.materials],
        }
        return {column: each for column, each in found.items() if column in self.columns}

    def names(self, column: str = "object") -> npt.NDArray[Any]:
        """The :attr:`texts` (...) that a column's numbers stand for; empty ones for misses.

        Parameters
        ----------
        column : {"object", "instance", "material"}
            One of those that were asked for; else ArgumentError.
        """
        texts = self.texts
        if column not in texts:
            known = ", ".join(texts)
            raise ArgumentError(f"column must be one with names, of {known}, not {column!r}")
        table = np.array([*texts[column], ""], dtype=np.str_)
        return np.asarray(table[self.columns[column]])

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        hits = np.count_nonzero(self.hit)
        rest = "" if self.is_complete else f", {self.done} of {self.rays} rays done"
        return f"<SceneHits {self.shape}, {hits} hits, {', '.join(self.columns)}{rest}>"
