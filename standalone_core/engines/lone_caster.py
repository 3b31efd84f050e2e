# SPDX-License-Identifier: MIT
"""Single rays at one mesh: all that can be found out before they come is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cast.rays import Geometry, LoneRay
from ..hit import Hit, hit_of
from ..numerics.ray_triangle import Vector
from . import lone_kernel
from .array_table import row_of
from .kernel_types import PackedTree
from .lone_kernel import MOST_HITS, NUMBERS, OWN_LENGTH
from .scene_kernel import MESH_ARRAYS

_ONE, _ALL = (1, NUMBERS), (MOST_HITS, NUMBERS)

_NO_FACES = np.empty(0, dtype=np.int64)


class LoneCaster:
    """A mesh with its packed tree, which a better one may replace while rays are cast.

    Parameters
    ----------
    geometry : Geometry
        Its triangles were checked.
    packed : PackedTree
    """

    __slots__ = ("_faces", "_known", "_vertices")

    def __init__(self, geometry: Geometry, packed: PackedTree) -> None:
        self._vertices = geometry.vertices
        self._faces = _NO_FACES if geometry.faces is None else geometry.faces
        self.packed = packed

    @property
    def packed(self) -> PackedTree:
        """The tree."""
        return self._known[1]

    @packed.setter
    def packed(self, packed: PackedTree) -> None:
        arrays = packed.nodes, packed.blocks, self._vertices, self._faces
        units = np.array([*packed.center, packed.unit])
        record = np.concatenate([row_of(arrays, MESH_ARRAYS), units.view(np.int64)])
        # At once, for threads that cast: who reads it keeps all that compiled code reads.
        self._known = record.ctypes.data, packed, record

    def nearest(self, origin: Vector[float], direction: Vector[float], limit: float) -> Any:
        """The nearest hit of an ordinary ray, or None; NotImplemented where more is to be done.

        Nothing of the floats needs to have been checked.
        """
        known, numbers = self._known, np.empty(_ONE)
        count = lone_kernel.cast(
            known[0], origin, direction, OWN_LENGTH, 0.0, limit, 0, False, 0, 0, numbers
        )
        if count > 0:
            return hit_of(numbers[0])
        return NotImplemented if count < 0 else None

    def cast(self, ray: LoneRay) -> list[Hit] | None:
        """The hits of one ray, the nearest first; None if only NumPy can tell."""
        known, mask = self._known, (0, 0)
        cull_sign, every, excluded = ray.query
        if excluded is not None:
            excluded = np.ascontiguousarray(excluded)
            mask = excluded.ctypes.data, len(excluded)
        numbers = np.empty(_ALL if every else _ONE)
        count = lone_kernel.cast(known[0], *ray[:5], cull_sign, every, *mask, numbers)
        return None if count < 0 else [hit_of(row) for row in numbers[:count]]
